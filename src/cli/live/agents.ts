// The agents, each with what it does now. Wide: one line each. Narrow: two, or one where rows are scarce.
// Agents of other processes are on the blackboard only; they are shown too, with what it knows of them.

import { type Board, SWITCHES } from '../../protocol/board.ts';
import { findTask } from '../../protocol/find.ts';
import { holdsWork } from '../../protocol/leases.ts';
import { type State, settings, type TaskStatus } from '../../protocol/state.ts';
import type { AgentView, StatusView } from '../../report/status-view.ts';
import type { CrewMember, CrewView } from '../../supervisor/crew-view.ts';
import type { Instant } from '../../text/time.ts';
import type { Line, Page, Span, Tone } from '../render/layout.ts';
import { clock, coarse } from './format.ts';
import { cell, widths } from './lines.ts';
import { spent } from './pages.ts';
import type { LiveLook } from './screen.ts';

export interface MemberRow {
  readonly id: string;
  readonly task?: string | undefined;
  readonly state: string;
  readonly provider: string;
  readonly lease?: { readonly left: number; readonly whole: number } | undefined;
  readonly context?: number | undefined;
  readonly session?: CrewMember['session'] | undefined;
  /** What it does, or why it does nothing. */
  readonly now: string;
}

export function memberRows(view: CrewView, status: StatusView, look: LiveLook): readonly MemberRow[] {
  const { lease_duration, review_lease_duration } = settings(view.board.state);
  const known = new Map(status.agents.map((agent) => [agent.id, agent]));
  const leaseOf = (agent: AgentView | undefined) =>
    agent?.leaseLeft === undefined
      ? undefined
      : {
          left: agent.leaseLeft,
          whole: 1000 * (agent.role === 'code_reviewer' ? review_lease_duration : lease_duration),
        };
  const here = view.members.map((member): MemberRow => {
    const agent = known.get(member.agent);
    known.delete(member.agent);
    const { agent: id, provider, session } = member;
    // Liza merges, which the header says; the agent has no part in it.
    if (member.state === 'merging') return { id, provider, state: 'waiting', now: 'until Liza has merged' };
    const state = stateOf(member, view.board.state);
    return {
      id,
      task: member.task ?? agent?.task,
      state,
      provider,
      lease: leaseOf(agent),
      context: session?.context_percent ?? agent?.contextPercent,
      session,
      now: doing({ ...stillSo(member, view.board), state }, view.now, look),
    };
  });
  const elsewhere = [...known.values()]
    .filter(({ gone }) => !gone)
    .map((agent): MemberRow => {
      const { id, task, contextPercent: context } = agent;
      return {
        id,
        task,
        context,
        state: agent.status.toLowerCase(),
        provider: '',
        lease: leaseOf(agent),
        now: 'runs elsewhere',
      };
    });
  return [...here, ...elsewhere];
}

/** Its part of the task is done, and others may be further already: only its session has not ended yet. */
function stateOf({ agent, role, state, task }: CrewMember, board: State): MemberRow['state'] {
  const found = state !== 'working' || role === 'planner' ? undefined : findTask(board, task ?? '');
  if (found === undefined || holdsWork(found, agent)) return state;
  return (role === 'coder' ? AFTER_CODING : AFTER_REVIEW).has(found.status) ? 'ending' : state;
}

const AFTER_REVIEW: ReadonlySet<TaskStatus> = new Set(['APPROVED', 'REJECTED', 'MERGED', 'INTEGRATION_FAILED']);
const AFTER_CODING: ReadonlySet<TaskStatus> = new Set(['READY_FOR_REVIEW', 'APPROVED', 'REJECTED', 'MERGED']);

/** A crew that runs elsewhere tells a little later that it goes on. */
const stillSo = ({ why, ...member }: CrewMember, { switches }: Board): CrewMember =>
  why === undefined || SWITCHES.some((name) => switches[name] === undefined && why === `${name} is on`)
    ? member
    : { ...member, why };

function doing(member: Omit<CrewMember, 'state'> & Pick<MemberRow, 'state'>, now: Instant, look: LiveLook): string {
  if (member.state === 'ending') return 'its part is done; its session ends';
  if (member.state === 'working') return member.activity ?? member.why ?? 'has begun';
  const why = member.why ?? PLAIN_STATE[member.state] ?? '';
  return [why, ...again(member.until, now, look)].filter(Boolean).join(', ');
}

/** What a state means, where nothing more is known. */
const PLAIN_STATE: Readonly<Record<string, string>> = {
  idle: 'nothing to do',
  starting: 'gets ready',
  claiming: 'starts work',
  waiting: 'its work is under review',
  stopping: 'saves its work',
};

/** When it tries again: `again in 4m`, or `again at 14:02` when that is later. */
function again(until: Instant | undefined, now: Instant, look: LiveLook): readonly string[] {
  if (until === undefined || until <= now) return [];
  const left = until - now;
  return [left < 10 * 60_000 ? `again in ${coarse(left + 4999)}` : `again at ${clock(until, look.zone).slice(0, 5)}`];
}

const TONE: Readonly<Record<string, Tone>> = {
  working: 'busy',
  claiming: 'busy',
  'backing-off': 'warn',
  stopping: 'warn',
  ending: 'faint',
  idle: 'faint',
  stopped: 'faint',
};

/** Most interesting first, for when they do not all fit. */
const INTEREST = ['backing-off', 'working', 'claiming', 'waiting', 'ending', 'starting', 'stopping', 'idle', 'stopped'];
const interest = ({ state }: MemberRow): number =>
  (INTEREST.indexOf(state) + INTEREST.length + 1) % (INTEREST.length + 1);
export const byInterest = (rows: readonly MemberRow[]): readonly MemberRow[] =>
  rows.toSorted((a, b) => interest(a) - interest(b));

type Density = 'one-line' | 'two-lines';

/** The lines of each agent; `marked` is the chosen one. */
export function memberLines(
  rows: readonly MemberRow[],
  density: Density,
  marked: string | undefined,
  p: Page,
): readonly (readonly Line[])[] {
  const wide = p.width >= 120;
  const full = wide || density === 'two-lines';
  const cells = rows.map((row) => [...names(row, full, p), ...bars(row, full, wide ? 8 : full ? 6 : 4, p)]);
  const costs = rows.map(({ session }) => spent(session));
  const room = widths(cells, wide ? [20, 11, 24, 14, 14, 14] : full ? [16, 11, 16, 9, 11, 11] : [16, 11, 16, 4, 4]);
  const money = widths(costs, [20, 8]);
  return rows.map((row, at) => {
    const [id = '', state = '', ...rest] = (cells[at] ?? []).map((text, i) => cell(text, room[i] ?? 0, p));
    const used = money.map((size, i) => cell(costs[at]?.[i] ?? '', size, p)).join('');
    const strong = row.id === marked ? 'strong' : undefined;
    const head: Line = [
      { text: `${row.id === marked ? p.mark : '  '}${id}`, tone: strong },
      { text: state, tone: TONE[row.state] },
    ];
    const facts = { text: rest.join(''), tone: lost(row) ? ('warn' as const) : undefined };
    const now = { text: p.say(row.now), tone: NOW_TONE[row.state] ?? 'faint' };
    if (wide) return [[...head, facts, { text: used }, now]];
    if (density === 'one-line') return [[...head, facts, now]];
    // Its columns are empty: what it waits for takes their place.
    if (row.session === undefined) {
      const told = [row.now, row.provider].filter(Boolean).map((fact) => p.say(fact));
      return [
        [
          ...head,
          { ...now, text: told[0] ?? '' },
          ...told.slice(1).map((fact): Span => ({ text: `${p.dot}${fact}`, tone: 'faint' })),
        ],
      ];
    }
    return [[...head, facts], p.spread([{ text: '      ' }, now], [{ text: used.trimEnd(), tone: 'faint' }])];
  });
}

const NOW_TONE: Readonly<Record<string, Tone | undefined>> = { working: 'strong', 'backing-off': 'warn' };

/** One that stopped gave its lease back. */
const leaseOf = ({ state, lease }: MemberRow): MemberRow['lease'] => (state === 'stopped' ? undefined : lease);

const lost = (row: MemberRow): boolean => (leaseOf(row)?.left ?? 1) <= 0;

const names = (row: MemberRow, full: boolean, p: Page): readonly string[] =>
  [row.id, row.state, row.task ?? '', ...(full ? [row.provider] : [])].map((text) => p.say(text));

/** Lease and context: as bars, and with figures where there is room for them. */
function bars(row: MemberRow, figures: boolean, size: number, p: Page): readonly string[] {
  const { context } = row;
  const lease = leaseOf(row);
  const left = lease === undefined ? '' : p.bar(Math.max(0, lease.left), lease.whole, size);
  const filled = context === undefined ? '' : p.bar(context, 100, size);
  if (!figures) return [left, filled];
  return [
    lease === undefined ? '' : `${left} ${lease.left <= 0 ? 'lost' : coarse(lease.left).replace(/^(\d+h) .*/, '$1')}`,
    context === undefined ? '' : `${filled} ${Math.round(context)}%`,
  ];
}
