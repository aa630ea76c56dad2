// The kill switches as commands: pause, checkpoint, abort, and resume, which ends them all.

import { SWITCHES, type Switch } from '../board.ts';
import { aligned, event, evolve, patch, withGoal, withSprint, withTask } from '../change.ts';
import { type Refusal, refuse } from '../decision.ts';
import { blank } from '../definition.ts';
import { findTask } from '../find.ts';
import { isTerminal, type State } from '../state.ts';
import type { Row, Situation } from '../table.ts';
import { iso } from '../time.ts';

export const pause: Row<'pause'> = {
  name: 'pause',
  summary: 'Hold all work, or one task.',
  who: ['human'],
  from: 'board',
  to: [],
  already: ({ board, state, command }) =>
    command.task === undefined ? board.switches.PAUSE !== undefined : findTask(state, command.task)?.paused === true,
  guards: [{ name: 'live-task', rule: 'the task is live', check: liveTask }],
  effects: 'PAUSE on, or the task’s paused flag; leases are renewed meanwhile',
  change: (s) => {
    const task = s.command.task === undefined ? undefined : findTask(s.state, s.command.task);
    if (task === undefined) return { state: s.state, detail: 'paused', switches: { PAUSE: true } };
    return {
      state: withTask(s.state, evolve(task, { paused: true }, event(s, 'paused'))),
      task: task.id,
      detail: `${task.id} paused`,
    };
  },
};

function liveTask({ board, state, command }: Situation<'pause'> | Situation<'resume'>): Refusal | undefined {
  if (command.task === undefined) return undefined;
  const task = findTask(state, command.task);
  const status = task?.status ?? board.archived.get(command.task);
  if (status === undefined) return refuse(`there is no task ${command.task}`, 'See the tasks: liza status');
  if (!isTerminal(status)) return undefined;
  return refuse(`${command.task} is ${status}, which is terminal`, `Nothing is left to do: liza show ${command.task}`);
}

export const resume: Row<'resume'> = {
  name: 'resume',
  summary: 'Let the work go on; records what was decided.',
  who: ['human'],
  from: 'board',
  to: [],
  already: ({ board, state, command }) =>
    command.task === undefined
      ? SWITCHES.every((one) => board.switches[one] === undefined) &&
        state.goal.status !== 'ABORTED' &&
        state.sprint.status !== 'ABORTED' &&
        state.sprint.status !== 'CHECKPOINT'
      : findTask(state, command.task)?.paused === undefined && findTask(state, command.task) !== undefined,
  guards: [{ name: 'live-task', rule: 'the task is live', check: liveTask }],
  effects: 'all switches off; an aborted goal and sprint are open again; the decision is recorded',
  change: (s) => {
    const { board, command } = s;
    const task = command.task === undefined ? undefined : findTask(s.state, command.task);
    if (task !== undefined) {
      const free = evolve(task, { paused: undefined }, event(s, 'resumed', { decision: command.decision }));
      return { state: withTask(s.state, free), task: task.id, detail: `${task.id} resumed` };
    }
    const on = SWITCHES.filter((one) => board.switches[one] !== undefined);
    let state = reopened(s.state, board.archived.size > 0);
    const summary = command.decision ?? `${on.join(', ') || 'the halt'} ended without a recorded decision`;
    if (!blank(command.decision) || on.some((one) => one !== 'PAUSE')) state = aligned(s, state, 'resumed', summary);
    return { state, detail: 'resumed', switches: Object.fromEntries(on.map((one): [Switch, boolean] => [one, false])) };
  },
};

function reopened(before: State, everArchived: boolean): State {
  let state = before;
  if (state.goal.status === 'ABORTED') {
    const begun = everArchived || state.tasks.some((task) => task.status !== 'DRAFT');
    state = withGoal(state, { status: begun ? 'IN_PROGRESS' : 'PLANNING' });
  }
  if (state.sprint.status === 'ABORTED' || state.sprint.status === 'CHECKPOINT') {
    state = withSprint(state, { status: 'IN_PROGRESS', timeline: patch(state.sprint.timeline, { ended: undefined }) });
  }
  return state;
}

export const checkpoint: Row<'checkpoint'> = {
  name: 'checkpoint',
  summary: 'Halt everything for a decision.',
  who: ['human', 'supervisor'],
  from: 'board',
  to: [],
  already: ({ board, state }) => board.switches.CHECKPOINT !== undefined && state.sprint.status === 'CHECKPOINT',
  guards: [],
  effects: 'sprint → CHECKPOINT, CHECKPOINT on',
  change: (s) => {
    const { sprint } = s.state;
    const halted =
      sprint.status === 'IN_PROGRESS'
        ? withSprint(s.state, { status: 'CHECKPOINT', timeline: { ...sprint.timeline, checkpoint_at: iso(s.now) } })
        : s.state;
    const { reason } = s.command;
    return {
      state: blank(reason) ? halted : aligned(s, halted, 'checkpoint', reason ?? ''),
      detail: `checkpoint${blank(reason) ? '' : `: ${reason}`}`,
      switches: { CHECKPOINT: true },
    };
  },
};

export const abort: Row<'abort'> = {
  name: 'abort',
  summary: 'Stop the goal; tasks and worktrees stay, `liza resume` reopens it.',
  who: ['human'],
  from: 'board',
  to: [],
  already: ({ board, state }) => board.switches.ABORT !== undefined && state.goal.status === 'ABORTED',
  guards: [
    {
      name: 'not-completed',
      rule: 'the goal is not COMPLETED',
      check: ({ state }) =>
        state.goal.status === 'COMPLETED'
          ? refuse('the goal is COMPLETED', 'Start the next goal: liza init "<goal>"')
          : undefined,
    },
  ],
  effects: 'goal and sprint ABORTED, ABORT on; tasks stay',
  change: (s) => {
    const { sprint } = s.state;
    const open = sprint.status === 'IN_PROGRESS' || sprint.status === 'CHECKPOINT';
    const stopped = open
      ? withSprint(s.state, { status: 'ABORTED', timeline: { ...sprint.timeline, ended: iso(s.now) } })
      : s.state;
    const state = withGoal(stopped, { status: 'ABORTED' });
    return {
      state: aligned(s, state, 'aborted', blank(s.command.reason) ? 'aborted by hand' : (s.command.reason ?? '')),
      detail: 'goal aborted',
      switches: { ABORT: true },
    };
  },
};
