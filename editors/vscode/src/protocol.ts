/** The server's commands (`workspace/executeCommand`): what they take and give. */

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

/** A `test` block. */
export interface Test {
  uri: string;
  name: string;
  /** Among the blocks of its file. */
  index: number;
  range: Range;
  nameRange: Range;
  /** The contracts that it is for; none: all. */
  contracts: string[];
}

export interface Failure {
  message: string;
  uri: string;
  range: Range;
}

export interface TestResult {
  uri: string;
  name: string;
  index: number;
  range: Range;
  passed: boolean;
  failures: Failure[];
  /** Milliseconds. */
  took: number;
}

/** A shortest session. */
export interface Example {
  steps: string[];
  /** In the native format of sessions, one JSON text each. */
  lines: string[];
  end?: string;
  shortest: boolean;
  /** A whole `test` block, where one can say it. */
  test: string | null;
}

export interface Witness {
  contract: string;
  accepting: Example | null;
  rejecting: Example | null;
  undecided?: string;
}

export type SideName = 'assume' | 'guarantee';

export interface Side {
  side: SideName;
  svg: string | null;
  notDrawn?: string;
  initial: number;
  states: { id: number; standing: string }[];
  edges: { from: number; to: number; label: string }[];
}

export interface Automaton {
  contract: string;
  uri: string;
  range: Range;
  sides: Side[];
}

/** The state of each side; a side that is always true has none. */
export type States = Partial<Record<SideName, number>>;

export interface Change {
  /** Index in the session's `instances`. */
  instance: number;
  from?: States;
  states: States;
  standing: string;
}

export interface Violation {
  contract: string;
  key?: string;
  message: string;
  clause?: { uri: string; range: Range };
}

export interface Step {
  /** From 0; `context` and `lookup` lines are no events. */
  event?: number;
  /** From 1. */
  line: number;
  kind: string;
  summary: string;
  tool?: string;
  changes?: Change[];
  key?: string;
  states?: States;
  standing?: string;
  violated?: true;
  message?: string;
  violations?: Violation[];
  leftOut?: true;
  malformed?: string;
}

export interface Session {
  name: string;
  format: string;
  verdict: 'ACTIVE' | 'IDLE' | 'FAIL';
  start?: { states: States; standing: string };
  instances?: (string | null)[];
  steps: Step[];
  end?: { contract: string; key?: string; message: string; event?: number }[];
  truncated?: number;
}

export interface Replay {
  contract?: string;
  sessions: Session[];
}

export type View = 'recorded' | 'gated';

/** Each command's arguments and answer. */
export interface Commands {
  'ctrc.tests': [{ uri?: string }, Test[]];
  'ctrc.runTests': [{ uri: string; names?: string[]; indices?: number[] }, TestResult[]];
  'ctrc.witness': [{ uri: string; contract: string; show?: 'accepting' | 'rejecting' }, Witness];
  'ctrc.automaton': [{ uri: string; contract: string }, Automaton];
  'ctrc.replay': [{ uri: string; contract?: string; path?: string; text?: string; view?: View }, Replay];
}
