// Lays a merge out in a task's folder as `git merge --no-commit` would: files with conflict markers,
// the three versions in the index, MERGE_HEAD. The coder resolves and commits it. Done with plumbing
// under Liza's own git directory, since `git merge` would run the folder's drivers, filters and hooks.

import type { Host } from '../ports/host.ts';
import { removeTreeNow } from '../process/remove-tree.ts';
import { mergeTrees } from './merge-candidate.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { isAncestor } from './reach.ts';

import { must } from './run.ts';
import { headOf, inGitDirectory, type Place } from './task-folder.ts';

/** What a kill at the last step leaves; nobody reads it. */
export const UNFINISHED = 'MERGE_HEAD.new';

export interface LaidOut {
  readonly conflicts: readonly string[];
}

/** Safe to repeat. The folder must be clean, or already hold this very merge. */
export async function layOutMerge(
  gitDir: PrivateGitDir,
  place: Place,
  theirs: string,
  message: string,
): Promise<LaidOut> {
  const head = await headOf(gitDir, place);
  if (head === undefined) throw new Error(`${place.folder} has no HEAD`);
  // Nothing to merge: git would call it "already up to date".
  if (await isAncestor(gitDir, theirs, head.commit)) return { conflicts: [] };
  const { tree, conflicts } = await mergeTrees(gitDir, head.commit, theirs);
  const paths = [...new Set(conflicts.map(({ path }) => path))];
  if (head.merging === theirs) return { conflicts: paths };
  // read-tree takes a file that was only touched, or copied with the project, for a changed one.
  await gitDir.files(place, ['update-index', '-q', '--refresh']);
  await must(gitDir.files(place, ['read-tree', '-m', '-u', head.commit, tree]), 'lay out the merge');
  const gone = paths.map((path) => `0 ${'0'.repeat(head.commit.length)}\t${path}\0`);
  const stages = conflicts.map(({ mode, blob, stage, path }) => `${mode} ${blob} ${stage}\t${path}\0`);
  await must(
    gitDir.files(place, ['update-index', '-z', '--index-info'], [...gone, ...stages].join('')),
    'mark the conflicts',
  );
  inGitDirectory(gitDir.host.disk, place, (at) => {
    note(gitDir.host, `${at}/MERGE_MSG`, `${message}\n`);
    note(gitDir.host, `${at}/MERGE_MODE`, 'no-ff');
    // Last, and whole: it is what says that the merge is laid out.
    note(gitDir.host, `${at}/${UNFINISHED}`, `${theirs}\n`);
    gitDir.host.disk.renameSync(`${at}/${UNFINISHED}`, `${at}/MERGE_HEAD`);
  });
  return { conflicts: paths };
}

/** A clone's git directory is its agent's: a link of that name must not lead this elsewhere. */
function note(host: Host, file: string, text: string): void {
  removeTreeNow(host, file);
  host.disk.writeFileSync(file, text, { flag: 'wx' });
}
