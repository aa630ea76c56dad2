// A lock of merges that somebody holds who does not merge: told, by whom, and over when it is free.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { withIntegration } from '../../../src/tasks/context.ts';
import { project } from '../../support/project.ts';
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

test('an alarm names who holds it; then the work is merged', async () => {
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
    r().clock.advance(2000);
    return held().length > 0;
  });
  expect(held()[0]).toMatch(/no merge is under way; end it, or wait for pid \d+ \(flock .*, then try again/);
  free();
  await r().until('the merge', async () => {
    r().clock.advance(2000);
    return (await r().p.state()).tasks[0]?.status === 'MERGED';
  });
  expect(held()).toHaveLength(1);
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
