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
  const session = { started: now, input: 900, output: 100, log: 'a.log' };
  member.set('working', { task: 'greet' });
  member.update({ session });
  member.set('stopping');
  expect(member.view()).toMatchObject({ state: 'stopping', task: 'greet', session });
  member.set('stopped');
  expect(member.view()).not.toHaveProperty('session');
});
