// One batch of the merge queue, from its announcement to its end, under the integration lock. What it does next is read
// from the board at each step (protocol/queue/batch.ts), and what it did is recorded there before anything follows from
// it: whoever comes after a kill goes on. The branch moves only to commits that were tested, and by compare-and-swap.

import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { type BatchStep, batchStep } from '../../protocol/queue/batch.ts';
import { mergeable, queueOf } from '../../protocol/queue/order.ts';
import type { Batch } from '../../protocol/queue/shape.ts';
import { defined } from '../../protocol/values.ts';
import { foresee, transact } from '../../store/transact.ts';
import { judgeCandidate, type MergeFailure } from '../judge-candidate.ts';
import { heldBy } from '../move-branch.ts';
import { BESIDE, pin, unpin } from '../pins.ts';
import type { Tested } from '../rules/tested.ts';
import type { Failed, Link } from './chain.ts';
import { aloneStep, blameStep } from './culprit.ts';
import { landStep, pinsOf, recordJudged } from './land.ts';
import { runOf, seenEarly } from './lanes.ts';
import {
  type BatchMove,
  type LandedTask,
  type Progress,
  type Running,
  recordRun,
  reservation,
  stop,
  type Went,
} from './steps.ts';
import { beneathStep, besideStep, holdIfUnable, holdStep } from './witness.ts';

export interface BatchEnd {
  readonly landed: readonly LandedTask[];
  readonly failed: readonly Failed[];
  /** Why it ended before its time: those that are left wait. */
  readonly stopped?: MergeFailure;
  /** All that it began with. */
  readonly tried: readonly string[];
  /** They were green in another order, which lands next. */
  readonly turned?: true;
}

/** `links`: the entries that have not landed. */
export async function runBatch(move: BatchMove, links: readonly Link[]): Promise<BatchEnd> {
  const progress: Progress = { landed: [], failed: [] };
  const stopped = ofAll(links, await runSteps(move, links, progress));
  return { ...progress, tried: links.map(({ task }) => task.id), ...defined({ stopped }) };
}

/** A command about a batch names its last task: what is refused is none of that one's. */
function ofAll({ length }: readonly Link[], no: MergeFailure | undefined): MergeFailure | undefined {
  if (no === undefined || length === 1) return no;
  return { ...no, message: no.message.replace(/^wt merge \S+ refused/, `the merge of ${length} tasks is refused`) };
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
  await unpin(move.gitDir, BESIDE);
  const run: Running = { move, links, progress, state: announced.state };
  for (;;) {
    const stopped = await oneStep(run);
    if (stopped === 'go on') continue;
    // Also where a person took one out, so that the batch was over without a word from here.
    await unpin(run.move.gitDir, ...run.move.ids);
    return stopped === 'done' ? undefined : holdIfUnable(run, stopped);
  }
}

function oneStep(run: Running): Promise<Went> | 'done' {
  const queue = queueOf(run.state);
  const { batch } = queue;
  if (batch === undefined || !followBatch(run, batch)) return 'done';
  // Only the culprit itself would wait.
  const idle = mergeable(run.state).length === 1;
  const step = batchStep(queue, { idle });
  switch (step.step) {
    case 'test':
      return testStep(run, batch, step);
    case 'land':
      return landStep(run, batch, linksUpto(run, batch, step.upto));
    case 'beside':
      return besideStep(run, batch, step.at);
    case 'beneath':
      return beneathStep(run, batch, step.at);
    case 'hold':
      return holdStep(run, batch, step);
    case 'alone':
      return aloneStep(run, batch, step.at);
    case 'blame':
      return blameStep(run, batch, step.at);
    case 'turn':
    case 'done':
      return 'done';
    default:
      return step satisfies never;
  }
}

/**
 * Somebody may have taken one out meanwhile, so that the board has another batch, or only the first of it. False: none of
 * it is this one's any more.
 */
function followBatch(run: Running, batch: Batch): boolean {
  const at = placeOfFirst(run, batch);
  if (at === -1) return false;
  const open = batch.entries.slice(at);
  const is = open.every(({ task, candidate }, n) => {
    const link = run.links[n];
    return link?.task.id === task && link.candidate === candidate;
  });
  if (is) run.links = run.links.slice(0, open.length);
  return is;
}

const placeOfFirst = ({ links: [first] }: Running, batch: Batch): number =>
  batch.entries.findIndex(({ task, candidate }) => first?.task.id === task && first.candidate === candidate);

/** The entries up to that place that have not landed. */
const linksUpto = (run: Running, batch: Batch, upto: number): readonly Link[] =>
  run.links.slice(0, Math.max(0, upto - placeOfFirst(run, batch)));

async function testStep(run: Running, batch: Batch, { upto }: BatchStep & { step: 'test' }): Promise<Went> {
  const { move } = run;
  const links = linksUpto(run, batch, upto);
  const link = links.at(-1);
  if (link === undefined) return 'done';
  const late = await foresee(move.context, reservation(move, run.links));
  if (!late.ok) return stop(run, late);
  const times = batch.runs.filter((one) => one.upto === upto).length;
  if (times === 0 && upto === batch.entries.length) run.state = await move.fillLanes(run.state);
  const test = await judge(run, links, link, times);
  if ('ok' in test) return test;
  if (test.verdict === 'red') return 'go on';
  return recordJudged(run, links, test);
}

async function judge(run: Running, links: readonly Link[], link: Link, times: number): Promise<Tested | MergeFailure> {
  const { move } = run;
  const { candidate, task } = link;
  if (!move.tested || candidate === move.onto) return { verdict: 'none' };
  const known = await move.known(link);
  if (known !== undefined) return known;
  const what = links.length === 1 ? {} : { what: `${links.length} tasks up to ${task.id}` };
  const request = { task: task.id, candidate, base: move.onto, times, ...what };
  return judgeCandidate(move, {
    candidate,
    test: async () => (times === 0 ? await early(run, candidate) : undefined) ?? move.test(request),
    red: async (tested) => {
      const went = await recordRun(run, { task: task.id, candidate, ...runOf(tested) });
      await move.lanes?.stop();
      return went === 'go on' ? tested : went;
    },
    // Seen, though it does not land now: a red run of the same commit before it was by chance.
    inVain: async (tested) => {
      if (tested.verdict === 'green') await recordRun(run, { task: task.id, candidate, ...runOf(tested) });
    },
    refusedNow: async () => {
      const still = await foresee(move.context, reservation(move, links));
      return still.ok ? undefined : still;
    },
  });
}

/** What a test of it showed, or will, that began while the batch before was tested. */
async function early({ move, state }: Running, candidate: string): Promise<Tested | Refusal | undefined> {
  const { batch } = queueOf(state);
  if (batch?.entries.at(-1)?.candidate !== candidate) return undefined;
  const { early: seen } = batch;
  // A red one from before convicts nobody.
  if (seen?.red === true && seen.old === true) return undefined;
  const ahead = (seen && seenEarly(seen)) ?? (await move.lanes?.resultOf(candidate, move.by));
  return ahead === undefined || isRefusal(ahead) ? undefined : ((await move.rejudged()) ?? ahead);
}
