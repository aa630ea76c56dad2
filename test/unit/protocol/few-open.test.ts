// One agent cannot fill the board, the prompts of others and the alarms: some records of a kind wait, then it is refused
// with what it can do instead. Whoever deals with one makes room.

import { describe, expect, test } from 'vitest';
import type { Actor } from '../../../src/protocol/board.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { decide } from '../../../src/protocol/decide.ts';
import { refusedBy } from '../../refused-by.ts';
import { CODER, HUMAN, PLANNER, REVIEWER, SPEC, world } from './world.ts';

const START = 1_772_366_400_000;

function player() {
  let { board } = world();
  return (command: Command, actor: Actor) => {
    const decided = decide(board, command, { actor, now: START });
    if (decided.ok) board = { ...board, state: decided.state };
    return decided;
  };
}
const ask = (n: number): Command => ({ name: 'ask', text: `which value has ${n}?`, assume: `${n}` });
const discover = (n: number, severity: 'low' | 'critical' = 'low'): Command => ({
  name: 'discover',
  description: `file ${n} has a defect`,
  severity,
});
const anomaly = (n: number): Command => ({
  name: 'anomaly',
  type: 'system_ambiguity',
  details: { protocol_section: `${n}`, question: `${n}` },
});

describe('some of one agent’s own wait for somebody, and no more', () => {
  test.each([
    ['questions', ask, 10],
    ['discoveries', discover, 10],
    ['anomalies', anomaly, 30],
  ])('%s', (_, make, most) => {
    const play = player();
    for (let n = 0; n < most; n++) expect(play(make(n), CODER)).toMatchObject({ ok: true });
    for (let n = most; n < most + 10; n++) expect(play(make(n), CODER)).toMatchObject(refusedBy('few-open'));
    // The same one again is no new one, and others have their own.
    expect(play(make(3), CODER)).toMatchObject({ ok: true, already: true });
    expect(play(make(50), REVIEWER)).toMatchObject({ ok: true });
  });

  test('an answer makes room, and the hint names what the asker can do', () => {
    const play = player();
    for (let n = 0; n < 10; n++) play(ask(n), CODER);
    expect(play(ask(10), CODER)).toMatchObject({
      message: expect.stringContaining('10 questions of yours wait already (q-1 … q-10)'),
      hint: expect.stringContaining('Go on with what you assume'),
    });
    expect(play({ name: 'answer', about: 'q-1', text: 'it has the value 7', facts: SPEC }, PLANNER)).toMatchObject({
      ok: true,
    });
    expect(play(ask(10), CODER)).toMatchObject({ ok: true });
  });

  test('asking and taking back fills nothing either', () => {
    const play = player();
    let asked = 0;
    for (let n = 0; n < 100; n++) {
      if (!play(ask(n), CODER).ok) break;
      asked += 1;
      play({ name: 'withdraw', question: `q-${n + 1}`, reason: 'found it in the spec' }, CODER);
    }
    expect(asked).toBe(30);
  });

  test('a critical discovery is not kept out by small ones; a person is not counted', () => {
    const play = player();
    for (let n = 0; n < 10; n++) play(discover(n), CODER);
    expect(play(discover(10, 'critical'), CODER)).toMatchObject({ ok: true });
    for (let n = 0; n < 12; n++) expect(play(ask(n), HUMAN)).toMatchObject({ ok: true });
  });
});
