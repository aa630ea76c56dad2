// `liza handoff [task]`: what the next session on this work must know. A planner names no task: its notes are about the
// plan. Files, commits and the last red validation are added here, from git and the board.

import type { HandoffNotes } from '../../protocol/command.ts';
import { refuse } from '../../protocol/decision.ts';
import { defined } from '../../protocol/values.ts';
import { some } from '../args.ts';
import { onTasks, runCommand } from '../open-project.ts';
import type { Args, Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'task', kind: 'task', optional: true, description: 'Your task; by default the one you are on.' },
  ],
  options: {
    summary: { value: 'text', required: true, description: 'The state of the work, in one phrase.' },
    next: { value: 'text', required: true, description: 'What to do first, in one phrase.' },
    approach: { value: 'text', description: 'How it is being built.' },
    blockers: { value: 'text', description: 'What blocks you.' },
    finding: { value: 'text', repeat: true, description: 'What your review has found so far: file:line — what.' },
    file: { value: 'path', repeat: true, description: 'A file you changed; default: those that git reports.' },
    step: { value: 'text', repeat: true, description: 'A remaining step.' },
    context: { value: 'percent', description: 'How full your context was, such as 92%.' },
  },
  examples: [
    'liza handoff retry-login --summary "retry works, backoff missing" --next "add exponential backoff for 429"',
    'liza handoff --summary "login is planned, billing is not" --next "cut billing into tasks"',
  ],
  details: ['Liza adds commits, changed files, the last red validation and how full your context is.'],
  run: onTasks(async (context, args) => {
    const { actor, store } = context;
    const notes = notesIn(args);
    const named = args.text('task');
    if (actor.parts.includes('planner')) {
      return named === undefined
        ? runCommand(context, { name: 'handoff-plan', ...notes })
        : refuse('a planner holds no task', 'leave the task out: a planner’s handoff is about the plan', 1, 'usage');
    }
    const task = named ?? (await store.read()).board.state.agents[actor.id ?? '']?.current_task;
    if (task === undefined) {
      return refuse(`${actor.id ?? 'a person'} has no task`, 'name it: liza handoff <task> …', 1, 'no-task');
    }
    const facts = await (await import('../../tasks/handoff-facts.ts')).handoffFacts(context, task);
    return runCommand(context, { name: 'handoff', task, ...notes, ...defined({ facts }) });
  }),
};

const notesIn = (args: Args): HandoffNotes => ({
  summary: args.must('summary'),
  next_action: args.must('next'),
  ...defined({
    approach: args.text('approach'),
    blockers: args.text('blockers'),
    context_used: args.text('context'),
    findings: some(args.all('finding')),
    files_modified: some(args.all('file')),
    next_steps: some(args.all('step')),
  }),
});
