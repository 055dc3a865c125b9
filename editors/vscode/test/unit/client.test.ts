/** The server's commands and findings as this extension relies on them, from the real server. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { moments } from '../../src/panel/model';
import type { Commands } from '../../src/protocol';
import { CTRC, REPOSITORY, serves } from './program';

const skip = serves() ? false : 'SKIPPED: ctrc is not built, or has no language server';

interface Published {
  uri: string;
  version?: number;
  diagnostics: { code?: string; severity?: number; range: { start: { line: number } } }[];
}

let server: ChildProcess;
let client: MessageConnection;
let folder = '';
let uri = '';
let text = '';
const published: Published[] = [];

async function ask<C extends keyof Commands>(command: C, argument: Commands[C][0]): Promise<Commands[C][1]> {
  return client.sendRequest('workspace/executeCommand', { command, arguments: [argument] });
}

/** The findings that the server publishes next for the policy and that fulfil something. */
async function findings(holds: (of: Published) => boolean): Promise<Published> {
  for (let i = 0; i < 200; i += 1) {
    const found = published.find((each) => each.uri === uri && holds(each));
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no such findings: ${JSON.stringify(published)}`);
}

before(async () => {
  if (skip !== false) return;
  folder = mkdtempSync(join(tmpdir(), 'ctrc-client-'));
  cpSync(join(REPOSITORY, 'examples', 'refund_desk'), folder, { recursive: true });
  uri = pathToFileURL(join(folder, 'policy.ctr')).toString();
  text = readFileSync(join(folder, 'policy.ctr'), 'utf8');
  server = spawn(CTRC, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  client = createMessageConnection(new StreamMessageReader(server.stdout!), new StreamMessageWriter(server.stdin!));
  client.onNotification('textDocument/publishDiagnostics', (params: Published) => published.push(params));
  client.onRequest('client/registerCapability', () => null);
  client.onRequest('window/workDoneProgress/create', () => null);
  client.onRequest('workspace/configuration', () => [{}]);
  client.listen();
  await client.sendRequest('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(folder).toString(),
    workspaceFolders: [{ uri: pathToFileURL(folder).toString(), name: 'refund_desk' }],
    capabilities: { experimental: { ctrc: { panels: true, source: true } } },
  });
  await client.sendNotification('initialized', {});
  await client.sendNotification('textDocument/didOpen', { textDocument: { uri, languageId: 'ctr', version: 1, text } });
});

after(async () => {
  if (skip !== false) return;
  await client.sendRequest('shutdown');
  await client.sendNotification('exit');
  await new Promise((resolve) => server.once('exit', resolve));
  client.dispose();
});

test('tests are listed, with their places', { skip }, async () => {
  const tests = await ask('ctrc.tests', { uri });
  assert.deepEqual(tests.map(({ index }) => index), [0, 1, 2, 3]);
  assert.deepEqual(tests[0]?.contracts, ['identity_before_refund']);
  for (const { range, nameRange, name, uri: at } of tests) {
    assert.equal(at, uri);
    const line = text.split('\n')[nameRange.start.line]!;
    assert.equal(line.slice(nameRange.start.character, nameRange.end.character), `"${name}"`);
    assert.ok(range.start.line <= nameRange.start.line && range.end.line > range.start.line);
  }
  assert.deepEqual(await ask('ctrc.tests', {}), tests, 'the workspace has no others');
});

test('tests run, all and one', { skip }, async () => {
  const all = await ask('ctrc.runTests', { uri });
  assert.deepEqual(all.map(({ passed, failures }) => [passed, failures.length]), Array(4).fill([true, 0]));
  const [one, ...others] = await ask('ctrc.runTests', { uri, indices: [2] });
  assert.equal(one?.index, 2);
  assert.equal(typeof one.took, 'number');
  assert.deepEqual(others, []);
});

test('the text of the editor counts, and a failure has its place', { skip }, async () => {
  const changed = text.replace('expect block by refund_within_limit', 'expect allow');
  await client.sendNotification('textDocument/didChange', { textDocument: { uri, version: 2 }, contentChanges: [{ text: changed }] });
  const results = await ask('ctrc.runTests', { uri, indices: [1] });
  const failure = results[0]?.failures[0];
  assert.match(failure?.message ?? '', /^expected allow, but got block/);
  assert.equal(changed.split('\n')[failure!.range.start.line]?.includes('expect allow'), true);
  await client.sendNotification('textDocument/didChange', { textDocument: { uri, version: 3 }, contentChanges: [{ text }] });
});

test('an automaton: its picture has the states and edges that are listed', { skip }, async () => {
  const automaton = await ask('ctrc.automaton', { uri, contract: 'identity_before_refund' });
  const { start, end } = automaton.range;
  assert.equal(text.split('\n')[start.line]?.slice(start.character, end.character), 'identity_before_refund');
  assert.deepEqual(automaton.sides.map(({ side }) => side), ['guarantee']);
  const [side] = automaton.sides;
  const svg = side?.svg ?? '';
  for (const { id } of side?.states ?? []) assert.ok(svg.includes(`data-state="${id}"`), svg);
  for (const { from, to } of side?.edges ?? []) assert.ok(svg.includes(`data-from="${from}" data-to="${to}"`));
  assert.deepEqual(new Set(side?.states.map(({ standing }) => standing)), new Set(['satisfied so far', 'satisfied for good', 'violated for good']));
  assert.ok(side?.states.some(({ id }) => id === side.initial));
});

test('a session step by step', { skip }, async () => {
  const { sessions } = await ask('ctrc.replay', { uri, contract: 'identity_before_refund', path: join(folder, 'sessions', 'good.jsonl') });
  const [session] = sessions;
  assert.equal(session?.verdict, 'ACTIVE');
  const all = moments(session, 'last');
  assert.equal(all.length, session.steps.length + 1);
  assert.equal(all[0]?.standing, 'satisfied so far');
  assert.equal(all.at(-1)?.standing, 'satisfied for good');
  const edges = all.flatMap(({ taken }) => taken.guarantee ?? []);
  assert.equal(edges.length, 1, 'one edge is taken');
});

test('a session that fails says where and why; the same as text', { skip }, async () => {
  const path = join(folder, 'sessions', 'hasty.jsonl');
  const answer = await ask('ctrc.replay', { uri, contract: 'identity_before_refund', path });
  const [session] = answer.sessions;
  assert.equal(session?.verdict, 'FAIL');
  const violated = session.steps.filter((step) => step.violated === true);
  assert.equal(violated[0]?.violations?.[0]?.message, "Verify the customer's identity first.");
  assert.equal(violated[0].tool, 'issue_refund');
  const same = await ask('ctrc.replay', { uri, contract: 'identity_before_refund', text: readFileSync(path, 'utf8') });
  assert.deepEqual(same.sessions[0]?.steps, session.steps);
});

test('a keyed contract has an instance for each key', { skip }, async () => {
  const { sessions } = await ask('ctrc.replay', { uri, contract: 'receipt_is_sent', path: join(folder, 'sessions', 'good.jsonl') });
  assert.deepEqual(sessions[0]?.instances, ['"o1"']);
  const standings = moments(sessions[0], 'last').map(({ standing }) => standing);
  assert.equal(standings[0], 'no instance yet');
  assert.ok(standings.includes('pending'));
});

test('sessions that keep and break a contract; one of them as a test', { skip }, async () => {
  const contract = 'identity_before_refund';
  const { accepting, rejecting } = await ask('ctrc.witness', { uri, contract });
  assert.ok(accepting !== null && rejecting !== null);
  assert.match(rejecting.test ?? '', /^test "/);
  const { sessions } = await ask('ctrc.replay', { uri, contract, text: rejecting.lines.map((line) => `${line}\n`).join('') });
  assert.equal(sessions[0]?.verdict, 'FAIL');
});

test('a text with an error: findings for that text, refusals in plain words', { skip }, async () => {
  const wrong = text.replace('only after', 'only aftr');
  await client.sendNotification('textDocument/didChange', { textDocument: { uri, version: 4 }, contentChanges: [{ text: wrong }] });
  const { diagnostics } = await findings(({ version, diagnostics: of }) => version === 4 && of.length > 0);
  assert.match(String(diagnostics[0]?.code), /^E\d{4}$/);
  await assert.rejects(ask('ctrc.automaton', { uri, contract: 'identity_before_refund' }), /^[^\n]+$/s);
  await assert.rejects(ask('ctrc.runTests', { uri }), /error/);
  await client.sendNotification('textDocument/didChange', { textDocument: { uri, version: 5 }, contentChanges: [{ text }] });
  await findings(({ version, diagnostics: of }) => version === 5 && of.length === 0);
  await assert.rejects(ask('ctrc.automaton', { uri, contract: 'no_such_contract' }), /no_such_contract/);
});
