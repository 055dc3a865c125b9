/**
 * The extension as it is packaged, in a real editor, with the real server, by keyboard and mouse.
 *
 * `npm run test:editor`. Needs Chromium, ripgrep and `ctrc`; pictures of each step go to `test-results`.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Browser, chromium, type Frame, type Page } from 'playwright-core';
import { CTRC, HERE, REPOSITORY } from '../unit/program';
import { editor } from './install';

const PICTURES = join(HERE, 'test-results');
const only = process.argv[2];

/** A port that is free now. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });
}

interface Window {
  page: Page;
  /** The policy's path. */
  policy: string;
  settings: (over: Record<string, unknown>) => void;
}

async function picture({ page }: Window, name: string): Promise<void> {
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** Runs a command of the palette. */
async function palette({ page }: Window, name: string): Promise<void> {
  await page.keyboard.press('F1');
  await page.waitForSelector('.quick-input-widget:visible');
  await page.keyboard.type(name);
  const label = name.replace(/^ctrc: /, '');
  await page.waitForSelector(`.quick-input-list .monaco-list-row.focused:has-text("${label}")`);
  await page.keyboard.press('Enter');
}

/** Hides the editor's own panel: terminal, problems, results. */
async function hidePanel({ page }: Window): Promise<void> {
  if (await page.isVisible('.part.panel')) await page.keyboard.press('Control+J');
  await page.waitForSelector('.part.panel', { state: 'hidden' });
}

/** Takes back what was typed since the file was saved. */
async function revert(window: Window): Promise<void> {
  await palette(window, 'File: Revert File');
  await window.page.waitForSelector('.tab.active.dirty', { state: 'detached' });
}

/** Opens a file of the folder. */
async function open({ page }: Window, file: string): Promise<void> {
  await page.keyboard.press('Control+P');
  await page.waitForSelector('.quick-input-widget:visible');
  await page.keyboard.type(file);
  await page.waitForSelector(`.quick-input-list .monaco-list-row.focused:has-text("${file}")`);
  await page.keyboard.press('Enter');
  await page.waitForSelector(`.tab.active:has-text("${file}")`);
}

/** Puts the cursor at a line and column, from 1. */
async function goTo({ page }: Window, line: number, column = 1): Promise<void> {
  await page.keyboard.press('Control+G');
  await page.waitForSelector('.quick-input-widget:visible');
  await page.keyboard.type(`${line}:${column}`);
  await page.keyboard.press('Enter');
  await page.waitForSelector(`[id="status.editor.selection"]:has-text("Ln ${line}, Col ${column}")`);
}

/** The line and column (from 1) of a text in a file. */
function find(file: string, text: string): { line: number; column: number } {
  const lines = readFileSync(file, 'utf8').split('\n');
  const index = lines.findIndex((line) => line.includes(text));
  assert.ok(index >= 0, text);
  return { line: index + 1, column: lines[index]!.indexOf(text) + 1 };
}

/** The page of the panel that is shown. */
async function panel({ page }: Window): Promise<Frame> {
  for (let i = 0; i < 150; i += 1) {
    for (const frame of page.frames()) {
      try {
        if ((await frame.$('#automata')) !== null && (await frame.isVisible('#name'))) return frame;
      } catch {
        // It went while it was asked.
      }
    }
    await page.waitForTimeout(100);
  }
  throw new Error('there is no panel');
}

/** Waits until something holds. */
async function until(page: Page, what: string, holds: () => Promise<boolean>, seconds = 15): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    if (await holds()) return;
    await page.waitForTimeout(100);
  }
  throw new Error(`waited ${seconds} s for: ${what}`);
}

const STEPS: [string, (window: Window) => Promise<void>][] = [
  [
    'the server runs, and lenses are there',
    async (window) => {
      const { page } = window;
      await open(window, 'policy.ctr');
      await page.waitForSelector('.statusbar-item:has-text("ctrc")');
      await until(page, 'the status of the server', async () => (await page.locator('.statusbar-item .codicon-check').count()) > 0);
      await page.waitForSelector('.codelens-decoration a:has-text("Show automaton")');
      await picture(window, 'overview');
    },
  ],
  [
    'hover',
    async (window) => {
      const { page, policy } = window;
      const { line, column } = find(policy, 'issue_refund only after');
      await goTo(window, line, column + 2);
      await page.keyboard.press('Control+K');
      await page.keyboard.press('Control+I');
      await page.waitForSelector('.monaco-hover:visible:has-text("issue_refund")');
      await page.waitForTimeout(500);
      await picture(window, 'hover');
      await page.keyboard.press('Escape');
    },
  ],
  [
    'an error as one types, its fix, and undo',
    async (window) => {
      const { page, policy } = window;
      const { line, column } = find(policy, 'issue_refund only after');
      await goTo(window, line, column + 'issue_refun'.length);
      await page.keyboard.press('Delete');
      await page.waitForSelector('.squiggly-error');
      await page.keyboard.press('Control+.');
      await page.waitForSelector('.action-widget:visible');
      await picture(window, 'fix');
      await page.keyboard.press('Enter');
      await until(page, 'no squiggles after the fix', async () => (await page.locator('.squiggly-error').count()) === 0);
      await page.keyboard.press('Escape');
      await revert(window);
    },
  ],
  [
    'completion and a snippet',
    async (window) => {
      const { page, policy } = window;
      const { line } = find(policy, 'guarantee call issue_refund only after');
      await goTo(window, line);
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await page.keyboard.type('guarantee never call ', { delay: 20 });
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Space');
      await page.waitForSelector('.suggest-widget:visible .monaco-list-row:has-text("send_receipt")');
      assert.ok((await page.locator('.suggest-widget .monaco-list-row').count()) >= 4);
      if (!(await page.isVisible('.suggest-details'))) await page.keyboard.press('Control+Space');
      await page.waitForSelector('.suggest-details:visible:has-text("Declared in")');
      await page.waitForTimeout(300);
      await picture(window, 'completion');
      await page.keyboard.type('send', { delay: 60 });
      await page.waitForSelector('.suggest-widget:visible .monaco-list-row.focused:has-text("send_receipt")');
      await page.keyboard.press('Enter');
      await until(page, 'the tool in the text', async () => ((await page.textContent('.editor-instance .view-lines')) ?? '').includes('never\u00a0call\u00a0send_receipt'));
      await revert(window);
      await page.keyboard.press('Control+End');
      await page.keyboard.press('Enter');
      await page.keyboard.type('contract', { delay: 60 });
      await page.waitForSelector('.suggest-widget:visible .monaco-list-row:has-text("contract: only after")');
      // The extension's own are for texts without a server.
      assert.equal(await page.locator('.suggest-widget .monaco-list-row:has-text("contracteach")').count(), 0);
      await page.keyboard.press('ArrowDown');
      await page.waitForSelector('.suggest-widget:visible .monaco-list-row.focused:has-text("only after")');
      await picture(window, 'snippet');
      await page.keyboard.press('Enter');
      // Its first place is selected, to be written over.
      await page.keyboard.type('mine');
      await until(page, 'the snippet in the text', async () => /contract\u00a0mine\u00a0.*guarantee/.test((await page.textContent('.editor-instance .view-lines')) ?? ''));
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await revert(window);
    },
  ],
  [
    'a definition in the list of tools, and the form of the text',
    async (window) => {
      const { page, policy } = window;
      const { line, column } = find(policy, 'issue_refund only after');
      await goTo(window, line, column + 2);
      await page.keyboard.press('F12');
      await page.waitForSelector('.tab.active:has-text("refund_desk.tools.json")');
      await open(window, 'policy.ctr');
      await page.waitForSelector('.tab.active:has-text("policy.ctr")');
      await goTo(window, line, 3);
      await page.keyboard.type('      ');
      await palette(window, 'Format Document');
      await page.waitForTimeout(500);
      await page.keyboard.press('Control+S');
      await until(page, 'the saved file', async () => Promise.resolve(readFileSync(policy, 'utf8') === readFileSync(join(REPOSITORY, 'examples/refund_desk/policy.ctr'), 'utf8')));
    },
  ],
  [
    'a definition in the standard library, and inlay hints as they are set',
    async (window) => {
      const { page, policy } = window;
      const other = join(dirname(policy), 'other.ctr');
      writeFileSync(other, 'import std.declare\n\ncontract c {\n  guarantee declare.response(call send_receipt, call issue_refund)\n}\n');
      await open(window, 'other.ctr');
      const lines = '.editor-instance .view-lines';
      await until(page, 'names of parameters', async () => ((await page.textContent(lines)) ?? '').includes('a:'));
      await picture(window, 'hints');
      window.settings({ 'ctrc.inlayHints.parameters': false });
      await until(page, 'no names of parameters', async () => !((await page.textContent(lines)) ?? '').includes('a:'));
      window.settings({ 'ctrc.inlayHints.parameters': true });
      await goTo(window, 4, 24);
      await page.keyboard.press('F12');
      await page.waitForSelector('.tab.active:has-text("declare.ctr")');
      await until(page, 'its text', async () => ((await page.textContent(lines)) ?? '').includes('predicate'));
      await picture(window, 'library');
      await open(window, 'policy.ctr');
      await palette(window, 'View: Close Other Editors in Group');
      rmSync(other);
    },
  ],
  [
    'tests run, and a failure shows where it is',
    async (window) => {
      const { page, policy } = window;
      await goTo(window, find(policy, 'test "a refund without identity').line);
      await page.waitForSelector('.codelens-decoration a:has-text("Run test")');
      await palette(window, 'ctrc: Run All Tests of a Policy');
      await page.waitForSelector('.testing-run-glyph.codicon-testing-passed-icon, .codicon-testing-passed-icon');
      await palette(window, 'Testing: Focus on Test Explorer View');
      await page.waitForSelector('.test-explorer:has-text("4/4")');
      await picture(window, 'tests');
      await page.keyboard.press('Control+1');
      const { line, column } = find(policy, 'expect block by refund_within_limit');
      await goTo(window, line, column + 'expect '.length);
      for (let left = 'block by refund_within_limit'.length; left > 0; left -= 1) await page.keyboard.press('Delete');
      await page.keyboard.type('allow');
      await page.keyboard.press('Escape');
      await palette(window, 'ctrc: Run the Test at the Cursor');
      await page.waitForSelector('.monaco-editor .glyph-margin-widgets .codicon-testing-failed-icon, .monaco-editor .testing-run-glyph.codicon-testing-failed-icon');
      await until(page, 'the message', async () => ((await page.textContent('body')) ?? '').includes('expected allow, but got block'));
      await picture(window, 'failed-test');
      await page.keyboard.press('Escape');
      await revert(window);
    },
  ],
  [
    'the panel draws a contract and steps a session',
    async (window) => {
      const { page, policy } = window;
      await hidePanel(window);
      await palette(window, 'View: Toggle Primary Side Bar Visibility');
      await page.keyboard.press('Control+1');
      const { line } = find(policy, 'contract identity_before_refund');
      await goTo(window, line, 12);
      await palette(window, 'ctrc: Show the Automaton of a Contract');
      const frame = await panel(window);
      await frame.waitForSelector('svg [data-state="0"].current');
      await frame.click('#pick');
      await page.waitForSelector('.quick-input-widget:visible .monaco-list-row:has-text("hasty.jsonl")');
      await page.keyboard.type('hasty');
      await page.keyboard.press('Enter');
      await frame.waitForSelector('#events li');
      assert.equal(await frame.textContent('#verdict'), 'FAIL');
      await frame.focus('#events');
      await frame.press('#events', 'n');
      assert.match((await frame.textContent('#standing')) ?? '', /violated/);
      assert.match((await frame.textContent('#violations')) ?? '', /Verify the customer's identity first\./);
      await picture(window, 'panel-violated');
      await frame.click('#close');
      await frame.click('#pick');
      await page.waitForSelector('.quick-input-widget:visible .monaco-list-row:has-text("good.jsonl")');
      await page.keyboard.type('good');
      await page.keyboard.press('Enter');
      await frame.waitForSelector('#events li');
      await frame.focus('#events');
      await frame.press('#events', 'n');
      await frame.waitForSelector('svg .taken');
      assert.equal(await frame.textContent('#standing'), '✓ satisfied for good');
      await picture(window, 'panel');
    },
  ],
  [
    'the panel goes to the source, and follows the text',
    async (window) => {
      const { page, policy } = window;
      const frame = await panel(window);
      await frame.click('#name');
      const { line } = find(policy, 'contract identity_before_refund');
      await page.waitForSelector(`[id="status.editor.selection"]:has-text("Ln ${line},")`);
      const place = find(policy, 'only after success verify_identity(verified)');
      await goTo(window, place.line, place.column);
      await page.keyboard.type('nly ');
      await frame.waitForSelector('#stale:visible');
      await picture(window, 'panel-stale');
      await revert(window);
      await frame.waitForSelector('#stale', { state: 'hidden' });
      assert.equal(await frame.textContent('#count'), '5 of 12');
    },
  ],
  [
    'a session that breaks the contract becomes a test',
    async (window) => {
      const { page, policy } = window;
      const frame = await panel(window);
      await frame.click('#breaks');
      await frame.waitForSelector('#insert:visible');
      await picture(window, 'witness');
      const before = readFileSync(policy, 'utf8').match(/^test "/gm)?.length ?? 0;
      await frame.click('#insert');
      await until(page, 'the test in the text', async () => {
        await page.keyboard.press('Control+S');
        return (readFileSync(policy, 'utf8').match(/^test "/gm)?.length ?? 0) === before + 1;
      });
      execFileSync(CTRC, ['test', policy], { stdio: 'ignore' });
    },
  ],
  [
    'tests run as the policy is saved',
    async (window) => {
      const { page, policy } = window;
      window.settings({ 'ctrc.tests.runOnSave': true });
      await page.waitForTimeout(500);
      const { line, column } = find(policy, 'expect block by refund_within_limit');
      await page.keyboard.press('Control+1');
      await goTo(window, line, column);
      await page.keyboard.type('expect allow //');
      await page.waitForTimeout(300);
      await page.keyboard.press('Control+S');
      await page.waitForSelector('.codicon-testing-failed-icon');
      await goTo(window, line, column);
      for (let left = 'expect allow //'.length; left > 0; left -= 1) await page.keyboard.press('Delete');
      await page.keyboard.press('Control+S');
      await page.waitForSelector('.codicon-testing-failed-icon', { state: 'detached' });
      window.settings({ 'ctrc.tests.runOnSave': false });
    },
  ],
  [
    'a window that is opened again has its panels',
    async (window) => {
      const { page } = window;
      const frame = await panel(window);
      const title = await frame.textContent('#file');
      // In a browser the editor writes its state every five seconds.
      await page.waitForTimeout(7000);
      await page.reload();
      await page.waitForSelector('.tab:has-text("policy.ctr")', { timeout: 60_000 });
      const again = await panel(window);
      await again.waitForSelector('svg [data-state]');
      await again.waitForSelector('#events li');
      assert.equal(await again.textContent('#file'), title);
    },
  ],
  [
    'a task runs',
    async (window) => {
      const { page } = window;
      await palette(window, 'ctrc: Check a Policy');
      await page.waitForSelector('.terminal-wrapper.active .xterm');
      await until(page, 'the end of the task', async () => (await page.locator('.codicon-check.tab-label, .terminal-tabs-entry:has-text("check"), .single-terminal-tab:has-text("check")').count()) > 0);
      await page.waitForTimeout(1500);
      await picture(window, 'task');
      await hidePanel(window);
    },
  ],
  [
    'dark',
    async (window) => {
      window.settings({ 'workbench.colorTheme': 'Default Dark Modern' });
      const frame = await panel(window);
      await frame.waitForSelector('body.vscode-dark');
      await window.page.waitForTimeout(500);
      await picture(window, 'panel-dark');
    },
  ],
  [
    'restart, and a program that is missing is told',
    async (window) => {
      const { page } = window;
      await palette(window, 'ctrc: Restart the Language Server');
      await page.waitForTimeout(500);
      await until(page, 'the server runs again', async () => (await page.locator('.statusbar-item .codicon-check').count()) > 0);
      window.settings({ 'ctrc.path': '/nowhere/ctrc' });
      await page.waitForSelector('.notification-toast:has-text("was not found in /nowhere/ctrc")');
      await page.waitForSelector('.statusbar-item .codicon-error');
      await picture(window, 'missing');
      // Without a server there are the extension's own snippets.
      await open(window, 'policy.ctr');
      await page.keyboard.press('Control+End');
      await page.keyboard.press('Enter');
      await page.keyboard.type('contracteach', { delay: 60 });
      await page.waitForSelector('.suggest-widget:visible .monaco-list-row.focused:has-text("contracteach")');
      await page.keyboard.press('Escape');
      await revert(window);
      window.settings({ 'ctrc.path': CTRC });
      await until(page, 'the server runs again', async () => (await page.locator('.statusbar-item .codicon-check').count()) > 0);
    },
  ],
  [
    'the walkthrough',
    async (window) => {
      await palette(window, 'ctrc: Get Started');
      await window.page.waitForSelector('.getting-started-step:has-text("Have the program ctrc")');
      await picture(window, 'walkthrough');
    },
  ],
];

async function main(): Promise<void> {
  assert.notEqual(CTRC, '', 'ctrc is not built');
  const program = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => file !== undefined && existsSync(file));
  assert.ok(program !== undefined, 'there is no Chromium');
  const entry = editor();
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES, { recursive: true });
  execFileSync('npm', ['run', '--silent', 'package'], { cwd: HERE, stdio: ['ignore', 'ignore', 'inherit'] });

  const home = mkdtempSync(join(tmpdir(), 'ctrc-editor-'));
  const user = join(home, 'user');
  const folder = join(home, 'refund_desk');
  cpSync(join(REPOSITORY, 'examples', 'refund_desk'), folder, { recursive: true });
  rmSync(join(folder, 'expected'), { recursive: true, force: true });
  // Where files are on a remote machine, as they are here, settings of the machine stand in a file of their own.
  const files = ['User', 'Machine'].map((of) => join(user, of, 'settings.json'));
  for (const file of files) mkdirSync(dirname(file), { recursive: true });
  let values: Record<string, unknown> = {
    'ctrc.path': CTRC,
    'workbench.colorTheme': 'Default Light Modern',
    'workbench.startupEditor': 'none',
    'workbench.enableExperiments': false,
    'workbench.tips.enabled': false,
    'security.workspace.trust.enabled': false,
    'editor.minimap.enabled': false,
    'chat.commandCenter.enabled': false,
    'extensions.ignoreRecommendations': true,
    'telemetry.telemetryLevel': 'off',
    'testing.automaticallyOpenPeekView': 'never',
    'files.autoSave': 'off',
  };
  const settings = (over: Record<string, unknown>): void => {
    values = { ...values, ...over };
    for (const file of files) writeFileSync(file, JSON.stringify(values));
  };
  settings({});
  const folders = ['--user-data-dir', user, '--extensions-dir', join(home, 'extensions')];
  const env = { ...process.env, XDG_CONFIG_HOME: join(home, 'config') };
  execFileSync(process.execPath, [entry, ...folders, '--install-extension', join(HERE, 'ctrc.vsix')], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const port = await freePort();
  const server: ChildProcess = spawn(
    process.execPath,
    [entry, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, ...folders, '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust'],
    { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true },
  );
  let browser: Browser | undefined;
  let failed = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      server.stdout?.on('data', (data: Buffer) => {
        if (data.toString().includes('HTTP server listening')) resolve();
      });
      server.on('exit', () => {
        reject(new Error('the editor ended'));
      });
    });
    browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const refused: string[] = [];
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy') && /panel\.(js|css)|ctr-graph/.test(`${message.text()} ${message.location().url}`)) refused.push(message.text());
    });
    page.setDefaultTimeout(15_000);
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`);
    await page.waitForSelector('.explorer-folders-view .monaco-list-row:has-text("policy.ctr")', { timeout: 60_000 });
    const window: Window = { page, policy: join(folder, 'policy.ctr'), settings };
    for (const [name, step] of STEPS) {
      if (only !== undefined && STEPS[0]?.[0] !== name && !name.includes(only)) continue;
      const start = Date.now();
      try {
        await step(window);
        console.log(`ok      ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
      } catch (error) {
        failed += 1;
        await picture(window, `FAILED-${name.replace(/[^a-z]+/g, '-')}`);
        console.log(`FAILED  ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        // The steps build on each other.
        break;
      }
    }
    if (refused.length > 0) {
      failed += 1;
      console.log(`FAILED  the panel's page was refused something: ${refused.join('\n')}`);
    }
  } finally {
    await browser?.close();
    // The editor and the processes that it has started.
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM');
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  }
  console.log(failed === 0 ? 'all steps passed' : `${failed} steps failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

void main();
