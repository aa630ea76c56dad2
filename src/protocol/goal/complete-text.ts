// What a person is told when the goal is complete: what it took, what comes next, and what nobody has said to be handled.

import { costText, spentOnGoal } from '../../budget/rules/ledger.ts';
import { counted, whole } from '../../text/format.ts';
import { duration, type Instant, instant } from '../../text/time.ts';
import { historyOf } from '../leases.ts';
import { unhandledText } from '../messages/notes.ts';
import type { State } from '../state.ts';
import { endEvent } from './alignment.ts';
import { afterGoal, type BaseDistance } from './base-distance.ts';

/** The run that the goal ended in. */
export interface Ran {
  readonly from: Instant;
  readonly to: Instant;
}

/** A line for each of them: the command in it is what the reader types next. `ran` undefined: nobody ran just now. */
export const completeText = (state: State, base: BaseDistance | undefined, ran?: Ran): string =>
  told(
    [
      `the goal is complete: ${whole(state.goal.description)}`,
      summary(state, ran),
      afterGoal(base),
      unhandledText(state),
    ],
    '\n',
  );

/** `3 tasks merged, 1 rejection, $0.42 for the goal, this run 12m 5s`; undefined: nothing was merged. */
function summary(state: State, ran: Ran | undefined): string | undefined {
  const { goal, tasks } = state;
  const merged = tasks.filter(({ status }) => status === 'MERGED').length;
  if (merged === 0) return undefined;
  const rejections = tasks.flatMap(historyOf).filter(({ event }) => event === 'rejected').length;
  const cost = costText(spentOnGoal(state));
  return [
    `${counted(merged, 'task')} merged`,
    counted(rejections, 'rejection'),
    ...(cost === undefined ? [] : [ran === undefined || !cost.includes('$') ? cost : `${cost} for the goal`]),
    ...took(goal, ran),
  ].join(', ');
}

/** Not from `init` on: writing the vision is no part of a run. */
function took(goal: State['goal'], ran: Ran | undefined): readonly string[] {
  if (ran !== undefined) return [`this run ${duration(Math.max(0, ran.to - ran.from))}`];
  const ended = endEvent(goal)?.timestamp;
  if (goal.created === undefined || ended === undefined) return [];
  return [`complete ${duration(instant(ended) - instant(goal.created))} after init`];
}

export const withUnhandled = (text: string, state: State): string => told([text, unhandledText(state)], '; ');

const told = (parts: readonly (string | undefined)[], between: string): string =>
  parts.filter((part) => part !== undefined).join(between);
