/** Panels that draw a contract's automata and step sessions through them: one for each contract. */
import { randomBytes } from 'node:crypto';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Position } from '../protocol';
import { LANGUAGE, type Server, words } from '../server';
import { page } from './html';
import type { FromPanel, Identity, Origin, ToPanel } from './messages';

const KIND = 'ctrc.contract';

/** A contract of a policy. */
export interface Subject {
  uri: vscode.Uri;
  contract: string;
}

export class Panels implements vscode.Disposable {
  private readonly open = new Map<string, Panel>();
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    const later = (): void => {
      if (this.open.size === 0) return;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        for (const panel of this.open.values()) void panel.refresh();
      }, 250);
    };
    const watcher = vscode.workspace.createFileSystemWatcher('**/*.{ctr,json,jsonl,toml}');
    this.subscriptions = [
      watcher,
      watcher.onDidChange(later),
      watcher.onDidCreate(later),
      watcher.onDidDelete(later),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const concerns = document.languageId === LANGUAGE || /\.jsonl?$/.test(document.uri.path);
        if (contentChanges.length > 0 && concerns) later();
      }),
      server.onDidChange(({ kind }) => {
        if (kind === 'running') later();
      }),
      vscode.window.registerWebviewPanelSerializer(KIND, {
        deserializeWebviewPanel: (panel: vscode.WebviewPanel, state: unknown) => {
          const identity = (state as { identity?: Identity } | undefined)?.identity;
          if (identity === undefined) panel.dispose();
          else this.add(panel, identity);
          return Promise.resolve();
        },
      }),
    ];
  }

  private options(): vscode.WebviewOptions {
    return {
      enableScripts: true,
      localResourceRoots: ['dist', 'media'].map((folder) => vscode.Uri.joinPath(this.context.extensionUri, folder)),
    };
  }

  private add(view: vscode.WebviewPanel, identity: Identity): Panel {
    const key = `${identity.uri}#${identity.contract}`;
    view.webview.options = this.options();
    const panel = new Panel(view, identity, this.server, this.context);
    this.open.set(key, panel);
    view.onDidDispose(() => {
      this.open.delete(key);
    });
    return panel;
  }

  /** Shows a contract, with a session if one is given. */
  show({ uri, contract }: Subject, origin?: Origin): void {
    const known = this.open.get(`${uri.toString()}#${contract}`);
    if (known !== undefined) {
      known.reveal(origin);
      return;
    }
    const view = vscode.window.createWebviewPanel(KIND, contract, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false }, this.options());
    const identity: Identity = { uri: uri.toString(), contract, view: 'recorded', ...(origin === undefined ? {} : { origin }) };
    this.add(view, identity);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const each of this.subscriptions) each.dispose();
  }
}

class Panel {
  /** Only the newest answers count. */
  private generation = 0;
  private ready = false;

  constructor(
    private readonly view: vscode.WebviewPanel,
    private readonly identity: Identity,
    private readonly server: Server,
    context: vscode.ExtensionContext,
  ) {
    const { webview } = view;
    const at = (...parts: string[]): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(context.extensionUri, ...parts)).toString();
    view.title = identity.contract;
    view.iconPath = vscode.Uri.joinPath(context.extensionUri, 'icons', 'ctrc.png');
    webview.onDidReceiveMessage((message: FromPanel) => {
      void this.hear(message);
    });
    webview.html = page({
      script: at('dist', 'panel.js'),
      style: at('media', 'panel.css'),
      source: webview.cspSource,
      nonce: randomBytes(18).toString('base64'),
    });
  }

  reveal(origin: Origin | undefined): void {
    this.view.reveal(undefined, false);
    if (origin !== undefined) {
      this.identity.origin = origin;
      void this.refresh();
    }
  }

  private tell(message: ToPanel): void {
    void this.view.webview.postMessage(message);
  }

  /** Asks anew for what is shown. Without answers what is shown stays, and is said to be old. */
  async refresh(): Promise<void> {
    if (!this.ready) return;
    this.generation += 1;
    const generation = this.generation;
    const { uri, contract, origin, view } = this.identity;
    this.tell({ type: 'identity', identity: this.identity });
    // A restored window is there before its server, which tells when it runs.
    if (this.server.standing.kind === 'starting') return;
    try {
      const automaton = await this.server.ask('ctrc.automaton', { uri, contract });
      if (generation !== this.generation) return;
      this.tell({ type: 'automaton', automaton });
    } catch (error) {
      if (generation === this.generation) this.tell({ type: 'stale', why: words(error) });
      return;
    }
    if (origin === undefined) {
      this.tell({ type: 'noSession' });
      return;
    }
    try {
      const replay = await this.server.ask('ctrc.replay', { uri, contract, view, ...this.content(origin) });
      if (generation !== this.generation) return;
      this.tell({
        type: 'session',
        name: origin.kind === 'file' ? vscode.workspace.asRelativePath(origin.path) : origin.name,
        replay,
        fromFile: origin.kind === 'file',
        test: origin.kind === 'found' && origin.test !== null,
        remark: origin.kind === 'found' ? origin.remark : '',
      });
    } catch (error) {
      if (generation === this.generation) this.tell({ type: 'noSession', why: words(error) });
    }
  }

  /** A session's text where the editor has it, else its path. */
  private content(origin: Origin): { text: string } | { path: string } {
    if (origin.kind === 'found') return { text: origin.text };
    const open = vscode.workspace.textDocuments.find(
      (document) => document.uri.scheme === 'file' && document.uri.fsPath === origin.path,
    );
    return open?.isDirty === true ? { text: open.getText() } : { path: origin.path };
  }

  private async hear(message: FromPanel): Promise<void> {
    try {
      await this.act(message);
    } catch (error) {
      void vscode.window.showErrorMessage(words(error));
    }
  }

  private async act(message: FromPanel): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.ready = true;
        await this.refresh();
        break;
      case 'goToContract': {
        const { uri, contract } = this.identity;
        const found = await this.server.ask('ctrc.automaton', { uri, contract });
        await this.goTo(vscode.Uri.parse(found.uri), found.range.start);
        break;
      }
      case 'goTo':
        await this.goTo(vscode.Uri.parse(message.uri), message);
        break;
      case 'goToEvent': {
        const { origin } = this.identity;
        if (origin?.kind === 'file') await this.goTo(vscode.Uri.file(origin.path), { line: message.line - 1, character: 0 });
        break;
      }
      case 'pickSession': {
        const picked = await pickSession(vscode.Uri.parse(this.identity.uri));
        if (picked !== undefined) {
          this.identity.origin = { kind: 'file', path: picked.fsPath };
          await this.refresh();
        }
        break;
      }
      case 'find': {
        const { uri, contract } = this.identity;
        const found = await findSession(this.server, { uri: vscode.Uri.parse(uri), contract }, message.show);
        if (found !== undefined) {
          this.identity.origin = found;
          await this.refresh();
        }
        break;
      }
      case 'closeSession':
        delete this.identity.origin;
        await this.refresh();
        break;
      case 'view':
        this.identity.view = message.view;
        await this.refresh();
        break;
      case 'insertTest':
        await this.insertTest();
        break;
    }
  }

  private async goTo(uri: vscode.Uri, { line, character }: Position): Promise<void> {
    const at = new vscode.Position(Math.max(0, line), character);
    const beside = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
    const column = beside?.viewColumn ?? (this.view.viewColumn === vscode.ViewColumn.One ? vscode.ViewColumn.Beside : vscode.ViewColumn.One);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), viewColumn: column });
  }

  /** Writes the session that was found as a test at the end of the policy. */
  private async insertTest(): Promise<void> {
    const { origin, uri } = this.identity;
    if (origin?.kind !== 'found' || origin.test === null) return;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
    const last = document.lineAt(document.lineCount - 1).range.end;
    const text = document.getText();
    const gap = text.trim() === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, last, `${gap}${origin.test.trimEnd()}\n`);
    if (await vscode.workspace.applyEdit(edit)) {
      await this.goTo(document.uri, { line: last.line + (gap.match(/\n/g)?.length ?? 0), character: 0 });
    }
  }
}

/** Asks which recorded session is meant. */
export async function pickSession(policy: vscode.Uri): Promise<vscode.Uri | undefined> {
  const found = await vscode.workspace.findFiles('**/*.{jsonl,json}', '**/{node_modules,target,.vscode}/**', 500);
  const folder = path.dirname(policy.fsPath);
  const near = (uri: vscode.Uri): number => (uri.fsPath.startsWith(`${folder}${path.sep}`) ? 0 : 1);
  const entries = found
    .filter(({ fsPath }) => !/(^|[./\\_-])(tools|package|package-lock|tsconfig|launch|settings)\.json$/.test(fsPath))
    .sort((a, b) => near(a) - near(b) || (a.fsPath < b.fsPath ? -1 : 1))
    .map((uri) => ({ label: `$(file) ${path.basename(uri.fsPath)}`, description: vscode.workspace.asRelativePath(path.dirname(uri.fsPath)), uri }));
  const browse = { label: '$(folder-opened) Browse...', description: '', uri: undefined };
  const chosen = await vscode.window.showQuickPick([...entries, browse], { title: 'Which recorded session?', matchOnDescription: true });
  if (chosen === undefined) return undefined;
  if (chosen.uri !== undefined) return chosen.uri;
  const browsed = await vscode.window.showOpenDialog({
    defaultUri: vscode.Uri.file(folder),
    filters: { 'Recorded sessions': ['jsonl', 'json', 'ndjson', 'gz', 'zst'], 'All files': ['*'] },
    openLabel: 'Step through',
  });
  return browsed?.[0];
}

/** Looks for a shortest session that keeps or breaks a contract; says so where there is none. */
export async function findSession(server: Server, { uri, contract }: Subject, show: 'accepting' | 'rejecting'): Promise<Origin | undefined> {
  const does = show === 'accepting' ? 'keeps' : 'breaks';
  const answer = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Looking for a session that ${does} ${contract}`, cancellable: true },
    async (progress, token) => {
      try {
        return await server.ask('ctrc.witness', { uri: uri.toString(), contract, show }, token, progress);
      } catch (error) {
        if (token.isCancellationRequested) return undefined;
        throw error;
      }
    },
  );
  if (answer === undefined) return undefined;
  const example = answer[show];
  if (example === null) {
    const why = answer.undecided === undefined ? `No session ${does} ${contract}.` : `It is not known whether a session ${does} ${contract}: ${answer.undecided}`;
    void vscode.window.showInformationMessage(why);
    return undefined;
  }
  return {
    kind: 'found',
    name: `${example.shortest ? 'A shortest session' : 'A session'} that ${does} it`,
    text: example.lines.map((line) => `${line}\n`).join(''),
    test: example.test,
    remark: example.end ?? '',
  };
}
