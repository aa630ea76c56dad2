// When nothing is left that could move without a person, and what the crew ends with then.

import { baseDistance } from '../git/base-branch.ts';
import type { Board } from '../protocol/board.ts';
import { completeText } from '../protocol/goal/complete-text.ts';
import { isTerminal } from '../protocol/state.ts';
import { whyDrained } from '../protocol/work/hosts.ts';
import { listed } from '../text/format.ts';
import type { Instant } from '../text/time.ts';
import type { MemberStatus } from './agent-status.ts';
import { isCalled } from './called-again.ts';
import type { SupervisorContext } from './context.ts';
import type { CrewEnd } from './crew-view.ts';
import { awayIn } from './heartbeat.ts';
import type { LoopEnd, LoopMemory, Supervised } from './loop-state.ts';
import { isToldHeld } from './merge-turn.ts';
import { othersWork } from './rules/idle-survey.ts';
import { attemptKey, nextDuty } from './rules/next-duty.ts';
import { whatAPersonDoesFirst, whyAllRest } from './rules/why-idle.ts';

export interface SupervisedAgent {
  readonly who: Supervised;
  readonly member: MemberStatus;
  readonly memory: LoopMemory;
  end?: LoopEnd | undefined;
  /** It gave up, and what it knew of then: something else may call it again. */
  knew?: ReadonlySet<string> | undefined;
  calledAgain?: true;
}

/** All members are idle, and still are after this long: then none is just between two steps. */
const IDLE_MS = 400;
const WITHIN = 10_000;
const RESTING: ReadonlySet<string> = new Set(['idle', 'waiting', 'stopped']);

interface Ends {
  readonly stopped: AbortSignal;
  readonly over: AbortSignal;
  readonly outlastsPause: boolean;
  /** When the run began. */
  readonly from: Instant;
}

/** Resolves when all are idle, none of them would find anything to do, and nobody else is at work. */
export async function whenIdle(
  context: SupervisorContext,
  supervised: readonly SupervisedAgent[],
  { stopped, over, outlastsPause, from }: Ends,
): Promise<CrewEnd | undefined> {
  const { changeSignal, clock, store, mergeTurn } = context;
  const own = new Set(supervised.map(({ who }) => who.agent));
  for (;;) {
    if (stopped.aborted || over.aborted) return undefined;
    const since = changeSignal.count();
    const resting = supervised.every(({ member }) => RESTING.has(member.view().state));
    if (resting) {
      await clock.sleep(IDLE_MS, over);
      const now = clock.now();
      const isStill = (board: Board): boolean =>
        !mayGetWork(board, own, now) &&
        supervised.every((one) => {
          const { who, member, end, memory } = one;
          if (end !== undefined) return !isCalled(one, board, now);
          if (!RESTING.has(member.view().state)) return false;
          const looking = {
            ...who,
            postponed: new Set(memory.postponed.keys()),
            mergesPostponed: new Set(mergeTurn.postponed.keys()),
          };
          const duty = nextDuty(board, looking, now);
          // Another process has the lock of merges: that is something left, until it was told that nobody merges.
          if (duty.kind === 'merge') return isToldHeld(mergeTurn);
          if (duty.kind === 'halted') return !(outlastsPause && duty.by === 'PAUSE');
          if (duty.kind === 'over' || duty.kind === 'held') return true;
          return duty.kind === 'nothing' && !duty.hurry && !(outlastsPause && isHeld(board));
        });
      const look = async (within: number): Promise<boolean> =>
        store.read(within).then(
          (seen) => isStill(seen.board),
          // Its database is away: nobody knows what is left.
          (error: unknown) => (awayIn(error) === undefined ? Promise.reject(error) : false),
        );
      // Most looks find that it goes on, which need ask no server; nothing ends by what was seen a while ago.
      if ((await look(WITHIN)) && (await look(0)) && changeSignal.count() === since)
        return endOf(context, supervised, from);
    }
    await changeSignal.wait(since, resting ? 500 : 200, over);
  }
}

/** Agents of another process are at work, and what they end with may be for these. */
const mayGetWork = (board: Board, own: ReadonlySet<string>, now: Instant): boolean =>
  Object.keys(board.switches).length === 0 &&
  whyDrained(board) === undefined &&
  !isOver(board) &&
  othersWork(board, own, now);

const isOver = ({ state: { goal } }: Board): boolean => goal.status === 'COMPLETED' || goal.status === 'ABORTED';

/** A person holds a task back and will let it go on: its agents must be there then. */
const isHeld = ({ state }: Board): boolean =>
  state.tasks.some(({ paused, status }) => paused === true && !isTerminal(status));

export async function endOf(
  context: SupervisorContext,
  supervised: readonly SupervisedAgent[],
  from: Instant,
): Promise<CrewEnd> {
  const { board } = await context.store.read();
  const { goal } = board.state;
  if (goal.status === 'COMPLETED')
    return {
      code: 0,
      message: completeText(board.state, await baseDistance(context, board), { from, to: context.clock.now() }),
    };
  const drained = whyDrained(board);
  if (drained !== undefined) return { code: 0, message: drained.fact, needs: drained.remedy };
  const given = supervised.flatMap(({ who, end }) => (end?.kind === 'given-up' ? [{ ...end, agent: who.agent }] : []));
  const [first] = given;
  const hint = first?.hint ?? 'see the board: liza status';
  if (first !== undefined) {
    return { code: 1, message: given.map(({ agent, why }) => `${agent} stopped: ${why}`).join('; '), hint };
  }
  if (supervised.some(({ end }) => end?.kind === 'stopped')) {
    const needs = whatAPersonDoesFirst(board, context.clock.now());
    if (needs !== undefined) return { code: 0, message: 'stopped; work in progress is kept', needs };
    return { code: 0, message: 'stopped; work in progress is kept and continues at the next: liza run' };
  }
  // While a person holds the work, that is the reason, whatever else went wrong last.
  const halted = Object.keys(board.switches).length > 0;
  const known = new Set(board.state.tasks.map(attemptKey));
  const isPresent = ({ memory: { refusal } }: SupervisedAgent): boolean =>
    refusal !== undefined && (refusal.key === undefined || known.has(refusal.key));
  const refused = halted ? undefined : supervised.find(isPresent)?.memory.refusal;
  if (refused !== undefined) return { code: 1, message: refused.message, hint: refused.hint };
  const why = whyAllRest(board, context.clock.now());
  const unmerged = board.state.tasks.filter(({ status }) => status === 'APPROVED').map(({ id }) => id);
  const left = unmerged.length === 0 ? 'nothing is left to do' : `approved and not merged: ${listed(unmerged)}`;
  return { code: 1, message: why ?? left, hint };
}
