// What a reviewer last said of the coder's work opens its next prompt: the rejection of this task, or an approval with
// its concerns, also of the task before.

import { historyOf, lastCoder } from '../../protocol/leases.ts';
import { questionsFor, questionsOf } from '../../protocol/messages/questions.ts';
import { remarksIn } from '../../protocol/review/approval.ts';
import { fateOf } from '../../protocol/review/reported.ts';
import type { HistoryEvent, State, Task } from '../../protocol/state.ts';
import { gist } from '../../text/format.ts';
import type { PromptContext } from './prompt.ts';
import { inline, quote, quoteList } from './quote.ts';
import { priorRejection, rejectionOf, type Section, section } from './sections.ts';
import { showTask } from './task-fields.ts';

export function lastVerdict(context: PromptContext, task: Task): readonly Section[] {
  if (rejectionOf(task) !== undefined) return [priorRejection(task)];
  const own = quotedVerdict(context, task);
  return own === undefined ? [] : [section('LAST VERDICT', approvalLines(own))];
}

/** The approval that is quoted whole. */
export function quotedVerdict(context: PromptContext, task: Task): Approved | undefined {
  if (rejectionOf(task) !== undefined) return undefined;
  const ofThis = approvalOf(task);
  return ofThis !== undefined && said(ofThis.event) !== undefined ? ofThis : approvalBefore(context, task);
}

interface Approved {
  readonly task: Task;
  readonly event: HistoryEvent;
}

/** The approval of this very task: it did not merge, or it needs another reviewer's too. */
function approvalOf(task: Task): Approved | undefined {
  const event = historyOf(task).findLast(({ event: name }) => name === 'approved' || name === 'rejected');
  return event?.event === 'approved' ? { task, event } : undefined;
}

/** The approval of what this coder made last, unless it was told of it before. */
function approvalBefore({ board, agent }: PromptContext, task: Task): Approved | undefined {
  const { tasks } = board.state;
  const toldAt = lastPrompt(board.state, agent);
  return tasks
    .filter((other) => other.id !== task.id && lastCoder(other) === agent)
    .flatMap((other): Approved[] => {
      const found = approvalOf(other);
      return found !== undefined && found.event.time >= toldAt ? [found] : [];
    })
    .sort((a, b) => (a.event.time < b.event.time ? -1 : 1))
    .at(-1);
}

/** When the agent's last session began, and it read its prompt. */
function lastPrompt({ tasks }: State, agent: string): string {
  return tasks
    .flatMap(({ sessions = [] }) => sessions)
    .reduce((last, one) => (one.agent === agent && one.since > last ? one.since : last), '');
}

/** What this agent asked about other work, and was answered since its last prompt. */
export function ownAnswers({ board: { state }, agent }: PromptContext, task: Task): readonly string[] {
  const toldAt = lastPrompt(state, agent);
  const here = new Set(questionsFor(state, task).map(({ id }) => id));
  return questionsOf(state)
    .filter((one) => one.asked_by === agent && one.status === 'answered' && !here.has(one.id))
    .filter(({ closed_at: at = '' }) => at >= toldAt)
    .slice(-3)
    .flatMap(({ id, task: about, text, answer = '' }) => [
      `YOUR QUESTION ${id}${about === undefined ? '' : ` on ${about}`} IS ANSWERED:`,
      ...quote(`Q ${text}\nA ${answer}`, `liza show ${id}`),
    ]);
}

const MOST_DISCOVERIES = 5;

/** What became of what this agent found, once: since its last prompt. */
export function ownDiscoveries(
  { board: { state }, agent }: PromptContext,
  task: Task,
  fresh: boolean,
): readonly string[] {
  const toldAt = lastPrompt(state, agent);
  const told = state.discovered
    .filter(({ by, decided_at: at }) => by === agent && at !== undefined && at >= toldAt)
    // A fresh session reads those of this task with it.
    .filter(({ during, converted_to_task: to }) => !(fresh && during === task.id) && to !== task.id)
    .slice(-MOST_DISCOVERIES)
    .map((one) => `${one.id}, ${gist(fateOf(one), 300)} (${gist(one.description, 120)})`);
  return told.length === 0 ? [] : ['WHAT BECAME OF YOUR DISCOVERIES:', ...quoteList(told, 'liza discovery list --all')];
}

/** Its words and concerns; what shows the criteria is no news to who met them. */
function said({ reason }: HistoryEvent): string | undefined {
  const words = typeof reason === 'string' ? remarksIn(reason) : '';
  return words === '' ? undefined : words;
}

function becameOf({ status }: Task): string {
  if (status === 'MERGED') return ', and is merged';
  if (status === 'APPROVED') return ', and is not merged yet';
  return status === 'INTEGRATION_FAILED' ? ', but could not be merged' : `, is not merged, and is ${status} now`;
}

function approvalLines({ task, event }: Approved): readonly string[] {
  const words = said(event);
  const head = `${task.id} was APPROVED by ${inline(event.agent ?? 'a reviewer')} at ${String(event.commit).slice(0, 12)}${becameOf(task)}.`;
  if (words === undefined) return [`${head} It had nothing to add.`];
  return [`${head} What it said, concerns included; you need not act on it now:`, ...quote(words, showTask(task))];
}
