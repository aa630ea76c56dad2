// A private clone at the task's place, with objects borrowed from the project. It is written complete
// under another name and appears by one rename. Its agent owns everything in it, the configuration
// included; Liza therefore only ever asks it for commits, and checks that it got what it asked for.

import { dirname, join, relative } from 'node:path';
import { EnvironmentError } from '../protocol/decision.ts';
import { checkOut } from './checkout.ts';
import type { Isolation } from './isolation.ts';
import { configText, type PrivateGitDir } from './private-git-dir.ts';
import { attemptOf, branchOf, mayHaveRefs, readRefs } from './refs.ts';
import { must } from './run.ts';
import { removeTree, temporaryPath } from './scratch-folders.ts';
import { clonedPlace, folderOf, UNPREPARED } from './task-folder.ts';

export const cloneIsolation: Isolation = {
  kind: 'clone',
  make: async (gitDir, task, start) => {
    const { host } = gitDir;
    const folder = temporaryPath(host, gitDir.worktrees, 'making', task);
    await writeClone(gitDir, folder, { start, branch: branchOf(task), refs: await attemptsIn(gitDir, task) });
    host.disk.writeFileSync(join(folder, '.git', UNPREPARED), '');
    host.disk.renameSync(folder, folderOf(gitDir, task));
    return clonedPlace(gitDir, task);
  },
  remove: (gitDir, { task }) => {
    const { host } = gitDir;
    const trash = temporaryPath(host, gitDir.worktrees, 'trash', task);
    try {
      host.disk.renameSync(folderOf(gitDir, task), trash);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    removeTree(host, trash);
  },
  bring: async (gitDir, place, commit) => {
    const known = await gitDir.objects(['cat-file', '-e', `${commit}^{commit}`]);
    if (known.status === 0) return;
    const fetched = await gitDir.fetchFrom(place.gitDirectory, commit);
    const fault = /\bobject [0-9a-f]+: (\w+: .*)/.exec(fetched.stderr)?.[1];
    if (fetched.status !== 0 && fault !== undefined)
      throw new EnvironmentError(
        `git does not take the commit ${commit}: ${fault}`,
        'make the commit again without that',
        3,
        { fault: 'commit' },
      );
    await must(Promise.resolve(fetched), 'fetch from the clone');
    const there = await gitDir.objects(['cat-file', '-e', `${commit}^{commit}`]);
    if (there.status === 0) return;
    throw new EnvironmentError(
      `the clone of ${place.task} did not give its commit ${commit}`,
      'look at it with git fsck',
      3,
    );
  },
};

/** The former work of the task, so that its names resolve for the agent; the objects are borrowed anyway. */
const attemptsIn = async (gitDir: PrivateGitDir, task: string): Promise<ReadonlyMap<string, string>> => {
  const below = attemptOf(task).replace(/\/$/, '');
  return mayHaveRefs(gitDir, below) ? readRefs(gitDir, below) : new Map();
};

export const isNotTaken = (error: unknown): boolean => error instanceof EnvironmentError && error.fault === 'commit';

export interface CloneStart {
  readonly start: string;
  /** Full name; absent: HEAD is detached. */
  readonly branch?: string;
  /** Further refs by their full names. */
  readonly refs?: ReadonlyMap<string, string>;
}

/** A clone at `folder`, which must not exist. Also for checkouts that are thrown away. */
export async function writeClone(gitDir: PrivateGitDir, folder: string, clone: CloneStart): Promise<void> {
  const { start, branch } = clone;
  const { disk } = gitDir.host;
  const dot = join(folder, '.git');
  const objects = join(dot, 'objects');
  for (const path of [join(objects, 'info'), join(objects, 'pack'), join(dot, 'refs'), join(dot, 'info')]) {
    disk.mkdirSync(path, { recursive: true });
  }
  // Relative where it can be, so that the project may be moved as a whole.
  const borrowed = join(gitDir.common, 'objects');
  const inside = !relative(gitDir.root, gitDir.common).startsWith('..');
  disk.writeFileSync(join(objects, 'info', 'alternates'), `${inside ? relative(objects, borrowed) : borrowed}\n`);
  // What git ignores here, and where a shallow history ends, are no part of the objects.
  for (const name of ['info/exclude', 'shallow']) {
    if (disk.existsSync(join(gitDir.common, name))) disk.copyFileSync(join(gitDir.common, name), join(dot, name));
  }
  disk.writeFileSync(
    join(dot, 'config'),
    configText([
      ...gitDir.traits,
      ['remote.origin.url', gitDir.root],
      ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
    ]),
  );
  disk.writeFileSync(join(dot, 'HEAD'), branch === undefined ? `${start}\n` : `ref: ${branch}\n`);
  for (const [ref, commit] of [...(clone.refs ?? []), ...(branch === undefined ? [] : [[branch, start] as const])]) {
    disk.mkdirSync(dirname(join(dot, ref)), { recursive: true });
    disk.writeFileSync(join(dot, ref), `${commit}\n`);
  }
  await checkOut(gitDir, { folder, index: join(dot, 'index') }, start);
}
