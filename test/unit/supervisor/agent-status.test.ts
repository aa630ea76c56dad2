// What is known of an agent from one state to the next.

import { expect, test } from 'vitest';
import { trackMember } from '../../../src/supervisor/agent-status.ts';
import { instant } from '../../../src/text/time.ts';

test('an agent that is asked to end keeps its session and what it has used until it has stopped', () => {
  const now = instant('2026-01-01T00:00:00Z');
  const who = { agent: 'coder-1', role: 'coder', provider: 'claude' } as const;
  const member = trackMember(
    who,
    () => now,
    () => {},
  );
  const session = { started: now, input: 900, output: 100, log: 'a.log', nth: 1 };
  member.set('working', { task: 'greet' });
  member.update({ session });
  member.set('stopping');
  expect(member.view()).toMatchObject({ state: 'stopping', task: 'greet', session });
  // Its session began while it was asked to end.
  member.set('working', { task: 'greet' });
  expect(member.view()).toMatchObject({ state: 'stopping', task: 'greet' });
  member.update({ session });
  member.set('stopped');
  expect(member.view()).not.toHaveProperty('session');
  expect(member.view().recent).toEqual([{ nth: 1, input: 900, output: 100 }]);
  for (const nth of [2, 3]) member.update({ session: { ...session, nth, input: nth } });
  member.update({ session: { ...session, nth: 3, input: 30 } });
  expect(member.view().recent).toEqual([
    { nth: 2, input: 2, output: 100 },
    { nth: 3, input: 30, output: 100 },
  ]);
});
