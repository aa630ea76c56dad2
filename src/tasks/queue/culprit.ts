// Who makes a batch red: whether it is so by itself, where there is time to ask, and what its coder is told.

import { buildCandidate } from '../../git/merge-candidate.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { proofOf } from '../../protocol/queue/batch.ts';
import type { Batch } from '../../protocol/queue/shape.ts';
import { defined } from '../../protocol/values.ts';
import { foresee } from '../../store/transact.ts';
import { hasSameTest } from '../integration-test.ts';
import { ALONE, pin, unpin } from '../pins.ts';
import { type Link, mergeMessage } from './chain.ts';
import { CHANGED } from './dropped.ts';
import { failOnTest, landedSince } from './fail.ts';
import { runOf } from './lanes.ts';
import { type Running, recordRun, reservation, stop, type Went } from './steps.ts';

/** Without those before it in its batch; the first of a batch without what landed since it was written. */
export async function aloneStep(run: Running, batch: Batch, at: number): Promise<Went> {
  const { move, links } = run;
  const late = await foresee(move.context, reservation(move, links));
  if (!late.ok) return stop(run, late);
  const [link] = links;
  if (link === undefined) return 'done';
  const candidate = at > 1 ? await withoutBatch(run, link, batch.base) : await asWritten(run, link);
  if (candidate === undefined) return blameStep(run, batch, at);
  const id = link.task.id;
  const request = { task: id, candidate, base: move.onto, what: `${id} alone` };
  const known = candidate === link.commit ? await move.known({ ...link, candidate }) : undefined;
  await pin(move.gitDir, [{ id: ALONE, at: candidate }]);
  const tested = known ?? (await move.test(request));
  await unpin(move.gitDir, ALONE);
  if (isRefusal(tested)) return stop(run, tested);
  const onto = at > 1 ? undefined : link.task.base_commit;
  return recordRun(run, { task: id, candidate, alone: true, ...runOf(tested), ...defined({ onto }) });
}

/** undefined: there is nothing to learn from it. */
async function withoutBatch({ move }: Running, { task, commit }: Link, onto: string): Promise<string | undefined> {
  const message = mergeMessage(task, commit);
  const built = await buildCandidate(move.gitDir, { onto, commit, base: task.base_commit, message });
  return built.kind === 'conflict' || built.kind === 'contained' ? undefined : built.commit;
}

async function asWritten(run: Running, link: Link): Promise<string | undefined> {
  const { base_commit: base } = link.task;
  const others = await othersOf(run, link);
  if (others.length === 0 || base === undefined) return undefined;
  // By a test that was written since, what it was built on may be red itself.
  return (await hasSameTest(run.move.gitDir, base, run.move.judge ?? run.move.onto)) ? link.commit : undefined;
}

/** Tasks that are on the branch and that its coder did not have. */
const othersOf = ({ move, state }: Running, { task, commit }: Link): Promise<readonly string[]> =>
  landedSince({ context: move.context, gitDir: move.gitDir, state, task, onto: move.onto, commit });

export async function blameStep(run: Running, batch: Batch, at: number): Promise<Went> {
  const { move, links, progress } = run;
  const late = await foresee(move.context, reservation(move, links));
  if (!late.ok) return stop(run, late);
  const [link] = links;
  const proof = proofOf(batch, at);
  if (link === undefined || proof === undefined) return 'done';
  const { alone } = batch;
  const others =
    at > 1 && alone !== undefined ? batch.entries.slice(0, at - 1).map(({ task }) => task) : await othersOf(run, link);
  const since = at > 1 && alone !== undefined ? undefined : link.task.base_commit;
  const beside = { others, ...defined({ since, red: alone?.red, again: againWith(batch, at) }) };
  const failure = await failOnTest({ context: move.context, task: link.task, run: proof, beside });
  if (failure.guard === 'announced') return stop(run, CHANGED);
  if (failure.guard !== 'integration-test') return stop(run, failure);
  progress.failed.push({ task: link.task.id, failure });
  return 'done';
}

/** Those behind it that its last red run was with. */
function againWith({ entries, runs }: Batch, at: number): readonly string[] | undefined {
  const last = runs.findLast(({ red }) => red);
  if (last === undefined || last.upto <= at) return undefined;
  return entries.slice(at, last.upto).map(({ task }) => task);
}
