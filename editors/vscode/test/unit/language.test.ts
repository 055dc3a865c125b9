/** Snippets, settings, problem matchers and the habits of typing, against the real program where it matters. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder, HERE, run, WITHOUT_CTRC } from './program';

const read = (file: string): unknown => JSON.parse(readFileSync(join(HERE, file), 'utf8'));

interface Matcher {
  name: string;
  pattern: Pattern | Pattern[];
}
interface Pattern {
  regexp: string;
  file?: number;
  line?: number;
  column?: number;
  endLine?: number;
  endColumn?: number;
  severity?: number;
  code?: number;
  message?: number;
  loop?: boolean;
}
type Problem = Partial<Record<Exclude<keyof Pattern, 'regexp' | 'loop'>, string>>;

/** What an editor finds in an output. */
function problems(name: string, output: string): Problem[] {
  const { contributes } = read('package.json') as { contributes: { problemMatchers: Matcher[] } };
  const matcher = contributes.problemMatchers.find((each) => each.name === name)!;
  const patterns = [matcher.pattern].flat();
  const lines = output.split('\n');
  const out: Problem[] = [];
  for (let i = 0; i < lines.length; i += 1) {
    let all: Problem = {};
    for (let k = 0; k < patterns.length; k += 1) {
      const pattern = patterns[k]!;
      for (;;) {
        const found = new RegExp(pattern.regexp).exec(lines[i + k] ?? '');
        if (found === null) break;
        const here: Problem = {};
        for (const [key, group] of Object.entries(pattern)) if (typeof group === 'number') here[key as keyof Problem] = found[group]!;
        if (k < patterns.length - 1) {
          all = { ...all, ...here };
          break;
        }
        out.push({ ...all, ...here });
        if (pattern.loop !== true) break;
        i += 1;
      }
      if (Object.keys(all).length === 0) break;
    }
  }
  return out;
}

const BAD = 'module a\ncontract x {\n  guarantee never call foo afer call bar\n}\ncontract y {\n  guarantee always call foo implies call bar\n}\n';

test('problems of `ctrc check` for people', { skip: WITHOUT_CTRC }, () => {
  const at = folder({ 'bad policy.ctr': BAD });
  const { err, code } = run(at, 'check', 'bad policy.ctr');
  assert.equal(code, 1);
  assert.deepEqual(problems('ctrc', err), [
    { severity: 'error', code: 'E0041', message: '`afer` is no keyword', file: 'bad policy.ctr', line: '3', column: '28' },
    { severity: 'error', code: 'E0050', message: 'how far `always` reaches can be read in two ways', file: 'bad policy.ctr', line: '6', column: '13' },
  ]);
});

test('problems of `ctrc check --format github`', { skip: WITHOUT_CTRC }, () => {
  const { out } = run(folder({ 'a.ctr': BAD }), 'check', '--format', 'github', 'a.ctr');
  assert.deepEqual(problems('ctrc-github', out), [
    { severity: 'error', file: 'a.ctr', line: '3', endLine: '3', column: '28', endColumn: '32', code: 'E0041', message: '`afer` is no keyword' },
    { severity: 'error', file: 'a.ctr', line: '6', endLine: '6', column: '13', endColumn: '19', code: 'E0050', message: 'how far `always` reaches can be read in two ways' },
  ]);
});

test('problems of `ctrc test`', { skip: WITHOUT_CTRC }, () => {
  const text = 'contract x {\n  guarantee never call foo\n}\ntest "one" {\n  call foo() expect allow\n  call foo() expect allow\n}\ntest "two" {\n  call bar() expect allow\n}\n';
  const { err, out } = run(folder({ 'a.ctr': text }), 'test', 'a.ctr');
  assert.deepEqual(
    problems('ctrc-test', out + err).map(({ file, line, message }) => [file, line, (message ?? '') !== '']),
    [
      ['a.ctr', '5', true],
      ['a.ctr', '6', true],
    ],
  );
});

/** A snippet as it stands when all is accepted as it is. */
function filled(body: string[]): string {
  return body
    .join('\n')
    .replace(/\$\{\d+\|([^,|]*)[^}]*\}/g, '$1')
    .replace(/\$\{\d+:([^}]*)\}/g, '$1');
}

test('every snippet is a text of the language', { skip: WITHOUT_CTRC }, () => {
  const snippets = Object.entries(read('snippets/ctr.json') as Record<string, { prefix: string; body: string[]; description: string }>);
  assert.equal(new Set(snippets.map(([, { prefix }]) => prefix)).size, snippets.length);
  const files: Record<string, string> = {};
  for (const [, { prefix, body, description }] of snippets) {
    assert.ok(description.length > 5);
    const text = filled(body);
    assert.ok(!text.includes('$'), text);
    const clause = /^(guarantee|let|otherwise)\b/.test(text);
    const above = /^(@|\/\/ ctrc)/.test(text);
    const action = text.startsWith('otherwise') || text.startsWith('let') ? '\n  guarantee never call tool' : '';
    files[`${prefix}.ctr`] = clause
      ? `contract c {\n  ${text.startsWith('otherwise') ? `guarantee never call tool\n  ${text}` : `${text}${action}`}\n}\n`
      : above
        ? `${text}\ncontract c {\n  guarantee never call tool\n}\n`
        : `${text}\n`;
  }
  const at = folder(files);
  const { out } = run(at, 'check', '--no-config', '--format', 'json', ...[]);
  const wrong = (JSON.parse(out) as { code: string; message: string; spans: { path: string }[] }[]).filter(({ code }) => /^E0[01]/.test(code));
  assert.deepEqual(wrong.map(({ code, message, spans }) => `${spans[0]!.path}: ${code} ${message}`), []);
});

interface Schema {
  properties: Record<string, { properties?: Record<string, { type?: string; minimum?: number; enum?: string[]; items?: object }> }>;
}

test('the settings of the schema are those that the program knows', { skip: WITHOUT_CTRC }, () => {
  const schema = read('schemas/ctrc-toml.schema.json') as Schema;
  const example: Record<string, string> = { string: '"warn"', number: '5', integer: '50', array: '["a"]' };
  const toml = Object.entries(schema.properties)
    .map(([table, { properties }]) => `[${table}]\n${Object.entries(properties ?? {}).map(([key, { type }]) => `${key} = ${example[type ?? '']}\n`).join('')}`)
    .join('');
  const policy = 'contract c {\n  guarantee call a only after success b\n}\n';
  const told = (text: string): string[] => {
    const { out } = run(folder({ 'ctrc.toml': text, 'p.ctr': policy }), 'check', '--format', 'json');
    return (JSON.parse(out) as { code: string; message: string }[]).filter(({ code }) => code.slice(1).startsWith('08')).map(({ message }) => message);
  };
  assert.deepEqual(told(toml), []);
  assert.equal(told(`${toml}nonsense = 1\n`).length, 1);
  // And no setting of the program's is missing here: its page names them all.
  const page = readFileSync(join(HERE, '..', '..', 'docs', 'configuration.md'), 'utf8').split('```')[1] ?? '';
  for (const [, key = ''] of page.matchAll(/^([a-z-]+) = /gm)) {
    assert.ok(Object.values(schema.properties).some(({ properties }) => key in (properties ?? {})), key);
  }
});

interface Language {
  wordPattern: { pattern: string; flags: string };
  indentationRules: { increaseIndentPattern: string; decreaseIndentPattern: string };
  onEnterRules: { beforeText: string; action: { appendText?: string } }[];
}

test('words, indentation and documentation as one types', () => {
  const language = read('language-configuration.json') as Language;
  const word = new RegExp(language.wordPattern.pattern, `${language.wordPattern.flags}g`);
  assert.deepEqual('call größe_2(order-id)'.match(word), ['call', 'größe_2', 'order', 'id']);
  const more = new RegExp(language.indentationRules.increaseIndentPattern);
  for (const line of ['contract a {', '  call pay(', 'group g = { // those', 'test "x" for y {']) assert.match(line, more);
  for (const line of ['contract a { }', '  guarantee never call a', '// contract {', 'call a(x: 1)', '  call a() -> { ok: true }']) assert.doesNotMatch(line, more);
  assert.match('  }', new RegExp(language.indentationRules.decreaseIndentPattern));
  const documentation = language.onEnterRules.find(({ action }) => action.appendText === '/// ')!;
  assert.match('  /// Text', new RegExp(documentation.beforeText));
  assert.doesNotMatch('//// rule', new RegExp(documentation.beforeText));
});
