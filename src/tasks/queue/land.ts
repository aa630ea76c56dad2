// The end of a green run: the branch goes to the tested commit, and its tasks are merged. What was green before a hold or
// a kill, and could not land then, lands by that run: the same commit is not tested again.

import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { findPlace, headOf, isPlace } from '../../git/task-folder.ts';
import { findTask } from '../../protocol/find.ts';
import { queueOf } from '../../protocol/queue/order.ts';
import type { Landed } from '../../protocol/queue/records.ts';
import type { Batch } from '../../protocol/queue/shape.ts';
import { defined } from '../../protocol/values.ts';
import { foresee, transact } from '../../store/transact.ts';
import { archivedOfSprint } from '../context.ts';
import { hasIntegrationTest, hasNewTest } from '../integration-test.ts';
import type { MergeFailure } from '../judge-candidate.ts';
import { heldBy, moveBranch, withdraw } from '../move-branch.ts';
import { NO_TESTS, type Tested, testText } from '../rules/tested.ts';
import { howOf, type Link } from './chain.ts';
import { runOf, seenEarly } from './lanes.ts';
import { type Running, recorded, reservation, stop, type Went } from './steps.ts';

/** The branch goes to the tested commit, and its tasks are merged. */
export async function landStep(run: Running, batch: Batch, links: readonly Link[]): Promise<Went> {
  const { move, progress } = run;
  const link = links.at(-1);
  if (link === undefined) return 'done';
  const stopped = isJudged(run, link) ? 'go on' : await landKept(run, batch, links, link);
  if (stopped !== 'go on') return stopped;
  const to = link.candidate;
  const pinned = move.tested && to !== move.onto ? pinsOf(links) : [];
  const moved = await moveBranch(move, to, pinned, pinsOf(links));
  if ('ok' in moved) return moved;
  const { merging } = findTask(run.state, link.task.id) ?? {};
  const [own, ...before] = (await Promise.all(links.toReversed().map((one) => landedFacts(move.gitDir, one)))) as [
    Landed,
    ...Landed[],
  ];
  const committed = await transact(move.context, {
    name: 'merge',
    ...own,
    merge_commit: to,
    onto: link.onto,
    ...defined({ tested: merging?.tested, untested: merging?.untested }),
    ...(before.length === 0 ? {} : { before: before.toReversed() }),
    ...(await archivedOfSprint(move.context)),
  });
  if (!committed.ok) return committed;
  for (const one of links) {
    const told = one === link ? moved.remarks : [];
    const test = run.test === undefined ? {} : { test: run.test };
    const how = howOf(one);
    progress.landed.push({ task: one.task.id, committed, commit: one.candidate, how, remarks: told, ...test });
  }
  run.state = committed.state;
  run.links = run.links.slice(links.length);
  run.move = { ...move, onto: to, ids: run.links.map(({ task }) => task.id) };
  // Nobody is blamed by a test that the branch has no more: those behind it begin again with the new one.
  if (run.links.length === 0 || !(await hasNewTest(move.gitDir, move.judge ?? move.onto, to))) return 'go on';
  await withdraw(run.move);
  return 'done';
}

async function landedFacts(gitDir: PrivateGitDir, { task, commit, drift }: Link): Promise<Landed> {
  const place = findPlace(gitDir, task.id);
  const head = isPlace(place) ? await headOf(gitDir, place) : undefined;
  const head_moved = head === undefined || head.commit === commit ? undefined : head.commit;
  return { task: task.id, ...defined({ drift, head_moved }) };
}

/** Recorded before the branch moves: after a crash it says whether the merge could have moved it. */
export async function recordJudged(
  run: Running,
  links: readonly Link[],
  test: Tested,
): Promise<'go on' | MergeFailure> {
  const { move } = run;
  run.test = test;
  const to = links.at(-1)?.candidate ?? move.onto;
  const { red: _green, ...shown } = runOf(test);
  const told = test.verdict === 'none' ? { untested: NO_TESTS } : { tested: testedText(test, links), ...shown };
  const judged = to === move.onto ? {} : { ...told, ...(await testGone(run, to)) };
  return recorded(run, await transact(move.context, { ...reservation(move, links), judged }));
}

/** Said when the branch loses its integration test, and when it gets one again. */
async function testGone({ move, state }: Running, to: string): Promise<{ readonly test_gone?: boolean }> {
  if (await hasIntegrationTest(move.gitDir, to))
    return queueOf(state).test_gone === undefined ? {} : { test_gone: false };
  return (await hasIntegrationTest(move.gitDir, move.onto)) ? { test_gone: true } : {};
}

const testedText = (test: Tested, links: readonly Link[]): string => {
  const commit = links.at(-1)?.candidate.slice(0, 12);
  const others = links.length === 1 ? '' : `, with ${links.length} tasks up to ${commit} together`;
  return `${testText(test)}${others}`;
};

const isJudged = ({ state }: Running, { task }: Link): boolean => findTask(state, task.id)?.merging?.judged !== false;

/** Somebody may hold it again by now, or edit a checkout that has to come along. */
async function landKept(run: Running, { runs, landed }: Batch, links: readonly Link[], link: Link): Promise<Went> {
  const { move } = run;
  const seen = runs.find(({ upto, red }) => !red && upto === landed + links.length);
  const late = await foresee(move.context, reservation(move, links));
  const refused = late.ok ? await heldBy(move, link.candidate) : late;
  if (refused !== undefined) return stop(run, refused);
  // An earlier release did not write down what tested it.
  const before = { verdict: 'green', by: 'as seen before', seconds: 0, log: seen?.log ?? '' } as const;
  return recordJudged(run, links, (seen && seenEarly(seen)) ?? before);
}

export const pinsOf = (links: readonly Link[]) => links.map(({ task, candidate }) => ({ id: task.id, at: candidate }));
