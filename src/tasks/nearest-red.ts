// Red submissions of an iteration before the one that is offered, and by how much the nearest of them differs from it. A
// test that fails now and then turns green if it is tried often enough, each time with a commit that says the same.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { firstPaths } from '../protocol/facts/diff-facts.ts';
import { iterationEvents } from '../protocol/leases.ts';
import type { RedAt, SinceRed } from '../protocol/review/since-red.ts';
import type { Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { gist } from '../text/format.ts';

/** So many of the last are compared. */
const MOST_COMPARED = 5;

/** undefined: no other commit was red. The very same one is counted by the board. */
export async function sinceRed(gitDir: PrivateGitDir, task: Task, commit: string): Promise<SinceRed | undefined> {
  const events = iterationEvents(task).filter(
    ({ event, commit: tried, remembered }) =>
      event === 'validation_failed' && remembered !== true && typeof tried === 'string' && tried !== commit,
  );
  const red = events.map((one) => String(one.commit));
  if (red.length === 0) return undefined;
  let nearest: Omit<SinceRed, 'red'> | undefined;
  for (const former of [...new Set(red)].slice(-MOST_COMPARED)) {
    const found = await difference(gitDir, former, commit);
    if (found !== undefined && !(nearest !== undefined && (nearest.lines ?? 0) < (found.lines ?? 0))) nearest = found;
  }
  const at = [...new Set(red)].slice(-MOST_COMPARED).map((former): RedAt => {
    const command = events.findLast((one) => one.commit === former)?.['command'];
    return {
      commit: former,
      times: red.filter((one) => one === former).length,
      ...(typeof command === 'string' ? { command: gist(command, 100) } : {}),
    };
  });
  return { red: red.length, at, ...defined(nearest ?? {}) };
}

/** In lines that say something; undefined: the commit is not there any more. */
async function difference(gitDir: PrivateGitDir, former: string, commit: string) {
  const how = ['-r', '-z', '--numstat', '--no-renames', '--ignore-all-space', '--ignore-blank-lines'];
  const asked = await gitDir.objects(['diff-tree', ...how, former, commit]);
  if (asked.status !== 0) return undefined;
  const files = asked.stdout.split('\0').flatMap((entry) => {
    const [, added, removed, path] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(entry) ?? [];
    if (path === undefined || (added === '0' && removed === '0')) return [];
    return [{ path, lines: added === '-' ? BINARY : Number(added) + Number(removed) }];
  });
  return {
    commit: former,
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
    ...(files.length === 0
      ? {}
      : {
          files: firstPaths(
            files.map(({ path }) => path),
            5,
          ),
        }),
  };
}

/** No lines tell how much of it differs. */
const BINARY = 100;
