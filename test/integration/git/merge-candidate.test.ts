// A merge made of objects alone: what kind it is, what it holds, and that nothing but git's own rules steers it.

import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildCandidate, mergeTrees } from '../../../src/git/merge-candidate.ts';
import type { PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import type { Contents } from '../../support/core.mjs';
import { type Repository, repository } from '../../support/repository.ts';
import { outside } from './outside.ts';

const LINES = Array.from({ length: 20 }, (_, n) => `line ${n}\n`).join('');
const START: Contents = {
  'a.txt': LINES,
  'data.lock': LINES,
  'CHANGELOG.md': '# Changes\n',
  'custom.txt': LINES,
  'sub/list.txt': 'first\n',
  '.gitattributes': '*.lock -merge\nCHANGELOG.md merge=union\ncustom.txt merge=planted\n',
  'sub/.gitattributes': 'list.txt merge=union\n',
};

let repo: Repository;
let gitDir: PrivateGitDir;
let base: string;
const message = 'Merge task t\n\nLiza-Task: t\n';

beforeAll(async () => {
  repo = repository({ branch: 'integration', files: START });
  base = repo.git('rev-parse', 'HEAD');
  gitDir = await repo.gitDir();
});

/** A commit on the base that nothing points to. */
function side(files: Contents, from = base): string {
  repo.git('checkout', '-q', '--detach', from);
  const commit = repo.commit(files);
  repo.git('checkout', '-q', 'integration');
  return commit;
}
const show = (commit: string, file: string): string => repo.blob(`${commit}:${file}`);
const changed = (at: number, text: string): string => LINES.replace(`line ${at}\n`, `${text}\n`);

describe('what was reviewed is what the merge brings', () => {
  const fix = () => side({ 'a.txt': changed(1, 'fixed') });
  /** Others' work counts as merged by its history, and its content is thrown away. */
  const thrownAway = (onto: string, other: string): string => {
    repo.git('checkout', '-q', '--detach', onto);
    repo.git('merge', '-q', '-s', 'ours', '-m', 'takes the other in', other);
    const commit = repo.commit({ 'evil.txt': 'evil\n' });
    repo.git('checkout', '-q', 'integration');
    return commit;
  };

  test.each(['another merge base', 'no merge base'])(
    'others’ work that its history throws away stays: %s',
    async (how) => {
      const [one, fixed] = [side({ 'one.txt': 'one\n' }), fix()];
      const joined = await buildCandidate(gitDir, { onto: fixed, commit: one, message });
      if (joined.kind !== 'merge') throw new Error(joined.kind);
      const [from, onto] = how === 'no merge base' ? [base, fixed] : [one, joined.commit];
      const evil = thrownAway(from, fixed);
      const made = await buildCandidate(gitDir, { onto, commit: evil, base: from, message });
      if (made.kind !== 'merge') throw new Error(made.kind);
      expect(show(made.commit, 'a.txt')).toBe(changed(1, 'fixed'));
      expect(show(made.commit, 'evil.txt')).toBe('evil\n');
    },
  );

  test('a commit that is in the branch by its history alone is merged, not taken for there', async () => {
    const fixed = fix();
    const evil = thrownAway(base, fixed);
    const made = await buildCandidate(gitDir, { onto: evil, commit: fixed, base, message });
    if (made.kind !== 'merge') throw new Error(made.kind);
    expect(show(made.commit, 'a.txt')).toBe(changed(1, 'fixed'));
    expect(await buildCandidate(gitDir, { onto: made.commit, commit: fixed, base, message })).toEqual({
      kind: 'contained',
    });
  });

  test('newer work of the branch that was taken in properly needs no second merge of it', async () => {
    const onto = side({ 'a.txt': changed(1, 'newer') });
    const work = side({ 'new.txt': 'new\n' }, onto);
    expect(await buildCandidate(gitDir, { onto, commit: work, base: onto, message })).toEqual({
      kind: 'fast-forward',
      commit: work,
    });
  });
});

describe('kinds', () => {
  test('what the branch has already, and what only goes forward, need no new commit', async () => {
    const newer = side({ 'b.txt': 'b\n' });
    expect(await buildCandidate(gitDir, { onto: newer, commit: base, message })).toEqual({ kind: 'contained' });
    expect(await buildCandidate(gitDir, { onto: base, commit: base, message })).toEqual({ kind: 'contained' });
    expect(await buildCandidate(gitDir, { onto: base, commit: newer, message })).toEqual({
      kind: 'fast-forward',
      commit: newer,
    });
  });

  test('two sides become one commit with both as parents; refs, index and files stay', async () => {
    const ours = side({ 'a.txt': changed(1, 'ours') });
    const theirs = side({ 'a.txt': changed(18, 'theirs'), 'new.txt': 'new\n' });
    const before = outside(repo, repo.root, path.join(repo.root, '.git'));
    const made = await buildCandidate(gitDir, { onto: ours, commit: theirs, message });
    expect(outside(repo, repo.root, path.join(repo.root, '.git'))).toEqual(before);
    if (made.kind !== 'merge') throw new Error(made.kind);
    expect(repo.git('show', '-s', '--format=%P%n%an <%ae>%n%B', made.commit)).toBe(
      `${ours} ${theirs}\nLiza <liza@localhost>\n${message}`.trimEnd(),
    );
    expect(show(made.commit, 'a.txt')).toBe(changed(1, 'ours').replace('line 18', 'theirs'));
    expect(show(made.commit, 'new.txt')).toBe('new\n');
    // The same again is the same tree, so a repeated merge finds what the first one left.
    expect((await mergeTrees(gitDir, ours, theirs)).tree).toBe(repo.git('rev-parse', `${made.commit}^{tree}`));
  });

  test('a conflict names each path once, odd names included', async () => {
    const odd = 'ä b\n"c".txt';
    const ours = side({ 'a.txt': changed(3, 'ours'), [odd]: 'ours\n' });
    const theirs = side({ 'a.txt': changed(3, 'theirs'), [odd]: 'theirs\n', 'fine.txt': 'x\n' });
    const made = await buildCandidate(gitDir, { onto: ours, commit: theirs, message });
    expect(made.kind === 'conflict' ? [...made.paths].sort() : made).toEqual(['a.txt', odd]);
  });

  test('histories that have nothing in common are no merge', async () => {
    const stranger = repo.git('commit-tree', `${base}^{tree}`, '-m', 'stranger');
    await expect(buildCandidate(gitDir, { onto: base, commit: stranger, message })).rejects.toThrow(
      'have no commit in common',
    );
  });
});

describe('attributes of the branch’s own tree', () => {
  test('-merge makes a conflict of what would merge; union takes both sides, also in a sub-folder', async () => {
    const ours = side({
      'data.lock': changed(1, 'ours'),
      'CHANGELOG.md': '# Changes\n- ours\n',
      'sub/list.txt': 'first\nours\n',
    });
    const theirs = side({
      'data.lock': changed(18, 'theirs'),
      'CHANGELOG.md': '# Changes\n- theirs\n',
      'sub/list.txt': 'first\ntheirs\n',
    });
    const { tree, conflicts } = await mergeTrees(gitDir, ours, theirs);
    expect([...new Set(conflicts.map(({ path }) => path))]).toEqual(['data.lock']);
    expect(show(tree, 'CHANGELOG.md')).toBe('# Changes\n- ours\n- theirs\n');
    expect(show(tree, 'sub/list.txt')).toBe('first\nours\ntheirs\n');
  });

  test('those of the other side have no say', async () => {
    const ours = side({ 'a.txt': changed(3, 'ours') });
    const theirs = side({ 'a.txt': changed(3, 'theirs'), '.gitattributes': 'a.txt merge=union\n' });
    const made = await buildCandidate(gitDir, { onto: ours, commit: theirs, message });
    expect(made).toEqual({ kind: 'conflict', paths: ['a.txt'] });
  });

  test('a driver that somebody configured does not run: the text is merged as usual', async () => {
    const canary = path.join(repo.base, 'driver-ran');
    repo.git('config', 'merge.planted.driver', `touch ${canary}; cp %B %A`);
    const ours = side({ 'custom.txt': changed(1, 'ours') });
    const theirs = side({ 'custom.txt': changed(18, 'theirs') });
    repo.git('checkout', '-q', '--detach', ours);
    repo.git('merge', '-q', '--no-edit', theirs);
    repo.git('checkout', '-q', 'integration');
    expect(fs.existsSync(canary)).toBe(true);
    fs.rmSync(canary);
    const again = await repo.gitDir();
    const { tree, conflicts } = await mergeTrees(again, ours, theirs);
    expect(fs.existsSync(canary)).toBe(false);
    expect(conflicts).toEqual([]);
    expect(show(tree, 'custom.txt')).toBe(changed(1, 'ours').replace('line 18', 'theirs'));
  });
});
