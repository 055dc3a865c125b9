/** The language server: starting it, stopping it, asking it, and what is told of it. */
import * as vscode from 'vscode';
import {
  type ClientCapabilities,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  type ServerCapabilities,
  type ServerOptions,
  State,
  type StaticFeature,
  WorkDoneProgress,
} from 'vscode-languageclient/node';
import { type Located, locate, OLDEST } from './locate';
import type { Commands } from './protocol';
import { SideDocuments } from './sidedocuments';

export const LANGUAGE = 'ctr';
export const SELECTOR: vscode.DocumentFilter = { scheme: 'file', language: LANGUAGE };

/** How the server stands. */
export type Standing =
  | { kind: 'stopped' }
  | { kind: 'starting' }
  | { kind: 'running'; path: string; version: string }
  | { kind: 'failed'; why: string };

/** Says what this client can do, and takes findings as the server pushes them. */
class Capabilities implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const experimental = capabilities.experimental as Record<string, unknown> | undefined;
    capabilities.experimental = { ...experimental, ctrc: { panels: true, source: true } };
    // A client that pulls asks for the whole workspace every two seconds; pushed findings cost nothing while nothing changes.
    delete capabilities.textDocument?.diagnostic;
    delete capabilities.workspace?.diagnostics;
  }

  preInitialize(capabilities: ServerCapabilities): void {
    delete capabilities.diagnosticProvider;
  }

  initialize(): void {
    // Nothing: there is nothing to register.
  }

  getState(): { kind: 'static' } {
    return { kind: 'static' };
  }

  clear(): void {
    // Nothing is kept.
  }
}

/** The words of an error for people. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export class Server implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel('ctrc', { log: true });
  private readonly trace = vscode.window.createOutputChannel('ctrc (protocol)');
  private readonly changed = new vscode.EventEmitter<Standing>();
  /** Tells how the server stands, whenever that changes. */
  readonly onDidChange = this.changed.event;
  private now: Standing = { kind: 'stopped' };
  private client: LanguageClient | undefined;
  private side: SideDocuments | undefined;
  /** Starts and stops come one after another. */
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly middleware: Middleware) {}

  get standing(): Standing {
    return this.now;
  }

  private stand(standing: Standing): void {
    this.now = standing;
    void vscode.commands.executeCommand('setContext', 'ctrc.running', standing.kind === 'running');
    this.changed.fire(standing);
  }

  start(): Promise<void> {
    this.queue = this.queue.then(() => this.startNow()).catch((error: unknown) => {
      this.fail(words(error));
    });
    return this.queue;
  }

  stop(): Promise<void> {
    this.queue = this.queue.then(() => this.stopNow());
    return this.queue;
  }

  async restart(): Promise<void> {
    void this.stop();
    await this.start();
  }

  private fail(why: string): void {
    this.output.error(why);
    this.stand({ kind: 'failed', why });
  }

  /** Where `ctrc` is, by the settings as they are now. */
  find(): Promise<Located> {
    const settings = vscode.workspace.getConfiguration('ctrc');
    const folder = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === 'file');
    return locate({
      setting: settings.get<string>('path', ''),
      env: { ...process.env, ...settings.get<Record<string, string>>('environment', {}) },
      platform: process.platform,
      folder: folder?.uri.fsPath,
    });
  }

  private async startNow(): Promise<void> {
    if (this.client !== undefined) return;
    this.stand({ kind: 'starting' });
    const located = await this.find();
    if (located.kind !== 'found') {
      this.tellMissing(located);
      return;
    }
    const { path, version } = located;
    this.output.info(`starting ${path} lsp (${version})`);
    const environment = vscode.workspace.getConfiguration('ctrc').get<Record<string, string>>('environment', {});
    const run: ServerOptions = {
      command: path,
      args: ['lsp'],
      options: { env: { ...process.env, ...environment }, shell: path.endsWith('.cmd') },
    };
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: SELECTOR.scheme ?? 'file', language: LANGUAGE }],
      diagnosticCollectionName: 'ctrc',
      outputChannel: this.output,
      traceOutputChannel: this.trace,
      middleware: this.middleware,
      connectionOptions: { maxRestartCount: 4 },
      initializationOptions: () => ({ ctrc: vscode.workspace.getConfiguration('ctrc') }),
    };
    const client = new LanguageClient('ctrc', 'ctrc', run, options);
    client.registerFeature(new Capabilities());
    client.onDidChangeState(({ newState }) => {
      if (this.client !== client) return;
      if (newState === State.Running) {
        this.side?.dispose();
        this.side = new SideDocuments(client);
        this.stand({ kind: 'running', path, version });
      } else if (newState === State.Stopped) {
        this.stand({ kind: 'failed', why: 'the server has ended' });
      } else {
        this.stand({ kind: 'starting' });
      }
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.client = undefined;
      throw error;
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.side?.dispose();
    this.side = undefined;
    if (client !== undefined) {
      try {
        await client.stop(2000);
        await client.dispose();
      } catch (error) {
        this.output.warn(`the server did not stop by itself: ${words(error)}`);
      }
    }
    this.stand({ kind: 'stopped' });
  }

  /** Says why there is no server and what to do. */
  private tellMissing(located: Exclude<Located, { kind: 'found' }>): void {
    const [why, install] =
      located.kind === 'missing'
        ? [`\`ctrc\` was not found in ${located.looked}. Install it, or say where it is.`, true]
        : located.kind === 'old'
          ? [`\`${located.path}\` is version ${located.version}, without what this extension needs: version ${OLDEST} with \`ctrc lsp\`. Install a newer one, or say where it is.`, true]
          : [`\`${located.path}\` cannot be run: ${located.why}`, false];
    this.fail(why);
    const choose = 'Choose ctrc...';
    const how = 'How to install';
    const again = 'Try again';
    void vscode.window.showErrorMessage(why, ...(install ? [how] : []), choose, again).then((answer) => {
      if (answer === choose) void vscode.commands.executeCommand('ctrc.choosePath');
      else if (answer === how) void vscode.commands.executeCommand('ctrc.getStarted');
      else if (answer === again) void this.restart();
    });
  }

  /**
   * Asks for a command's answer.
   *
   * Rejected with the server's words where it refuses, and where there is no server.
   */
  async ask<C extends keyof Commands>(
    command: C,
    argument: Commands[C][0],
    token?: vscode.CancellationToken,
    progress?: vscode.Progress<{ message?: string; increment?: number }>,
  ): Promise<Commands[C][1]> {
    const client = this.client;
    if (client?.state !== State.Running) throw new Error('the language server does not run');
    const params: { command: string; arguments: unknown[]; workDoneToken?: string } = { command, arguments: [argument] };
    let listening: vscode.Disposable | undefined;
    if (progress !== undefined) {
      const name = `ctrc-${Math.random().toString(36).slice(2)}`;
      params.workDoneToken = name;
      let done = 0;
      listening = client.onProgress(WorkDoneProgress.type, name, (value) => {
        if (value.kind === 'end') return;
        const at = value.percentage ?? done;
        progress.report({ increment: at - done, ...(value.message === undefined ? {} : { message: value.message }) });
        done = at;
      });
    }
    try {
      return (await client.sendRequest(ExecuteCommandRequest.type, params, token)) as Commands[C][1];
    } finally {
      listening?.dispose();
    }
  }

  /** Tells the server of settings that it reads itself. */
  configure(): void {
    if (this.client?.state !== State.Running) return;
    void this.client.sendNotification('workspace/didChangeConfiguration', {
      settings: { ctrc: vscode.workspace.getConfiguration('ctrc') },
    });
  }

  /** The text of a file that comes with the compiler. */
  async source(uri: vscode.Uri): Promise<string> {
    const client = this.client;
    if (client?.state !== State.Running) throw new Error('the language server does not run');
    const answer = await client.sendRequest<{ text: string } | null>('ctrc/source', { uri: uri.toString() });
    if (answer === null) throw new Error(`${uri.path} does not come with this ctrc`);
    return answer.text;
  }

  dispose(): void {
    void this.stop().then(() => {
      this.output.dispose();
      this.trace.dispose();
      this.changed.dispose();
    });
  }
}
