// What a coder declares is held against every file that it commits, while the board is locked: neither may make the
// other dear.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { diffFacts } from '../../../src/protocol/facts/diff-facts.ts';
import { coverage, covering, covers } from '../../../src/protocol/facts/globs.ts';
import { DEFAULT_TEST_PATTERNS } from '../../../src/protocol/records/test-patterns.ts';
import { refusedBy } from '../../refused-by.ts';
import { cpuTimer } from '../../support/cpu-time.ts';
import {
  addReady,
  BASE,
  CHECKPOINT,
  CODER,
  claimed,
  commit,
  declare,
  PLANNER,
  submit,
  toClaimed,
  world,
} from './world.ts';

const numbered = (count: number, name: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => name(n));
const patterns = (count: number): string[] => numbered(count, (n) => `gen/*${n}*x*y*z.mjs`);
const plan = (files: readonly string[]): Command => ({
  name: 'begin',
  task: 'a',
  checkpoint: { ...CHECKPOINT, files_to_modify: files },
  facts: { head: BASE, dirty: [] },
});

describe('what one plan may name', () => {
  it.each([
    ['501 files', numbered(501, (n) => `src/f${n}.mjs`), '501 files are named, and one plan has at most 500'],
    ['51 patterns', [...patterns(51), 'gen/'], '51 patterns are named, and one plan has at most 50'],
  ])('%s are refused, and the hint names a way', (_what, files, said) => {
    const refused = claimed().refused(CODER, plan(files));
    expect(refused).toMatchObject(refusedBy('files'));
    expect(refused.message).toContain(said);
    expect(refused.hint).toContain("--file 'src/'");
  });

  it('500 files and 50 patterns are taken, and 501 late ones are not', () => {
    claimed().run(CODER, plan(numbered(500, (n) => `src/f${n}.mjs`)));
    const w = claimed();
    w.run(CODER, plan(patterns(50)));
    expect(w.refused(CODER, declare('a', ...numbered(501, (n) => `src/f${n}.mjs`)))).toMatchObject(refusedBy('files'));
  });

  it('a scope of more patterns than that is no task', () => {
    const scope = `IN: ${patterns(51).join(', ')}`;
    const refused = world().refused(PLANNER, addReady('a', { scope }));
    expect(refused).toMatchObject(refusedBy('type-and-scope'));
    expect(refused.message).toContain('its scope has 51 patterns, and at most 50 are held against a commit');
  });
});

describe('a commit of 20,000 files', () => {
  const files = numbered(20_000, (n) => `gen/f${n}_aaaaaaaaaaaaaaaaaaaaaaaaa.txt`);
  const touched = [
    ...files.map((path) => ({ path, kind: 'added' as const })),
    { path: 'test/a.test.ts', kind: 'added' as const },
  ];

  it('is judged in seconds, whatever was declared', () => {
    const w = world();
    w.run(PLANNER, addReady('a', { scope: 'IN: src/, test/' }));
    toClaimed(w, 'a');
    w.run(CODER, plan([...patterns(50), ...numbered(449, (n) => `lib/f${n}/`), 'gen/']));
    const spent = cpuTimer();
    w.run(CODER, submit('a', commit(1), { changes: touched }));
    expect(spent()).toBeLessThan(4000);
  });

  it('lists that grow with it are not searched once per file', () => {
    const spent = cpuTimer();
    const task = claimed().task('a');
    diffFacts(task, { changes: touched, unread: files, brought_back: files, test_setup: files }, DEFAULT_TEST_PATTERNS);
    expect(spent()).toBeLessThan(2500);
  });
});

describe('several entries at once', () => {
  it('mean what each means by itself', () => {
    const items = ['./src/', 'a*/b?.ts', '*.md', 'docs', '**/x/**', 'odd*name', 'é?'];
    const paths = [
      'src/a.ts',
      'srcs/a.ts',
      'ab/bc.ts',
      'ab/b.ts',
      'c/d.md',
      'docs/x.txt',
      'q/x/y',
      'x',
      'oddname',
      'é😀',
      'é😀a',
    ];
    const isOne = coverage(items);
    expect(paths.filter(isOne)).toEqual([
      'src/a.ts',
      'ab/bc.ts',
      'c/d.md',
      'docs/x.txt',
      'q/x/y',
      'x',
      'oddname',
      'é😀',
    ]);
    for (const path of paths) expect(isOne(path), path).toBe(items.some((item) => covers(item, path)));
    expect(covering(items, ['src/deep/a.ts', 'read.md'])).toEqual(['./src/', '*.md']);
  });
});
