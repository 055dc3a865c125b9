/** What the extension and its panel say to each other. */
import type { Automaton, Replay, View } from '../protocol';

/** Where a session comes from. */
export type Origin =
  | { kind: 'file'; path: string }
  /** A session that the solver found; `test` is the same as a `test` block. */
  | { kind: 'found'; name: string; text: string; test: string | null; remark: string };

/** What must be known to show the same again. */
export interface Identity {
  uri: string;
  contract: string;
  origin?: Origin;
  view: View;
}

export type ToPanel =
  | { type: 'identity'; identity: Identity }
  | { type: 'automaton'; automaton: Automaton }
  /** What is shown is no longer what the text says. */
  | { type: 'stale'; why: string }
  | { type: 'session'; name: string; replay: Replay; fromFile: boolean; test: boolean; remark: string }
  | { type: 'noSession'; why?: string };

export type FromPanel =
  | { type: 'ready' }
  | { type: 'goToContract' }
  | { type: 'goTo'; uri: string; line: number; character: number }
  | { type: 'goToEvent'; line: number }
  | { type: 'pickSession' }
  | { type: 'find'; show: 'accepting' | 'rejecting' }
  | { type: 'closeSession' }
  | { type: 'insertTest' }
  | { type: 'view'; view: View };
