/** Answers as the server gives them. */
import type { Automaton, Session } from '../../src/protocol';

const place = { start: { line: 3, character: 9 }, end: { line: 3, character: 31 } };

export const AUTOMATON: Automaton = {
  contract: 'identity_before_refund',
  uri: 'file:///ws/policy.ctr',
  range: place,
  sides: [
    {
      side: 'guarantee',
      svg: `<svg xmlns="http://www.w3.org/2000/svg" class="ctr-graph" role="img" viewBox="0 0 300 170" width="300" height="170">
<title>identity_before_refund (guarantee)</title><desc>State 0, the first one.</desc><style>.ctr-graph text{fill:red}</style>
<rect class="paper" width="100%" height="100%"/>
<g data-from="0" data-to="1"><title>0 to 1</title><path class="edge" d="M140 39L40 116"/><path class="head" d="M40 124l-4 -9h8z"/><text x="27" y="80">success verify_identity(verified)</text></g>
<g data-from="0" data-to="2"><title>0 to 2</title><path class="edge" d="M151 39L250 116"/><text x="200" y="60">call issue_refund</text></g>
<g data-state="0"><title>state 0</title><circle class="state satisfied" cx="145" cy="21" r="19"/><text class="name" x="145" y="25">0</text></g>
<g data-state="1"><title>state 1</title><circle class="state satisfied_for_good" cx="21" cy="143" r="19"/><text class="name" x="21" y="147">1</text></g>
<g data-state="2"><title>state 2</title><circle class="state violated_for_good" cx="270" cy="143" r="19"/><text class="name" x="270" y="147">2</text></g>
</svg>`,
      initial: 0,
      states: [
        { id: 0, standing: 'satisfied so far' },
        { id: 1, standing: 'satisfied for good' },
        { id: 2, standing: 'violated for good' },
      ],
      edges: [
        { from: 0, to: 1, label: 'success verify_identity(verified)' },
        { from: 0, to: 2, label: 'call issue_refund' },
      ],
    },
  ],
};

export const SESSION: Session = {
  name: 'hasty.jsonl',
  format: 'native',
  verdict: 'FAIL',
  start: { states: { guarantee: 0 }, standing: 'satisfied so far' },
  instances: [null],
  steps: [
    { line: 1, kind: 'context', summary: 'context customer_id = "c1"' },
    {
      event: 0,
      line: 2,
      kind: 'call',
      summary: 'call issue_refund {"order_id":"<b>o1</b>"}',
      changes: [{ instance: 0, from: { guarantee: 0 }, states: { guarantee: 0 }, standing: 'violated' }],
      states: { guarantee: 0 },
      standing: 'violated',
      violated: true,
      message: "Verify the customer's identity first.",
      violations: [
        { contract: 'identity_before_refund', message: "Verify the customer's identity first.", clause: { uri: 'file:///ws/policy.ctr', range: place } },
      ],
    },
    { event: 1, line: 3, kind: 'call', summary: 'call verify_identity {}', changes: [], states: { guarantee: 0 }, standing: 'violated' },
    {
      event: 2,
      line: 4,
      kind: 'return',
      summary: 'success verify_identity {"verified":true}',
      changes: [{ instance: 0, from: { guarantee: 0 }, states: { guarantee: 1 }, standing: 'satisfied for good' }],
      states: { guarantee: 1 },
      standing: 'satisfied for good',
    },
    { event: 3, line: 5, kind: 'output', summary: 'output "Done."', changes: [], states: { guarantee: 1 }, standing: 'satisfied for good' },
  ],
  end: [{ contract: 'identity_before_refund', message: 'a receipt is owed', event: 2 }],
};

export const KEYED: Session = {
  name: 'keyed',
  format: 'native',
  verdict: 'ACTIVE',
  start: { states: { guarantee: 0 }, standing: 'no instance yet' },
  instances: ['"a"', '"b"'],
  steps: [
    { event: 0, line: 1, kind: 'call', summary: 'call a', changes: [{ instance: 0, states: { guarantee: 1 }, standing: 'pending' }] },
    { event: 1, line: 2, kind: 'call', summary: 'call b', changes: [{ instance: 1, states: { guarantee: 1 }, standing: 'pending' }] },
    {
      event: 2,
      line: 3,
      kind: 'return',
      summary: 'success a',
      changes: [{ instance: 0, from: { guarantee: 1 }, states: { guarantee: 2 }, standing: 'satisfied so far' }],
    },
  ],
};

/** A picture that also holds what must not come into the page. */
export const HOSTILE: Automaton = {
  ...AUTOMATON,
  sides: AUTOMATON.sides.map((side) => ({
    ...side,
    svg: (side.svg ?? '')
      .replace('<svg ', '<svg onload="window.hacked = 1" ')
      .replace(
        '</svg>',
        '<script>window.hacked = 2</script><a href="javascript:window.hacked = 3"><text>link</text></a><image href="https://example.org/x.png"/></svg>',
      ),
  })),
};
