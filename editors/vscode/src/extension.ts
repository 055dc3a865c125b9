/** Where the extension begins: what the editor's user can ask for, and who answers. */
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import { policy, subject } from './contracts';
import { findSession, Panels, pickSession, type Subject } from './panel/host';
import { choosePath, newPolicy } from './policies';
import { LANGUAGE, Server, words } from './server';
import { snippets } from './snippets';
import { menu, statusBar } from './status';
import { Tasks } from './tasks';
import { Tests } from './testing';

/** What a lens gives to a command. */
interface Given {
  uri: string;
  contract?: string;
  indices?: number[];
  show?: 'accepting' | 'rejecting';
}

let running: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  /** Does what a lens asks for; `undefined` where that is nothing of ours. */
  const ofLens = (command: string, given: Given): Promise<void> | undefined => {
    const uri = vscode.Uri.parse(given.uri);
    const contract = given.contract ?? '';
    switch (command) {
      case 'ctrc.runTests':
        return tests.runFile(uri, given.indices);
      case 'ctrc.automaton':
        panels.show({ uri, contract });
        return Promise.resolve();
      case 'ctrc.witness':
        return found({ uri, contract }, given.show ?? 'accepting');
      default:
        return undefined;
    }
  };
  const middleware: Middleware = {
    executeCommand: async (command, args, next) => {
      const [given] = args as [Given | undefined];
      const done = given === undefined ? undefined : ofLens(command, given);
      if (done === undefined) return (await next(command, args)) as unknown;
      try {
        await done;
      } catch (error) {
        void vscode.window.showErrorMessage(words(error));
      }
      return undefined;
    },
    provideCodeLenses: (document, token, next) =>
      vscode.workspace.getConfiguration('ctrc', document).get<boolean>('codeLens', true) ? next(document, token) : [],
  };
  const server = new Server(middleware);
  running = server;
  const panels = new Panels(context, server);
  const tests = new Tests(server);
  const tasks = new Tasks(server);

  const found = async (of: Subject, show: 'accepting' | 'rejecting'): Promise<void> => {
    const origin = await findSession(server, of, show);
    if (origin !== undefined) panels.show(of, origin);
  };
  /** Runs something on the policy that is meant. */
  const onPolicy = async (at: vscode.Uri | undefined, action: (uri: vscode.Uri) => Promise<void>): Promise<void> => {
    const uri = at ?? (await policy());
    if (uri !== undefined) await action(uri);
  };
  const commands: Record<string, (uri?: vscode.Uri) => Promise<void> | void> = {
    restartServer: () => server.restart(),
    showLog: () => {
      server.output.show(true);
    },
    menu: () => menu(server),
    settings: async () => {
      await vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${context.extension.id}`);
    },
    choosePath: () => choosePath(),
    getStarted: async () => {
      await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${context.extension.id}#getStarted`, false);
    },
    newPolicy: () => newPolicy(server),
    check: (at) => onPolicy(at, (uri) => tasks.run('check', uri)),
    build: (at) => onPolicy(at, (uri) => tasks.run('build', uri)),
    runAllTests: (at) => onPolicy(at, (uri) => tests.runFile(uri)),
    runTestHere: async () => {
      const editor = vscode.window.activeTextEditor;
      if (editor?.document.languageId !== LANGUAGE) return;
      const { uri } = editor.document;
      const index = await tests.at(uri, editor.selection.active);
      await tests.runFile(uri, index === undefined ? undefined : [index]);
    },
    showAutomaton: async () => {
      const of = await subject();
      if (of !== undefined) panels.show(of);
    },
    stepSession: async (at) => {
      // From the explorer a session is given, and the contract is asked for; else the other way round.
      const session = at !== undefined && !at.path.endsWith('.ctr') ? at : undefined;
      const of = await subject(session === undefined ? at : undefined);
      if (of === undefined) return;
      const file = session ?? (await pickSession(of.uri));
      if (file !== undefined) panels.show(of, { kind: 'file', path: file.fsPath });
    },
    showKeeping: async () => {
      const of = await subject();
      if (of !== undefined) await found(of, 'accepting');
    },
    showBreaking: async () => {
      const of = await subject();
      if (of !== undefined) await found(of, 'rejecting');
    },
  };
  for (const [name, action] of Object.entries(commands)) {
    context.subscriptions.push(
      vscode.commands.registerCommand(`ctrc.${name}`, async (uri?: unknown) => {
        try {
          await action(uri instanceof vscode.Uri ? uri : undefined);
        } catch (error) {
          void vscode.window.showErrorMessage(words(error));
        }
      }),
    );
  }
  context.subscriptions.push(
    server,
    panels,
    tests,
    statusBar(server),
    snippets(server),
    vscode.workspace.registerTextDocumentContentProvider('ctrc-std', { provideTextDocumentContent: (uri) => server.source(uri) }),
    vscode.tasks.registerTaskProvider('ctrc', tasks),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('ctrc.path') || event.affectsConfiguration('ctrc.environment')) void server.restart();
      else if (event.affectsConfiguration('ctrc.inlayHints')) server.configure();
    }),
    // What a workspace says of the program counts once it is trusted.
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart()),
  );
  await server.start();
}

/** The editor waits for the server to end. */
export function deactivate(): Promise<void> | undefined {
  return running?.stop();
}
