/** Which contract is meant. */
import * as vscode from 'vscode';
import type { Subject } from './panel/host';
import { LANGUAGE } from './server';

/** The contracts of a policy, in the order in which they stand. */
async function contractsOf(uri: vscode.Uri): Promise<vscode.DocumentSymbol[]> {
  await vscode.workspace.openTextDocument(uri);
  const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>('vscode.executeDocumentSymbolProvider', uri);
  return (symbols ?? []).filter((symbol) => symbol.kind === vscode.SymbolKind.Class);
}

/** Asks for a policy of the workspace. */
async function pickPolicy(): Promise<vscode.Uri | undefined> {
  const found = await vscode.workspace.findFiles('**/*.ctr', '**/{node_modules,target}/**', 1000);
  if (found.length < 2) return found[0];
  const entries = found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri })).sort((a, b) => (a.label < b.label ? -1 : 1));
  return (await vscode.window.showQuickPick(entries, { title: 'Which policy?' }))?.uri;
}

/** The policy that is looked at, else the one that is chosen. */
export async function policy(): Promise<vscode.Uri | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === LANGUAGE ? document.uri : pickPolicy();
}

/** The contract in which the cursor stands, else the one that is chosen. */
export async function subject(at?: vscode.Uri): Promise<Subject | undefined> {
  const editor = vscode.window.activeTextEditor;
  const uri = at ?? (await policy());
  if (uri === undefined) return undefined;
  const contracts = await contractsOf(uri);
  if (editor?.document.uri.toString() === uri.toString()) {
    const here = contracts.find((symbol) => symbol.range.contains(editor.selection.active));
    if (here !== undefined) return { uri, contract: here.name };
  }
  if (contracts.length === 0) {
    void vscode.window.showInformationMessage('This policy has no contracts.');
    return undefined;
  }
  const [only] = contracts;
  if (contracts.length === 1 && only !== undefined) return { uri, contract: only.name };
  const name = await vscode.window.showQuickPick(contracts.map((symbol) => symbol.name), { title: 'Which contract?' });
  return name === undefined ? undefined : { uri, contract: name };
}
