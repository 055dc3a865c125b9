// What a page can do beyond being read: filters, search, keys, states at a chosen event. Everything that
// it shows is in the page already, and only ever set as text.
(() => {
  'use strict';
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const SVG = 'http://www.w3.org/2000/svg';
  const NAMES = { v: ['✕', 'violated'], p: ['◐', 'pending'], s: ['○', 'satisfied so far'], g: ['✓', 'satisfied for good'],
    i: ['–', 'idle'], u: ['◌', 'idle so far'], n: ['·', 'no instance yet'] };
  const make = (name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const remembered = (key, value) => {
    // Storage is refused to some pages that come from files.
    try {
      if (value !== undefined) localStorage.setItem(key, value);
      return localStorage.getItem(key);
    } catch { return null; }
  };
  for (const element of all('[data-js]')) element.hidden = false;

  // Light and dark.
  const theme = remembered('ctrc-theme');
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  const toggleTheme = () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    remembered('ctrc-theme', root.dataset.theme);
  };
  byId('theme').addEventListener('click', toggleTheme);

  // Help.
  const help = byId('help');
  const showHelp = () => (help.open ? help.close() : help.showModal());
  byId('helper').addEventListener('click', showHelp);
  const keysOn = byId('keys-on');
  keysOn.checked = remembered('ctrc-keys') !== 'off';
  keysOn.addEventListener('change', () => remembered('ctrc-keys', keysOn.checked ? 'on' : 'off'));

  // What is chosen stands in the address, so that it can be passed on: #only=violations&contract=x&tool=y&q=text
  const form = byId('filters');
  const fields = ['only', 'contract', 'tool', 'q'].map(byId).filter(Boolean);
  const chosen = () => new URLSearchParams(fields.filter((field) => field.value).map((field) => [field.id, field.value]));
  const address = (extra) => {
    const params = chosen();
    for (const [name, value] of extra || []) params.set(name, value);
    try { history.replaceState(null, '', `#${params}`); } catch { /* a page that may not */ }
  };
  const choose = (params) => {
    for (const field of fields) {
      const value = params.get(field.id) || '';
      field.value = value;
      if (field.value !== value) field.value = '';
    }
  };
  const contractId = () => byId('contract').selectedOptions[0]?.dataset.c;
  const words = (element) => (element.dataset.c || '').split(' ');
  const texts = new Map();
  const textOf = (row) => {
    let text = texts.get(row);
    if (text === undefined) texts.set(row, text = row.textContent.toLowerCase());
    return text;
  };
  const session = root.dataset.page === 'session';
  const rows = session ? all('#events > .event') : all('.matrix tbody tr');
  const isEvent = (row) => !session || /^e\d/.test(row.id);
  const total = rows.filter(isEvent).length;
  const GROUPS = { violations: 'violation', decisions: 'decision', idle: 'idle', malformed: 'malformed' };
  const fits = (row, only, contract, tool, query) => {
    if (only === 'changes' && !row.dataset.c?.trim()) return false;
    if (only && only !== 'changes') {
      const found = (session ? row.dataset.f : row.dataset.is) || '';
      if (!found.split(' ').includes(session ? GROUPS[only] : only)) return false;
    }
    if (contract !== undefined && !words(row).includes(contract)) return false;
    if (tool && row.dataset.tool !== tool) return false;
    return !query || textOf(row).includes(query);
  };
  const apply = () => {
    const value = (id) => byId(id)?.value || '';
    const contract = contractId();
    const query = value('q').trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fit = fits(row, value('only'), contract, value('tool'), query);
      if (row.hidden === fit) row.hidden = !fit;
      if (fit && isEvent(row)) shown += 1;
    }
    for (const card of all('.card')) card.hidden = contract !== undefined && card.dataset.c !== contract;
    for (const button of all('.track .only')) button.setAttribute('aria-pressed', String(button.dataset.c === contract));
    byId('shown').textContent = `${shown} of ${total} ${session ? 'events' : 'sessions'} shown`;
  };
  let waiting = 0;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { apply(); address(); }, 120);
  };
  form.addEventListener('input', soon);
  form.addEventListener('submit', (event) => event.preventDefault());
  const clear = () => { choose(new URLSearchParams()); apply(); address(); };
  form.addEventListener('reset', (event) => { event.preventDefault(); clear(); });

  // Rows that keys walk through.
  const handle = (row) => row.querySelector('summary, .line, a') || row;
  let current = null;
  const step = (by, wanted) => {
    let at = current ? rows.indexOf(current) : by > 0 ? -1 : rows.length;
    for (at += by; at >= 0 && at < rows.length; at += by) {
      const row = rows[at];
      if (!row.hidden && (!wanted || wanted(row))) return select(row, true);
    }
  };
  const select = (row, focus) => {
    if (current) {
      current.classList.remove('on');
      if (session) handle(current).tabIndex = -1;
    }
    current = row;
    row.classList.add('on');
    const target = handle(row);
    if (session) target.tabIndex = 0;
    if (focus) {
      row.scrollIntoView({ block: 'center' });
      target.focus({ preventScroll: true });
    }
    if (session) standAt(row);
  };

  // States at an event, beside the strips.
  const tracks = all('.track').map((element) => ({
    element,
    name: element.querySelector('a').textContent,
    runs: element.dataset.runs.split(' ').map((run) => [Number(run.slice(1)), run[0]]),
    label: element.querySelector('.st'),
    strip: element.querySelector('svg'),
    cursor: null,
  }));
  const stands = (runs, event) => {
    let [low, high] = [0, runs.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (runs[middle][0] <= event) low = middle; else high = middle - 1;
    }
    return runs[low];
  };
  const write = (label, letter) => {
    const [sign, name] = NAMES[letter];
    const mark = make('span', '', sign);
    mark.setAttribute('aria-hidden', 'true');
    label.className = `st st-${letter}`;
    label.replaceChildren(mark, ` ${name}`);
  };
  const numberOf = (row) => (isEvent(row) ? Number(row.id.slice(1)) : row.id === 'end' ? Infinity : null);
  const standAt = (row) => {
    const event = numberOf(row);
    if (event === null) return;
    byId('moment').textContent = event === Infinity ? 'At the end of the session' : `After event ${event}`;
    for (const track of tracks) {
      const [since, letter] = stands(track.runs, event);
      write(track.label, letter);
      track.element.classList.toggle('moved', since === event && event > 0);
      if (!track.cursor) {
        track.cursor = document.createElementNS(SVG, 'path');
        track.cursor.setAttribute('class', 'cursor');
        track.strip.append(track.cursor);
      }
      track.cursor.setAttribute('d', event === Infinity ? '' : `M${event}.5 0v16`);
    }
  };
  for (const track of tracks) {
    track.strip.addEventListener('click', (event) => {
      const box = track.strip.getBoundingClientRect();
      const events = track.strip.viewBox.baseVal.width;
      const at = Math.min(events - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * events)));
      reveal(`e${at}`);
    });
    const only = make('button', 'only', 'only');
    only.type = 'button';
    only.dataset.c = track.element.dataset.c;
    only.setAttribute('aria-pressed', 'false');
    only.setAttribute('aria-label', `Show only events of ${track.name}`);
    only.addEventListener('click', () => {
      const field = byId('contract');
      const off = only.getAttribute('aria-pressed') === 'true';
      field.value = off ? '' : [...field.options].find((option) => option.dataset.c === only.dataset.c).value;
      apply();
      address();
    });
    track.label.after(only);
  }
  const events = byId('events');
  if (events) {
    for (const row of rows) handle(row).tabIndex = -1;
    const first = rows.find((row) => row.querySelector('summary'));
    if (first) handle(first).tabIndex = 0;
    events.addEventListener('click', (event) => {
      const row = event.target.closest('.event');
      if (row && !event.target.closest('a')) select(row, false);
    });
    events.addEventListener('toggle', (event) => {
      const row = event.target.closest('.event');
      if (!event.target.open || row.querySelector('.all')) return;
      const list = make('ul', 'all');
      for (const track of tracks) {
        const item = make('li');
        const label = make('span');
        write(label, stands(track.runs, numberOf(row))[1]);
        item.append(make('span', '', track.name), label);
        list.append(item);
      }
      row.querySelector('.body').append(make('h3', '', 'All contracts after this event'), list);
    }, true);
  }
  const reveal = (id) => {
    const target = byId(id);
    if (!target) return;
    const row = target.closest('#events > .event');
    if (row) {
      if (row.hidden) clear();
      select(row, true);
    } else {
      if (target.hidden) clear();
      target.scrollIntoView({ block: 'center' });
      target.focus({ preventScroll: true });
    }
  };
  const follow = () => {
    const hash = location.hash.slice(1);
    if (hash.includes('=')) {
      const params = new URLSearchParams(location.hash.slice(1));
      choose(params);
      apply();
      if (params.has('e')) reveal(`e${params.get('e')}`);
    } else if (hash) {
      apply();
      reveal(hash);
    } else {
      apply();
    }
  };
  addEventListener('hashchange', follow);

  // Tables that can be sorted.
  for (const table of all('table.sortable')) {
    const body = table.tBodies[0];
    const heads = all('th[data-sort]', table.tHead);
    for (const head of heads) {
      const button = make('button', '', head.textContent);
      button.type = 'button';
      head.replaceChildren(button);
      head.setAttribute('aria-sort', 'none');
      button.addEventListener('click', () => {
        const number = head.dataset.sort !== 'name';
        // Names begin at A, figures with the largest, verdicts with FAIL.
        const first = head.dataset.sort === 'number' ? 'descending' : 'ascending';
        const now = head.getAttribute('aria-sort');
        const next = now === 'none' ? first : now === 'ascending' ? 'descending' : 'ascending';
        for (const other of heads) other.setAttribute('aria-sort', other === head ? next : 'none');
        const sign = next === 'ascending' ? 1 : -1;
        const value = (row) => {
          const cell = row.cells[head.cellIndex];
          if (!cell || row.querySelector('.unreadable')) return null;
          const text = cell.dataset.v ?? cell.textContent.trim();
          return number ? (text === '' ? null : Number(text)) : text;
        };
        const keyed = [...body.rows].map((row, n) => ({ row, n, value: value(row) }));
        keyed.sort((a, b) => {
          if (a.value === null || b.value === null) return (a.value === null) - (b.value === null) || a.n - b.n;
          const order = number ? a.value - b.value : a.value.localeCompare(b.value, 'en', { numeric: true });
          return sign * order || a.n - b.n;
        });
        body.append(...keyed.map((entry) => entry.row));
        if (table.classList.contains('matrix')) rows.splice(0, rows.length, ...body.rows);
      });
    }
  }
  for (const link of all('[data-pick]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      byId('contract').value = link.dataset.pick;
      apply();
      address();
      byId('sessions').scrollIntoView();
    });
  }

  // Keys.
  const found = (row) => row.dataset.f !== undefined;
  const KEYS = {
    j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
    n: () => step(1, found), p: () => step(-1, found), '/': () => byId('q').focus(), c: clear, t: toggleTheme, '?': showHelp,
  };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const writing = event.target.closest?.('input:not([type=checkbox]), select, textarea');
    if (event.key === 'Escape' && writing) return writing.blur();
    if (writing || (help.open && event.key !== '?') || (!keysOn.checked && event.key !== '?')) return;
    // Where a part of the page can be scrolled, arrows scroll it.
    if (event.key.startsWith('Arrow') && event.target.closest?.('.scroll, pre')) return;
    const act = KEYS[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  follow();
  root.dataset.ready = 'yes';
})();
