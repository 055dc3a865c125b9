/** Starting: choosing the program, and writing a first policy. */
import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import type { Server } from './server';

/** Asks where `ctrc` is and remembers it in the user's settings. */
export async function choosePath(): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({
    title: 'Where is ctrc?',
    openLabel: 'Use this program',
    filters: process.platform === 'win32' ? { Programs: ['exe', 'cmd'] } : {},
  });
  const [file] = chosen ?? [];
  if (file === undefined) return;
  await vscode.workspace.getConfiguration('ctrc').update('path', file.fsPath, vscode.ConfigurationTarget.Global);
}

/** Writes a first policy, its tools and a session to a folder, as `ctrc init` does, and opens the policy. */
export async function newPolicy(server: Server): Promise<void> {
  const located = await server.find();
  if (located.kind !== 'found') {
    await server.restart();
    return;
  }
  const parent = vscode.workspace.workspaceFolders?.[0]?.uri ?? (await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false, openLabel: 'Write here' }))?.[0];
  if (parent === undefined) return;
  const name = await vscode.window.showInputBox({
    title: 'New policy',
    prompt: 'The folder that it is written to; policy, tools, a recorded session.',
    value: 'policy',
    validateInput: (text) => (text.trim() === '' || /^[/\\]|\.\./.test(text) ? 'a folder below the first folder of the workspace' : undefined),
  });
  if (name === undefined) return;
  const folder = vscode.Uri.joinPath(parent, name);
  await new Promise<void>((resolve, reject) => {
    execFile(located.path, ['init', folder.fsPath], { timeout: 20_000, shell: located.path.endsWith('.cmd') }, (error, _, said) => {
      if (error === null) resolve();
      else reject(new Error(said.trim() === '' ? error.message : said.trim()));
    });
  });
  await vscode.window.showTextDocument(vscode.Uri.joinPath(folder, 'policy.ctr'));
}
