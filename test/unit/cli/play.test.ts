// Why no session can be taken: the goal is over, somebody plays it already, or there is none.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { announce, take } from '../../../src/rehearsal/player-folder.ts';
import { hostAt } from '../../host.ts';
import { aState, NOW, type Project, project } from './fixtures.ts';

const next = async (here: Project, ...agent: readonly string[]) => (await here.liza(['play', 'next', ...agent])).stderr;

test('play next says that no session waits, and how one comes', async () => {
  expect(await next(project(), 'coder-1')).toMatch(
    /no session of coder-1 waits to be played[\s\S]*liza run --agent player/,
  );
});

test('play next says that the session is being played already, and by what to go on', async () => {
  const here = project();
  const folder = join(here.root, '.liza', 'cache', 'agents', 'coder-1', 'play');
  mkdirSync(folder, { recursive: true });
  const host = hostAt(() => NOW);
  announce(host, folder, { agent: 'coder-1', role: 'coder', session: 's', cwd: here.root, prompt: 'Do it' });
  take(host, folder);
  for (const words of [['coder-1'], []]) {
    const told = await next(here, ...words);
    expect(told).toContain('coder-1 is being played already');
    expect(told).toContain("liza play sh coder-1 '<command>'");
  }
  expect(await next(here, 'coder-2')).not.toContain('being played');
});

test.each(['COMPLETED', 'ABORTED'] as const)(
  'play next says that a goal which is %s starts no session',
  async (status) => {
    const here = project({ goal: { ...aState().goal, status } });
    expect(await next(here)).toContain(`goal-1 is ${status}: no session comes any more`);
  },
);
