// What an amendment of a task changed, and which of them came while its coder worked. History keeps the former values
// alone; what followed is the next former value, or the task's own. Light: `liza show` loads it.

import { checkpointEvent, historyOf } from '../leases.ts';
import type { HistoryEvent, Task } from '../state.ts';
import { isFields } from '../values.ts';
import { criteriaOf } from './criteria.ts';

/**
 * An amendment under a claim names the questions whose answers gave rise to it; none: its validation could not be run, or
 * the heading of its spec was gone.
 */
export type UnderClaim = HistoryEvent & { readonly because: readonly string[]; readonly fields?: readonly string[] };

export const isUnderClaim = (entry: HistoryEvent): entry is UnderClaim =>
  entry.event === 'amended' && Array.isArray(entry.because);

export const amendmentsUnderClaim = (task: Task): readonly UnderClaim[] => historyOf(task).filter(isUnderClaim);

export function occasionOf({ because, fields = [] }: Pick<UnderClaim, 'because' | 'fields'>): string {
  if (because.length > 0) return `after the answer to ${because.join(', ')}`;
  return fields.includes('validation')
    ? 'because its validation could not be run'
    : 'because the heading of its spec is gone';
}

/** Whether the file has lost the heading that the task names, and nobody has named another since. */
export function isHeadingGone(task: Task): boolean {
  const last = historyOf(task).findLast(
    ({ event, was }) => event === 'spec_changed' || (isFields(was) && 'spec_ref' in was),
  );
  return last?.event === 'spec_changed' && last.heading_gone === true;
}

/** Those that the plan of this iteration cannot know. */
export function amendmentsSincePlan(task: Task): readonly UnderClaim[] {
  const plan = checkpointEvent(task);
  if (plan === undefined) return [];
  const history = historyOf(task);
  return history.slice(history.indexOf(plan) + 1).filter(isUnderClaim);
}

/** One line for each item that went (`-`) or came (`+`), by field. */
export function amendmentLines(task: Task, entry: HistoryEvent): readonly string[] {
  const { was } = entry;
  if (!isFields(was)) return [];
  const later = historyOf(task).slice(historyOf(task).indexOf(entry) + 1);
  return Object.keys(was).flatMap((field) => {
    const next = later.find((one) => isFields(one.was) && field in one.was)?.was;
    const before = itemsOf(field, was[field]);
    const after = itemsOf(field, isFields(next) ? next[field] : task[field as keyof Task]);
    return [
      ...before.filter((one) => !after.includes(one)).map((one) => `${field} - ${one}`),
      ...after.filter((one) => !before.includes(one)).map((one) => `${field} + ${one}`),
    ];
  });
}

/** Criteria and commands that a change replaces by fewer: whoever meant to add one sees what went. */
export function droppedNotes(task: Task, changes: Readonly<Partial<Record<keyof Task, unknown>>>): readonly string[] {
  return (['done_when', 'validation'] as const).flatMap((field) => {
    if (changes[field] === undefined) return [];
    const [before, after] = [itemsOf(field, task[field]), itemsOf(field, changes[field])];
    const gone = before.filter((one) => !after.includes(one));
    if (after.length >= before.length || gone.length === 0) return [];
    const mend =
      field === 'done_when' ? '--add-done keeps them, --replace-done changes one' : 'give them again with it';
    return [`${field} has no longer: ${gone.map((one) => `"${one}"`).join(', ')} (${mend})`];
  });
}

function itemsOf(field: string, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map(String);
  return field === 'done_when' ? criteriaOf(String(value)) : [String(value)];
}
