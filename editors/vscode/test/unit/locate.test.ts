import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { candidates, expand, locate, recent, type Surroundings, version } from '../../src/locate';
import { folder } from './program';

const around = (over: Partial<Surroundings> = {}): Surroundings => ({
  setting: '',
  env: { PATH: '/usr/bin:/opt/x', CARGO_HOME: '/cargo' },
  platform: 'linux',
  folder: '/ws',
  ...over,
});

test('without a setting the folders of PATH are tried, then Cargo', () => {
  assert.deepEqual(candidates(around()), ['/usr/bin/ctrc', '/opt/x/ctrc', '/cargo/bin/ctrc']);
});

test('relative entries of PATH are left out: a workspace could bring a program', () => {
  assert.deepEqual(candidates(around({ env: { PATH: '.:bin:/usr/bin:', CARGO_HOME: '/cargo' } })), ['/usr/bin/ctrc', '/cargo/bin/ctrc']);
});

test('a setting is the only candidate', () => {
  assert.deepEqual(candidates(around({ setting: '/a/ctrc' })), ['/a/ctrc']);
  assert.deepEqual(candidates(around({ setting: 'bin/ctrc' })), ['/ws/bin/ctrc']);
  assert.deepEqual(candidates(around({ setting: 'bin/ctrc', folder: undefined })), []);
  assert.deepEqual(candidates(around({ setting: 'ctrc-nightly' })).at(0), '/usr/bin/ctrc-nightly');
});

test('on Windows with the endings of programs', () => {
  const windows = around({ platform: 'win32', setting: 'C:\\tools\\ctrc' });
  assert.deepEqual(candidates(windows), ['C:\\tools\\ctrc.exe', 'C:\\tools\\ctrc.cmd', 'C:\\tools\\ctrc']);
  assert.equal(candidates(around({ platform: 'win32', env: { Path: 'C:\\a;D:\\b' } })).at(0), 'C:\\a\\ctrc.exe');
});

test('variables are written out', () => {
  assert.equal(expand('${workspaceFolder}/ctrc', around()), '/ws/ctrc');
  assert.equal(expand('~/bin/ctrc', around()), `${homedir()}/bin/ctrc`);
  assert.equal(expand('${env:CARGO_HOME}/bin/ctrc', around()), '/cargo/bin/ctrc');
  assert.equal(expand('  /a/$&/ctrc ', around()), '/a/$&/ctrc');
});

test('versions are compared by their numbers', () => {
  assert.deepEqual(version('ctrc 0.10.2-dev'), [0, 10, 2]);
  assert.equal(version('nothing'), undefined);
  assert.ok(recent('0.10.0', '0.9.9'));
  assert.ok(recent('1.0.0', '0.9.9'));
  assert.ok(recent('0.1.0', '0.1.0'));
  assert.ok(!recent('0.0.9', '0.1.0'));
  assert.ok(!recent('?', '0.1.0'));
});

const posix = process.platform === 'win32' ? 'SKIPPED: needs a POSIX shell' : false;

/** A folder with a program of this text. */
function program(text: string): string {
  const at = folder({ ctrc: `#!/bin/sh\n${text}\n` });
  chmodSync(join(at, 'ctrc'), 0o755);
  return at;
}

const real = (over: Partial<Surroundings>): Surroundings => around({ env: { CARGO_HOME: '/nowhere' }, platform: process.platform, ...over });

test('a program that serves is found, behind folders without one', { skip: posix }, async () => {
  const at = program('[ "$1" = --version ] && echo ctrc 0.7.1; exit 0');
  const env = { PATH: [folder({}), at].join(delimiter), CARGO_HOME: '/nowhere' };
  assert.deepEqual(await locate(real({ env })), { kind: 'found', path: join(at, 'ctrc'), version: '0.7.1' });
});

test('what is no program is passed over', { skip: posix }, async () => {
  const at = folder({ ctrc: 'text' });
  assert.equal((await locate(real({ env: { PATH: at, CARGO_HOME: '/nowhere' } }))).kind, 'missing');
});

test('too old by its number, or without the server', { skip: posix }, async () => {
  const before = program('echo ctrc 0.0.3');
  assert.deepEqual(await locate(real({ setting: join(before, 'ctrc') })), { kind: 'old', path: join(before, 'ctrc'), version: '0.0.3' });
  const without = program('[ "$1" = lsp ] && exit 2; echo ctrc 0.1.0');
  assert.equal((await locate(real({ setting: join(without, 'ctrc') }))).kind, 'old');
});

test('another program of that name, and one that fails', { skip: posix }, async () => {
  const other = program('echo something else');
  assert.deepEqual(await locate(real({ setting: join(other, 'ctrc') })), { kind: 'broken', path: join(other, 'ctrc'), why: 'it is another program' });
  const fails = program('exit 9');
  assert.equal((await locate(real({ setting: join(fails, 'ctrc') }))).kind, 'broken');
});

test('nothing anywhere', async () => {
  assert.deepEqual(await locate(real({ env: { PATH: '', CARGO_HOME: '/nowhere' } })), { kind: 'missing', looked: 'the folders of PATH' });
  assert.deepEqual(await locate(real({ setting: '/nowhere/ctrc' })), { kind: 'missing', looked: '/nowhere/ctrc' });
});
