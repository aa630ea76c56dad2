// One git answers all questions about objects: what it says is what git says of each, also about what came later, and
// whoever kills it is not noticed. It ends by itself, and what it cannot answer is an error.

import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { blobText, entryAt, idsOf, parentsOf, treeEntries } from '../../../src/git/objects.ts';
import { openPrivateGitDir, type PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { countBeyond, isAncestor, mergeBaseOf } from '../../../src/git/reach.ts';
import { commitOf } from '../../../src/git/refs.ts';
import { textAt } from '../../../src/git/text-at.ts';
import { realHost } from '../../../src/ports/real-host.ts';
import { isRefusal } from '../../../src/protocol/decision.ts';
import { type Repository, repository } from '../../support/repository.ts';

let repo: Repository;
let gitDir: PrivateGitDir;
let runs: string[];

async function open(env: Readonly<Record<string, string | undefined>> = repo.env): Promise<PrivateGitDir> {
  const host = realHost(env);
  const git = {
    ...host.git,
    run: (...call: Parameters<typeof host.git.run>) => {
      runs.push(call[2].join(' '));
      return host.git.run(...call);
    },
  };
  const opened = await openPrivateGitDir({ ...host, git }, repo.root);
  if (isRefusal(opened)) throw new Error(opened.message);
  return opened;
}

beforeEach(async () => {
  runs = [];
  repo = repository({ files: { 'a.txt': 'a\n', 'src/ü b.ts': 'x', 'src/deep/c.ts': '' } });
  gitDir = await open();
});

/** Those who read objects for this process. */
function readers(): readonly number[] {
  const children = fs.readdirSync('/proc/self/task').flatMap((thread) => {
    try {
      return fs.readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  });
  return children.filter((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--batch-command');
    } catch {
      return false;
    }
  });
}

const head = (): string => repo.git('rev-parse', 'HEAD');
const commit = (name: string, content: string): string => {
  fs.writeFileSync(path.join(repo.root, name), content);
  repo.git('add', '-A');
  repo.git('commit', '-q', '-m', name);
  return head();
};

test('what git says of an object, and nothing of what is not there', async () => {
  const tree = repo.git('rev-parse', 'HEAD^{tree}');
  expect(await idsOf(gitDir, [head(), '0'.repeat(40), 'HEAD x', tree], 'tree')).toEqual([
    tree,
    undefined,
    undefined,
    tree,
  ]);
  expect(await idsOf(gitDir, [tree], 'commit')).toEqual([undefined]);
  expect((await treeEntries(gitDir, head()))?.map(({ mode, name }) => `${mode} ${name}`)).toEqual([
    '100644 a.txt',
    '40000 src',
  ]);
  expect((await entryAt(gitDir, head(), 'src/ü b.ts'))?.id).toBe(repo.git('rev-parse', 'HEAD:src/ü b.ts'));
  expect(await entryAt(gitDir, head(), 'a.txt/x')).toBeUndefined();
  expect(await textAt(gitDir, head(), 'src/ü b.ts')).toBe('x');
  expect(await textAt(gitDir, head(), 'src/deep/c.ts')).toBe('');
  expect(await textAt(gitDir, head(), 'src')).toBeUndefined();
  expect(await commitOf(gitDir, 'refs/heads/main')).toBe(head());
  expect(runs).toEqual([]);
});

test('a content of many chunks, among other questions', async () => {
  const long = 'ä line\n'.repeat(500_000);
  const at = commit('long.txt', long);
  const id = repo.git('rev-parse', 'HEAD:long.txt');
  const [text, ids, missing] = await Promise.all([
    blobText(gitDir, id),
    idsOf(gitDir, [at], 'commit'),
    blobText(gitDir, 'f'.repeat(40)),
  ]);
  expect(text === long).toBe(true);
  expect(ids).toEqual([at]);
  expect(missing).toBeUndefined();
});

test('objects that came after its start are seen, packed ones too', async () => {
  await idsOf(gitDir, [head()], 'commit');
  const later = commit('later.txt', 'later\n');
  expect(await idsOf(gitDir, [later], 'commit')).toEqual([later]);
  const packed = commit('packed.txt', 'packed\n');
  repo.git('gc', '-q', '--prune=now');
  expect(await parentsOf(gitDir, packed)).toEqual([later]);
  expect(await textAt(gitDir, packed, 'later.txt')).toBe('later\n');
});

test('killed, even in the middle of a question, it is started again', async () => {
  await idsOf(gitDir, [head()], 'commit');
  const [before] = readers().slice(-1);
  const asked = idsOf(gitDir, [head()], 'commit');
  process.kill(before ?? 0, 'SIGKILL');
  expect(await asked).toEqual([head()]);
  expect(await idsOf(gitDir, [head()], 'tree')).toEqual([repo.git('rev-parse', 'HEAD^{tree}')]);
  expect(readers()).not.toContain(before);
});

test('a git that cannot answer is an error, not an answer', async () => {
  const bin = path.join(repo.base, 'bin');
  fs.mkdirSync(bin);
  const opened = await open({ ...repo.env, PATH: `${bin}:${repo.env.PATH}` });
  fs.writeFileSync(path.join(bin, 'git'), '#!/bin/sh\necho "fatal: no more" >&2\nexit 128\n', { mode: 0o755 });
  await expect(idsOf(opened, [head()], 'commit')).rejects.toThrow('git could not read its objects: fatal: no more');
});

test('without questions it ends', async () => {
  await idsOf(gitDir, [head()], 'commit');
  expect(readers().length).toBeGreaterThan(0);
  await vi.waitFor(() => expect(readers()).toEqual([]), { timeout: 8000, interval: 100 });
  expect(await idsOf(gitDir, [head()], 'commit')).toEqual([head()]);
}, 12_000);

test('a replacement has no say', async () => {
  const old = head();
  const other = commit('other.txt', 'other\n');
  repo.git('replace', old, other);
  expect(await textAt(gitDir, old, 'other.txt')).toBeUndefined();
});

test('the history near by is read without git, and git is asked about the rest', async () => {
  const first = head();
  const line = Array.from({ length: 40 }, (_, n) => commit('n.txt', `${n}\n`));
  const [second = '', last = ''] = [line[0], line.at(-1)];
  repo.git('checkout', '-q', '-b', 'side', second);
  const side = commit('side.txt', 'side\n');
  expect(await isAncestor(gitDir, first, second)).toBe(true);
  expect(await isAncestor(gitDir, second, first)).toBe(false);
  expect(await isAncestor(gitDir, side, second)).toBe(false);
  expect(await mergeBaseOf(gitDir, second, side)).toBe(second);
  expect(await countBeyond(gitDir, [first, second], [side])).toBe(0);
  expect(runs).toEqual([]);
  expect(await isAncestor(gitDir, first, last)).toBe(true);
  expect(await isAncestor(gitDir, side, last)).toBe(false);
  expect(await mergeBaseOf(gitDir, side, last)).toBe(second);
  expect(await countBeyond(gitDir, [last], [side])).toBe(39);
  expect(runs.length).toBe(4);
  // What was found once is known for whatever builds on it.
  repo.git('checkout', '-q', 'main');
  expect(await isAncestor(gitDir, first, commit('n.txt', 'more\n'))).toBe(true);
  expect(runs.length).toBe(4);
});
