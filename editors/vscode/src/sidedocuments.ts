/**
 * Files beside policies that the server reads as the editor has them: settings and lists of tools.
 *
 * They are no documents of the language client, which would offer to format and complete them.
 */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

/** A larger list is read from the disk, when it is saved. */
const LARGEST = 1 << 20;

function concerns(document: vscode.TextDocument): boolean {
  if (document.uri.scheme !== 'file') return false;
  const name = path.basename(document.uri.fsPath);
  if (name === 'ctrc.toml') return true;
  return name.endsWith('.json') && vscode.workspace.getWorkspaceFolder(document.uri) !== undefined;
}

export class SideDocuments implements vscode.Disposable {
  private readonly told = new Set<string>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly client: LanguageClient) {
    this.subscriptions = [
      vscode.workspace.onDidOpenTextDocument((document) => {
        this.tell(document);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.tell(document);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.close(document.uri);
      }),
    ];
    for (const document of vscode.workspace.textDocuments) this.tell(document);
  }

  private tell(document: vscode.TextDocument): void {
    if (!concerns(document)) return;
    const text = document.getText();
    if (text.length > LARGEST) {
      this.close(document.uri);
      return;
    }
    const uri = this.client.code2ProtocolConverter.asUri(document.uri);
    if (this.told.has(uri)) {
      void this.client.sendNotification('textDocument/didChange', {
        textDocument: { uri, version: document.version },
        contentChanges: [{ text }],
      });
    } else {
      this.told.add(uri);
      void this.client.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId: document.languageId, version: document.version, text },
      });
    }
  }

  private close(at: vscode.Uri): void {
    const uri = this.client.code2ProtocolConverter.asUri(at);
    if (this.told.delete(uri)) void this.client.sendNotification('textDocument/didClose', { textDocument: { uri } });
  }

  dispose(): void {
    for (const each of this.subscriptions) each.dispose();
  }
}
