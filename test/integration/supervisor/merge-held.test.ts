// A lock of merges that somebody holds who does not merge: told, by whom, and over when it is free.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { identify, isHalted } from '../../../src/process/process-identity.ts';
import type { CrewEnd } from '../../../src/supervisor/crew-view.ts';
import { withIntegration } from '../../../src/tasks/context.ts';
import { inFull } from '../../runs.ts';
import { approvedTask, project } from '../../support/project.ts';
import { eventually, open, r } from './harness.ts';

const HELD = 'approved work is not merged: for 30 s a process has held .liza/locks/_integration.lock';

function hold(lock: string): () => void {
  const holder = spawn('flock', [lock, 'sleep', '1000'], { stdio: 'ignore', detached: true });
  const end = (): void => {
    if (holder.pid !== undefined && holder.exitCode === null && holder.signalCode === null) {
      process.kill(-holder.pid, 'SIGKILL');
    }
  };
  onTestFinished(() => end());
  return end;
}

test.runIf(inFull)('an alarm names who holds it; then the work is merged (in test:all)', async () => {
  let free = (): void => {};
  await open({
    agents: ['code-reviewer-2'],
    furnish: async (p) => {
      await p.approved('t');
      fs.mkdirSync(p.file('.liza/locks'), { recursive: true });
      free = hold(p.file('.liza/locks/_integration.lock'));
    },
  });
  const held = () =>
    r()
      .said()
      .filter((text) => text.startsWith(HELD));
  await r().until('the alarm', () => {
    r().clock.advance(20_000);
    return held().length > 0;
  });
  expect(held()[0]).toMatch(/no merge is under way; end it, or wait for pid \d+ \(flock .*, then try again/);
  free();
  await r().until('the merge', async () => {
    r().clock.advance(20_000);
    return (await r().p.state()).tasks[0]?.status === 'MERGED';
  });
  expect(held()).toHaveLength(1);
});

test.runIf(inFull)(
  'a crew that ends when idle waits for it, and then ends with who holds it (in test:all)',
  async () => {
    await open({
      agents: ['code-reviewer-2'],
      crew: { untilIdle: true },
      tasks: (p) => [approvedTask(p, 't', { 'src/t.ts': 't\n' })],
      furnish: async (p) => {
        const lock = p.file('.liza/locks/_integration.lock');
        fs.mkdirSync(p.file('.liza/locks'), { recursive: true });
        hold(lock);
        await eventually('it is held', () => spawnSync('flock', ['-n', lock, 'true']).status === 1);
      },
    });
    let end: CrewEnd | undefined;
    void r().crew.ended.then((ended) => {
      end = ended;
    });
    await r().until('its end', () => {
      if (end === undefined) r().clock.advance(5000);
      return end !== undefined;
    });
    expect(end).toMatchObject({ code: 1, message: 'another merge is under way' });
    expect(r().said().join()).toContain(HELD);
    expect(end?.hint).toMatch(/wait for pid \d+ \(flock /);
  },
);

test.runIf(process.platform === 'linux')('a process that was stopped is told from one that works', async () => {
  const sleeper = spawn('sleep', ['1000'], { stdio: 'ignore' });
  onTestFinished(() => void sleeper.kill('SIGKILL'));
  const host = project({}).context;
  const identity = identify(host, sleeper.pid ?? 0);
  if (identity === undefined) throw new Error('it has not started');
  expect(isHalted(host, identity)).toBe(false);
  sleeper.kill('SIGSTOP');
  await eventually('it stands still', () => isHalted(host, identity));
  sleeper.kill('SIGCONT');
  await eventually('it goes on', () => !isHalted(host, identity));
});

test('who waits for another merge is told so', async () => {
  const p = project({});
  const lock = p.file('.liza/locks/_integration.lock');
  fs.mkdirSync(p.file('.liza/locks'), { recursive: true });
  const free = hold(lock);
  await eventually('it is held', () => spawnSync('flock', ['-n', lock, 'true']).status === 1);
  const said: string[] = [];
  const say = (line: string): void => {
    said.push(line);
    free();
  };
  expect(await withIntegration(p.as(undefined, { say }), 60_000, async () => ({ done: true }))).toEqual({ done: true });
  expect(said).toEqual([expect.stringMatching(/^another merge is under way \(pid \d+ .*\); waiting for it$/)]);
});

test.each(['out', 'hold'])('queue %s while they are tested: the others go on as soon as they may', async (what) => {
  const script = 'touch "$HOME/at"; [ ! -e c.txt ] || until [ -e "$HOME/go" ]; do sleep 0.05; done\n';
  await open({
    agents: ['code-reviewer-2'],
    files: { 'scripts/integration-test.sh': script },
    config: { sandbox: 'off' },
    tasks: (p) => ['a', 'b', 'c'].map((id) => approvedTask(p, id, { [`${id}.txt`]: 'x\n' })),
  });
  const { p, clock, said, until } = r();
  const there = (name: string) => fs.existsSync(path.join(p.base, name));
  await until('the test', () => there('at'));
  await p.ok(what === 'out' ? ['queue', 'out', 'c', '--reason', 'not now'] : ['queue', 'hold']);
  if (what === 'out') clock.advance(1100);
  else fs.writeFileSync(path.join(p.base, 'go'), '');
  await until('its end', () => said().some((text) => /was changed while|holds the merge queue/.test(text)));
  if (what === 'hold') await p.ok(['queue', 'release']);
  let seconds = 0;
  await until('the others', async () => {
    if (seconds++ < 20) clock.advance(1000);
    return (await p.state()).tasks.filter(({ status }) => status === 'MERGED').length >= 2;
  });
});
