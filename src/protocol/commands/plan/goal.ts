// The rows about the plan as a whole: closing the sprint's scope, alignment, discoveries. The goal itself is in goal-end.ts.
// None of them changes the status of a task.

import { counted } from '../../../text/format.ts';
import { iso } from '../../../text/time.ts';
import { actorName } from '../../board.ts';
import { alignedInWords, patch, withSprint } from '../../change.ts';
import type { Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';

import { statusOf } from '../../find.ts';
import { checkOwnEvent } from '../../goal/alignment.ts';
import { isOpenDiscovery } from '../../messages/discoveries.ts';
import { type Discovery, isTerminal, type State } from '../../state.ts';
import { noSuch, noTask } from '../../unknown-id.ts';
import { blank, defined } from '../../values.ts';
import { PLANNERS } from './planning.ts';

export const planDone: Row<'plan done'> = {
  name: 'plan done',
  syntax: 'plan done',
  summary: 'Close the scope of the sprint: what is planned now is what it must finish.',
  who: PLANNERS,
  from: 'board',
  already: ({ state }) => state.sprint.scope.closed_at !== undefined,
  guards: [
    {
      name: 'something-planned',
      rule: 'at least one task was finalized in this sprint',
      check: ({ state, commandLine }) =>
        state.sprint.scope.planned.length === 0
          ? refuse('no task is planned yet', `Finalize one first: ${commandLine('finalize')}`)
          : undefined,
    },
  ],
  effects: 'scope.closed_at; the sprint is COMPLETED once all planned tasks are terminal',
  change: ({ state, now }) => {
    const drafts = state.tasks.filter((task) => task.status === 'DRAFT').map((task) => task.id);
    return {
      state: withSprint(state, { scope: { ...state.sprint.scope, closed_at: iso(now) } }),
      detail: `plan of ${state.sprint.id} closed with ${counted(state.sprint.scope.planned.length, 'task')}`,
      notes: drafts.length === 0 ? [] : [`still DRAFT and outside the sprint: ${drafts.slice(0, 20).join(', ')}`],
    };
  },
};

export const align: Row<'align'> = {
  name: 'align',
  syntax: 'align "…"',
  summary: 'Record how the plan still serves the goal.',
  who: PLANNERS,
  from: 'board',
  already: ({ state, command }) => {
    const last = state.goal.alignment_history?.at(-1);
    return last?.summary === command.summary && last.event === (command.event ?? 'alignment');
  },
  guards: [
    {
      name: 'summary',
      rule: 'a summary is given',
      check: ({ command, commandLine }) =>
        blank(command.summary)
          ? refuse('the summary is empty', `Say it in a sentence: ${commandLine('align')}`)
          : undefined,
    },
    {
      name: 'event-name',
      rule: 'the event is none that Liza itself records, such as finished or aborted',
      check: ({ command }) => checkOwnEvent(command.event ?? ''),
    },
  ],
  effects: 'goal.alignment_history',
  change: (s) => ({
    state: alignedInWords(s, s.state),
    detail: 'alignment recorded',
    said: s.command.summary,
  }),
};

export const discoveryConvert: Row<'discovery convert'> = {
  name: 'discovery convert',
  syntax: 'discovery convert <id> <task>',
  summary: 'Say which task solves a discovery.',
  who: PLANNERS,
  from: 'board',
  already: ({ state, command }) => discoveryOf(state, command.discovery)?.converted_to_task === command.to_task,
  guards: [
    { name: 'open-discovery', rule: 'the discovery exists and was not dismissed', check: checkOpen },
    {
      name: 'task-exists',
      rule: 'the task exists and can still take it up: it is neither approved nor finished',
      check: ({ board, command, commandLine }) => {
        const { to_task: id, discovery } = command;
        const status = statusOf(board, id);
        if (status === undefined) return noTask(board, id, `Add it first: ${commandLine('add-task', id)}`);
        if (!isTerminal(status) && status !== 'APPROVED') return undefined;
        const another = `Add a task that does: ${commandLine('add-task')}`;
        return refuse(
          `${id} is ${status} and takes up nothing any more`,
          status === 'MERGED' || status === 'APPROVED'
            ? `${another}; if it is solved by ${id} already: liza discovery dismiss ${discovery} --reason "…"`
            : another,
        );
      },
    },
  ],
  effects: 'converted_to_task, decided_at',
  change: ({ state, command, now }) => ({
    state: withDiscovery(state, command.discovery, { converted_to_task: command.to_task, decided_at: iso(now) }),
    task: command.to_task,
    detail: `${command.discovery} is taken up by ${command.to_task}`,
  }),
};

export const discoveryDismiss: Row<'discovery dismiss'> = {
  name: 'discovery dismiss',
  syntax: 'discovery dismiss <id> --reason "…"',
  summary: 'Dismiss a discovery, with a reason.',
  who: PLANNERS,
  from: 'board',
  already: ({ state, command }) => discoveryOf(state, command.discovery)?.dismissed_reason === command.reason,
  guards: [
    { name: 'open-discovery', rule: 'the discovery exists and is still open', check: checkOpen },
    {
      name: 'reason',
      rule: 'a reason is given',
      check: ({ command, commandLine }) =>
        blank(command.reason)
          ? refuse('no reason was given', `Say why: ${commandLine('discovery dismiss')}`)
          : undefined,
    },
  ],
  effects: 'dismissed_reason, decided_at',
  change: ({ state, command, now }) => ({
    state: withDiscovery(state, command.discovery, { dismissed_reason: command.reason, decided_at: iso(now) }),
    detail: `discovery ${command.discovery} dismissed`,
    said: command.reason,
  }),
};

export const discoveryReopen: Row<'discovery reopen'> = {
  name: 'discovery reopen',
  syntax: 'discovery reopen <id> --reason "…"',
  summary: 'Undo the dismissal of a discovery.',
  who: PLANNERS,
  from: 'board',
  already: ({ state, command }) => {
    const found = discoveryOf(state, command.discovery);
    return found !== undefined && isOpenDiscovery(found) && found.reopened?.reason === command.reason;
  },
  guards: [
    {
      name: 'dismissed-discovery',
      rule: 'the discovery exists and was dismissed',
      check: ({ state, command, commandLine }) => {
        const found = discoveryOf(state, command.discovery);
        if (found === undefined) return noDiscovery(state, command.discovery);
        const { id, converted_to_task: taken, dismissed_reason: why } = found;
        if (why !== undefined) return undefined;
        return taken === undefined
          ? refuse(`${id} is open`, `Decide it: ${commandLine('discovery convert').replace('<id>', id)}`)
          : refuse(
              `${id} was not dismissed: ${taken} takes it up`,
              `If that task does not solve it, name one that does: liza discovery convert ${id} <task>`,
            );
      },
    },
    {
      name: 'reason',
      rule: 'a reason is given',
      check: ({ command, commandLine }) =>
        blank(command.reason)
          ? refuse('no reason was given', `Say why: ${commandLine('discovery reopen')}`)
          : undefined,
    },
  ],
  effects: 'dismissed_reason and decided_at go; reopened tells who, when, why, and why it had been dismissed',
  change: ({ state, command, actor, now }) => ({
    state: withDiscovery(state, command.discovery, {
      dismissed_reason: undefined,
      decided_at: undefined,
      reopened: {
        time: iso(now),
        by: actorName(actor),
        reason: command.reason,
        ...defined({ dismissed: discoveryOf(state, command.discovery)?.dismissed_reason }),
      },
    }),
    detail: `discovery ${command.discovery} is open again`,
  }),
};

const noDiscovery = (state: State, id: string): Refusal =>
  noSuch({
    what: 'discovery',
    id,
    known: state.discovered.map((one) => one.id),
    see: 'See them: liza discovery list --all',
  });

const discoveryOf = (state: State, id: string): Discovery | undefined => state.discovered.find((one) => one.id === id);

function checkOpen({ state, command, commandLine }: Situation<'discovery convert'> | Situation<'discovery dismiss'>) {
  const discovery = discoveryOf(state, command.discovery);
  if (discovery === undefined) return noDiscovery(state, command.discovery);
  const { id, converted_to_task: taken } = discovery;
  // A discovery that the wrong task took up goes to the right one.
  if (taken !== undefined && command.name === 'discovery dismiss') {
    return refuse(
      `${id} is taken up by ${taken}`,
      `If that task does not solve it, name one that does: liza discovery convert ${id} <task>`,
    );
  }
  if (discovery.dismissed_reason === undefined) return undefined;
  return refuse(
    `discovery ${discovery.id} was dismissed: ${discovery.dismissed_reason}`,
    `If it needs work after all: ${commandLine('discovery reopen').replace('<id>', discovery.id)}`,
  );
}

function withDiscovery(state: State, id: string, changes: Partial<Discovery>): State {
  return { ...state, discovered: state.discovered.map((one) => (one.id === id ? patch(one, changes) : one)) };
}
