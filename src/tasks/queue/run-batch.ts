// One batch of the merge queue, from its announcement to its end, under the integration lock. What it does next is read
// from the board at each step (protocol/queue/batch.ts), and what it did is recorded there before anything follows from
// it: whoever comes after a kill goes on. The branch moves only to commits that were tested, and by compare-and-swap.

import { buildCandidate } from '../../git/merge-candidate.ts';
import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { findPlace, headOf, isPlace } from '../../git/task-folder.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { findTask } from '../../protocol/find.ts';
import { type Batch, type BatchStep, batchStep, proofOf } from '../../protocol/queue/batch.ts';
import { mergeable, queueOf } from '../../protocol/queue/order.ts';
import type { Landed } from '../../protocol/queue/records.ts';
import type { Settings, State } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { Committed } from '../../store/store.ts';
import { foresee, transact } from '../../store/transact.ts';
import { archivedOfSprint } from '../context.ts';
import type { TestRequest } from '../integration-test.ts';
import { judgeCandidate, type MergeFailure } from '../judge-candidate.ts';
import { type BranchMove, heldBy, moveBranch, withdraw } from '../move-branch.ts';
import { pin, unpin } from '../pins.ts';
import { NO_TESTS, type Tested, testText } from '../rules/tested.ts';
import { announcement, type Failed, type How, howOf, type Link, mergeMessage } from './chain.ts';
import { failOnTest } from './fail.ts';

export interface BatchMove extends BranchMove {
  readonly settings: Settings;
  readonly process: string;
  /** Whether anything judges the candidates. */
  readonly tested: boolean;
  /** What was seen green before on the very same files. */
  known(link: Link): Promise<Tested | undefined>;
  test(request: TestRequest): Promise<Tested | Refusal>;
}

export interface LandedTask {
  readonly task: string;
  readonly committed: Committed;
  readonly commit: string;
  readonly how: How;
  readonly test?: Tested;
  readonly remarks: readonly string[];
}

export interface BatchEnd {
  readonly landed: readonly LandedTask[];
  readonly failed: readonly Failed[];
  /** Why it ended before its time: those that are left wait. */
  readonly stopped?: MergeFailure;
  /** All that it began with. */
  readonly tried: readonly string[];
}

interface Progress {
  readonly landed: LandedTask[];
  readonly failed: Failed[];
}

/** `links`: the entries that have not landed. */
export async function runBatch(move: BatchMove, links: readonly Link[]): Promise<BatchEnd> {
  const progress: Progress = { landed: [], failed: [] };
  const stopped = await runSteps(move, links, progress);
  return { ...progress, tried: links.map(({ task }) => task.id), ...defined({ stopped }) };
}

async function runSteps(
  move: BatchMove,
  links: readonly Link[],
  progress: Progress,
): Promise<MergeFailure | undefined> {
  const last = links.at(-1);
  if (last === undefined) return undefined;
  const refused = await heldBy(move, last.candidate);
  if (refused !== undefined) return refused;
  const announced = await transact(move.context, reservation(move, links));
  if (!announced.ok) return announced;
  if (move.tested && last.candidate !== move.onto) await pin(move.gitDir, pinsOf(links));
  const run: Running = { move, links, progress, state: announced.state };
  for (;;) {
    const stopped = await oneStep(run);
    if (stopped !== 'go on') return stopped === 'done' ? undefined : stopped;
  }
}

/** What the steps of one batch share; the rest is on the board. */
interface Running {
  move: BatchMove;
  links: readonly Link[];
  readonly progress: Progress;
  state: State;
  /** The last test that was green. */
  test?: Tested;
}

type Went = 'go on' | 'done' | MergeFailure;

function oneStep(run: Running): Promise<Went> | 'done' {
  const queue = queueOf(run.state);
  const open = new Set(run.links.map(({ task }) => task.id));
  if (queue.batch?.entries.some(({ task }) => open.has(task)) !== true) return 'done';
  // Only the culprit itself would wait.
  const step = batchStep(queue, mergeable(run.state).length === 1);
  switch (step.step) {
    case 'test':
      return testStep(run, queue.batch, step);
    case 'land':
      return landStep(run, linksUpto(run, queue.batch, step.upto));
    case 'alone':
      return aloneStep(run, queue.batch, step.at);
    case 'blame':
      return blameStep(run, queue.batch, step.at);
    default:
      return 'done';
  }
}

/** The entries up to that place that have not landed. */
const linksUpto = ({ links }: Running, batch: Batch, upto: number): readonly Link[] =>
  links.slice(0, upto - (batch.entries.length - links.length));

async function testStep(run: Running, batch: Batch, { upto }: BatchStep & { step: 'test' }): Promise<Went> {
  const { move } = run;
  const links = linksUpto(run, batch, upto);
  const link = links.at(-1);
  if (link === undefined) return 'done';
  const late = await foresee(move.context, reservation(move, run.links));
  if (!late.ok) return stop(run, late);
  const times = batch.runs.filter((one) => one.upto === upto).length;
  const test = await judge(run, links, link, times);
  if ('ok' in test) return test;
  if (test.verdict === 'red') return 'go on';
  run.test = test;
  const judged =
    link.candidate === move.onto
      ? {}
      : test.verdict === 'none'
        ? { untested: NO_TESTS }
        : { tested: testedText(test, links), ...(test.verdict === 'green' ? { log: test.log } : {}) };
  // Recorded before the branch moves: after a crash it says whether the merge could have moved it.
  return recorded(run, await transact(move.context, { ...reservation(move, links), judged }));
}

async function judge(run: Running, links: readonly Link[], link: Link, times: number): Promise<Tested | MergeFailure> {
  const { move } = run;
  const { candidate, task } = link;
  if (!move.tested || candidate === move.onto) return { verdict: 'none' };
  const known = await move.known(link);
  if (known !== undefined) return known;
  const what = links.length === 1 ? {} : { what: `${links.length} tasks up to ${task.id}` };
  return judgeCandidate(move, {
    candidate,
    test: () => move.test({ task: task.id, candidate, judge: '', again: `liza wt merge ${task.id}`, times, ...what }),
    red: async (tested) => {
      const went = await recordRun(run, { task: task.id, candidate, ...redOf(tested) });
      return went === 'go on' ? tested : went;
    },
    refusedNow: async () => {
      const still = await foresee(move.context, reservation(move, links));
      return still.ok ? undefined : still;
    },
  });
}

const redOf = ({ reason, log, tail }: Tested & { verdict: 'red' }) => ({
  red: true,
  reason,
  log,
  output: tail.join('\n').slice(-3000),
});

async function recordRun(
  run: Running,
  told: { task: string; candidate: string; red: boolean; alone?: true; log?: string },
): Promise<'go on' | MergeFailure> {
  return recorded(run, await transact(run.move.context, { name: 'merge-run', ...told }));
}

async function recorded(run: Running, outcome: Awaited<ReturnType<typeof transact>>): Promise<'go on' | MergeFailure> {
  if (!outcome.ok) return stop(run, outcome);
  run.state = outcome.state;
  return 'go on';
}

async function stop({ move }: Running, why: MergeFailure): Promise<MergeFailure> {
  await withdraw(move);
  return why;
}

const testedText = (test: Tested, links: readonly Link[]): string => {
  const commit = links.at(-1)?.candidate.slice(0, 12);
  const others = links.length === 1 ? '' : `, with ${links.length} tasks up to ${commit} together`;
  return `${testText(test)}${others}`;
};

/** The branch goes to the tested commit, and its tasks are merged. */
async function landStep(run: Running, links: readonly Link[]): Promise<Went> {
  const { move, progress } = run;
  const link = links.at(-1);
  if (link === undefined) return 'done';
  const to = link.candidate;
  const pinned = move.tested && to !== move.onto ? pinsOf(links) : [];
  const moved = await moveBranch(move, to, pinned);
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
  return 'go on';
}

async function landedFacts(gitDir: PrivateGitDir, { task, commit, drift }: Link): Promise<Landed> {
  const place = findPlace(gitDir, task.id);
  const head = isPlace(place) ? await headOf(gitDir, place) : undefined;
  const head_moved = head === undefined || head.commit === commit ? undefined : head.commit;
  return { task: task.id, ...defined({ drift, head_moved }) };
}

/** Whether the culprit is red without those before it. */
async function aloneStep(run: Running, batch: Batch, at: number): Promise<Went> {
  const { move, links } = run;
  const [link] = links;
  if (link === undefined) return 'done';
  const { task, commit } = link;
  const { base } = batch;
  const message = mergeMessage(task, commit);
  const built = await buildCandidate(move.gitDir, { onto: base, commit, base: task.base_commit, message });
  if (built.kind === 'conflict' || built.kind === 'contained') return blameStep(run, batch, at);
  const request = { task: task.id, candidate: built.commit, judge: '', again: `liza wt merge ${task.id}` };
  const tested = await move.test({ ...request, what: `${task.id} alone` });
  if (isRefusal(tested)) return stop(run, tested);
  const red = tested.verdict === 'red';
  const log = tested.verdict === 'red' || tested.verdict === 'green' ? tested.log : undefined;
  return recordRun(run, { task: task.id, candidate: built.commit, alone: true, red, ...defined({ log }) });
}

async function blameStep(run: Running, batch: Batch, at: number): Promise<Went> {
  const { move, links, progress } = run;
  const [link] = links;
  const proof = proofOf(batch, at);
  if (link === undefined || proof === undefined) return 'done';
  await unpin(move.gitDir, ...move.ids);
  const together = batch.alone?.red === false ? batch.entries.slice(0, at - 1).map(({ task }) => task) : [];
  const failure = await failOnTest({ context: move.context, task: link.task, run: proof, together });
  if (failure.guard !== 'integration-test') return stop(run, failure);
  progress.failed.push({ task: link.task.id, failure });
  return 'done';
}

const pinsOf = (links: readonly Link[]) => links.map(({ task, candidate }) => ({ id: task.id, at: candidate }));

const reservation = ({ process }: BatchMove, links: readonly Link[]) =>
  ({ name: 'reserve-merge', ...announcement(links), process }) as const;
