// What agents say to the board holds no secret, neither in the state nor in what is told of it.

import { describe, expect, it, test } from 'vitest';
import { concealed } from '../../../src/protocol/input.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  CODER,
  claimReview,
  commit,
  definition,
  HUMAN,
  PLANNER,
  REVIEWER,
  ready,
  reject,
  SPEC,
  SUPERVISOR,
  toClaimed,
  toReady,
  UNCHANGED,
} from './world.ts';

const KEY = `sk-ant-api03-${'Ab3_x-9Z'.repeat(11)}-AAAAAA`;

describe('what agents say to the board', () => {
  const secrets = ['correct-horse-battery'];
  const said = `see ${KEY} and correct-horse-battery`;
  const clean = 'see [redacted] and [redacted]';

  test.each([
    ['block', { name: 'block', task: 'a', reason: said, questions: [said] }, CODER],
    ['handoff', { name: 'handoff', task: 'a', summary: said, next_action: said, files_modified: [said] }, CODER],
    ['exit', { name: 'exit', code: 42, reason: said }, CODER],
    [
      'anomaly',
      { name: 'anomaly', type: 'trade_off', task: 'a', details: { what: said, why: { deep: [said] } } },
      CODER,
    ],
    ['discover', { name: 'discover', description: said, severity: 'high' }, CODER],
    ['verdict', { name: 'submit-verdict', task: 'a', verdict: 'REJECTED', reason: said, facts: UNCHANGED }, REVIEWER],
    ['session-end', { name: 'session-end', agent: 'coder-1', provider: 'p', how: said, used: {} }, SUPERVISOR],
    ['merge-failed', { name: 'merge-failed', task: 'a', reason: said, log: said }, SUPERVISOR],
  ])('%s', (_name, command, actor) => {
    const text = JSON.stringify(concealed(command as never, actor, secrets));
    expect(text).not.toContain('sk-ant');
    expect(text).not.toContain('correct-horse');
    expect(text).toContain(clean);
  });

  it('stays as it is without a secret, to the very object', () => {
    const command = { name: 'block', task: 'a', reason: 'no account', questions: ['whose?'] } as const;
    expect(concealed(command, CODER, secrets)).toBe(command);
  });

  it('a person’s words are theirs', () => {
    const command = { name: 'note', message: said } as const;
    expect(concealed(command, HUMAN, secrets)).toBe(command);
  });

  it('reaches neither the state nor what is told of it', () => {
    const w = ready('a');
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    const decided = w.run(REVIEWER, reject('a', `src/client.ts:3 — it logs ${KEY}`));
    expect(JSON.stringify([w.state, decided])).not.toContain('sk-ant-api03');
    expect(w.task('a').rejection_reason).toContain('it logs [redacted]');
  });

  it('a command that Liza would run is refused instead: redacted it would only fail', () => {
    const w = ready('a');
    const validation = [`API_TOKEN=${KEY} npm test`];
    const add = { name: 'add-task', definition: definition('b', { validation }), facts: SPEC } as const;
    expect(w.refused(PLANNER, add)).toMatchObject(refusedBy('credential'));
    w.run(HUMAN, add);
    expect(w.task('b').validation).toEqual(validation);
  });

  it('commits and tasks are told apart as before', () => {
    const w = ready('a');
    toClaimed(w, 'a');
    expect(w.task('a').base_commit).toBe(commit(0xba5e));
  });
});
