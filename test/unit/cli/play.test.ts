// Why no session can be taken: the goal is over, somebody plays it already, or there is none.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { announce, take } from '../../../src/rehearsal/player-folder.ts';
import { hostAt } from '../../host.ts';
import { agents, aState, aTask, NOW, type Project, project } from './fixtures.ts';

const next = async (here: Project, ...agent: readonly string[]) => (await here.liza(['play', 'next', ...agent])).stderr;

test('play next says that no session waits, and how one comes', async () => {
  expect(await next(project(), 'coder-1')).toMatch(
    /no session of coder-1 waits to be played[\s\S]*liza run --agent player/,
  );
});

test('play next says to wait where a supervisor runs, and only that', async () => {
  const here = project({ agents: agents() });
  for (const words of [['coder-1'], [], ['coder-1', '--wait', '0.1']]) {
    const told = await next(here, ...words);
    expect(told).toContain('--wait 300');
    expect(told).not.toContain('liza run');
  }
  const none = await next(project(), 'coder-1');
  expect(none).not.toContain('--wait');
});

test('play next says that the session is already being played, and by what to go on', async () => {
  const here = project();
  const folder = join(here.root, '.liza', 'cache', 'agents', 'coder-1', 'play');
  mkdirSync(folder, { recursive: true });
  const host = hostAt(() => NOW);
  announce(host, folder, { agent: 'coder-1', role: 'coder', session: 's', cwd: here.root, prompt: 'Do it' });
  take(host, folder);
  for (const words of [['coder-1'], []]) {
    const told = await next(here, ...words);
    expect(told).toContain('coder-1 is already being played');
    expect(told).toContain("liza play sh coder-1 '<command>'");
  }
  expect(await next(here, 'coder-2')).not.toContain('being played');
});

test.each(['COMPLETED', 'ABORTED'] as const)(
  'play next says that a goal which is %s starts no session',
  async (status) => {
    const here = project({ goal: { ...aState().goal, status } });
    expect(await next(here)).toContain(`goal-1 is ${status}: no more sessions come`);
  },
);

const sh = async (here: Project, agent = 'coder-1') => (await here.liza(['play', 'sh', agent, 'ls'])).stderr;

test('play sh of a session that waits says to take it', async () => {
  const here = project();
  const folder = join(here.root, '.liza', 'cache', 'agents', 'coder-1', 'play');
  mkdirSync(folder, { recursive: true });
  announce(
    hostAt(() => NOW),
    folder,
    { agent: 'coder-1', role: 'coder', session: 's', cwd: here.root, prompt: 'Do it' },
  );
  expect(await sh(here)).toMatch(/waits, and nobody has taken it[\s\S]*liza play next coder-1/);
});

test('play sh says that no supervisor runs, or how the last session ended and that the next one comes', async () => {
  expect(await sh(project(), 'coder-9')).toMatch(
    /no session of coder-9, and no supervisor of coder-9 is running[\s\S]*liza run --agent player, then liza play next coder-9 --wait 300/,
  );
  const at = '2026-03-01T09:00:00Z';
  const ended = (time: string, how: string) =>
    ({
      id: '0123456789ab',
      agent: 'coder-1',
      provider: 'player',
      since: time,
      ended: time,
      how,
      sandbox: 'off',
    }) as const;
  const sessions = [ended(at, 'exit 0, declared 42'), ended('2026-02-28T09:00:00Z', 'older')];
  const here = project({ tasks: [aTask('t', { sessions })] });
  expect(await sh(here)).toContain(`its last one, until ${at}: exit 0, declared 42`);
});

test('play sh of a session that ends under it names no end of an earlier one', async () => {
  const at = new Date(NOW - 3_600_000).toISOString().replace('.000', '');
  const stay = { id: '0123456789ab', agent: 'coder-1', provider: 'player', since: at, ended: at } as const;
  const here = project({ tasks: [aTask('t', { sessions: [{ ...stay, how: 'of before', sandbox: 'off' }] })] });
  const folder = join(here.root, '.liza', 'cache', 'agents', 'coder-1', 'play');
  mkdirSync(folder, { recursive: true });
  const host = hostAt(() => NOW);
  const session = { agent: 'coder-1', role: 'coder', session: 's', cwd: here.root, prompt: 'Do it' };
  announce(host, folder, session);
  take(host, folder);
  const told = sh(here);
  await setTimeout(50);
  announce(host, folder, { ...session, session: 'the next one' });
  expect(await told).toContain('the session of coder-1 has ended');
  expect(await told).not.toContain('of before');
});

test.each(['COMPLETED', 'ABORTED'] as const)('play sh says that the goal is %s', async (status) => {
  const told = await sh(project({ goal: { ...aState().goal, status } }));
  expect(told).toMatch(new RegExp(`goal-1 is ${status}[\\s\\S]*stop playing`));
});
