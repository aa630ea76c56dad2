// The rows of the kill switches: pause, checkpoint, abort, and resume, which ends them all.

import { REPORT } from '../../../governance/rules/breaker.ts';
import { gist } from '../../../text/format.ts';
import { instant, iso } from '../../../text/time.ts';
import { type Board, SWITCHES, type Switch } from '../../board.ts';
import { aligned, event, evolve, patch, withGoal, withSprint, withTask } from '../../change.ts';
import type { CommandName, CommandOf } from '../../command.ts';
import type { Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { findTask } from '../../find.ts';
import { endedOfGoal } from '../../goal/goal-tasks.ts';
import { withNote } from '../../messages/notes.ts';
import { TEXT_LIMIT } from '../../records/fields.ts';
import { isTerminal, type State } from '../../state.ts';
import { noTask } from '../../unknown-id.ts';
import { blank } from '../../values.ts';

export const pause: Row<'pause'> = {
  name: 'pause',
  syntax: 'pause {task}',
  summary: 'Pause all work, or one task.',
  who: ['human'],
  from: 'board',
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
  if (status === undefined) return noTask(board, command.task);
  if (!isTerminal(status)) return undefined;
  return refuse(`${command.task} is ${status}, which is terminal`, `There is nothing to do: liza show ${command.task}`);
}

/** What a person may decide at a CHECKPOINT (docs/governance.md). */
const DECISIONS = ['continue', 'adjust-specs', 'replan', 'stop'] as const;

export const resume: Row<'resume'> = {
  name: 'resume',
  syntax: 'resume {task}',
  summary: 'Let the work continue; records what was decided.',
  who: ['human'],
  from: 'board',
  already: (s) => {
    const { board, state, command } = s;
    if (command.task !== undefined) {
      const task = findTask(state, command.task);
      return task !== undefined && task.paused === undefined;
    }
    if (isUnresolved(s)) return false;
    if (command.decision === 'stop') return board.switches.ABORT !== undefined && state.goal.status === 'ABORTED';
    const last = state.goal.alignment_history?.at(-1);
    const told = last?.event === 'resumed' && last.summary === decided(command);
    return !isHalted(board, state) && (told || (command.decision === undefined && blank(command.note)));
  },
  guards: [
    { name: 'live-task', rule: 'the task is live', check: liveTask },
    {
      name: 'decision',
      rule: `a decision is one of ${DECISIONS.join(', ')}, and applies to the whole board`,
      check: ({ command: { decision, task } }) => {
        if (decision === undefined) return undefined;
        if (!(DECISIONS as readonly string[]).includes(decision)) {
          return refuse(
            `"${gist(decision, 80)}" is not a decision`,
            `Choose one of ${DECISIONS.join(', ')}, and add details with --note "…"`,
          );
        }
        return task === undefined
          ? undefined
          : refuse('a decision applies to the whole board, not to one task', `Leave it out: liza resume ${task}`);
      },
    },
    {
      name: 'note',
      rule: 'adjust-specs and replan need a note that says what',
      check: ({ command: { decision, note } }) =>
        (decision === 'adjust-specs' || decision === 'replan') && blank(note)
          ? refuse(
              `${decision} needs a note that says what to change; without it the planner cannot act`,
              `Tell it: liza resume --decision ${decision} --note "…"`,
            )
          : undefined,
    },
    {
      name: 'breaker-resolved',
      rule: 'a tripped circuit breaker is resolved first, whatever the switches are, unless the decision is stop',
      check: (s) =>
        isUnresolved(s)
          ? refuse(
              'the circuit breaker is TRIGGERED, and what it found is not resolved',
              `Read ${REPORT}, then: ${s.commandLine('resolve')}`,
            )
          : undefined,
    },
  ],
  effects:
    'all switches off; an aborted goal and sprint are open again; the decision is recorded; adjust-specs and replan leave their note to the planner; stop aborts',
  change: (s) => {
    const { board, command } = s;
    const task = command.task === undefined ? undefined : findTask(s.state, command.task);
    if (task !== undefined) {
      const free = evolve(task, { paused: undefined }, event(s, 'resumed', { note: command.note }));
      return { state: withTask(s.state, free), task: task.id, detail: `${task.id} resumed` };
    }
    const on = SWITCHES.filter((one) => board.switches[one] !== undefined);
    const off = Object.fromEntries(on.map((one): [Switch, boolean] => [one, false]));
    if (command.decision === 'stop') {
      return {
        state: aborted(s, aligned(s, s.state, 'decided', decided(command)), command.note),
        detail: 'stopped: goal aborted',
        switches: { ...off, ABORT: true },
      };
    }
    let state = reopened(s.state, endedOfGoal(board).length > 0);
    const said = command.decision !== undefined || !blank(command.note);
    const summary = said ? decided(command) : `${on.join(', ') || 'the halt'} ended without a recorded decision`;
    if (said || on.some((one) => one !== 'PAUSE')) state = aligned(s, state, 'resumed', summary);
    const done = isHalted(board, s.state) ? 'resumed' : 'nothing was halted; recorded';
    return { state: noted(s, state), detail: `${done}${said ? `: ${gist(summary)}` : ''}`, switches: off };
  },
};

/** The circuit breaker waits for `liza analyze --resolve`, even if its CHECKPOINT was removed by hand. */
const isUnresolved = ({ state, command }: Situation<'resume'>): boolean =>
  command.task === undefined && command.decision !== 'stop' && state.circuit_breaker.status === 'TRIGGERED';

const isHalted = (board: Board, { goal, sprint }: State): boolean =>
  SWITCHES.some((one) => board.switches[one] !== undefined) ||
  goal.status === 'ABORTED' ||
  sprint.status === 'ABORTED' ||
  sprint.status === 'CHECKPOINT';

const decided = ({ decision = 'continue', note }: CommandOf<'resume'>): string =>
  blank(note) ? decision : `${decision}: ${note}`;

/** A decision that the planner has to act upon becomes a note, which wakes it. */
function noted({ command, now }: Situation<'resume'>, state: State): State {
  if (command.decision !== 'adjust-specs' && command.decision !== 'replan') return state;
  const message = `Decided at the CHECKPOINT, ${decided(command)}`.slice(0, TEXT_LIMIT);
  return withNote(state, { message, reader: 'planner' }, now).state;
}

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
  syntax: 'checkpoint',
  summary: 'Halt everything for a decision.',
  who: ['human', 'supervisor'],
  from: 'board',
  already: ({ board, state }) => board.switches.CHECKPOINT !== undefined && isMarked(state, board.switches.CHECKPOINT),
  guards: [
    {
      name: 'file-there',
      rule: 'a CHECKPOINT file that somebody made is still there',
      raced: true,
      check: ({ board, command }) =>
        command.touched === true && board.switches.CHECKPOINT === undefined
          ? refuse('the CHECKPOINT file is gone again', 'There is nothing to do; to halt: liza checkpoint')
          : undefined,
    },
  ],
  effects: 'sprint → CHECKPOINT, checkpoint_at, CHECKPOINT on; the reason in alignment_history',
  change: (s) => {
    const { reason } = s.command;
    return {
      state: halted(s, s.state, blank(reason) ? 'asked for by hand' : (reason ?? '')),
      detail: `CHECKPOINT is on${blank(reason) ? '' : `: ${gist(reason ?? '')}`}`,
      switches: { CHECKPOINT: true },
    };
  },
};

/** Whether this CHECKPOINT is already recorded. A sprint that is over keeps its status and gets only the time. */
function isMarked({ sprint }: State, since: number): boolean {
  if (sprint.status === 'CHECKPOINT') return true;
  const at = sprint.timeline.checkpoint_at;
  return sprint.status !== 'IN_PROGRESS' && at !== undefined && instant(at) + 1000 > since;
}

/** The sprint at a CHECKPOINT, with the reason in the alignment history. */
export function halted<K extends CommandName>(s: Situation<K>, state: State, reason: string): State {
  const { sprint } = state;
  const marked = withSprint(state, {
    timeline: { ...sprint.timeline, checkpoint_at: iso(s.now) },
    ...(sprint.status === 'IN_PROGRESS' ? { status: 'CHECKPOINT' } : {}),
  });
  return aligned(s, marked, 'checkpoint', reason);
}

export const checkpointOver: Row<'checkpoint-over'> = {
  name: 'checkpoint-over',
  syntax: 'watch',
  summary: 'Record that somebody removed the CHECKPOINT file.',
  who: ['supervisor', 'human'],
  from: 'board',
  already: ({ state }) => state.sprint.status !== 'CHECKPOINT',
  guards: [
    {
      name: 'file-gone',
      rule: 'the CHECKPOINT file is gone',
      raced: true,
      check: ({ board }) =>
        board.switches.CHECKPOINT === undefined
          ? undefined
          : refuse('CHECKPOINT is on', 'A person lets the work continue: liza resume'),
    },
  ],
  effects: 'sprint → IN_PROGRESS, so that it can end; alignment_history says that no decision was recorded',
  change: (s) => ({
    state: aligned(
      s,
      withSprint(s.state, { status: 'IN_PROGRESS' }),
      'resumed',
      'CHECKPOINT was removed by hand, without a recorded decision',
    ),
    detail: `CHECKPOINT has ended: its file was removed${
      s.state.circuit_breaker.status === 'TRIGGERED'
        ? `; the circuit breaker is still TRIGGERED: ${s.commandLine('resolve')}`
        : ''
    }`,
  }),
};

export const abort: Row<'abort'> = {
  name: 'abort',
  syntax: 'abort',
  summary: 'Stop the goal; tasks and worktrees stay, `liza resume` reopens it.',
  who: ['human'],
  from: 'board',
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
  change: (s) => ({
    state: aborted(s, s.state, s.command.reason),
    detail: 'goal aborted',
    switches: { ABORT: true },
  }),
};

function aborted<K extends CommandName>(s: Situation<K>, state: State, reason: string | undefined): State {
  const { sprint } = state;
  const open = sprint.status === 'IN_PROGRESS' || sprint.status === 'CHECKPOINT';
  const stopped = open
    ? withSprint(state, { status: 'ABORTED', timeline: { ...sprint.timeline, ended: iso(s.now) } })
    : state;
  const over = withGoal(stopped, { status: 'ABORTED' });
  return aligned(s, over, 'aborted', blank(reason) ? 'aborted by hand' : (reason ?? ''));
}
