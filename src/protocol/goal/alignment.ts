// The lines of a goal's alignment history. Some events are Liza's own: a row of the table writes them as it does what
// they tell, and others rely on them. Nobody writes such a line in words of their own, and a reader asks who wrote it.

import { roleOfId } from '../board.ts';
import { type Refusal, refuse } from '../decision.ts';
import type { Alignment, Goal } from '../state.ts';

/** The events that rows write; `align` takes none of these names. */
export const ROW_EVENTS = [
  'aborted',
  'breaker_resolved',
  'carried_over',
  'checkpoint',
  'deadline',
  'decided',
  'ended_early',
  'finished',
  'goal_completed',
  'goal_edited',
  'integration_accepted',
  'rescope',
  'resumed',
  'retrospective',
  'sprint_closed',
] as const;

export type RowEvent = (typeof ROW_EVENTS)[number];

/** Only a person's command leads to these. */
const BY_PEOPLE: ReadonlySet<string> = new Set<RowEvent>(['aborted', 'finished', 'integration_accepted']);

/** What the two events about branches tell, beside the words. */
export interface BranchFacts {
  /** Where the integration branch was. */
  readonly head: string;
  /** The person's branch, and where it is since. */
  readonly branch?: string;
  readonly merge_commit?: string;
}

/** Refuses the name of an event of Liza's own, however it is spelled. */
export function checkOwnEvent(event: string): Refusal | undefined {
  const plain = event
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '_');
  const own = ROW_EVENTS.find((one) => one === plain);
  return own === undefined
    ? undefined
    : refuse(
        `${own} is an event that Liza itself records when it happens`,
        `Give another name, such as --event "after ${own.replaceAll('_', ' ')}"`,
      );
}

/** The lines of one kind that a row wrote. Boards of earlier versions do not name the row: there it is who asked. */
export function eventsOf(
  { alignment_history = [] }: Pick<Goal, 'alignment_history'>,
  ...names: readonly RowEvent[]
): readonly Alignment[] {
  return alignment_history.filter((line) => names.some((name) => name === line.event) && isOfRow(line));
}

/** What a line is about; an event of Liza's own that no row wrote is only somebody's words. */
export const kindOf = (line: Alignment): string =>
  ROW_EVENTS.some((name) => name === line.event) && !isOfRow(line) ? 'alignment' : line.event;

function isOfRow({ command, event, by }: Alignment): boolean {
  if (command !== undefined) return command !== 'align';
  return !BY_PEOPLE.has(event) || by === undefined || roleOfId(by) === undefined;
}

/** When the goal was reached or given up. */
export const endEvent = (goal: Pick<Goal, 'alignment_history'>): Alignment | undefined =>
  eventsOf(goal, 'goal_completed', 'aborted').at(-1);

/** Where the integration branch was when a person accepted it, by a line of `integration_accepted`. */
export const acceptedHead = ({ head, summary }: Alignment): string | undefined =>
  head ?? /\b[0-9a-f]{40,64}\b/.exec(summary)?.[0];

/** As the row of `finish` wrote it before it kept the facts, too. */
const FINISHED = /^.+ at ([0-9a-f]{40,64}) is in (.+), which is at ([0-9a-f]{40,64}) now$/;

/** What a line of `finished` tells. */
export function finishFacts({ head, branch, merge_commit, summary }: Alignment): Required<BranchFacts> | undefined {
  if (head !== undefined && branch !== undefined && merge_commit !== undefined) return { head, branch, merge_commit };
  const [, at, into, made] = FINISHED.exec(summary) ?? [];
  return at === undefined || into === undefined || made === undefined
    ? undefined
    : { head: at, branch: into, merge_commit: made };
}
