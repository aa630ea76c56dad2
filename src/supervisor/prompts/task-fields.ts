// The fields of a task as its coder and its reviewer read them.

import { checkpointEvent } from '../../protocol/leases.ts';
import { proofCommands } from '../../protocol/proof.ts';
import { type State, settings, type Task } from '../../protocol/state.ts';
import { isFields } from '../../protocol/values.ts';
import { field, inline, quoteList } from './quote.ts';

export const showTask = (task: Task): string => `liza show ${task.id} --json`;

/** What is to be built, and by what it is judged. */
export function definitionFields(state: State, task: Task): readonly string[] {
  const rest = showTask(task);
  return [
    ...field('DESCRIPTION', task.description, rest),
    ...field('DONE WHEN', task.done_when, rest),
    ...field('SCOPE', task.scope, rest),
    `SPEC: ${inline(task.spec_ref ?? 'none')} (below PROJECT; its current text counts)`,
    ...validationFields(state, task),
  ];
}

function validationFields(state: State, task: Task): readonly string[] {
  const commands = proofCommands(settings(state), task);
  if (commands.length === 0) return ['VALIDATION: none is configured; choose commands that prove DONE WHEN'];
  return ['VALIDATION (all of it must pass):', ...quoteList(commands, showTask(task))];
}

/** What the coder said before it began this iteration; undefined: it has not said it yet. */
export function checkpointFields(task: Task): readonly string[] | undefined {
  const checkpoint = checkpointEvent(task)?.checkpoint;
  if (!isFields(checkpoint)) return undefined;
  const text = (key: string): string => (typeof checkpoint[key] === 'string' ? checkpoint[key] : '');
  const texts = (key: string): readonly string[] =>
    Array.isArray(checkpoint[key]) ? checkpoint[key].filter((item): item is string => typeof item === 'string') : [];
  const told = [
    `intent: ${text('intent')}`,
    ...texts('assumptions').map((assumption) => `assumes: ${assumption}`),
    `risks: ${text('risks')}`,
    `validation: ${text('validation')}`,
    `files: ${texts('files_to_modify').join(', ')}`,
  ];
  return ['PLAN (the coder’s checkpoint):', ...quoteList(told, showTask(task))];
}

export const iterationLine = (state: State, task: Task): string =>
  `ITERATION: ${task.iteration ?? 1} of ${task.max_iterations ?? settings(state).max_coder_iterations}`;
