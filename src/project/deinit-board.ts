// The blackboard's last state as a commit of its own, for a person who reads it after Liza has left:
// `git show refs/liza/board/1:state.yaml`. Taken byte for byte, whatever state it is in.

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { readRefs, updateRefs } from '../git/refs.ts';
import { must } from '../git/run.ts';
import { entries } from '../git/scratch-folders.ts';
import { BOARD_FILES, BOARD_FOLDERS } from './project-manifest.ts';

/** The board as one commit under refs/liza/board/<n>; the same board again keeps its number. undefined: there is none. */
export async function keepBoard(gitDir: PrivateGitDir, liza: string): Promise<string | undefined> {
  const subtrees: string[] = [];
  for (const [folder, fate] of Object.entries(BOARD_FOLDERS)) {
    if (fate !== 'kept') continue;
    const tree = await treeOf(gitDir, join(liza, folder), entries(gitDir.host.disk, join(liza, folder)), []);
    if (tree !== undefined) subtrees.push(`040000 tree ${tree}\t${folder}\0`);
  }
  const tree = await treeOf(gitDir, liza, BOARD_FILES, subtrees);
  if (tree === undefined) return undefined;
  for (;;) {
    const refs = [...(await readRefs(gitDir, 'refs/liza/board'))];
    for (const [ref, commit] of refs) {
      const had = await must(gitDir.objects(['rev-parse', `${commit}^{tree}`]), 'read a kept board');
      if (had.trim() === tree) return ref;
    }
    const message = 'The blackboard, kept by liza deinit\n';
    const commit = (await must(gitDir.objects(['commit-tree', tree], message), 'keep the blackboard')).trim();
    const n = Math.max(0, ...refs.map(([ref]) => Number(ref.split('/')[3]) || 0)) + 1;
    const ref = `refs/liza/board/${n}`;
    if ((await updateRefs(gitDir, [{ ref, to: commit, from: null }])) === 'done') return ref;
  }
}

/** Plain files only, byte for byte. undefined: there would be nothing in it. */
async function treeOf(
  gitDir: PrivateGitDir,
  folder: string,
  wanted: readonly string[],
  more: readonly string[],
): Promise<string | undefined> {
  const files = wanted.filter((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true);
  if (files.length + more.length === 0) return undefined;
  const args = ['hash-object', '-w', '--no-filters', '--', ...files.map((name) => join(folder, name))];
  const ids = files.length === 0 ? [] : (await must(gitDir.objects(args), 'keep the blackboard')).trim().split('\n');
  const lines = files.map((name, at) => `100644 blob ${ids[at]}\t${name}\0`);
  return (await must(gitDir.objects(['mktree', '-z'], [...lines, ...more].join('')), 'keep the blackboard')).trim();
}
