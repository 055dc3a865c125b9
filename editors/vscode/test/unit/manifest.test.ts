/** What `package.json` promises and what there is. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OLDEST } from '../../src/locate';
import { HERE, REPOSITORY } from './program';

interface Manifest {
  version: string;
  scripts: Record<string, string>;
  contributes: {
    commands: { command: string }[];
    menus: Record<string, { command: string }[]>;
    configuration: { properties: Record<string, { markdownDescription?: string; default?: unknown }> };
    walkthroughs: { id: string; steps: { description: string; media: { markdown: string } }[] }[];
  };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
}

const manifest = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8')) as Manifest;
const { contributes } = manifest;
const sources = (readdirSync(join(HERE, 'src'), { recursive: true }) as string[])
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(HERE, 'src', name), 'utf8'))
  .join('\n');
const declared = contributes.commands.map(({ command }) => command).sort();

test('the commands that are declared are those that are registered', () => {
  const text = readFileSync(join(HERE, 'src', 'extension.ts'), 'utf8');
  const table = /const commands[^{]*\{\n([\s\S]*?)\n {2}\};/.exec(text)?.[1] ?? '';
  const registered = [...table.matchAll(/^ {4}(\w+): /gm)].map((found) => `ctrc.${found[1]}`).sort();
  assert.deepEqual(registered, declared);
});

test('menus, walkthrough and sources name commands that there are', () => {
  const named = [
    ...Object.values(contributes.menus).flat().map(({ command }) => command),
    ...contributes.walkthroughs.flatMap(({ steps }) => steps.flatMap(({ description }) => [...description.matchAll(/command:([\w.]+)/g)].map((found) => found[1]!))),
    ...[...sources.matchAll(/executeCommand\(\s*'(ctrc\.\w+)'/g)].map((found) => found[1]!),
    ...[...sources.matchAll(/command: '(ctrc\.\w+)'/g)].map((found) => found[1]!),
  ];
  assert.ok(named.length > 20);
  assert.deepEqual(named.filter((command) => !declared.includes(command)), []);
});

test('no command has the name of one of the server, which the language client registers', () => {
  for (const name of ['tests', 'runTests', 'witness', 'automaton', 'replay']) assert.ok(!declared.includes(`ctrc.${name}`), name);
});

test('each setting is described and read, and each that is read is declared', () => {
  const properties = contributes.configuration.properties;
  for (const [name, { markdownDescription }] of Object.entries(properties)) {
    assert.ok((markdownDescription ?? '').length > 40, name);
    // The language client reads the level of tracing, the server what hints there are.
    if (name !== 'ctrc.trace.server' && !name.startsWith('ctrc.inlayHints.')) assert.ok(sources.includes(`'${name.slice('ctrc.'.length)}'`), `${name} is not read`);
  }
  for (const [, name] of sources.matchAll(/\.get(?:<[^(]*>)?\('([\w.]+)'/g)) assert.ok(`ctrc.${name}` in properties, name);
  for (const name of manifest.capabilities.untrustedWorkspaces.restrictedConfigurations) assert.ok(name in properties);
});

test('the files that are named are there', () => {
  const text = JSON.stringify(manifest);
  for (const [, file] of text.matchAll(/"((?:\.\/)?(?:icons|media|snippets|schemas|syntaxes)\/[^"]+|\.\/language-configuration\.json)"/g)) {
    assert.ok(existsSync(join(HERE, file!)), file);
  }
  const readme = readFileSync(join(HERE, 'README.md'), 'utf8');
  for (const [, file] of readme.matchAll(/\]\((pictures\/[^)]+)\)/g)) assert.ok(existsSync(join(HERE, file!)), file);
});

test('the scripts run files that there are', () => {
  for (const [, file] of Object.values(manifest.scripts).join(' && ').matchAll(/node ((?!-|dist\/)[\w/.-]+)/g)) assert.ok(existsSync(join(HERE, file!)), file);
});

test('the licences of what is bundled go with it', () => {
  const text = readFileSync(join(HERE, 'dist', 'notices.txt'), 'utf8');
  for (const name of ['vscode-languageclient', 'vscode-jsonrpc', 'semver', 'minimatch']) {
    assert.match(text, new RegExp(`^${name} \\d`, 'm'));
  }
  assert.ok((text.match(/Permission/gi) ?? []).length >= 6);
  assert.match(readFileSync(join(HERE, '.vscodeignore'), 'utf8'), /^!dist\/notices\.txt$/m);
});

test('the version is the one of the compiler', () => {
  const version = /\[workspace\.package\]\s+version = "([^"]+)"/.exec(readFileSync(join(REPOSITORY, 'Cargo.toml'), 'utf8'))?.[1];
  assert.equal(manifest.version, version);
  assert.match(OLDEST, /^\d+\.\d+\.\d+$/);
});

test('the grammar is the one of grammar/textmate', () => {
  const home = join(REPOSITORY, 'grammar', 'textmate');
  for (const name of readdirSync(join(HERE, 'syntaxes'))) {
    assert.deepEqual(readFileSync(join(HERE, 'syntaxes', name)), readFileSync(join(home, name)), name);
  }
  const grammar = JSON.parse(readFileSync(join(HERE, 'syntaxes', 'ctr.tmLanguage.json'), 'utf8')) as { scopeName: string };
  assert.equal(grammar.scopeName, 'source.ctr');
});
