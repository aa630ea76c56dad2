// What git says about work that is handed off: the agent that goes must not have to list it, and the one that comes must
// not have to trust the list.

import { changedSince } from '../git/folder-snapshot.ts';
import { openGitDir } from '../git/integration.ts';
import { findPlace, headOf, isPlace } from '../git/task-folder.ts';
import type { HandoffFacts } from '../protocol/command.ts';
import { EnvironmentError, isRefusal } from '../protocol/decision.ts';
import { gist } from '../text/format.ts';
import { look, type TaskContext } from './context.ts';

const MOST_COMMITS = 20;
const MOST_FILES = 100;

/** Undefined: there is no folder that git can read. A handoff must be possible all the same. */
export async function handoffFacts(context: TaskContext, id: string): Promise<HandoffFacts | undefined> {
  try {
    return await readFacts(context, id);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    return undefined;
  }
}

async function readFacts(context: TaskContext, id: string): Promise<HandoffFacts | undefined> {
  const { board, task } = await look(context, id);
  const gitDir = await openGitDir(context, board);
  if (task?.base_commit === undefined || isRefusal(gitDir)) return undefined;
  const place = findPlace(gitDir, id);
  const head = isPlace(place) ? await headOf(gitDir, place) : undefined;
  if (!isPlace(place) || head === undefined) return undefined;
  const range = `${task.base_commit}..${head.commit}`;
  const told = await gitDir.objects(['log', `--max-count=${MOST_COMMITS}`, '--format=%h %s', range, '--']);
  const commits = told.stdout.split('\n').filter((line) => line !== '');
  return {
    commits: told.status === 0 ? commits.map((line) => gist(line, 200)) : [],
    uncommitted: (await changedSince(gitDir, place, head.commit)).slice(0, MOST_FILES),
    files: (await changedSince(gitDir, place, task.base_commit)).slice(0, MOST_FILES),
  };
}
