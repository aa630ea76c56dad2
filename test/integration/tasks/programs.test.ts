// How many programs the life of one task starts, from its claim to its merge, each command with what it knows from
// before. Programs cost more than all else that Liza does: whoever needs another one has to say so here.

import child from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type PlayedProject, playedProject } from '../../support/by-verbs.ts';

const original = { spawn: child.spawn, spawnSync: child.spawnSync };
let started: string[];

beforeEach(() => {
  started = [];
  const counting = <F extends (...call: never[]) => unknown>(call: F): F =>
    ((...args: Parameters<F>) => {
      const [program, words] = args as unknown as [string, readonly string[]];
      started.push(nameOf(program, words));
      return call(...args);
    }) as F;
  child.spawn = counting(original.spawn as never) as typeof child.spawn;
  child.spawnSync = counting(original.spawnSync as never) as typeof child.spawnSync;
  syncBuiltinESMExports();
});
afterEach(() => {
  Object.assign(child, original);
  syncBuiltinESMExports();
});

/** `git` with its command, behind the options that every call has. */
function nameOf(program: string, words: readonly string[]): string {
  const name = program.split('/').at(-1) ?? '';
  const at = words.lastIndexOf('advice.graftFileDeprecated=false');
  if (at === -1) return name;
  const own = words.slice(at + 1).filter((word, n, all) => !/^-/.test(word) && !/^-[cC]$/.test(all[n - 1] ?? ''));
  return `git ${own[0]}`;
}

/** Programs by name, the most frequent first. */
function told(): string {
  const count = new Map<string, number>();
  for (const name of started) count.set(name, (count.get(name) ?? 0) + 1);
  const lines = [...count].sort(([, a], [, b]) => b - a).map(([name, n]) => `${n} ${name}`);
  return `${started.length}: ${lines.join(', ')}`;
}

async function played(isolation: string): Promise<PlayedProject> {
  const p = playedProject();
  await p.ok(['init', 'Measure']);
  for (const [key, value] of Object.entries({ isolation, sandbox: 'off' })) await p.ok(['config', 'set', key, value]);
  await p.merge('warm-up');
  return p;
}

test.each([
  ['worktree', 46],
  ['clone', 48],
])('one task in a %s: no more programs than these', async (isolation, most) => {
  const p = await played(isolation);
  started.length = 0;
  await p.merge('measured');
  expect(started.length, told()).toBeGreaterThan(20);
  expect(started.length, told()).toBeLessThanOrEqual(most);
});
