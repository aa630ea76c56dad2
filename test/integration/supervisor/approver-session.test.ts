// What a session approved waits for its end, and the end of a session that could not be recorded is: nothing waits for ever.

import { expect, test } from 'vitest';
import { supervisorOf } from '../../../src/protocol/board.ts';
import { unsettled } from '../../../src/protocol/review/approver-session.ts';
import { transact } from '../../../src/store/transact.ts';
import { inFull } from '../../runs.ts';
import { SHOWN, succeeded } from '../../support/project.ts';
import { open, r, UNCHANGED } from './harness.ts';

const verdict = { name: 'submit-verdict', verdict: 'APPROVED', reason: SHOWN, facts: UNCHANGED } as const;
const held = async (): Promise<readonly string[]> => {
  const { board, now } = await r().p.store.read();
  return [...unsettled(board, now).keys()];
};
const status = async (task: string) => (await r().p.task(task)).status;

test('another’s batch leaves it out; it lands by itself when the session is over', async () => {
  const opened: { go?: () => void } = {};
  const over = new Promise<void>((done) => {
    opened.go = done;
  });
  /** Whoever reviews a goes on after its approval; b is approved then. */
  const reviews = (agent: string) => ({
    act: async () => {
      const own = (await r().p.state()).tasks.find(({ reviewing_by }) => reviewing_by === agent)?.id ?? '';
      if (own === 'b') await r().until('the other approval', async () => (await status('a')) === 'APPROVED');
      await r().p.run(agent, { ...verdict, task: own });
      if (own === 'a') await over;
    },
    end: 'exit 0',
  });
  const agents = ['code-reviewer-1', 'code-reviewer-2'];
  await open({
    agents,
    tasks: ['a', 'b'],
    files: { 'scripts/integration-test.sh': 'true\n' },
    parts: Object.fromEntries(agents.map((agent) => [agent, [reviews(agent)]])),
    furnish: async (p) => {
      await p.submitted('a');
      await p.submitted(
        'b',
        { 'src/other.ts': 'export const o = 1;\n', 'test/other.test.ts': 'test other\n' },
        'coder-2',
      );
    },
  });
  await r().until('the second lands', async () => (await status('b')) === 'MERGED');
  expect([await status('a'), await held()]).toEqual(['APPROVED', ['a']]);
  opened.go?.();
  await r().until('the first lands', async () => {
    r().clock.advance(1000);
    return (await status('a')) === 'MERGED';
  });
}, 60_000);

test.runIf(inFull)(
  'a session whose end was not recorded holds nothing: its own supervisor records it (in test:all)',
  async () => {
    await open({
      agents: ['code-reviewer-1'],
      tasks: ['a'],
      files: { 'scripts/integration-test.sh': 'true\n' },
      parts: {
        'code-reviewer-1': [{ act: () => r().p.run('code-reviewer-1', { ...verdict, task: 'a' }), end: 'exit 0' }],
      },
      furnish: async (p) => {
        await p.submitted('a');
        await p.ok(['queue', 'hold']);
      },
    });
    await r().until('approved', async () => (await status('a')) === 'APPROVED' && (await held()).length === 0);
    const agent = 'code-reviewer-1';
    const context = { ...r().p.as(agent), actor: supervisorOf(agent) };
    const { since } = succeeded(await transact(context, { name: 'session-start', agent, task: 'a' })).state.agents[
      agent
    ]?.under_way ?? { since: '' };
    expect(since).not.toBe('');
    await r().until('recorded', async () => (await r().p.state()).agents[agent]?.under_way === undefined);
    await r().p.ok(['queue', 'release']);
    await r().until('merged', async () => {
      r().clock.advance(1000);
      return (await status('a')) === 'MERGED';
    });
  },
  60_000,
);
