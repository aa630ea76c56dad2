// Before anybody is blamed: whether tests work at all right now. A task is red on top of the branch; that may as well be an
// outage of what tests need, a script that landed or a head that a person moved. Those behind it are tested without it,
// which costs nothing, since they are tested next in any case; if they are green, it is tested on top of them. If they are
// red too, the branch itself is. Where that is red twice the queue is held, and nobody is blamed.

import { isRefusal, refuse } from '../../protocol/decision.ts';
import { headOfBatch, left } from '../../protocol/queue/batch.ts';
import { nextBatch, queueOf, withoutSome } from '../../protocol/queue/order.ts';
import type { Batch } from '../../protocol/queue/shape.ts';
import type { State, Task } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { foresee, transact } from '../../store/transact.ts';
import type { MergeFailure } from '../judge-candidate.ts';
import { redOf } from '../rules/tested.ts';
import { announcement } from './chain.ts';
import { runOf } from './lanes.ts';
import { type Running, recorded, recordRun, reservation, stop, type Went } from './steps.ts';

/** They are the next batch, if the one that is suspected leaves. */
export async function besideStep(run: Running, batch: Batch, at: number): Promise<Went> {
  const { move } = run;
  const late = await foresee(move.context, reservation(move, run.links));
  if (!late.ok) return stop(run, late);
  const suspect = batch.entries[at - 1]?.task ?? '';
  const links = await move.beside(headOfBatch(batch), behind(run, batch, suspect));
  const last = links.at(-1);
  run.noBeside = true;
  if (last === undefined) return 'go on';
  const told = {
    name: 'merge-ahead',
    beside: true,
    ...announcement(links),
    process: move.process,
    ...defined({ by: move.by }),
  } as const;
  if (!(await transact(move.context, told)).ok) return 'go on';
  const { task, candidate } = last;
  const what = `${links.length === 1 ? task.id : `${links.length} tasks up to ${task.id}`}, without ${suspect},`;
  const tested = await move.test({
    task: task.id,
    candidate,
    judge: '',
    base: move.onto,
    again: 'liza queue release',
    what,
  });
  if (isRefusal(tested)) return stop(run, tested);
  const seen = await transact(move.context, { ...told, run: runOf(tested) });
  // Refused where a person changed the order meanwhile: then it came to nothing.
  run.state = seen.ok ? seen.state : (await move.context.store.read()).board.state;
  return 'go on';
}

/** On top of those that are green without it, which may have what the branch lacks. */
export async function atopStep(run: Running, { beside, entries, landed }: Batch): Promise<Went> {
  const { move } = run;
  const onto = beside?.entries.at(-1)?.candidate;
  const suspect = run.links.find(({ task }) => task.id === entries[landed]?.task);
  if (onto === undefined || suspect === undefined) return 'done';
  const late = await foresee(move.context, reservation(move, run.links));
  if (!late.ok) return stop(run, late);
  const [link] = await move.beside(onto, [suspect.task], move.onto);
  run.noAtop = true;
  if (link === undefined) return 'go on';
  const { task, candidate } = link;
  const told = { name: 'merge-ahead', atop: true, ...announcement([link]), process: move.process } as const;
  const begun = await transact(move.context, { ...told, ...defined({ by: move.by }) });
  if (!begun.ok) return 'go on';
  const what = `${task.id}, on top of those that are green without it,`;
  const tested = await move.test({
    task: task.id,
    candidate,
    judge: '',
    base: move.onto,
    again: 'liza queue release',
    what,
  });
  if (isRefusal(tested)) return stop(run, tested);
  const seen = await transact(move.context, { ...told, run: runOf(tested) });
  run.state = seen.ok ? seen.state : (await move.context.store.read()).board.state;
  if (seen.ok && tested.verdict !== 'red') run.progress.turned = true;
  return 'go on';
}

/** As they would be chosen if it had left. */
function behind({ state, move }: Running, { beside: _none, ...batch }: Batch, suspect: string): readonly Task[] {
  const { goal } = state;
  const queue = left({ ...queueOf(state), batch }, suspect, batch.since);
  const without: State = { ...withoutSome(state, new Set([suspect, ...move.not()])), goal: { ...goal, queue } };
  return nextBatch(without, move.settings, true);
}

export async function beneathStep(run: Running, batch: Batch, at: number): Promise<Went> {
  const { move } = run;
  const late = await foresee(move.context, reservation(move, run.links));
  if (!late.ok) return stop(run, late);
  const task = batch.entries[at - 1]?.task ?? '';
  const candidate = headOfBatch(batch);
  const times = batch.runs.filter(({ upto }) => upto === batch.landed).length;
  const what = `the branch itself, without ${task},`;
  const tested = await move.test({
    task,
    candidate,
    judge: '',
    base: move.onto,
    again: 'liza queue release',
    times,
    what,
  });
  if (isRefusal(tested)) return stop(run, tested);
  const red = tested.verdict === 'red';
  const shown = red ? redOf(tested) : { red, ...(tested.verdict === 'green' ? { log: tested.log } : {}) };
  return recordRun(run, { task, candidate, beneath: true, ...shown });
}

export async function holdStep(run: Running, batch: Batch): Promise<Went> {
  const { move } = run;
  const head = headOfBatch(batch);
  const { reason, log } = batch.runs.findLast(({ upto, red }) => red && upto === batch.landed) ?? {};
  const branch = move.branch.replace('refs/heads/', '');
  const fact = `${branch} is red without any of them at ${head.slice(0, 12)}: ${reason}; whole output: ${log}`;
  const held = await transact(move.context, { name: 'queue hold', reason: fact.slice(0, 2000), red: head });
  if (!held.ok) return stop(run, held);
  await recorded(run, held);
  return stop(run, refuse(`${fact}; nobody is blamed, and nothing lands`, MEND, 3, 'queue-open'));
}

/** Nothing can be tested, neither them nor the branch: nobody is blamed, and what was seen is kept. */
export async function holdIfUnable({ move }: Running, why: MergeFailure): Promise<MergeFailure> {
  if (why.guard !== 'not-started' && why.guard !== 'beside-checkout') return why;
  const reason = `${why.message} (${why.hint})`.slice(0, 2000);
  const held = await transact(move.context, { name: 'queue hold', reason, unable: true });
  if (!held.ok) return why;
  const hint = why.hint.includes(RELEASE) ? why.hint : `${why.hint}; then: ${RELEASE}`;
  return { ...why, message: `${why.message}; nobody is blamed, and nothing lands`, hint };
}

const RELEASE = 'liza queue release';

const MEND =
  'A person mends the branch or what its test needs, then: liza queue release. A fix on your branch comes in with liza sync; one of scripts/integration-test.sh itself, once you have read it, with liza sync --test-from candidate';
