/** What the status bar says of the server. */
import * as vscode from 'vscode';
import { LANGUAGE, type Server, type Standing } from './server';

function shown(standing: Standing): { text: string; tip: string; background?: string } {
  switch (standing.kind) {
    case 'running':
      return { text: '$(check) ctrc', tip: `ctrc ${standing.version} runs\n\n${standing.path}` };
    case 'starting':
      return { text: '$(sync~spin) ctrc', tip: 'ctrc is starting' };
    case 'stopped':
      return { text: '$(circle-slash) ctrc', tip: 'ctrc is stopped' };
    case 'failed':
      return { text: '$(error) ctrc', tip: standing.why, background: 'statusBarItem.errorBackground' };
  }
}

/** The item; a click opens a menu. */
export function statusBar(server: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('ctrc.status', vscode.StatusBarAlignment.Right, 90);
  item.name = 'ctrc';
  item.command = 'ctrc.menu';
  const draw = (standing: Standing): void => {
    const { text, tip, background } = shown(standing);
    item.text = text;
    item.tooltip = tip;
    item.accessibilityInformation = { label: `ctrc: ${tip}`, role: 'button' };
    item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
  };
  const place = (editor: vscode.TextEditor | undefined): void => {
    // A server that does not run is worth a place everywhere.
    if (editor?.document.languageId === LANGUAGE || server.standing.kind === 'failed') item.show();
    else item.hide();
  };
  draw(server.standing);
  place(vscode.window.activeTextEditor);
  return vscode.Disposable.from(
    item,
    server.onDidChange((standing) => {
      draw(standing);
      place(vscode.window.activeTextEditor);
    }),
    vscode.window.onDidChangeActiveTextEditor(place),
  );
}

/** The menu behind the item. */
export async function menu(server: Server): Promise<void> {
  const { standing } = server;
  const entries = [
    { label: '$(debug-restart) Restart the language server', command: 'ctrc.restartServer' },
    { label: '$(output) Show the log', command: 'ctrc.showLog' },
    { label: '$(folder-opened) Choose ctrc...', command: 'ctrc.choosePath' },
    { label: '$(gear) Settings', command: 'ctrc.settings' },
  ];
  const title = standing.kind === 'running' ? `ctrc ${standing.version}: ${standing.path}` : shown(standing).tip;
  const chosen = await vscode.window.showQuickPick(entries, { title });
  if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command);
}
