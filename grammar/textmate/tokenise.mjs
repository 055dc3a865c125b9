// Colours texts with the engine of VS Code: reads [{name, text}], writes {name: [[{start, scopes}]]}. Used by the tests.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(join(process.env.CTRC_TEXTMATE_MODULES, 'x.js'));
const textmate = require('vscode-textmate');
const oniguruma = require('vscode-oniguruma');
const here = dirname(fileURLToPath(import.meta.url));

const wasm = readFileSync(join(dirname(require.resolve('vscode-oniguruma')), 'onig.wasm'));
await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));

const read = (name) => textmate.parseRawGrammar(readFileSync(join(here, name), 'utf8'), name);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (scope) => {
    if (scope === 'source.ctr') return read('ctr.tmLanguage.json');
    if (scope === 'markdown.ctr.codeblock') return read('ctr.markdown.tmLanguage.json');
    if (scope === 'text.html.markdown') {
      return textmate.parseRawGrammar(
        JSON.stringify({ scopeName: 'text.html.markdown', patterns: [{ match: '#.*', name: 'markup.heading' }] }),
        'markdown.json',
      );
    }
    return null;
  },
  getInjections: (scope) => (scope === 'text.html.markdown' ? ['markdown.ctr.codeblock'] : []),
});

const colour = (grammar, text) => {
  let stack = textmate.INITIAL;
  return text.split('\n').map((line) => {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    return result.tokens.map((token) => ({ start: token.startIndex, scopes: token.scopes }));
  });
};

const out = {};
const grammar = await registry.loadGrammar('source.ctr');
for (const { name, text } of JSON.parse(readFileSync(0, 'utf8'))) out[name] = colour(grammar, text);
const markdown = await registry.loadGrammar('text.html.markdown');
out.markdown = colour(markdown, '# A policy\n\n```ctr\ncontract a {\n  guarantee call b\n}\n```\nText.\n');
process.stdout.write(JSON.stringify(out));
