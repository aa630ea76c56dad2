// Rules read what an agent wrote, and the whole crew waits meanwhile: how much they read is bounded, and between two texts
// others are served.

import { expect, test } from 'vitest';
import { settings } from '../../../src/protocol/state.ts';
import { newTests } from '../../../src/tasks/proof/new-tests.ts';
import type { Proving } from '../../../src/tasks/proof/run-commands.ts';
import { readDiff } from '../../../src/tasks/read-diff.ts';
import { inFull } from '../../runs.ts';
import { project } from '../../support/project.ts';

const FILES = 24;
const tests = (file: number, bytes: number): string => {
  const one = (n: number): string => `test('t${file}-${n}', () => {\n  assert.equal(${n}, a(${n}));\n});\n`;
  const parts: string[] = [];
  for (let length = 0; length < bytes; length += (parts.at(-1) as string).length) parts.push(one(parts.length));
  return parts.join('');
};

/** Milliseconds of the longest time in which nobody else was served. */
async function longestOf(work: () => Promise<unknown>): Promise<number> {
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await work();
  clearInterval(timer);
  return Math.max(longest, performance.now() - last);
}

test.runIf(inFull)(
  'four megabytes in each of many test files: not looked at, which is said, and nobody waits for it (in test:all)',
  {
    timeout: 120_000,
  },
  async () => {
    const files = Object.fromEntries(Array.from({ length: FILES }, (_, n) => [`test/f${n}.test.js`, tests(n, 4e6)]));
    const p = project({ files: { ...files, 'test/small.test.js': tests(99, 1000) } });
    await p.claim('t');
    const more = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, `${text}// more\n`]));
    const commit = p.work('t', { ...more, 'test/new.test.js': "test('one', () => assert(a()));\n" });
    const [gitDir, task, set] = [await p.gitDir(), await p.task('t'), settings(await p.state())];
    const facts = await readDiff({ gitDir, task, settings: set }, p.head(), commit);
    expect(facts.unread).toHaveLength(FILES);
    expect(Math.round((facts.unread_bytes ?? 0) / 1e6)).toBe(FILES * 4);
    expect(facts.changes.find(({ path }) => path === 'test/new.test.js')).toBeDefined();
    const proving = { gitDir, base: p.head(), commit, commands: ['node --test'], facts, settings: set, task };
    let found: Awaited<ReturnType<typeof newTests>> | undefined;
    const longest = await longestOf(async () => {
      found = await newTests(proving as unknown as Proving);
    });
    expect([...(found?.names.keys() ?? [])]).toEqual(['one']);
    expect(longest).toBeLessThan(1000);
  },
);

test('many texts of a size that is read: others are served between two of them', { timeout: 120_000 }, async () => {
  const files = Object.fromEntries(Array.from({ length: FILES }, (_, n) => [`test/f${n}.test.js`, tests(n, 280_000)]));
  const p = project({ files: { 'package.json': '{}\n' } });
  await p.claim('t');
  const commit = p.work('t', files);
  const [real, task, set] = [await p.gitDir(), await p.task('t'), settings(await p.state())];
  let turns = 0;
  const nextTurn = (): Promise<void> => {
    turns += 1;
    return real.host.clock.nextTurn();
  };
  const gitDir = { ...real, host: { ...real.host, clock: { ...real.host.clock, nextTurn } } };
  const facts = { changes: Object.keys(files).map((path) => ({ path, kind: 'added' })) };
  const proving = { gitDir, base: p.head(), commit, commands: ['node --test'], facts, settings: set, task };
  await newTests(proving as unknown as Proving);
  expect(turns).toBeGreaterThanOrEqual(FILES);
});
