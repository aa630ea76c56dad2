// The lists of a diff's facts, whole, in a file that the reviewer can open: the board and the prompt cut them. It is in
// the git directory of the review copy, beside no file of the project.

import { join } from 'node:path';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { type DiffFacts, diffFacts, type PathList } from '../protocol/facts/diff-facts.ts';
import { testPatterns } from '../protocol/facts/scope.ts';
import { historyOf } from '../protocol/leases.ts';
import type { Settings, Task } from '../protocol/state.ts';
import { isFields } from '../protocol/values.ts';
import { beforePlan } from './before-plan.ts';
import { namesOfCommits } from './commit-names.ts';
import type { TaskContext } from './context.ts';
import { readDiff } from './read-diff.ts';
import { readHistory } from './read-history.ts';

/** What a prompt names of one list. */
export const MOST_SHOWN = 20;

export interface Listed {
  readonly gitDir: PrivateGitDir;
  readonly task: Task;
  readonly settings: Settings;
  readonly commit: string;
  /** The review copy. */
  readonly folder: string;
}

/** Its path; undefined: the prompt has all of every list, or there are no facts. */
export async function writeLists({ disk }: TaskContext, listed: Listed): Promise<string | undefined> {
  const { task, commit, folder } = listed;
  const known = historyOf(task).findLast(({ event, commit: of }) => event === 'submitted' && of === commit)?.diff;
  if (!isFields(known) || !Object.values(known).some(isCut)) return undefined;
  const facts = Object.values(known).some((list) => isFields(list) && 'more' in list)
    ? await wholeFacts(listed)
    : known;
  const path = join(folder, '.git', 'liza-evidence.txt');
  disk.rmSync(path, { recursive: true, force: true });
  disk.writeFileSync(path, textOf(facts), { flag: 'wx', mode: 0o600 });
  return path;
}

const isList = (value: unknown): value is PathList => isFields(value) && Array.isArray(value['paths']);
const isCut = (value: unknown): boolean =>
  isList(value) && (value.more !== undefined || value.paths.length > MOST_SHOWN);

async function wholeFacts({ gitDir, task, settings, commit }: Listed): Promise<DiffFacts> {
  const base = task.base_commit ?? commit;
  const diff = await readDiff({ gitDir, task, settings }, base, commit);
  const changed = diff.changes.map(({ path }) => path);
  const read = {
    ...diff,
    ...(await readHistory(gitDir, base, commit, changed)),
    ...(await namesOfCommits({ gitDir, task, settings, integration: base }, base, commit)),
    ...(await beforePlan({ gitDir, task, integration: base }, commit)),
  };
  return diffFacts(task, read, testPatterns(settings), Number.POSITIVE_INFINITY);
}

/** One path to a line, as the prompt spells it. */
const textOf = (facts: object): string =>
  Object.entries(facts)
    .flatMap(([name, list]) =>
      isList(list)
        ? [`${name.replaceAll('_', ' ')} (${list.paths.length}):`, ...list.paths.map((path) => `  ${path}`), '']
        : [],
    )
    .join('\n');
