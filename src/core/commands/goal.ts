// Rows about the plan as a whole: closing the sprint's scope, alignment, discoveries,
// completing the goal, opening the next sprint.

import { aligned, patch, withGoal, withSprint } from '../change.ts';
import { refuse } from '../decision.ts';
import { blank } from '../definition.ts';
import { statusOf } from '../find.ts';
import { numbered } from '../fresh.ts';
import { isObject } from '../records.ts';
import { type Discovery, isTerminal, type State } from '../state.ts';
import type { Row, Situation } from '../table.ts';
import { iso } from '../time.ts';
import { usage } from '../usage.ts';
import { goalOpen, PLANNERS } from './planning.ts';

export const planDone: Row<'plan done'> = {
  name: 'plan done',
  summary: 'Close the scope of the sprint: what is planned now is what it must finish.',
  who: PLANNERS,
  from: 'board',
  to: [],
  already: ({ state }) => state.sprint.scope.closed_at !== undefined,
  guards: [
    {
      name: 'something-planned',
      rule: 'at least one task was finalized in this sprint',
      check: ({ state }) =>
        state.sprint.scope.planned.length === 0
          ? refuse('no task is planned yet', `Finalize one first: ${usage('finalize')}`)
          : undefined,
    },
  ],
  effects: 'scope.closed_at; the sprint is COMPLETED once all planned tasks are terminal',
  change: ({ state, now }) => {
    const drafts = state.tasks.filter((task) => task.status === 'DRAFT').map((task) => task.id);
    return {
      state: withSprint(state, { scope: { ...state.sprint.scope, closed_at: iso(now) } }),
      detail: `plan of ${state.sprint.id} closed with ${state.sprint.scope.planned.length} tasks`,
      notes: drafts.length === 0 ? [] : [`still DRAFT and outside the sprint: ${drafts.slice(0, 20).join(', ')}`],
    };
  },
};

export const align: Row<'align'> = {
  name: 'align',
  summary: 'Record how the plan still serves the goal.',
  who: PLANNERS,
  from: 'board',
  to: [],
  already: ({ state, command }) => {
    const last = state.goal.alignment_history?.at(-1);
    return last?.summary === command.summary && last.event === (command.event ?? 'alignment');
  },
  guards: [
    {
      name: 'summary',
      rule: 'a summary is given',
      check: ({ command }) =>
        blank(command.summary) ? refuse('the summary is empty', `Say it in a sentence: ${usage('align')}`) : undefined,
    },
  ],
  effects: 'goal.alignment_history',
  change: (s) => ({
    state: aligned(s, s.state, s.command.event ?? 'alignment', s.command.summary),
    detail: 'alignment recorded',
  }),
};

export const discoveryConvert: Row<'discovery convert'> = {
  name: 'discovery convert',
  summary: 'Say which task takes up a discovery.',
  who: PLANNERS,
  from: 'board',
  to: [],
  already: ({ state, command }) => discoveryOf(state, command.discovery)?.converted_to_task === command.to_task,
  guards: [
    { name: 'open-discovery', rule: 'the discovery exists and is still open', check: checkOpen },
    {
      name: 'task-exists',
      rule: 'the task exists',
      check: ({ board, command }) =>
        statusOf(board, command.to_task) === undefined
          ? refuse(`there is no task ${command.to_task}`, `Add it first: ${usage('add-task', command.to_task)}`)
          : undefined,
    },
  ],
  effects: 'converted_to_task',
  change: ({ state, command }) => ({
    state: withDiscovery(state, command.discovery, { converted_to_task: command.to_task }),
    task: command.to_task,
    detail: `discovery ${command.discovery} became task ${command.to_task}`,
  }),
};

export const discoveryDismiss: Row<'discovery dismiss'> = {
  name: 'discovery dismiss',
  summary: 'Leave a discovery aside, saying why.',
  who: PLANNERS,
  from: 'board',
  to: [],
  already: ({ state, command }) => discoveryOf(state, command.discovery)?.dismissed_reason === command.reason,
  guards: [
    { name: 'open-discovery', rule: 'the discovery exists and is still open', check: checkOpen },
    {
      name: 'reason',
      rule: 'a reason is given',
      check: ({ command }) =>
        blank(command.reason) ? refuse('no reason was given', `Say why: ${usage('discovery dismiss')}`) : undefined,
    },
  ],
  effects: 'dismissed_reason',
  change: ({ state, command }) => ({
    state: withDiscovery(state, command.discovery, { dismissed_reason: command.reason }),
    detail: `discovery ${command.discovery} dismissed`,
  }),
};

const discoveryOf = (state: State, id: string): Discovery | undefined => state.discovered.find((one) => one.id === id);

function checkOpen({ state, command }: Situation<'discovery convert'> | Situation<'discovery dismiss'>) {
  const discovery = discoveryOf(state, command.discovery);
  if (discovery === undefined) return refuse(`there is no discovery ${command.discovery}`, 'See them: liza status');
  if (discovery.converted_to_task !== undefined) {
    return refuse(`discovery ${discovery.id} became task ${discovery.converted_to_task}`, 'Nothing is left to do');
  }
  if (discovery.dismissed_reason === undefined) return undefined;
  return refuse(
    `discovery ${discovery.id} was dismissed: ${discovery.dismissed_reason}`,
    'Report it anew if it came back',
  );
}

function withDiscovery(state: State, id: string, changes: Partial<Discovery>): State {
  return { ...state, discovered: state.discovered.map((one) => (one.id === id ? patch(one, changes) : one)) };
}

export const goalComplete: Row<'goal complete'> = {
  name: 'goal complete',
  summary: 'Declare the goal reached.',
  who: PLANNERS,
  from: 'board',
  to: [],
  already: ({ state }) => state.goal.status === 'COMPLETED',
  guards: [
    {
      name: 'not-aborted',
      rule: 'the goal is not ABORTED',
      check: ({ state }) =>
        state.goal.status === 'ABORTED' ? refuse('the goal is ABORTED', 'Reopen it first: liza resume') : undefined,
    },
    {
      name: 'all-terminal',
      rule: 'all tasks are terminal',
      check: ({ state }) => {
        const live = state.tasks.filter((task) => !isTerminal(task.status));
        if (live.length === 0) return undefined;
        const named = live.slice(0, 10).map((task) => `${task.id} (${task.status})`);
        return refuse(`not finished yet: ${named.join(', ')}`, 'See what each of them waits for: liza status');
      },
    },
    {
      name: 'something-merged',
      rule: 'at least one task is MERGED',
      check: ({ board, state }) =>
        state.tasks.some((task) => task.status === 'MERGED') || [...board.archived.values()].includes('MERGED')
          ? undefined
          : refuse('no task was ever merged', 'Finish one, or give the goal up: liza abort'),
    },
  ],
  effects: 'goal → COMPLETED',
  change: (s) => {
    const done = withGoal(s.state, { status: 'COMPLETED' });
    const { summary } = s.command;
    return {
      state: aligned(s, done, 'goal_completed', blank(summary) ? 'The goal is reached.' : (summary ?? '')),
      detail: `goal ${s.state.goal.id} completed`,
    };
  },
};

export const sprintStart: Row<'sprint start'> = {
  name: 'sprint start',
  summary: 'Open the next sprint; unfinished tasks come along.',
  who: ['human'],
  from: 'board',
  to: [],
  guards: [
    goalOpen(),
    {
      name: 'sprint-over',
      rule: 'the current sprint is COMPLETED',
      check: ({ state }) => {
        const { id, status, scope } = state.sprint;
        if (status === 'COMPLETED') return undefined;
        if (status !== 'IN_PROGRESS') return refuse(`${id} is ${status}`, 'Reopen it first: liza resume');
        const next = scope.closed_at === undefined ? usage('plan done') : 'liza status';
        return refuse(
          `${id} is still IN_PROGRESS`,
          `It ends when its plan is closed and all planned tasks are terminal: ${next}`,
        );
      },
    },
    {
      name: 'deadline',
      rule: 'a deadline lies in the future',
      check: ({ command, now }) =>
        command.deadline !== undefined && !(Date.parse(command.deadline) > now)
          ? refuse(
              `the deadline ${command.deadline} is not a time in the future`,
              'Use a time like 2027-01-31T12:00:00Z',
            )
          : undefined,
    },
  ],
  effects: 'a new sprint with all live tasks but drafts planned',
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
      `${state.sprint.id} ${state.sprint.status}; ${id} opened with ${planned.length} tasks`,
    );
    return {
      state: {
        ...kept,
        sprint: {
          id,
          goal_ref: state.goal.id,
          scope: { planned },
          timeline: { started: iso(now), ...(command.deadline === undefined ? {} : { deadline: command.deadline }) },
          status: 'IN_PROGRESS',
        },
      },
      detail: `${id} started with ${planned.length} tasks`,
    };
  },
};

export const retrospective: Row<'retrospective'> = {
  name: 'retrospective',
  summary: 'Keep what the people learned from the sprint.',
  who: ['human'],
  from: 'board',
  to: [],
  already: ({ state, command }) => {
    const kept = retrospectiveOf(state);
    const told = command.learned === undefined || kept.learned.includes(command.learned);
    return told && (command.file === undefined || kept.file === command.file);
  },
  guards: [
    {
      name: 'learned',
      rule: 'what was learned says something',
      check: ({ command }) =>
        command.learned !== undefined && blank(command.learned)
          ? refuse('what was learned is empty', `Say it in a few sentences: ${usage('retrospective')}`)
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
      ...(isObject(sprint.retrospective) ? sprint.retrospective : {}),
      ...(file === undefined ? {} : { file }),
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

/** What is there of it, whoever wrote it. */
export function retrospectiveOf({ sprint }: State): { readonly file?: string; readonly learned: readonly string[] } {
  const kept = isObject(sprint.retrospective) ? (sprint.retrospective as Readonly<Record<string, unknown>>) : {};
  const { file, learned } = kept;
  const texts = Array.isArray(learned) ? learned.filter((one) => typeof one === 'string') : [];
  return {
    ...(typeof file === 'string' ? { file } : {}),
    learned: typeof learned === 'string' ? [learned] : texts,
  };
}
