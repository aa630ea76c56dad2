// The rows about sprints: opening the next one, its deadline, and what people learned from it.

import { metrics } from '../../../governance/rules/metrics.ts';
import { counted } from '../../../text/format.ts';
import { iso } from '../../../text/time.ts';
import { aligned, patch, withGoal, withSprint } from '../../change.ts';
import type { Row, Situation } from '../../command-row.ts';
import { refuse } from '../../decision.ts';

import { numbered } from '../../records/new-board.ts';
import { isTerminal, type State } from '../../state.ts';
import { blank, defined, isFields } from '../../values.ts';
import { goalOpen } from './planning.ts';

export const sprintStart: Row<'sprint start'> = {
  name: 'sprint start',
  syntax: 'sprint start',
  summary: 'Open the next sprint; unfinished tasks move to it.',
  who: ['human'],
  from: 'board',
  guards: [
    goalOpen(),
    {
      name: 'sprint-over',
      rule: 'the current sprint is COMPLETED',
      check: ({ state, commandLine }) => {
        const { id, status, scope } = state.sprint;
        if (status === 'COMPLETED') return undefined;
        if (status !== 'IN_PROGRESS') return refuse(`${id} is ${status}`, 'Reopen it first: liza resume');
        const next = scope.closed_at === undefined ? commandLine('plan done') : 'liza status';
        return refuse(
          `${id} is still IN_PROGRESS`,
          `It ends when its plan is closed and all planned tasks are terminal: ${next}`,
        );
      },
    },
    { name: 'deadline', rule: 'a deadline is in the future', check: inFuture },
  ],
  effects: 'a new sprint with all live tasks but drafts planned; the former one, with its metrics, in goal.sprints',
  change: (s) => {
    const { state, now, command } = s;
    const id = numbered(state.sprint.id, 'sprint');
    const planned = state.tasks
      .filter((task) => !isTerminal(task.status) && task.status !== 'DRAFT')
      .map((task) => task.id);
    const kept = aligned(
      s,
      state,
      'sprint_closed',
      `${state.sprint.id} ${state.sprint.status}; ${id} opened with ${counted(planned.length, 'task')}`,
    );
    const former = patch(state.sprint, { metrics: metrics(state, command.facts?.archived) });
    return {
      state: {
        ...withGoal(kept, { sprints: [...(state.goal.sprints ?? []), former] }),
        sprint: {
          id,
          goal_ref: state.goal.id,
          scope: { planned },
          timeline: { started: iso(now), ...defined({ deadline: command.deadline }) },
          status: 'IN_PROGRESS',
        },
      },
      detail: `${id} started with ${counted(planned.length, 'task')}`,
    };
  },
};

function inFuture({ command, now }: Situation<'sprint start'> | Situation<'sprint deadline'>) {
  return command.deadline !== undefined && !(Date.parse(command.deadline) > now)
    ? refuse(`the deadline ${command.deadline} is not a time in the future`, 'Use a time like 2027-01-31T12:00:00Z')
    : undefined;
}

export const sprintDeadline: Row<'sprint deadline'> = {
  name: 'sprint deadline',
  syntax: 'sprint deadline <when>',
  summary: 'Set, move or remove the deadline of the current sprint.',
  who: ['human'],
  from: 'board',
  already: ({ state, command }) => state.sprint.timeline.deadline === command.deadline,
  guards: [
    { name: 'deadline', rule: 'a deadline is in the future', check: inFuture },
    {
      name: 'sprint-open',
      rule: 'the sprint has not ended',
      check: ({ state: { sprint }, commandLine }) =>
        sprint.status === 'COMPLETED' || sprint.status === 'ABORTED'
          ? refuse(
              `${sprint.id} is ${sprint.status}`,
              `Give it to the next one: ${commandLine('sprint start')} --deadline …`,
            )
          : undefined,
    },
  ],
  effects: 'timeline.deadline; when it passes, the sprint halts at a CHECKPOINT, once',
  change: (s) => {
    const { sprint } = s.state;
    const { deadline } = s.command;
    const said = deadline === undefined ? 'no deadline' : `deadline ${deadline}`;
    const moved = withSprint(s.state, { timeline: patch(sprint.timeline, { deadline }) });
    return { state: aligned(s, moved, 'deadline', `${sprint.id}: ${said}`), detail: `${sprint.id} has ${said}` };
  },
};

export const retrospective: Row<'retrospective'> = {
  name: 'retrospective',
  syntax: 'retrospective --learned "…"',
  summary: 'Record what people learned from the sprint.',
  who: ['human'],
  from: 'board',
  already: ({ state, command }) => {
    const kept = retrospectiveOf(state);
    const told = command.learned === undefined || kept.learned.includes(command.learned);
    return told && (command.file === undefined || kept.file === command.file);
  },
  guards: [
    {
      name: 'learned',
      rule: 'what was learned is not empty',
      check: ({ command, commandLine }) =>
        command.learned !== undefined && blank(command.learned)
          ? refuse('what was learned is empty', `Say it in a few sentences: ${commandLine('retrospective')}`)
          : undefined,
    },
  ],
  effects: 'sprint.retrospective: the drafted file, and what was learned; the latter in alignment_history, too',
  change: (s) => {
    const { state, command } = s;
    const { sprint } = state;
    const kept = retrospectiveOf(state);
    const learned = command.learned === undefined ? kept.learned : [...kept.learned, command.learned];
    const file = command.file ?? kept.file;
    const next = {
      ...(isFields(sprint.retrospective) ? sprint.retrospective : {}),
      ...defined({ file }),
      ...(learned.length === 0 ? {} : { learned }),
    };
    const written = withSprint(state, { retrospective: next });
    return {
      state:
        command.learned === undefined
          ? written
          : aligned(s, written, 'retrospective', `${sprint.id}: ${command.learned}`.slice(0, 2000)),
      detail: `retrospective of ${sprint.id} ${command.learned === undefined ? 'drafted' : 'recorded'}`,
    };
  },
};

/** The sprint's retrospective as far as it has the expected form: people edit it by hand. */
export function retrospectiveOf({ sprint }: State): { readonly file?: string; readonly learned: readonly string[] } {
  const kept = isFields(sprint.retrospective) ? sprint.retrospective : {};
  const { file, learned } = kept;
  const texts = Array.isArray(learned) ? learned.filter((one) => typeof one === 'string') : [];
  return {
    ...(typeof file === 'string' ? { file } : {}),
    learned: typeof learned === 'string' ? [learned] : texts,
  };
}
