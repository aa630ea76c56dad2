// Why nothing moves: one line for people that names the fact, whom it waits for and the next command.
// A board where all looks green and nothing happens is the worst of states, so this never shrugs:
// when no rule knows the reason, the first live task's own one is told.

import { begun, usedUp, usedUpSentence } from '../../budget/rules/limits.ts';
import { REPORT } from '../../governance/rules/breaker.ts';
import { type Board, SWITCHES } from '../../protocol/board.ts';
import { spaceMissing } from '../../protocol/disk-space.ts';
import { afterGoal, type BaseDistance } from '../../protocol/goal/base-distance.ts';
import { withUnhandled } from '../../protocol/goal/complete-text.ts';
import { gist } from '../../text/format.ts';
import { duration, type Instant, iso } from '../../text/time.ts';
import { overspent, whyNoRunHelps, whyStuck } from './idle-reasons.ts';
import { isMoving, survey } from './idle-survey.ts';

/** What the board itself does not hold. */
export interface Surroundings {
  /** Why state.yaml cannot be read. */
  readonly invalid?: string | undefined;
  readonly base?: BaseDistance | undefined;
  /** Why a run would not start, with what the person does first. */
  readonly unready?: string | undefined;
}

/** Undefined while something is in progress or could be started by an agent that is there. */
export function whyNothingMoves(
  board: Board,
  now: Instant,
  { invalid, base, unready }: Surroundings = {},
): string | undefined {
  const halt = whyInvalid(invalid) ?? whySwitched(board, now) ?? whyOver(board, base) ?? whyHeld(board, now);
  if (halt !== undefined) return halt;
  const seen = survey(board, now);
  return isMoving(seen) ? undefined : whyStuck(seen, unready);
}

/** Why nothing moves when all agents of a process rest: one that holds a review or a lease is not at work on it. */
export const whyAllRest = (board: Board, now: Instant): string | undefined =>
  whyNothingMoves(board, now) ?? overspent(survey(board, now)) ?? whyOthersHold(board, now);

/** What a new run would wait for, as after an orderly stop; undefined: it would go on. */
export function whatAPersonDoesFirst(board: Board, now: Instant): string | undefined {
  return whySwitched(board, now) ?? whyHeld(board, now) ?? whyNoRunHelps(survey(board, now));
}

/** Sessions of other processes, and of those that died and whose id nobody has taken since, count until they are recorded. */
function whyOthersHold(board: Board, now: Instant): string | undefined {
  const over = usedUp(board, now, { running: begun(board.state, undefined) });
  return over && usedUpSentence(over, now);
}

const whyInvalid = (invalid: string | undefined): string | undefined =>
  invalid === undefined
    ? undefined
    : `state.yaml is invalid (${gist(invalid)}), so no work starts: liza edit, or liza edit --restore restores the last good state`;

function whySwitched(board: Board, now: Instant): string | undefined {
  for (const name of SWITCHES) {
    const since = board.switches[name];
    if (since === undefined) continue;
    const age = `since ${iso(since)} (${duration(now - since)})`;
    if (name === 'ABORT') return `ABORT is on ${age}; to continue after all: liza resume`;
    if (name === 'CHECKPOINT' && board.state.circuit_breaker.status === 'TRIGGERED') {
      return `CHECKPOINT is on ${age}: the circuit breaker tripped; read ${REPORT}, then: liza analyze --resolve "…"`;
    }
    if (name === 'CHECKPOINT') return `CHECKPOINT is on ${age} and waits for your decision: liza resume`;
    return `PAUSE is on ${age}: liza resume`;
  }
  return undefined;
}

/** Like a kill switch, but nobody turned it on. */
function whyHeld(board: Board, now: Instant): string | undefined {
  const over = usedUp(board, now, { running: [] });
  if (over !== undefined) return usedUpSentence(over, now);
  const missing = spaceMissing(board);
  return missing && `${missing.fact}, so no session starts. ${missing.remedy}`;
}

/** The end of the goal is no trouble. */
export const nothingMovesText = (why: string): string =>
  why.startsWith('the goal is ') ? `T${why.slice(1)}` : `Nothing moves: ${why}`;

function whyOver({ state }: Board, base: BaseDistance | undefined): string | undefined {
  if (state.goal.status === 'COMPLETED') {
    const next = base?.ahead === 0 ? '' : '; then: liza init "<next goal>"';
    return withUnhandled(`the goal is COMPLETED: ${afterGoal(base)}${next}`, state);
  }
  if (state.goal.status === 'ABORTED') return 'the goal is ABORTED; to reopen it: liza resume';
  return undefined;
}
