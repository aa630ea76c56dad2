// What a person can do with what a page shows: the actions of the live board (cli/live/actions.ts), and those for which the
// live board has keys or none. Pure. An action is offered exactly where the table would take its command from a person now.

import { type Board, SWITCHES } from '../../protocol/board.ts';
import { findTask } from '../../protocol/find.ts';
import { findQuestion, isHolding, questionsOf } from '../../protocol/messages/questions.ts';
import { queueOf } from '../../protocol/queue/order.ts';
import type { Instant } from '../../text/time.ts';
import { type Action, type Entry, FACTS, isAllowed, offersFor, SOME_TEXT } from '../live/actions.ts';
import { versionOf } from './views/version.ts';

export interface Subject {
  readonly kind: 'board' | 'task' | 'question' | 'discovery' | 'anomaly' | 'agent';
  /** Empty for the board. */
  readonly id: string;
}

const KINDS: readonly Subject['kind'][] = ['board', 'task', 'question', 'discovery', 'anomaly', 'agent'];
export const isKind = (text: string): text is Subject['kind'] => (KINDS as readonly string[]).includes(text);

export function actionsFor(board: Board, now: Instant, { kind, id }: Subject): readonly Action[] {
  const more = moreFor(board, { kind, id }).filter(({ probe }) => isAllowed(board, probe, now));
  switch (kind) {
    case 'board':
      return [...offersFor(board, now, undefined).actions, ...more];
    case 'task':
      return [...offersFor(board, now, { kind, id }, id).actions, ...more];
    case 'discovery':
    case 'agent':
      return offersFor(board, now, { kind, id }).actions;
    case 'question':
    case 'anomaly':
      return more;
    default:
      return kind satisfies never;
  }
}

function moreFor(board: Board, { kind, id }: Subject): readonly Entry[] {
  if (kind === 'board') return [...QUEUE, ...boardActions(board)];
  if (kind === 'task')
    return [
      {
        name: 'queue first',
        says: 'merge it before the others',
        argv: () => ['queue', 'first', id],
        probe: { name: 'queue first', task: id },
      },
    ];
  if (kind === 'anomaly')
    return [
      {
        name: 'anomaly processed',
        says: 'it is dealt with; it stays on record',
        asks: { label: 'What became of it', optional: true },
        argv: (text) => ['anomaly', 'processed', id, ...(text === '' ? [] : [`--why=${text}`])],
        probe: { name: 'anomaly processed', anomalies: [id] },
      },
    ];
  const question = kind === 'question' ? findQuestion(board.state, id) : undefined;
  if (question === undefined) return [];
  const accept: Entry = {
    name: 'accept',
    says: 'keep it as assumed; nothing is done over',
    argv: () => ['answer', id, '--accept'],
    probe: { name: 'answer', about: id, accept: true, facts: FACTS },
  };
  return [
    ...(question.assume === undefined ? [] : [accept]),
    {
      name: 'answer',
      says: isHolding(board.state, question)
        ? 'once all is answered, the task goes back to its coder'
        : 'in your own words',
      asks: { label: `The answer to ${id}` },
      argv: (text) => ['answer', id, '--', text],
      probe: { name: 'answer', about: id, text: SOME_TEXT, facts: FACTS },
    },
  ];
}

function boardActions({ state: { goal } }: Board): readonly Entry[] {
  const start: Entry = {
    name: 'sprint start',
    says: 'open the next sprint; unfinished tasks move to it',
    confirm: 'Open the next sprint? Agents go on with it, which costs tokens.',
    argv: () => ['sprint', 'start'],
    probe: { name: 'sprint start' },
  };
  const moved = goal.integration_moved;
  if (moved === undefined) return [start];
  const accept: Entry = {
    name: 'accept integration',
    says: 'it is right where it is: merges go on from there',
    confirm: `Accept the integration branch at ${moved.found.slice(0, 12)}? git log --left-right ${moved.expected.slice(0, 12)}...${moved.found.slice(0, 12)} shows what differs. This cannot be taken back.`,
    argv: () => ['doctor', '--accept-integration'],
    probe: { name: 'accept-integration', head: moved.found },
  };
  return [accept, start];
}

const QUEUE: readonly Entry[] = [
  {
    name: 'queue hold',
    says: 'nothing lands; sessions go on',
    asks: { label: 'Why', optional: true },
    argv: (text) => ['queue', 'hold', ...(text === '' ? [] : [`--reason=${text}`])],
    probe: { name: 'queue hold' },
  },
  {
    name: 'queue release',
    says: 'let approved work land again',
    argv: () => ['queue', 'release'],
    probe: { name: 'queue release' },
  },
];

/** Changes when what a person decides about has changed since they saw it; other work on the board does not change it. */
export function fingerprint({ state, switches }: Board, { kind, id }: Subject): string {
  const about = (): unknown => {
    switch (kind) {
      case 'board':
        return [
          state.goal.status,
          ...[state.sprint.status, state.sprint.scope.closed_at, state.circuit_breaker.status],
          ...[queueOf(state).held, state.goal.integration_moved?.found],
          ...SWITCHES.map((name) => switches[name] !== undefined),
        ];
      case 'task':
        return [findTask(state, id), questionsOf(state).filter(({ task }) => task === id)];
      case 'question': {
        const question = findQuestion(state, id);
        return [question, findTask(state, question?.task ?? '')?.status];
      }
      case 'discovery':
        return state.discovered.find((one) => one.id === id);
      case 'anomaly':
        return state.anomalies.find((one) => one.id === id);
      case 'agent':
        return id;
      default:
        return kind satisfies never;
    }
  };
  return versionOf(JSON.stringify(about()) ?? '');
}
