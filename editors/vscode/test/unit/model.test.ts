import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clamp, moments, nextOfInterest, refused, sign, told } from '../../src/panel/model';
import { AUTOMATON, KEYED, SESSION } from './samples';

test('a contract without keys: states, edges, standings', () => {
  const all = moments(SESSION, 'last');
  assert.equal(all.length, SESSION.steps.length + 1);
  assert.deepEqual(all[0], { states: { guarantee: 0 }, standing: 'satisfied so far', instance: 0, key: null, taken: {}, moved: false });
  assert.deepEqual(all.map((moment) => moment.states.guarantee), [0, 0, 0, 0, 1, 1]);
  assert.deepEqual(all[4]?.taken, { guarantee: { from: 0, to: 1 } });
  assert.deepEqual(all.map((moment) => moment.moved), [false, false, true, false, true, false]);
  assert.equal(all[2]?.standing, 'violated');
  assert.deepEqual(all[2].taken, {}, 'a violation that leaves the state takes no edge');
});

test('a keyed contract: the instance that moved last', () => {
  const all = moments(KEYED, 'last');
  assert.deepEqual(all.map((moment) => moment.key), [null, '"a"', '"b"', '"a"']);
  assert.deepEqual(all.map((moment) => moment.states.guarantee), [0, 1, 1, 2]);
  assert.deepEqual(all[2]?.taken, { guarantee: { from: 0, to: 1 } }, 'a new instance begins in the first state');
  assert.deepEqual(all[3]?.taken, { guarantee: { from: 1, to: 2 } });
});

test('a keyed contract: one instance', () => {
  const all = moments(KEYED, 1);
  assert.deepEqual(all.map((moment) => moment.states.guarantee), [0, 0, 1, 1]);
  assert.deepEqual(all.map((moment) => moment.moved), [false, false, true, false]);
  assert.deepEqual(all.map((moment) => moment.key), ['"b"', '"b"', '"b"', '"b"']);
});

test('a session that was judged without a contract has no moments', () => {
  assert.deepEqual(moments({ name: '', format: '', verdict: 'ACTIVE', steps: [{ line: 1, kind: 'call', summary: 'call a' }] }, 'last'), []);
});

test('going about', () => {
  const all = moments(SESSION, 'last');
  assert.equal(clamp(SESSION, -7), -1);
  assert.equal(clamp(SESSION, 99), 4);
  assert.equal(nextOfInterest(SESSION, all, -1, 1), 1);
  assert.equal(nextOfInterest(SESSION, all, 1, 1), 3);
  assert.equal(nextOfInterest(SESSION, all, 3, 1), 3);
  assert.equal(nextOfInterest(SESSION, all, 3, -1), 1);
});

test('the edge that a violation would have taken, where only one can be meant', () => {
  const [side] = AUTOMATON.sides;
  assert.deepEqual(refused(side!, 0), { from: 0, to: 2 });
  assert.equal(refused(side!, 1), undefined);
  assert.equal(refused({ ...side!, edges: [...side!.edges, { from: 0, to: 2, label: 'another' }] }, 0), undefined);
});

test('what happened in words', () => {
  const all = moments(SESSION, 'last');
  assert.equal(told(SESSION, -1, all[0], AUTOMATON), 'Before the first event. The contract is satisfied so far.');
  assert.equal(
    told(SESSION, 3, all[4], AUTOMATON),
    'Event 2: success verify_identity {"verified":true}. The guarantee goes from state 0 to 1 (success verify_identity(verified)). The contract is satisfied for good.',
  );
  assert.match(told(SESSION, 1, all[2], AUTOMATON), /The contract is violated\. Violated: Verify the customer's identity first\./);
  assert.equal(told(SESSION, 0, all[1], AUTOMATON), 'context customer_id = "c1". The contract is satisfied so far.');
});

test('each standing has a sign of its own', () => {
  const standings = ['violated', 'pending', 'satisfied so far', 'satisfied for good', 'idle', 'idle so far', 'no instance yet'];
  assert.equal(new Set(standings.map(sign)).size, standings.length);
});
