/** A session step by step: what a contract's automata do. No document, no editor. */
import type { Automaton, Session, Side, SideName, States } from '../protocol';

/** Which instance of a keyed contract is looked at: one of them, or always the one that moved last. */
export type Choice = number | 'last';

/** A taken edge. */
export interface Taken {
  from: number;
  to: number;
}

/** How the contract stands before the first event (the first moment) or after one. */
export interface Moment {
  states: States;
  standing: string;
  /** Index in `instances`, once there is one. */
  instance: number | undefined;
  /** The key of that instance as JSON text; of contracts without keys `null`. */
  key: string | null;
  taken: Partial<Record<SideName, Taken>>;
  /** Whether the instance was moved by this event. */
  moved: boolean;
}

const SIDES: readonly SideName[] = ['assume', 'guarantee'];

/** The moments of a session, one more than it has steps. Empty where the session was judged without a contract. */
export function moments(session: Session, choice: Choice): Moment[] {
  const { start } = session;
  if (start === undefined) return [];
  const keys = session.instances ?? [];
  const unkeyed = keys.length === 1 && keys[0] === null;
  const now = new Map<number, { states: States; standing: string }>();
  let shown: number | undefined = choice === 'last' ? (unkeyed ? 0 : undefined) : choice;
  const out: Moment[] = [];
  const moment = (moved: boolean, taken: Moment['taken']): void => {
    const known = shown === undefined ? undefined : now.get(shown);
    out.push({
      states: known?.states ?? start.states,
      standing: known?.standing ?? start.standing,
      instance: shown,
      key: shown === undefined ? null : (keys[shown] ?? null),
      taken,
      moved,
    });
  };
  moment(false, {});
  for (const step of session.steps) {
    let moved = false;
    let taken: Moment['taken'] = {};
    const [first] = step.changes ?? [];
    if (choice === 'last' && first !== undefined) shown = first.instance;
    for (const change of step.changes ?? []) {
      const before = change.from ?? now.get(change.instance)?.states ?? start.states;
      if (change.instance === shown) {
        moved = true;
        taken = {};
        for (const side of SIDES) {
          const [from, to] = [before[side], change.states[side]];
          if (from !== undefined && to !== undefined && from !== to) taken[side] = { from, to };
        }
      }
      now.set(change.instance, { states: change.states, standing: change.standing });
    }
    moment(moved, taken);
  }
  return out;
}

/**
 * The edge that a violating event would have taken. A recorded session goes on from the state before, so no edge is
 * taken; where only one leads from there to where the contract is violated for good, it is that one.
 */
export function refused(side: Side, state: number | undefined): Taken | undefined {
  const lost = new Set(side.states.filter(({ standing }) => standing === 'violated for good').map(({ id }) => id));
  const [only, ...others] = side.edges.filter(({ from, to }) => from === state && from !== to && lost.has(to));
  return only === undefined || others.length > 0 ? undefined : { from: only.from, to: only.to };
}

/** A sign for each way to stand, as the pages of `ctrc replay --html` have it. */
export function sign(standing: string): string {
  switch (standing) {
    case 'violated':
    case 'violated for good':
      return '✕';
    case 'pending':
      return '◐';
    case 'satisfied so far':
      return '○';
    case 'satisfied for good':
      return '✓';
    case 'idle':
      return '–';
    case 'idle so far':
      return '◌';
    default:
      return '·';
  }
}

/** The class of a way to stand in the style sheet. */
export function tone(standing: string): string {
  return standing.replace(/[^a-z]+/g, '-');
}

/** What happened at a moment, in a sentence or two, for the line below the session and for screen readers. */
export function told(session: Session, at: number, moment: Moment | undefined, automaton: Automaton | undefined): string {
  const step = at < 0 ? undefined : session.steps[at];
  const parts: string[] = [];
  if (step === undefined) parts.push('Before the first event.');
  else if (step.event === undefined) parts.push(`${step.summary}.`);
  else parts.push(`Event ${step.event}: ${step.summary}.`);
  if (moment !== undefined) {
    for (const side of SIDES) {
      const { [side]: edge } = moment.taken;
      const { [side]: state } = moment.states;
      if (edge !== undefined) {
        const label = automaton?.sides
          .find((each) => each.side === side)
          ?.edges.find((each) => each.from === edge.from && each.to === edge.to)?.label;
        parts.push(`The ${side} goes from state ${edge.from} to ${edge.to}${label === undefined ? '' : ` (${label})`}.`);
      } else if (state !== undefined && step?.event !== undefined) {
        parts.push(`The ${side} stays in state ${state}.`);
      }
    }
    const key = moment.key === null ? '' : ` for ${moment.key}`;
    parts.push(`The contract is ${moment.standing}${key}.`);
  }
  for (const violation of step?.violations ?? []) parts.push(`Violated: ${violation.message}`);
  if (step?.leftOut === true) parts.push('Enforcement leaves this event out.');
  if (step?.malformed !== undefined) parts.push(`Malformed: ${step.malformed}`);
  return parts.join(' ');
}

/** A place within the session: `at` is the step after which it is looked at, -1 before the first. */
export function clamp(session: Session, at: number): number {
  return Math.max(-1, Math.min(session.steps.length - 1, at));
}

/** The next or previous step that matters: one that moved the contract or was violated. Without one `at` stays. */
export function nextOfInterest(session: Session, all: Moment[], at: number, direction: 1 | -1): number {
  for (let i = at + direction; i >= 0 && i < session.steps.length; i += direction) {
    const step = session.steps[i];
    if (all[i + 1]?.moved === true || step?.violated === true || step?.leftOut === true || step?.malformed !== undefined) return i;
  }
  return at;
}
