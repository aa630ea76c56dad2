// Before anybody is blamed: whether tests work at all right now. A task is red on top of the branch; that may as well be an
// outage of what tests need, a script that landed or a head that a person moved. Those behind it are tested without it,
// which costs nothing, since they are tested next in any case. If they are red too, or nothing else can be tested, the
// branch itself is. Where that is red and they are green, they land first; where it is red twice the queue is held.

import { isAncestor } from '../../git/reach.ts';
import type { Board } from '../../protocol/board.ts';
import { isRefusal, refuse } from '../../protocol/decision.ts';
import { headOfBatch, left } from '../../protocol/queue/batch.ts';
import { withoutBeside } from '../../protocol/queue/lanes.ts';
import { nextBatch, queueOf, withoutSome } from '../../protocol/queue/order.ts';
import type { Step } from '../../protocol/queue/search.ts';
import type { Batch } from '../../protocol/queue/shape.ts';
import { IN_TURN } from '../../protocol/queue/tell.ts';
import type { State, Task } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { foresee, transact } from '../../store/transact.ts';
import type { MergeFailure } from '../judge-candidate.ts';
import { BESIDE, pin } from '../pins.ts';
import { announcement } from './chain.ts';
import { CHANGED } from './dropped.ts';
import { runOf } from './lanes.ts';
import { type Running, recorded, recordRun, reservation, stop, type Went } from './steps.ts';

/** They are the next batch, if the one that is suspected leaves. Where none of them can be tested the branch is. */
export async function besideStep(run: Running, batch: Batch, at: number): Promise<Went> {
  const { move } = run;
  const late = await foresee(move.context, reservation(move, run.links));
  if (!late.ok) return stop(run, late);
  const suspect = batch.entries[at - 1]?.task ?? '';
  const { board } = await move.context.store.read();
  const links = await move.beside(headOfBatch(batch), behind(run, board, suspect));
  const last = links.at(-1);
  if (last === undefined) return beneathStep(run, batch, at);
  const [own] = run.links;
  const brings = own !== undefined && (await isAncestor(move.gitDir, own.commit, last.candidate));
  // Built on the suspect they are not without it: they are asked only whether they bring what the branch lacks.
  if (brings && !isBranchRed(batch)) return beneathStep(run, batch, at);
  const told = {
    name: 'merge-ahead',
    beside: true,
    ...announcement(links),
    process: move.process,
    ...defined({ by: move.by, brings: brings ? (true as const) : undefined }),
  } as const;
  const { task, candidate } = last;
  await pin(move.gitDir, [{ id: BESIDE, at: candidate }]);
  if (!(await transact(move.context, told)).ok) return beneathStep(run, batch, at);
  const what = `${links.length === 1 ? task.id : `${links.length} tasks up to ${task.id}`}, without ${suspect},`;
  const request = { task: task.id, candidate, base: move.onto, what };
  const isBeside = (state: State): boolean => queueOf(state).batch?.beside?.entries.at(-1)?.candidate === candidate;
  const tested = await move.test(request, isBeside);
  if (isRefusal(tested) && tested !== CHANGED) return stop(run, tested);
  const seen = isRefusal(tested) ? tested : await transact(move.context, { ...told, run: runOf(tested) });
  // Refused where a person came in between: then it came to nothing, and they are asked again.
  run.state = seen.ok ? seen.state : (await move.context.store.read()).board.state;
  if (isRefusal(tested) && queueOf(run.state).batch?.since !== batch.since) return stop(run, tested);
  return othersFirst(run, batch);
}

const isBranchRed = ({ runs, landed }: Batch): boolean =>
  runs.some(({ upto, red, old }) => upto === landed && red && old !== true);

/** Where the branch is red and they are green, they are the batch by now, and land next. */
function othersFirst(run: Running, { entries }: Batch): Went {
  const now = queueOf(run.state).batch;
  const [first] = run.links;
  if (now?.early?.red !== false || now.entries.some(({ candidate }) => candidate === first?.candidate)) return 'go on';
  if (!entries.some(({ task }) => task === first?.task.id)) return 'go on';
  run.progress.turned = true;
  return 'go on';
}

/** As they would be chosen now if it had left. */
function behind({ move }: Running, board: Board, suspect: string): readonly Task[] {
  const { state } = board;
  const { goal } = state;
  const queue = queueOf(state);
  const after = queue.batch === undefined ? queue : left(withoutBeside(queue), suspect, queue.batch.since);
  const without: State = {
    ...withoutSome(state, new Set([suspect, ...move.not(board)])),
    goal: { ...goal, queue: after },
  };
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
  const tested = await move.test({ task, candidate, base: move.onto, times, what });
  if (isRefusal(tested)) return stop(run, tested);
  const went = await recordRun(run, { task, candidate, beneath: true, ...runOf(tested) });
  return went === 'go on' ? othersFirst(run, batch) : went;
}

export async function holdStep(run: Running, batch: Batch, { inTurn }: Step & { step: 'hold' }): Promise<Went> {
  const { move } = run;
  const head = headOfBatch(batch);
  const { reason, log } = batch.runs.findLast(({ upto, red }) => red && (inTurn || upto === batch.landed)) ?? {};
  const branch = move.branch.replace('refs/heads/', '');
  const what = inTurn ? IN_TURN : `${branch} is red without any of them at ${head.slice(0, 12)}`;
  const fact = `${what}: ${reason}; whole output: ${log}`;
  const why = inTurn ? { unable: inTurn } : { red: head };
  const held = await transact(move.context, { name: 'queue hold', reason: fact.slice(0, 2000), ...why });
  if (!held.ok) return stop(run, held);
  await recorded(run, held);
  return stop(run, refuse(`${fact}; nobody is blamed, and nothing lands`, MEND, 3, 'queue-open'));
}

/** Nothing can be tested, neither them nor the branch: nobody is blamed, and what was seen is kept. */
export async function holdIfUnable({ move }: Running, why: MergeFailure): Promise<MergeFailure> {
  if (why.guard !== 'not-started' && why.guard !== 'beside-checkout' && why.guard !== 'exchanged') return why;
  const reason = `${why.message} (${why.hint})`.slice(0, 2000);
  const held = await transact(move.context, { name: 'queue hold', reason, unable: true });
  if (!held.ok) return why;
  const hint = why.hint.includes(RELEASE) ? why.hint : `${why.hint}; then: ${RELEASE}`;
  return { ...why, message: `${why.message}; nobody is blamed, and nothing lands`, hint };
}

const RELEASE = 'liza queue release';

const MEND =
  'Mend the branch or what its test needs, then: liza queue release. A fix on your branch comes in with liza sync; one of scripts/integration-test.sh, once you have read it, with liza sync --test-from candidate';
