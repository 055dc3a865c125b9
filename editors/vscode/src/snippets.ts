/**
 * Snippets where no server offers its own, which know what fits: without `ctrc`, and in texts that are no files.
 *
 * As a contribution of the manifest they would stand beside the server's everywhere, also where they cannot be written.
 */
import * as vscode from 'vscode';
import texts from '../snippets/ctr.json';
import { LANGUAGE, SELECTOR, type Server } from './server';

function items(): vscode.CompletionItem[] {
  return Object.entries(texts).map(([name, { prefix, body, description }]) => {
    const item = new vscode.CompletionItem({ label: prefix, description: name }, vscode.CompletionItemKind.Snippet);
    item.insertText = new vscode.SnippetString(body.join('\n'));
    item.documentation = description;
    item.detail = name;
    return item;
  });
}

export function snippets(server: Server): vscode.Disposable {
  return vscode.languages.registerCompletionItemProvider(
    { language: LANGUAGE },
    {
      provideCompletionItems: ({ uri }) => (server.standing.kind === 'running' && uri.scheme === SELECTOR.scheme ? [] : items()),
    },
  );
}
