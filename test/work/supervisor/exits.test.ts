// SPEC §8, row by row: how a session ends and what its supervisor makes of it.

import { afterEach, expect, test } from 'vitest';
import { succeeded } from '../workflows/project.ts';
import { openRoom, type Part, type Room } from './room.ts';

let room: Room | undefined;
afterEach(async () => {
  await room?.close();
  room = undefined;
});

const exit = (agent: string, code: number) => ({ agent, command: { name: 'exit' as const, code } });

const declared = (code: number): Part => ({
  act: () => r().p.run('coder-1', exit('coder-1', code).command),
  end: 'exit 0',
});

const r = (): Room => {
  if (room === undefined) throw new Error('no room');
  return room;
};

test('a task is claimed, worked on, submitted, reviewed and merged', async () => {
  room = await openRoom({
    agents: ['coder-1', 'code-reviewer-1'],
    parts: {
      'coder-1': [
        {
          act: async () => {
            succeeded(await r().p.begin('t'));
            const commit = r().p.work('t');
            succeeded(await r().p.submit('t', commit));
            await r().p.run('coder-1', { name: 'exit', code: 42, reason: 'submitted' });
          },
          end: 'exit 0',
        },
      ],
      'code-reviewer-1': [
        {
          act: async () => {
            await r().p.run('code-reviewer-1', { name: 'submit-verdict', task: 't', verdict: 'APPROVED' });
          },
          end: 'exit 0',
        },
      ],
    },
  });
  await r().until('merged', async () => (await r().p.task('t')).status === 'MERGED');
  expect(r().started.map(({ agent }) => agent)).toEqual(['coder-1', 'code-reviewer-1']);
});

test('declared 42 with nothing changed is a spin; three in a row block the task', async () => {
  room = await openRoom({ parts: { 'coder-1': [declared(42)] } });
  for (let spin = 1; spin <= 3; spin += 1) {
    await r().until(`session ${spin}`, () => r().started.length === spin);
    await r().until(
      'its end',
      () =>
        r()
          .said()
          .filter((text) => text.startsWith('session ended')).length === spin,
    );
    if (spin === 3) break;
    await r().until('a pause', () => r().clock.sleeping().includes(2000));
    r().clock.advance(2000);
  }
  await r().until('blocked', async () => (await r().p.task('t')).status === 'BLOCKED');
  expect(await r().p.task('t')).toMatchObject({ blocked_reason: expect.stringContaining('spin') });
});
