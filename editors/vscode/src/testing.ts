/** The test explorer: `test` blocks, run by the server on the texts as they are in the editor. */
import * as vscode from 'vscode';
import type * as protocol from './protocol';
import { LANGUAGE, type Server, words } from './server';

function range(of: protocol.Range): vscode.Range {
  return new vscode.Range(of.start.line, of.start.character, of.end.line, of.end.character);
}

/** Two tests of a file may have one name; the second is told from the first by its number. */
function* identified<T extends { name: string }>(tests: T[]): Generator<[string, T]> {
  const seen = new Map<string, number>();
  for (const test of tests) {
    const before = seen.get(test.name) ?? 0;
    seen.set(test.name, before + 1);
    yield [before === 0 ? test.name : `${test.name}\u0000${before + 1}`, test];
  }
}

export class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController('ctrc', 'ctrc');
  private readonly profile: vscode.TestRunProfile;
  private readonly subscriptions: vscode.Disposable[] = [];
  private readonly waiting = new Map<string, NodeJS.Timeout>();
  /** The number of a test in its file, as the server counts. */
  private readonly numbers = new WeakMap<vscode.TestItem, number>();

  constructor(private readonly server: Server) {
    this.profile = this.controller.createRunProfile(
      'Run',
      vscode.TestRunProfileKind.Run,
      (request, token) => (request.continuous === true ? this.follow(request, token) : this.run(request, token)),
      true,
      undefined,
      true,
    );
    this.controller.refreshHandler = () => this.refreshAll();
    const watcher = vscode.workspace.createFileSystemWatcher('**/*.ctr');
    this.subscriptions.push(
      watcher,
      watcher.onDidCreate((uri) => {
        this.later(uri);
      }),
      watcher.onDidChange((uri) => {
        this.later(uri);
      }),
      watcher.onDidDelete((uri) => {
        this.controller.items.delete(uri.toString());
      }),
      server.onDidChange(({ kind }) => {
        if (kind === 'running') void this.refreshAll();
        else if (kind === 'stopped') this.controller.items.replace([]);
      }),
      vscode.workspace.onDidOpenTextDocument((document) => {
        if (document.languageId === LANGUAGE) this.later(document.uri);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.languageId === LANGUAGE) this.later(document.uri);
      }),
      vscode.workspace.onDidSaveTextDocument((document) => {
        const wanted = vscode.workspace.getConfiguration('ctrc', document).get<boolean>('tests.runOnSave', false);
        if (wanted && document.languageId === LANGUAGE) void this.runFile(document.uri, undefined, true);
      }),
    );
  }

  /** Looks at a file again once its text has been left alone for a moment. */
  private later(uri: vscode.Uri): void {
    const key = uri.toString();
    clearTimeout(this.waiting.get(key));
    this.waiting.set(
      key,
      setTimeout(() => {
        this.waiting.delete(key);
        void this.refresh(uri);
      }, 300),
    );
  }

  private async refreshAll(): Promise<void> {
    try {
      const tests = await this.server.ask('ctrc.tests', {});
      const files = new Map<string, protocol.Test[]>();
      for (const test of tests) {
        const key = vscode.Uri.parse(test.uri).toString();
        files.set(key, [...(files.get(key) ?? []), test]);
      }
      for (const [key] of this.controller.items) if (!files.has(key)) this.controller.items.delete(key);
      for (const [key, found] of files) this.put(vscode.Uri.parse(key), found);
    } catch (error) {
      this.server.output.debug(`no list of tests: ${words(error)}`);
    }
  }

  private async refresh(uri: vscode.Uri): Promise<void> {
    if (this.server.standing.kind !== 'running' || uri.scheme !== 'file') return;
    try {
      this.put(uri, await this.server.ask('ctrc.tests', { uri: uri.toString() }));
    } catch (error) {
      this.server.output.debug(`no tests of ${uri.fsPath}: ${words(error)}`);
    }
  }

  /** Lists the tests of a file. Items that stay keep their results. */
  private put(uri: vscode.Uri, tests: protocol.Test[]): void {
    const key = uri.toString();
    if (tests.length === 0) {
      this.controller.items.delete(key);
      return;
    }
    let file = this.controller.items.get(key);
    if (file === undefined) {
      file = this.controller.createTestItem(key, vscode.workspace.asRelativePath(uri), uri);
      this.controller.items.add(file);
    }
    const items: vscode.TestItem[] = [];
    for (const [id, test] of identified(tests)) {
      const item = file.children.get(id) ?? this.controller.createTestItem(id, test.name, uri);
      item.range = range(test.range);
      item.sortText = String(test.index).padStart(6, '0');
      item.description = test.contracts.join(', ');
      this.numbers.set(item, test.index);
      items.push(item);
    }
    file.children.replace(items);
  }

  /** The tests that are asked for, by file. */
  private wanted(request: vscode.TestRunRequest): Map<vscode.TestItem, vscode.TestItem[]> {
    const out = new Map<vscode.TestItem, vscode.TestItem[]>();
    const excluded = new Set(request.exclude ?? []);
    const add = (item: vscode.TestItem): void => {
      if (excluded.has(item)) return;
      if (item.parent === undefined) {
        for (const [, child] of item.children) add(child);
        return;
      }
      const known = out.get(item.parent) ?? [];
      if (!known.includes(item)) out.set(item.parent, [...known, item]);
    };
    if (request.include === undefined) for (const [, file] of this.controller.items) add(file);
    else request.include.forEach(add);
    return out;
  }

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    try {
      for (const [file, items] of this.wanted(request)) {
        if (token.isCancellationRequested) break;
        await this.runOf(run, file, items, token);
      }
    } finally {
      run.end();
    }
  }

  private async runOf(
    run: vscode.TestRun,
    file: vscode.TestItem,
    items: vscode.TestItem[],
    token: vscode.CancellationToken,
  ): Promise<void> {
    const say = (line: string, at?: vscode.TestItem): void => {
      run.appendOutput(`${line.replace(/\r?\n/g, '\r\n')}\r\n`, undefined, at);
    };
    for (const item of items) run.started(item);
    let results: protocol.TestResult[];
    try {
      // The numbers of the tests are those of the text as it is now.
      if (file.uri !== undefined) await this.refresh(file.uri);
      const indices = items.flatMap((item) => this.numbers.get(item) ?? []);
      results = await this.server.ask('ctrc.runTests', { uri: file.id, indices }, token);
    } catch (error) {
      for (const item of items) {
        if (token.isCancellationRequested) run.skipped(item);
        else run.errored(item, new vscode.TestMessage(words(error)));
      }
      say(`${file.label}: ${words(error)}`);
      return;
    }
    const byNumber = new Map(results.map((result) => [result.index, result]));
    for (const item of items) {
      const result = byNumber.get(this.numbers.get(item) ?? -1);
      if (result === undefined) {
        run.skipped(item);
      } else if (result.passed) {
        run.passed(item, result.took);
        say(`ok      ${file.label}: ${item.label}`, item);
      } else {
        const messages = result.failures.map((failure) => {
          const message = new vscode.TestMessage(failure.message);
          message.location = new vscode.Location(vscode.Uri.parse(failure.uri), range(failure.range));
          return message;
        });
        run.failed(item, messages, result.took);
        say(`FAILED  ${file.label}: ${item.label}`, item);
        for (const { message, range: at } of result.failures) say(`          line ${at.start.line + 1}: ${message}`, item);
      }
    }
  }

  /** Runs again what was asked for each time one of its files is saved. */
  private async follow(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const saved = vscode.workspace.onDidSaveTextDocument((document) => {
      const file = this.controller.items.get(document.uri.toString());
      if (file === undefined) return;
      const items = this.wanted(request).get(file);
      if (items === undefined) return;
      void this.run(new vscode.TestRunRequest(items, request.exclude, this.profile, true), token);
    });
    await new Promise<void>((resolve) => {
      token.onCancellationRequested(() => {
        resolve();
      });
    });
    saved.dispose();
  }

  /** Runs tests of a file as if it were asked for in the explorer: all, or those with these numbers. */
  async runFile(uri: vscode.Uri, indices?: number[], quiet = false): Promise<void> {
    await this.refresh(uri);
    const file = this.controller.items.get(uri.toString());
    if (file === undefined) {
      if (!quiet) void vscode.window.showInformationMessage('This file has no tests.');
      return;
    }
    const items: vscode.TestItem[] = [];
    for (const [, item] of file.children) {
      if (indices?.includes(this.numbers.get(item) ?? -1) ?? true) items.push(item);
    }
    const source = new vscode.CancellationTokenSource();
    try {
      await this.run(new vscode.TestRunRequest(items, undefined, this.profile, false, !quiet), source.token);
    } finally {
      source.dispose();
    }
  }

  /** The number of the test at a place. */
  async at(uri: vscode.Uri, position: vscode.Position): Promise<number | undefined> {
    const tests = await this.server.ask('ctrc.tests', { uri: uri.toString() });
    return tests.find((test) => range(test.range).contains(position))?.index;
  }

  dispose(): void {
    for (const timer of this.waiting.values()) clearTimeout(timer);
    for (const each of this.subscriptions) each.dispose();
    this.controller.dispose();
  }
}
