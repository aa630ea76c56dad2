// The rows of a handoff: the notes that one session leaves to the next before its context runs out. A coder's are about
// its work, a reviewer's keep its findings, a planner's are about the plan. What Liza knows itself, it adds.

import { iso } from '../../../text/time.ts';
import { event, evolve, patch, withAgent, withGoal, withTask } from '../../change.ts';
import type { HandoffNotes } from '../../command.ts';
import type { Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';

import { hideIn } from '../../input.ts';
import { iterationEvents } from '../../leases.ts';
import { retractedHint } from '../../review/retracted.ts';
import type { Handoff, State, Task } from '../../state.ts';
import { blank, defined } from '../../values.ts';
import { holdsReview } from '../review/review.ts';
import { firstLine } from '../words.ts';
import { holdsTask } from './coder.ts';

export const handoff: Row<'handoff'> = {
  name: 'handoff',
  syntax: 'handoff {task} --summary "…" --next "…"',
  summary: 'Leave notes for the next session before the context runs out.',
  who: ['coder', 'code_reviewer'],
  from: ['CLAIMED', 'READY_FOR_REVIEW'],
  fromOf: { coder: ['CLAIMED'], code_reviewer: ['READY_FOR_REVIEW'] },
  whileHalted: true,
  offered: (task) => task.handoff_pending !== true,
  instead: (task, _commandLine, _part, actor) => retractedHint(task, actor.id),
  already: ({ state, task, actor, command }) =>
    task.handoff_pending === true && isSame(state.handoff[task.id], actor.id, command),
  guards: [
    {
      name: 'holds-task',
      rule: 'a coder holds the task and its lease is live',
      check: (s) => (s.part === 'coder' ? holdsTask<'handoff'>().check(s) : undefined),
    },
    {
      name: 'holds-review',
      rule: 'a reviewer holds the review and its lease is live',
      raced: true,
      check: (s) => (s.part === 'code_reviewer' ? holdsReview<'handoff'>().check(s) : undefined),
    },
    {
      name: 'notes',
      rule: 'summary and next_action are given',
      check: ({ task, command, commandLine }) => complete(command, commandLine('handoff', task.id)),
    },
  ],
  effects:
    'handoff notes with commits, files, the last red validation and the measured context; handoff_pending, agent HANDOFF; a checkpoint, a review and its findings stay',
  change: (s) => {
    const { task, command, actor } = s;
    const { name: _name, task: _task, facts: found, ...notes } = command;
    // Names of files and subjects of commits are the agent's words.
    const facts = hideIn(found, s.secrets) as typeof found;
    const told = event(s, 'handoff', { summary: command.summary, next_action: command.next_action });
    const files = notes.files_modified ?? (facts === undefined || facts.files.length === 0 ? undefined : facts.files);
    const left = leftBy(s, {
      ...notes,
      ...defined({ files_modified: files, last_red: s.part === 'coder' ? lastRed(task) : undefined }),
      ...(facts === undefined || facts.commits.length === 0 ? {} : { commits: facts.commits }),
      ...(facts === undefined || facts.uncommitted.length === 0 ? {} : { uncommitted: facts.uncommitted }),
    });
    const state = leaving(withTask(s.state, evolve(task, { handoff_pending: true }, told)), actor.id);
    return {
      state: { ...state, handoff: { ...state.handoff, [task.id]: left } },
      detail: `${actor.id} handed off ${task.id}: ${firstLine(command.next_action)}`,
      stop: 'Stop now: liza exit 42 --reason handoff',
    };
  },
};

export const handoffPlan: Row<'handoff-plan'> = {
  name: 'handoff-plan',
  typed: 'handoff',
  syntax: 'handoff --summary "…" --next "…"',
  summary: 'Leave notes on the plan for the next planner before the context runs out.',
  who: ['planner'],
  from: 'board',
  whileHalted: true,
  already: ({ state, actor, command }) => isSame(state.goal.handoff, actor.id, command),
  guards: [
    {
      name: 'notes',
      rule: 'summary and next_action are given',
      check: ({ command, commandLine }) => complete(command, commandLine('handoff-plan')),
    },
  ],
  effects: 'goal.handoff, until a later session of a planner has ended well',
  change: (s) => {
    const { name: _name, ...notes } = s.command;
    return {
      state: withGoal(s.state, { handoff: leftBy(s, notes) }),
      detail: `${s.actor.id} handed off the plan: ${firstLine(notes.next_action)}`,
      stop: 'Stop now: liza exit 42 --reason handoff',
    };
  },
};

const isSame = (left: Handoff | undefined, agent: string | undefined, notes: HandoffNotes): boolean =>
  left !== undefined &&
  left.agent === agent &&
  left.summary === notes.summary &&
  left.next_action === notes.next_action;

const complete = ({ summary, next_action }: HandoffNotes, line: string): Refusal | undefined =>
  blank(summary) || blank(next_action) ? refuse('a handoff needs a summary and the next action', line) : undefined;

type AnyHandoff = Pick<Situation<'handoff' | 'handoff-plan'>, 'state' | 'actor' | 'now'>;

function leftBy({ state, actor, now }: AnyHandoff, notes: Omit<Handoff, 'agent' | 'timestamp'>): Handoff {
  const id = actor.id ?? '';
  const measured = state.agents[id]?.context_percent;
  return patch<Handoff>(
    { agent: id, timestamp: iso(now), ...notes },
    { ...notes, ...defined({ context_percent: measured }) },
  );
}

function leaving(state: State, id: string | undefined): State {
  const agent = state.agents[id ?? ''];
  return agent === undefined ? state : withAgent(state, id ?? '', patch(agent, { status: 'HANDOFF' }));
}

const RED = 4000;

/** Why the last submission of this iteration was refused, with the end of what was printed. */
export function lastRed(task: Task): string | undefined {
  const red = iterationEvents(task).findLast(
    ({ event: name, remembered }) => name === 'validation_failed' && remembered !== true,
  );
  if (typeof red?.reason !== 'string') return undefined;
  const output = typeof red.output === 'string' ? `\n${red.output}` : '';
  return `${String(red.commit).slice(0, 12)}: ${red.reason}${output}`.slice(0, RED);
}
