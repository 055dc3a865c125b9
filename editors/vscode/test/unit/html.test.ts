import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page } from '../../src/panel/html';

test('the page allows its own script and style sheet, and nothing else', () => {
  const text = page({ script: 'vscode://x/panel.js', style: 'vscode://x/panel.css', source: 'vscode://x', nonce: 'N0' });
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1];
  assert.equal(policy, "default-src 'none'; style-src vscode://x; script-src 'nonce-N0'; base-uri 'none'; form-action 'none'");
  assert.equal(text.match(/<script/g)?.length, 1);
  assert.doesNotMatch(text, / style=| on[a-z]+=|<style/);
});
