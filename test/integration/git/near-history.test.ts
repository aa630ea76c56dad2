// What is read of near history and near trees without a process is what git says of them.

import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { changesNear } from '../../../src/git/near-changes.ts';
import { commitsNear, mergeBaseNear } from '../../../src/git/near-history.ts';
import { readCommit } from '../../../src/git/objects.ts';
import { openPrivateGitDir, type PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { realHost } from '../../../src/ports/real-host.ts';
import { isRefusal } from '../../../src/protocol/decision.ts';
import { runs } from '../../runs.ts';
import { type Repository, repository } from '../../support/repository.ts';

/** The same numbers below n at each run. */
function random(seed: number): (n: number) => number {
  let at = seed;
  return (n) => {
    at = (at * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((at / 2 ** 31) * n);
  };
}

let repo: Repository;
let gitDir: PrivateGitDir;
let tree: string;

beforeEach(async () => {
  repo = repository({ files: { 'a.txt': 'a\n', 'src/b.ts': 'b\n', 'src/deep/c.ts': 'c\n' } });
  const opened = await openPrivateGitDir(realHost(repo.env), repo.root);
  if (isRefusal(opened)) throw new Error(opened.message);
  gitDir = opened;
  tree = repo.git('rev-parse', 'HEAD^{tree}');
});

const commit = (seconds: number, who: string, parents: readonly string[]): string => {
  const at = `${who} ${seconds} +0100`;
  const text = ['tree ', ...parents.map(() => 'parent '), 'author ', 'committer ']
    .map((key, n) => `${key}${[tree, ...parents, at, at][n]}\n`)
    .join('');
  const file = path.join(repo.base, 'object');
  fs.writeFileSync(file, `${text}\nwork\n`);
  return repo.git('hash-object', '-t', 'commit', '-w', '--literally', file);
};

test('commits of random histories, with clocks that are wrong, as git lists them', async () => {
  const any = random(7);
  let answered = 0;
  const rounds = runs(24);
  for (let round = 0; round < rounds; round += 1) {
    const all: string[] = [commit(1000 + round, 'A <a@b.c>', [])];
    for (let n = 1; n < 14; n += 1) {
      const parents = new Set(
        Array.from({ length: any(4) === 0 ? 2 : 1 }, () => all[Math.max(0, n - 1 - any(4))] ?? ''),
      );
      const late = any(5) === 0 ? any(100_000) : 2000 + n * (any(2) * 50);
      all.push(commit(late, 'Ä B <a@b.c>', [...parents]));
    }
    const one = (): string => all[any(all.length)] ?? '';
    for (let n = 0; n < 8; n += 1) {
      const [tip, left, right] = [one(), one(), one()];
      const range = [tip, '--not', left, right];
      const listed = repo
        .git('rev-list', ...range)
        .split('\n')
        .filter(Boolean);
      expect((await commitsNear(gitDir, [tip], [left, right]))?.map(({ id }) => id)).toEqual(listed);
      const bases = repo.git('merge-base', '--all', left, right).split('\n');
      const base = await mergeBaseNear(gitDir, left, right);
      // Of several that a wrong clock leaves, git takes away some.
      if (base !== undefined) expect([base]).toEqual(bases);
      answered += base === undefined ? 0 : 1;
    }
  }
  expect(answered).toBeGreaterThan(rounds * 6);
}, 60_000);

test('two histories with nothing in common have no merge base', async () => {
  expect(await mergeBaseNear(gitDir, commit(5, 'A <a@b.c>', []), commit(6, 'A <a@b.c>', []))).toBeNull();
});

test('what lies far back, is cut off or is written in another way is left to git', async () => {
  const base = repo.git('rev-parse', 'HEAD');
  let tip = base;
  for (let n = 0; n < 40; n += 1) tip = commit(3_000_000_000 + n, 'A <a@b.c>', [tip]);
  expect(await commitsNear(gitDir, [tip], [base])).toBeUndefined();
  expect(await mergeBaseNear(gitDir, tip, commit(4_000_000_000, 'A <a@b.c>', [base]))).toBeUndefined();
  const next = commit(4_000_000_001, ' A <a@b.c>', [base]);
  expect(await commitsNear(gitDir, [next], [base])).toBeUndefined();
  const good = commit(4_000_000_002, 'Zoë <z@b.c>', [base]);
  expect(await readCommit(gitDir, good)).toEqual({
    id: good,
    parents: [base],
    author: 'Zoë <z@b.c>',
    committer: 'Zoë <z@b.c>',
    committed: 4_000_000_002,
  });
  expect((await commitsNear(gitDir, [good], [base]))?.length).toBe(1);
  fs.writeFileSync(path.join(repo.root, '.git', 'shallow'), `${base}\n`);
  expect(await commitsNear(gitDir, [good], [base])).toBeUndefined();
});

test('differences of trees, in git’s order', async () => {
  const first = repo.git('rev-parse', 'HEAD');
  const file = (name: string): string => path.join(repo.root, name);
  const write = (name: string): void => {
    fs.mkdirSync(path.dirname(file(name)), { recursive: true });
    fs.writeFileSync(file(name), name);
  };
  fs.rmSync(file('a.txt'));
  fs.mkdirSync(file('a.txt'));
  for (const name of ['a.txt/x', 'a.txt-b', 'a', 'src/deep.ts', '\u{1f600}', '\uff5e', 'new/one/two']) write(name);
  fs.chmodSync(file('src/b.ts'), 0o755);
  fs.rmSync(file('src/deep'), { recursive: true });
  fs.symlinkSync('a', file('src/deep'));
  repo.git('add', '-A');
  repo.git('commit', '-q', '-m', 'second');
  const second = repo.git('rev-parse', 'HEAD');
  for (const [older, newer] of [
    [first, second],
    [second, first],
    [first, first],
  ] as const) {
    const told = repo.git(
      '-c',
      'core.quotePath=false',
      'diff-tree',
      '-r',
      '--raw',
      '--no-renames',
      '--no-abbrev',
      older,
      newer,
    );
    const asGit = (await changesNear(gitDir, older, newer))?.map(({ path: at, old, new: now }) => {
      const [was, is] = [old ?? NONE, now ?? NONE];
      const how =
        old === undefined ? 'A' : now === undefined ? 'D' : old.mode.slice(0, 3) === now.mode.slice(0, 3) ? 'M' : 'T';
      return `:${was.mode} ${is.mode} ${was.id} ${is.id} ${how}\t${at}`;
    });
    expect(asGit).toEqual(told.split('\n').filter(Boolean));
  }
});

const NONE = { mode: '000000', id: '0'.repeat(40) };

test('a difference in many folders is left to git', async () => {
  const first = repo.git('rev-parse', 'HEAD');
  for (let n = 0; n < 30; n += 1) {
    fs.mkdirSync(path.join(repo.root, `folder-${n}`));
    fs.writeFileSync(path.join(repo.root, `folder-${n}`, 'x'), 'x');
  }
  repo.git('add', '-A');
  repo.git('commit', '-q', '-m', 'many');
  expect(await changesNear(gitDir, first, repo.git('rev-parse', 'HEAD'))).toBeUndefined();
});
