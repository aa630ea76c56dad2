// What a rehearsal prints is what its provider reads.

import { expect, test } from 'vitest';
import { readArgs } from '../../../src/cli/args.ts';
import { REGISTRY } from '../../../src/cli/registry.ts';
import type { SessionRequest } from '../../../src/providers/provider.ts';
import { rehearsalProvider } from '../../../src/providers/rehearsal.ts';
import { eventLine, MODEL, type RehearsalEvent } from '../../../src/rehearsal/events.ts';

const provider = rehearsalProvider({ program: ['node', 'liza.cjs'], script: '/s.json', pace: 0 });
const request: SessionRequest = {
  agent: 'coder-1',
  role: 'coder',
  cwd: '/work',
  contract: 'contract',
  prompt: 'prompt',
  sessionId: 'new-1',
  scratch: '/scratch',
  env: {},
  root: false,
};

test('a session starts the player, the prompt on stdin; a resumed one names the former', async () => {
  const verb = await REGISTRY['rehearse']?.load?.();
  if (verb === undefined) throw new Error('rehearse is not there');
  const first = provider.launch(request);
  expect(first).toMatchObject({
    argv: ['node', 'liza.cjs', 'rehearse', ...anyRest],
    stdin: 'prompt',
    session: 'new-1',
  });
  expect(first.argv).toContain('--session=new-1');
  const again = provider.launch({ ...request, resume: 'old-1' });
  expect(again.argv).toContain('--resume=old-1');
  expect(again.session).toBe('old-1');
  for (const { argv } of [first, again]) expect(readArgs(verb, argv.slice(3))).not.toHaveProperty('ok', false);
});

const anyRest = [expect.any(String), expect.any(String), expect.any(String)];

test('each line is read as it was meant', () => {
  const read = (event: RehearsalEvent) => provider.parser().stdout(eventLine(event).trimEnd(), 1000);
  expect(read({ kind: 'session', id: 's' })).toEqual([{ kind: 'session', id: 's' }]);
  expect(read({ kind: 'activity', text: 'a' })).toEqual([{ kind: 'activity', text: 'a' }]);
  expect(read({ kind: 'usage', input: 1, output: 2, model: MODEL })).toEqual([
    { kind: 'usage', usage: { input: 1, output: 2, model: MODEL } },
  ]);
  expect(read({ kind: 'context', percent: 91 })).toEqual([{ kind: 'context', percent: 91 }]);
  expect(read({ kind: 'failure', failure: 'quota', text: 'q', seconds: 5 })).toEqual([
    { kind: 'failure', failure: 'quota', text: 'q', until: 6000 },
  ]);
  expect(read({ kind: 'result', ok: false, text: 'r' })).toEqual([{ kind: 'result', ok: false, text: 'r' }]);
});

test('one that costs nothing says so as it begins: killed before it tells anything, its cost is known', () => {
  const free = rehearsalProvider({ program: ['node', 'liza.cjs'], script: '/s.json', free: true });
  expect(free.parser().stdout(eventLine({ kind: 'session', id: 's' }).trimEnd(), 1000)).toEqual([
    { kind: 'session', id: 's' },
    { kind: 'usage', usage: { input: 0, output: 0, cost_usd: 0 } },
  ]);
});

test('anything else is no event', () => {
  const parser = provider.parser();
  for (const text of ['', 'hello', '{', '{"kind":"other"}', '{"kind":"usage"}', '[1]']) {
    expect(parser.stdout(text, 0)).toEqual([]);
  }
  expect(parser.stderr('{"kind":"activity","text":"a"}', 0)).toEqual([]);
});
