/** The panel's page in a real browser: its policy, its drawing, its keys. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { page as html } from '../../src/panel/html';
import type { FromPanel, ToPanel } from '../../src/panel/messages';
import { HERE } from './program';
import { AUTOMATON, HOSTILE, KEYED, SESSION } from './samples';

const program = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (file) => file !== undefined && existsSync(file),
);
const skip = program === undefined ? 'SKIPPED: there is no Chromium' : false;

let browser: Browser;
let server: Server;
let origin = '';

before(async () => {
  if (program === undefined) return;
  server = createServer((request, response) => {
    const file = { '/panel.js': 'dist/panel.js', '/panel.css': 'media/panel.css' }[request.url ?? ''];
    if (file === undefined) {
      response.setHeader('content-type', 'text/html');
      response.end(html({ script: `${origin}/panel.js`, style: `${origin}/panel.css`, source: origin, nonce: 'abc' }));
    } else {
      response.setHeader('content-type', file.endsWith('.js') ? 'text/javascript' : 'text/css');
      response.end(readFileSync(join(HERE, file)));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
});

after(async () => {
  if (program === undefined) return;
  await browser.close();
  server.close();
});

/** What the page has said to the editor. */
const said = (page: Page): Promise<FromPanel[]> => page.evaluate(() => (window as unknown as { said: FromPanel[] }).said);

async function opened(...messages: ToPanel[]): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) faults.push(`asked for ${request.url()}`);
  });
  await page.addInitScript(() => {
    const world = window as unknown as { said: unknown[]; kept: unknown; acquireVsCodeApi: unknown };
    world.said = [];
    world.acquireVsCodeApi = () => ({
      postMessage: (message: unknown) => world.said.push(message),
      getState: () => world.kept,
      setState: (state: unknown) => {
        world.kept = state;
      },
    });
  });
  await page.goto(`${origin}/`);
  for (const message of messages) await send(page, message);
  return { page, faults };
}

async function send(page: Page, message: ToPanel): Promise<void> {
  await page.evaluate((data) => {
    window.dispatchEvent(new MessageEvent('message', { data }));
  }, message);
}

const IDENTITY: ToPanel = { type: 'identity', identity: { uri: AUTOMATON.uri, contract: AUTOMATON.contract, view: 'recorded' } };
const DRAWN: ToPanel = { type: 'automaton', automaton: AUTOMATON };
const LOADED: ToPanel = { type: 'session', name: 'hasty.jsonl', replay: { sessions: [SESSION] }, fromFile: true, test: false, remark: '' };

const marked = (page: Page): Promise<[string | undefined, string | undefined]> =>
  page.evaluate(() => {
    const current = document.querySelector<SVGElement>('.current');
    const taken = document.querySelector<SVGElement>('.taken');
    return [current?.dataset.state, taken === null ? undefined : `${taken.dataset.from}-${taken.dataset.to}`];
  });

test('it says that it is ready, and draws an automaton', { skip }, async () => {
  const { page, faults } = await opened(IDENTITY, DRAWN);
  assert.deepEqual(await said(page), [{ type: 'ready' }]);
  assert.equal(await page.textContent('#name'), 'identity_before_refund');
  assert.equal(await page.locator('svg [data-state]').count(), 3);
  assert.deepEqual(await marked(page), ['0', undefined], 'the first state is marked');
  assert.equal(await page.isVisible('#none'), true);
  assert.deepEqual(faults, []);
  await page.close();
});

test('nothing of a picture runs, loads or styles', { skip }, async () => {
  const { page, faults } = await opened(IDENTITY, { type: 'automaton', automaton: HOSTILE });
  assert.equal(await page.locator('svg [data-state]').count(), 3);
  assert.equal(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked), undefined);
  assert.equal(await page.locator('svg script, svg style, svg a, svg image, svg [onload], svg [href]').count(), 0);
  assert.deepEqual(faults.filter((fault) => fault.startsWith('asked for')), []);
  faults.length = 0;
  // What the page's own policy would do if something came through.
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.hacked = 4';
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked), undefined);
  assert.match(faults.join(), /Content Security Policy/);
  await page.close();
});

test('a session is stepped through by keys', { skip }, async () => {
  const { page, faults } = await opened(IDENTITY, DRAWN, LOADED);
  assert.equal(await page.textContent('#verdict'), 'FAIL');
  assert.equal(await page.locator('#events li').count(), 5);
  assert.equal(await page.textContent('#count'), 'start of 5');
  await page.focus('#events');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.deepEqual(await marked(page), ['0', undefined]);
  assert.equal(await page.textContent('#standing'), '✕ violated');
  assert.match((await page.textContent('#told'))!, /^Event 0: call issue_refund .* Violated: Verify the customer's identity first\.$/);
  assert.equal(await page.locator('.current.broken').count(), 1);
  assert.equal(await page.locator('.refused[data-from="0"][data-to="2"]').count(), 1);
  await page.keyboard.press('n');
  assert.deepEqual(await marked(page), ['1', '0-1']);
  assert.equal(await page.textContent('#standing'), '✓ satisfied for good');
  assert.equal(await page.getAttribute('#events', 'aria-activedescendant'), 'event-3');
  assert.equal(await page.getAttribute('#event-3', 'aria-selected'), 'true');
  await page.keyboard.press('Enter');
  assert.deepEqual((await said(page)).at(-1), { type: 'goToEvent', line: 4 });
  await page.keyboard.press('p');
  assert.equal(await page.textContent('#count'), '2 of 5');
  await page.keyboard.press('End');
  assert.equal(await page.textContent('#count'), '5 of 5');
  assert.equal(await page.isDisabled('#forth'), true);
  await page.keyboard.press('Home');
  assert.equal(await page.textContent('#count'), 'start of 5');
  assert.equal(await page.isDisabled('#back'), true);
  assert.deepEqual(faults, []);
  await page.close();
});

test('by buttons, by a click on an event, and to the places in the text', { skip }, async () => {
  const { page } = await opened(IDENTITY, DRAWN, LOADED);
  await page.click('#forth');
  await page.click('#forth');
  assert.equal(await page.textContent('#count'), '2 of 5');
  await page.click('#violations button');
  assert.deepEqual((await said(page)).at(-1), { type: 'goTo', uri: 'file:///ws/policy.ctr', line: 3, character: 9 });
  await page.click('#name');
  assert.deepEqual((await said(page)).at(-1), { type: 'goToContract' });
  await page.click('#event-3');
  assert.deepEqual(await marked(page), ['1', '0-1']);
  assert.match((await page.textContent('#end'))!, /a receipt is owed \(since event 2\)/);
  assert.equal(await page.locator('#events b').count(), 0, 'texts of sessions are no markup');
  await page.close();
});

test('a keyed contract has its instances', { skip }, async () => {
  const { page } = await opened(IDENTITY, DRAWN, { type: 'session', name: 'k', replay: { sessions: [KEYED] }, fromFile: false, test: true, remark: 'found' });
  assert.deepEqual(await page.locator('#instances option').allTextContents(), ['the one that moved last', '"a"', '"b"']);
  assert.equal(await page.isVisible('#insert'), true);
  await page.click('#last');
  assert.equal(await page.textContent('#standing'), '○ satisfied so far ("a")');
  await page.selectOption('#instances', '1');
  assert.equal(await page.textContent('#standing'), '◐ pending ("b")');
  await page.close();
});

test('texts that do not compile leave the picture and say that it is old', { skip }, async () => {
  const { page } = await opened(IDENTITY, DRAWN, LOADED, { type: 'stale', why: 'the policy has 1 error' });
  assert.equal(await page.textContent('#stale'), 'Not as the text is now: the policy has 1 error');
  assert.equal(await page.locator('svg [data-state]').count(), 3);
  await page.click('#forth');
  await send(page, DRAWN);
  assert.equal(await page.isVisible('#stale'), false);
  assert.equal(await page.textContent('#count'), '1 of 5', 'the place stays');
  await send(page, { type: 'noSession', why: 'session.jsonl:3: no JSON' });
  assert.equal(await page.textContent('#none'), 'session.jsonl:3: no JSON');
  assert.equal(await page.isVisible('#loaded'), false);
  await page.close();
});

test('ten thousand events are drawn and stepped through at once', { skip }, async () => {
  const steps = Array.from({ length: 10_000 }, (_, i) => ({ ...SESSION.steps[2 + (i % 3)]!, event: i, line: i + 1 }));
  const { page, faults } = await opened(IDENTITY, DRAWN);
  const start = Date.now();
  await send(page, { type: 'session', name: 'long', replay: { sessions: [{ ...SESSION, steps, truncated: 5 }] }, fromFile: true, test: false, remark: '' });
  await page.focus('#events');
  await page.keyboard.press('End');
  assert.equal(await page.textContent('#count'), '10000 of 10000');
  for (let i = 0; i < 20; i += 1) await page.keyboard.press('ArrowUp');
  assert.equal(await page.textContent('#count'), '9980 of 10000');
  // It takes a fraction of a second; the machine may be busy.
  assert.ok(Date.now() - start < 60_000, `${Date.now() - start} ms`);
  assert.match((await page.textContent('#events'))!, /5 more events/);
  assert.deepEqual(faults, []);
  await page.close();
});

test('every control has a name for those who hear the page', { skip }, async () => {
  const { page } = await opened(IDENTITY, DRAWN, LOADED);
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll('button, select, [role], section')]
      .filter((each) => !each.closest('[hidden], svg') && each.getAttribute('role') !== 'option' && each.getAttribute('role') !== 'status' && each.getAttribute('role') !== 'alert')
      .filter((each) => {
        const label = each.getAttribute('aria-label') ?? (each.textContent || each.closest('label')?.textContent);
        return (label ?? '').trim() === '';
      })
      .map((each) => each.outerHTML),
  );
  assert.deepEqual(nameless, []);
  await page.close();
});
