// What an agent wrote decides how long git takes: patterns that take for ever, trees with more paths than any disk. Git
// is ended by its limits, whoever asked is told why, and nobody waits again at once.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { isMachineFault } from '../../../src/git/run.ts';
import { runGit } from '../../../src/ports/git-program.ts';
import { realHost } from '../../../src/ports/real-host.ts';
import { EnvironmentError } from '../../../src/protocol/decision.ts';
import { inFull } from '../../runs.ts';
import { write } from '../../support/core.mjs';
import { cpuTimer } from '../../support/cpu-time.ts';
import { type Repository, repository } from '../../support/repository.ts';

const ENV = { ...process.env, LIZA_GIT_SECONDS: '1' };
const DEEP = `${'a/'.repeat(60)}a`;
const COSTLY = { '.gitignore': `${'**/a*/'.repeat(12)}b\n`, [DEEP]: 'x\n' };
const LOOK = ['ls-files', '--others', '--exclude-standard'];

let repo: Repository;
beforeAll(() => {
  repo = repository({ branch: 'integration', files: { 'a.txt': 'a\n' } });
});

const failing = async (asked: Promise<unknown>): Promise<EnvironmentError> => {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof EnvironmentError)) throw new Error(`it did not fail: ${String(error)}`);
  return error;
};

test('patterns that take for ever: ended, the file is named, told once, and no second try at once', async () => {
  const folder = repo.root;
  write(folder, COSTLY);
  const told: string[] = [];
  const deaf = realHost(ENV).git.onOverrun?.(({ text }) => told.push(text));
  const look = () => runGit(ENV, folder, LOOK, { in: folder });
  const ended = await failing(look());
  expect(ended.message).toMatch(
    /^git ls-files (used more than 1 s|took longer than 6 s) .*: a pattern in \.gitignore has many wildcards$/,
  );
  expect(ended.hint).toBe(`look at ${path.join(folder, '.gitignore')}`);
  expect(isMachineFault(ended)).toBe(false);
  const worked = cpuTimer();
  expect((await failing(look())).message).toMatch(/it is tried again in \d+ s$/);
  expect(worked()).toBeLessThan(500);
  expect(told).toEqual([ended.message]);
  deaf?.();
}, 20_000);

test('the crew stops: git in an agent’s folder is ended within a moment', async () => {
  const folder = path.join(repo.base, 'other');
  write(folder, COSTLY);
  const env = { ...process.env, LIZA_GIT_SECONDS: '60' };
  const look = runGit(env, folder, ['--git-dir', path.join(repo.root, '.git'), '--work-tree', '.', ...LOOK], {
    in: folder,
  });
  const calm = realHost(env).git.hurry?.();
  expect((await failing(look)).message).toContain('git ls-files was ended: Liza stops');
  calm?.();
}, 20_000);

test.runIf(inFull)(
  'a tree with more paths than any disk: ended wherever it is read (in test:all)',
  async () => {
    const tree = (entries: string): string =>
      execFileSync('git', ['-C', repo.root, 'mktree'], { input: entries, encoding: 'utf8' }).trim();
    const blob = repo.git('rev-parse', 'HEAD:a.txt');
    let at = tree(`100644 blob ${blob}\tf\n`);
    for (let level = 0; level < 8; level += 1) {
      const below = at;
      at = tree(
        Array.from({ length: 20 }, (_, n) => `040000 tree ${below}\td${String(n).padStart(2, '0')}\n`).join(''),
      );
    }
    const index = path.join(repo.base, 'index');
    const ended = await failing(runGit(ENV, repo.root, ['read-tree', at], { at: { GIT_INDEX_FILE: index } }));
    expect(ended.message).toMatch(/^git read-tree (used more than 6 s|needed more than 2 GB)/);
    expect(isMachineFault(ended)).toBe(false);
    expect(fs.existsSync(index)).toBe(false);
  },
  90_000,
);

test('no git: that is said', async () => {
  const none = await failing(runGit({ ...process.env, PATH: '/nowhere' }, repo.root, ['version']));
  expect(none.message).toBe('git was not found');
});
