// What a reviewer last said of the coder's work opens its next prompt: the rejection of this task, or an approval with
// its concerns, also of the task before.

import { remarksIn } from '../../protocol/approval.ts';
import { historyOf, lastCoder } from '../../protocol/leases.ts';
import type { HistoryEvent, Task } from '../../protocol/state.ts';
import type { PromptContext } from './prompt.ts';
import { inline, quote } from './quote.ts';
import { priorRejection, rejectionOf, type Section, section } from './sections.ts';
import { showTask } from './task-fields.ts';

export function lastVerdict(context: PromptContext, task: Task): readonly Section[] {
  if (rejectionOf(task) !== undefined) return [priorRejection(task)];
  const own = approvalOf(task) ?? approvalBefore(context, task);
  return own === undefined ? [] : [section('LAST VERDICT', approvalLines(own))];
}

interface Approved {
  readonly task: Task;
  readonly event: HistoryEvent;
}

/** The approval of this very task: it did not merge, or it needs another reviewer's too. */
function approvalOf(task: Task): Approved | undefined {
  const event = historyOf(task).findLast(({ event: name }) => name === 'approved' || name === 'rejected');
  return event?.event === 'approved' && said(event) !== undefined ? { task, event } : undefined;
}

/** The approval of what this coder made last, unless it was told of it before. */
function approvalBefore({ board, agent }: PromptContext, task: Task): Approved | undefined {
  const { tasks } = board.state;
  const toldAt = tasks
    .flatMap(({ sessions = [] }) => sessions)
    .reduce((last, one) => (one.agent === agent && one.since > last ? one.since : last), '');
  return tasks
    .filter((other) => other.id !== task.id && lastCoder(other) === agent)
    .flatMap((other): Approved[] => {
      const found = approvalOf(other);
      return found !== undefined && found.event.time >= toldAt ? [found] : [];
    })
    .sort((a, b) => (a.event.time < b.event.time ? -1 : 1))
    .at(-1);
}

/** Its words and concerns; what shows the criteria is no news to who met them. */
function said({ reason }: HistoryEvent): string | undefined {
  const words = typeof reason === 'string' ? remarksIn(reason) : '';
  return words === '' ? undefined : words;
}

function approvalLines({ task, event }: Approved): readonly string[] {
  return [
    `${task.id} was APPROVED by ${inline(event.agent ?? 'a reviewer')} at ${String(event.commit).slice(0, 12)}. What it said, concerns included; nothing of it is asked of you now:`,
    ...quote(said(event) ?? '', showTask(task)),
  ];
}
