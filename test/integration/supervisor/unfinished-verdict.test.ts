// An approval whose session was ended by force is held, each one of several, and what is said is what was recorded.

import { expect, test } from 'vitest';
import { refuse } from '../../../src/protocol/decision.ts';
import { SHOWN } from '../../support/project.ts';
import { open, r, UNCHANGED } from './harness.ts';

const verdict = { name: 'submit-verdict', verdict: 'APPROVED', reason: SHOWN, facts: UNCHANGED } as const;
const AGENTS = ['code-reviewer-1', 'code-reviewer-2'];

/** Two approvals are asked for; each session approves, and is killed after what happens `then`. */
const cutOff = (agents: readonly string[], then = async (): Promise<void> => {}) =>
  open({
    agents,
    tasks: ['a'],
    files: { 'scripts/integration-test.sh': 'true\n' },
    parts: Object.fromEntries(
      agents.map((agent) => [
        agent,
        [
          {
            act: () =>
              r()
                .p.run(agent, { ...verdict, task: 'a' })
                .then(then),
            end: 'kill -9 $$',
          },
        ],
      ]),
    ),
    furnish: async (p) => {
      await p.ok(['config', 'set', 'reviewers_required', '2']);
      await p.submitted('a');
    },
  });

const alarms = () =>
  r()
    .said()
    .filter((text) => text.includes('did not end by itself'));

async function told(times: number): Promise<string> {
  await r().until(`approval ${times} is told`, () => {
    r().clock.advance(1000);
    return alarms().length === times;
  });
  return alarms().at(-1) ?? '';
}

test('with reviewers_required 2 the task waits for a person after either of them', async () => {
  await cutOff(AGENTS);
  expect(await told(1)).toContain('held: liza queue release a');
  expect(await r().p.task('a')).toMatchObject({ status: 'READY_FOR_REVIEW', paused: true });
  await r().p.ok(['queue', 'release', 'a']);
  expect(await told(2)).toContain('held: liza queue release a');
  expect(await r().p.task('a')).toMatchObject({ status: 'APPROVED', paused: true });
}, 60_000);

test('what was taken back meanwhile is not called held, and does not count', async () => {
  await cutOff(AGENTS.slice(0, 1), async () => {
    await r().p.run('coder-1', { name: 'retract', task: 'a', reason: 'found that accents are lost in it' });
  });
  expect(await told(1)).toContain('not held: that approval does not count any more');
  expect(await r().p.task('a')).toMatchObject({ status: 'CLAIMED' });
  expect(await r().p.task('a')).not.toHaveProperty('approvals');
}, 60_000);

test('however late its end is looked at: machines sleep', async () => {
  await cutOff(AGENTS.slice(0, 1), async () => r().clock.setBy(3_600_000));
  expect(await told(1)).toContain('held: liza queue release a');
}, 60_000);

test('a hold that cannot be recorded is told with its reason', async () => {
  await cutOff(AGENTS.slice(0, 1), async () => {
    const { store } = r().p;
    const own = store.transact.bind(store);
    const refusing: typeof own = (asked, decide) =>
      asked.command === 'verdict-unfinished' ? Promise.resolve(refuse('it is full', 'make room')) : own(asked, decide);
    Object.assign(store, { transact: refusing });
  });
  expect(await told(1)).toContain('not held: it is full → make room');
}, 60_000);
