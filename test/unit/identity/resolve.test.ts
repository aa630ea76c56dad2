// Who is it? As a pure function of what is claimed and what the processes show (G10 of docs/gauntlet.md).

import { describe, expect, test } from 'vitest';
import { type CallerFacts, type Claim, type Credential, resolveCaller } from '../../../src/identity/rules/resolve.ts';
import { refusedBy } from '../../refused-by.ts';

const CREDENTIALS: readonly Credential[] = ['none', 'valid', 'wrong', 'over'];
const CODER: Claim = { id: 'coder-1', role: 'coder', credential: 'valid' };
const REVIEWER: Claim = { id: 'code-reviewer-1', role: 'code_reviewer', credential: 'valid' };
const NOBODY: Claim = { credential: 'none' };

const facts = (changes: Partial<CallerFacts>): CallerFacts => ({
  claim: NOBODY,
  program: false,
  live: false,
  ...changes,
});
const ask = (changes: Partial<CallerFacts>) => resolveCaller(facts(changes));

describe('not below any agent', () => {
  test('no id, no credential: the operator', () => {
    expect(ask({})).toEqual({ actor: { parts: ['human'] } });
  });

  test('an id without a credential: supervisor or agent, as scripts do', () => {
    expect(ask({ claim: { ...CODER, credential: 'none', epoch: 3 } })).toEqual({
      actor: { id: 'coder-1', parts: ['supervisor', 'coder'], epoch: 3 },
    });
  });

  test('an id without a credential while its session lives: the supervisor, never the agent', () => {
    expect(ask({ claim: { ...CODER, credential: 'none' }, live: true })).toEqual({
      actor: { id: 'coder-1', parts: ['supervisor'] },
    });
  });

  test('a valid credential: that agent and nothing else, at the epoch of its record', () => {
    expect(ask({ claim: { ...CODER, epoch: 9 }, live: true, epoch: 4 })).toEqual({
      actor: { id: 'coder-1', parts: ['coder'], epoch: 4 },
    });
  });

  test('a credential that is over is told to stop with 42, and is no attempt', () => {
    const answer = ask({ claim: { ...CODER, credential: 'over' } });
    expect(answer).toMatchObject({ refusal: refusedBy('credential', { hint: expect.stringContaining('42') }) });
    expect(answer).not.toHaveProperty('attempt');
  });

  test('a wrong credential is refused', () => {
    expect(ask({ claim: { ...CODER, credential: 'wrong' } })).toMatchObject({ refusal: refusedBy('credential') });
  });

  test('a credential without an id is never the operator, and counts against whose it is', () => {
    expect(ask({ claim: { credential: 'wrong' } })).toMatchObject({ refusal: refusedBy('credential') });
    expect(ask({ claim: { credential: 'wrong' }, owner: 'coder-2' })).toMatchObject({
      refusal: refusedBy('identity'),
      attempt: { agent: 'coder-2', claimed: 'the operator' },
    });
  });
});

describe('below an agent', () => {
  const below = 'coder-1';

  test('with its own id and credential it is that agent', () => {
    expect(ask({ below, claim: CODER })).toEqual({ actor: { id: 'coder-1', parts: ['coder'] } });
  });

  test.each(CREDENTIALS)('without an id it is refused, whatever its credential (%s)', (credential) => {
    expect(ask({ below, claim: { credential } })).toMatchObject({
      refusal: refusedBy('identity', { ok: false, code: 1, message: expect.stringContaining('coder-1') }),
      attempt: { agent: 'coder-1', claimed: 'the operator' },
    });
  });

  test.each(CREDENTIALS)('under another id it is refused, even with that agent’s credential (%s)', (credential) => {
    expect(ask({ below, claim: { ...REVIEWER, credential } })).toMatchObject({
      refusal: refusedBy('identity'),
      attempt: { agent: 'coder-1', claimed: 'code-reviewer-1' },
    });
  });

  test.each(['none', 'wrong'] as const)(
    'under its own id without its credential (%s) it is no supervisor',
    (credential) => {
      expect(ask({ below, claim: { ...CODER, credential } })).toMatchObject({
        refusal: { ok: false },
        attempt: { agent: 'coder-1' },
      });
    },
  );

  test('of a session that is over: told to stop with 42, and no attempt', () => {
    const answer = ask({ below, claim: { ...CODER, credential: 'over' } });
    expect(answer).toMatchObject({ refusal: refusedBy('credential', { hint: expect.stringContaining('42') }) });
    expect(answer).not.toHaveProperty('attempt');
  });
});

describe('a program that Liza runs', () => {
  test.each(CREDENTIALS)('is nobody, whatever it claims (%s)', (credential) => {
    for (const claim of [{ credential }, { ...CODER, credential }, { ...REVIEWER, credential }]) {
      expect(ask({ program: true, claim })).toMatchObject({
        refusal: refusedBy('identity'),
        attempt: { agent: 'program' },
      });
      expect(ask({ program: true, below: 'coder-2', claim })).toMatchObject({ attempt: { agent: 'coder-2' } });
    }
  });
});

test('nobody below an agent is ever the operator, a supervisor or another agent', () => {
  for (const id of [undefined, 'coder-1', 'coder-2', 'planner-1', 'code-reviewer-1']) {
    for (const credential of CREDENTIALS) {
      for (const live of [true, false]) {
        const claim: Claim = { ...(id === undefined ? {} : { id, role: 'coder' as const }), credential };
        const { actor } = ask({ below: 'coder-1', claim, live });
        if (actor === undefined) continue;
        expect({ id, credential, actor }).toEqual({
          id: 'coder-1',
          credential: 'valid',
          actor: { id: 'coder-1', parts: ['coder'] },
        });
      }
    }
  }
});
