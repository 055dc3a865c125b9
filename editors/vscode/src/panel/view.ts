/** The script of the panel's page. */
import type { Automaton, Session, Side } from '../protocol';
import type { FromPanel, Identity, ToPanel } from './messages';
import { type Choice, clamp, type Moment, moments, nextOfInterest, refused, sign, told, tone } from './model';
import { picture } from './svg';

declare function acquireVsCodeApi(): { postMessage(message: FromPanel): void; getState(): unknown; setState(state: Kept): void };

/** What is kept while the panel is hidden, and when the window is opened again. */
interface Kept {
  identity?: Identity;
  at: number;
  choice: Choice;
  session: number;
}

const editor = acquireVsCodeApi();

function element<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`no element ${id}`);
  return found;
}

const name = element('name', HTMLButtonElement);
const standing = element('standing', HTMLElement);
const stale = element('stale', HTMLElement);
const automata = element('automata', HTMLElement);
const loaded = element('loaded', HTMLElement);
const none = element('none', HTMLElement);
const file = element('file', HTMLElement);
const verdict = element('verdict', HTMLElement);
const remark = element('remark', HTMLElement);
const insert = element('insert', HTMLButtonElement);
const sessions = element('sessions', HTMLSelectElement);
const sessionsLabel = element('sessions-label', HTMLElement);
const instances = element('instances', HTMLSelectElement);
const instancesLabel = element('instances-label', HTMLElement);
const view = element('view', HTMLSelectElement);
const count = element('count', HTMLElement);
const events = element('events', HTMLOListElement);
const toldOf = element('told', HTMLElement);
const violations = element('violations', HTMLElement);
const end = element('end', HTMLElement);
const NONE = none.textContent;

let kept: Kept = { at: -1, choice: 'last', session: 0 };
const before = editor.getState();
if (typeof before === 'object' && before !== null) kept = { ...kept, ...before };
let automaton: Automaton | undefined;
let all: Session[] = [];
let steps: Moment[] = [];
let fromFile = false;
/** The event that is looked at, in the list. */
let selected: HTMLElement | null = null;

const session = (): Session | undefined => all[kept.session];

function keep(): void {
  editor.setState(kept);
}

function badge(at: HTMLElement, text: string, as: string): void {
  at.textContent = text;
  at.className = `badge ${as}`;
  at.hidden = text === '';
}

function make<K extends keyof HTMLElementTagNameMap>(tag: K, text: string, as = ''): HTMLElementTagNameMap[K] {
  const out = document.createElement(tag);
  out.textContent = text;
  if (as !== '') out.className = as;
  return out;
}

/** A picture and, for those who do not see it, its states and edges in words (the picture's own description). */
function drawSide(side: Side): HTMLElement {
  const figure = document.createElement('figure');
  figure.dataset.side = side.side;
  const caption = make('figcaption', side.side);
  caption.append(make('span', '', 'state-now soft'));
  figure.append(caption);
  const drawn = side.svg === null ? undefined : picture(side.svg);
  if (drawn === undefined) figure.append(make('p', side.notDrawn ?? 'This automaton cannot be drawn.', 'note'));
  else {
    const frame = make('div', '', 'frame');
    frame.tabIndex = 0;
    frame.setAttribute('role', 'group');
    frame.setAttribute('aria-label', `${side.side}: ${side.states.length} states`);
    frame.append(drawn);
    figure.append(frame);
  }
  return figure;
}

function drawAutomaton(of: Automaton): void {
  automaton = of;
  name.textContent = of.contract;
  stale.hidden = true;
  automata.replaceChildren(...of.sides.map(drawSide));
  if (of.sides.length === 0) automata.append(make('p', 'This contract has no automaton: it is kept by deadlines alone.', 'soft'));
}

/** Shows on the pictures where the contract is. */
function mark(moment: Moment | undefined, violated: boolean, byThis: boolean): void {
  for (const side of automaton?.sides ?? []) {
    const figure = automata.querySelector<HTMLElement>(`figure[data-side="${side.side}"]`);
    if (figure === null) continue;
    for (const marked of figure.querySelectorAll('.current, .taken, .broken, .refused')) marked.classList.remove('current', 'taken', 'broken', 'refused');
    const state = moment === undefined ? side.initial : moment.states[side.side];
    const now = figure.querySelector('.state-now');
    if (now !== null) {
      const stands = side.states.find((each) => each.id === state)?.standing;
      now.textContent = state === undefined ? '' : ` — state ${state}${stands === undefined ? '' : `, ${stands}`}`;
    }
    if (state === undefined) continue;
    const at = figure.querySelector(`[data-state="${state}"]`);
    at?.classList.add('current');
    if (violated) at?.classList.add('broken');
    const taken = moment?.taken[side.side];
    const edge = taken ?? (byThis && side.side === 'guarantee' ? refused(side, state) : undefined);
    if (edge !== undefined) {
      figure.querySelector(`[data-from="${edge.from}"][data-to="${edge.to}"]`)?.classList.add(taken === undefined ? 'refused' : 'taken');
    }
    const frame = figure.querySelector('.frame');
    if (frame !== null && at !== null && (frame.scrollHeight > frame.clientHeight || frame.scrollWidth > frame.clientWidth)) {
      at.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }
}

function options(select: HTMLSelectElement, entries: [string, string][], chosen: string): void {
  select.replaceChildren(
    ...entries.map(([value, text]) => {
      const option = make('option', text);
      option.value = value;
      return option;
    }),
  );
  select.value = entries.some(([value]) => value === chosen) ? chosen : (entries[0]?.[0] ?? '');
}

/** Lists the events of the session that is looked at. */
function drawSession(): void {
  const of = session();
  if (of === undefined) return;
  const keys = of.instances ?? [];
  const keyed = !(keys.length === 1 && keys[0] === null) && keys.length > 0;
  if (typeof kept.choice === 'number' && kept.choice >= keys.length) kept.choice = 'last';
  instancesLabel.hidden = !keyed;
  options(
    instances,
    [['last', 'the one that moved last'], ...keys.map((key, i): [string, string] => [String(i), key ?? ''])],
    String(kept.choice),
  );
  sessionsLabel.hidden = all.length < 2;
  options(sessions, all.map((each, i): [string, string] => [String(i), `${each.name}: ${each.verdict}`]), String(kept.session));
  badge(verdict, of.verdict, of.verdict.toLowerCase());
  steps = moments(of, kept.choice);
  events.replaceChildren(
    ...of.steps.map((step, i) => {
      const item = document.createElement('li');
      item.id = `event-${i}`;
      item.dataset.at = String(i);
      item.setAttribute('role', 'option');
      item.append(make('span', step.event === undefined ? '' : String(step.event), 'number'), make('span', step.summary, 'summary'));
      const moment = steps[i + 1];
      if (moment?.moved === true) {
        const dot = make('span', `${sign(moment.standing)} ${moment.standing}`, `moved ${tone(moment.standing)}`);
        item.append(dot);
      }
      if (step.violated === true && !(moment?.moved === true && moment.standing === 'violated')) item.append(make('span', 'violated', 'flag'));
      if (step.leftOut === true) {
        item.classList.add('left-out');
        item.append(make('span', 'left out', 'flag'));
      }
      if (step.malformed !== undefined) item.append(make('span', 'malformed', 'flag'));
      if (step.event === undefined) item.classList.add('aside');
      return item;
    }),
  );
  if (of.truncated !== undefined) events.append(make('li', `... and ${of.truncated} more events, which are not listed`, 'aside'));
  end.replaceChildren();
  if (of.end !== undefined && of.end.length > 0) {
    end.append(make('h2', 'At the end of the session'));
    const list = document.createElement('ul');
    for (const { message, key, event } of of.end) {
      const since = event === undefined ? '' : ` (since event ${event})`;
      list.append(make('li', `${key === undefined ? '' : `${key}: `}${message}${since}`));
    }
    end.append(list);
  }
  show(kept.at);
}

/** Goes to a place of the session. */
function show(at: number): void {
  const of = session();
  if (of === undefined) {
    mark(undefined, false, false);
    badge(standing, '', '');
    return;
  }
  kept.at = clamp(of, at);
  keep();
  const step = of.steps[kept.at];
  const moment = steps[kept.at + 1];
  selected?.setAttribute('aria-selected', 'false');
  const item = document.getElementById(`event-${kept.at}`);
  selected = item;
  if (item === null) {
    events.removeAttribute('aria-activedescendant');
    events.scrollTop = 0;
  } else {
    item.setAttribute('aria-selected', 'true');
    events.setAttribute('aria-activedescendant', item.id);
    item.scrollIntoView({ block: 'nearest' });
  }
  count.textContent = kept.at < 0 ? `start of ${of.steps.length}` : `${kept.at + 1} of ${of.steps.length}`;
  element('first', HTMLButtonElement).disabled = kept.at < 0;
  element('back', HTMLButtonElement).disabled = kept.at < 0;
  element('forth', HTMLButtonElement).disabled = kept.at >= of.steps.length - 1;
  element('last', HTMLButtonElement).disabled = kept.at >= of.steps.length - 1;
  mark(moment, moment?.standing === 'violated', moment?.standing === 'violated' && step?.violated === true);
  if (moment === undefined) badge(standing, '', '');
  else {
    const key = moment.key === null ? '' : ` (${moment.key})`;
    badge(standing, `${sign(moment.standing)} ${moment.standing}${key}`, tone(moment.standing));
  }
  toldOf.textContent = told(of, kept.at, moment, automaton);
  violations.replaceChildren(
    ...(step?.violations ?? []).map(({ contract, key, message, clause }) => {
      const line = make('li', `${contract}${key === undefined ? '' : ` for ${key}`}: ${message} `);
      if (clause !== undefined) {
        const go = make('button', 'Go to the clause', 'link');
        go.addEventListener('click', () => {
          editor.postMessage({ type: 'goTo', uri: clause.uri, ...clause.range.start });
        });
        line.append(go);
      }
      return line;
    }),
  );
}

function drawNone(why: string | undefined): void {
  all = [];
  steps = [];
  loaded.hidden = true;
  none.hidden = false;
  none.textContent = why ?? NONE;
  none.className = why === undefined ? 'soft' : 'note';
  show(-1);
}

addEventListener('message', ({ data }: MessageEvent<ToPanel>) => {
  switch (data.type) {
    case 'identity':
      kept.identity = data.identity;
      name.textContent ||= data.identity.contract;
      view.value = data.identity.view;
      keep();
      break;
    case 'automaton':
      drawAutomaton(data.automaton);
      show(kept.at);
      break;
    case 'stale':
      stale.textContent = automaton === undefined ? data.why : `Not as the text is now: ${data.why}`;
      stale.hidden = false;
      break;
    case 'session':
      all = data.replay.sessions;
      fromFile = data.fromFile;
      if (kept.session >= all.length) kept.session = 0;
      if (all.length === 0) {
        drawNone('There is no session in this file.');
        break;
      }
      file.textContent = data.name;
      remark.textContent = data.remark;
      remark.hidden = data.remark === '';
      insert.hidden = !data.test;
      loaded.hidden = false;
      none.hidden = true;
      drawSession();
      break;
    case 'noSession':
      drawNone(data.why);
      break;
  }
});

function on(id: string, action: () => void): void {
  element(id, HTMLButtonElement).addEventListener('click', action);
}

const interest = (direction: 1 | -1): void => {
  const of = session();
  if (of !== undefined) show(nextOfInterest(of, steps, kept.at, direction));
};
const toEnd = (): void => {
  show(Number.MAX_SAFE_INTEGER);
};
const by = (n: number): void => {
  show(kept.at + n);
};

on('name', () => {
  editor.postMessage({ type: 'goToContract' });
});
on('pick', () => {
  editor.postMessage({ type: 'pickSession' });
});
on('keeps', () => {
  editor.postMessage({ type: 'find', show: 'accepting' });
});
on('breaks', () => {
  editor.postMessage({ type: 'find', show: 'rejecting' });
});
on('close', () => {
  kept.at = -1;
  editor.postMessage({ type: 'closeSession' });
});
on('insert', () => {
  editor.postMessage({ type: 'insertTest' });
});
on('first', () => {
  show(-1);
});
on('back', () => {
  by(-1);
});
on('forth', () => {
  by(1);
});
on('last', toEnd);
on('interest', () => {
  interest(1);
});
sessions.addEventListener('change', () => {
  kept.session = Number(sessions.value);
  kept.at = -1;
  drawSession();
});
instances.addEventListener('change', () => {
  kept.choice = instances.value === 'last' ? 'last' : Number(instances.value);
  drawSession();
});
view.addEventListener('change', () => {
  editor.postMessage({ type: 'view', view: view.value === 'gated' ? 'gated' : 'recorded' });
});

function goToEvent(): void {
  const step = session()?.steps[kept.at];
  if (step !== undefined && fromFile) editor.postMessage({ type: 'goToEvent', line: step.line });
}

events.addEventListener('click', ({ target }) => {
  const item = target instanceof Element ? target.closest<HTMLElement>('[data-at]') : null;
  if (item !== null) show(Number(item.dataset.at));
});
events.addEventListener('dblclick', goToEvent);

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || session() === undefined) return;
  const { target } = event;
  if (target instanceof HTMLSelectElement) return;
  const inList = target === events;
  // Elsewhere these keys scroll, or press the button that has the focus.
  const scrolls = target instanceof HTMLElement && target.classList.contains('frame');
  const actions: Record<string, (() => void) | undefined> = {
    ArrowLeft: scrolls ? undefined : () => { by(-1); },
    ArrowRight: scrolls ? undefined : () => { by(1); },
    ArrowUp: inList ? () => { by(-1); } : undefined,
    ArrowDown: inList ? () => { by(1); } : undefined,
    PageUp: inList ? () => { by(-10); } : undefined,
    PageDown: inList ? () => { by(10); } : undefined,
    Home: scrolls ? undefined : () => { show(-1); },
    End: scrolls ? undefined : toEnd,
    Enter: inList ? goToEvent : undefined,
    n: () => { interest(1); },
    p: () => { interest(-1); },
  };
  const action = actions[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
});

editor.postMessage({ type: 'ready' });
