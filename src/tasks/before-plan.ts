// What of a submission Liza knew before the iteration's checkpoint: commits that `begin` refused, or that were put aside
// for it, wherever the branch went meanwhile. The very commits count as before the checkpoint; the same files brought
// back in new ones are told to the reviewer, and so are commits that are dated before it. Only reads.

import { type Attempt, listAttempts } from '../git/attempts.ts';
import { pathsBetween } from '../git/folder-snapshot.ts';
import { commitsNear } from '../git/near-history.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import type { SubmitFacts } from '../protocol/command.ts';
import { firstCheckpoint, iterationEvents, startCommit } from '../protocol/leases.ts';
import type { Task } from '../protocol/state.ts';
import { instant } from '../text/time.ts';

type BeforePlan = Pick<SubmitFacts, 'before_plan' | 'brought_back' | 'put_aside' | 'dated_before'>;

export interface Offered {
  readonly gitDir: PrivateGitDir;
  readonly task: Task;
  /** What the integration branch has is nobody's early work. */
  readonly integration: string;
}

/** More commits were not written for one task. */
const MOST_COMMITS = 1000;
/** Older work that was put aside is not looked at file by file. */
const MOST_COMPARED = 5;

/** `n` of the newest attempt that is kept: those up to it came before whatever is recorded now. */
export const newestAttempt = async (gitDir: PrivateGitDir, task: string): Promise<number> =>
  (await listAttempts(gitDir, task)).at(-1)?.n ?? 0;

export async function beforePlan(offered: Offered, commit: string): Promise<BeforePlan> {
  const { gitDir, task } = offered;
  const plan = firstCheckpoint(task);
  const start = startCommit(task);
  if (plan === undefined || start === undefined) return {};
  const own = await commitsOf(offered, start, [commit]);
  const known = typeof plan.known_attempts === 'number' ? plan.known_attempts : undefined;
  // Earlier versions did not say what they knew: then only what was put aside for a checkpoint is sure.
  const early = (await listAttempts(gitDir, task.id)).filter(({ n, setAside }) =>
    known === undefined ? setAside === true : n <= known,
  );
  const theirs =
    early.length === 0
      ? new Map()
      : await commitsOf(
          offered,
          start,
          early.map((one) => one.commit),
        );
  const same = [...own.keys()].filter((one) => theirs.has(one));
  const aside = early.filter(({ setAside }) => setAside === true).slice(-MOST_COMPARED);
  const back = same.length > 0 ? [] : await broughtBack(gitDir, { start, commit }, aside);
  // What is older than the claim is others' work that was taken in.
  const claimed = instant(iterationEvents(task)[0]?.time ?? plan.time);
  const isEarly = (at: number): boolean => at >= claimed - CLOCK && at < instant(plan.time) - CLOCK;
  const dated = [...own].filter(([one, at]) => isEarly(at) && !theirs.has(one)).map(([one]) => one);
  const fresh = aside.filter(({ time }) => instant(time) >= claimed - CLOCK);
  return {
    ...(same.length === 0 ? {} : { before_plan: same }),
    ...(back.length === 0 ? {} : { brought_back: back }),
    // Of files that were brought back that is said already.
    ...(fresh.length === 0 || back.length > 0 || same.length > 0
      ? {}
      : { put_aside: fresh.map((one) => one.commit.slice(0, 12)) }),
    ...(dated.length === 0 ? {} : { dated_before: dated }),
  };
}

/** Git counts whole seconds. */
const CLOCK = 1000;

/** With when each was committed, as it says itself. */
async function commitsOf(
  { gitDir, integration }: Offered,
  start: string,
  tips: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const near = await commitsNear(gitDir, tips, [start, integration]);
  if (near !== undefined) return new Map(near.map(({ id, committed }) => [id, committed * 1000]));
  const args = ['log', '--format=%H %ct', `--max-count=${MOST_COMMITS}`, ...tips, '--not', start, integration];
  const lines = (await must(gitDir.objects(args), 'list the commits of the iteration')).split('\n');
  return new Map(
    lines.filter(Boolean).map((line): [string, number] => {
      const [id = '', seconds] = line.split(' ');
      return [id, Number(seconds) * 1000];
    }),
  );
}

/** Files that the iteration changed and that are just as they were in work from before its checkpoint. */
async function broughtBack(
  gitDir: PrivateGitDir,
  { start, commit }: { readonly start: string; readonly commit: string },
  aside: readonly Attempt[],
): Promise<readonly string[]> {
  if (aside.length === 0) return [];
  const changed = await pathsBetween(gitDir, start, commit);
  const found = new Set<string>();
  for (const one of aside) {
    const touched = new Set(await pathsBetween(gitDir, `${one.commit}^1`, one.commit));
    const differs = new Set(await pathsBetween(gitDir, one.commit, commit));
    for (const path of changed) if (touched.has(path) && !differs.has(path)) found.add(path);
  }
  return [...found];
}
