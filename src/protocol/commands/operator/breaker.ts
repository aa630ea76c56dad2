// The rows of the circuit breaker: `analyze` trips it when the board shows a pattern, and a person resolves it.
// It halts the sprint and records the evidence. It proposes nothing and changes no task.

import {
  evidenceKeys,
  type Finding,
  findingLine,
  findPatterns,
  patternNames,
  type Trigger,
  triggerOf,
} from '../../../governance/rules/breaker.ts';
import { iso } from '../../../text/time.ts';
import { actorName } from '../../board.ts';
import { aligned, patch } from '../../change.ts';
import type { Change, Row, Situation } from '../../command-row.ts';
import { refuse } from '../../decision.ts';

import type { State } from '../../state.ts';
import { blank, isFields } from '../../values.ts';
import { halted } from './kill-switches.ts';

export const analyze: Row<'analyze'> = {
  name: 'analyze',
  syntax: 'analyze',
  summary: 'Look for systemic patterns; finding one trips the circuit breaker.',
  who: ['human', 'supervisor'],
  from: 'board',
  guards: [],
  effects:
    'by a person: last_check; with a pattern that is not resolved: circuit_breaker TRIGGERED with its evidence, sprint → CHECKPOINT, CHECKPOINT on',
  change: (s) => {
    const { state, actor, now } = s;
    const found = findPatterns(state, s.command.facts?.archived);
    const fresh = newFindings(state, found);
    const over = state.goal.status === 'COMPLETED' || state.goal.status === 'ABORTED';
    if (fresh.length === 0 || over) return nothingNew(s, found);
    const { current_trigger: standing } = state.circuit_breaker;
    const known = triggerOf(standing);
    const trigger: Trigger = {
      // Fields that somebody else wrote there stay.
      ...(isFields(standing) ? standing : {}),
      time: known?.time ?? iso(now),
      by: known?.by ?? actorName(actor),
      findings: [...(known?.findings ?? []), ...fresh],
    };
    const tripped = withBreaker(state, { status: 'TRIGGERED', last_check: iso(now), current_trigger: trigger });
    const said = fresh.map(findingLine).join('; ');
    return {
      state: halted(s, tripped, `circuit breaker: ${said}`.slice(0, 2000)),
      detail: `circuit breaker TRIGGERED: ${patternNames(fresh).join(', ')}`,
      notes: fresh.map(findingLine),
      switches: { CHECKPOINT: true },
    };
  },
};

/** Findings that the current trigger does not name yet. A finding that it names may have grown since. */
export function newFindings(state: State, found: readonly Finding[]): readonly Finding[] {
  const { status, current_trigger } = state.circuit_breaker;
  const known = status === 'TRIGGERED' ? (triggerOf(current_trigger)?.findings ?? []) : [];
  if (known.length === 0) return found;
  // One rejection may say several things: the same event with other words is another finding.
  const said = ({ pattern, evidence }: Finding) => evidence.map((one) => JSON.stringify([pattern, one.key, one.said]));
  const named = new Set(known.flatMap(said));
  return found.filter(
    (one) =>
      !known.some(({ pattern, matched }) => pattern === one.pattern && matched === one.matched) &&
      !said(one).some((each) => named.has(each)),
  );
}

/** Records that a person looked. The watcher looks many times an hour, which is not recorded. */
function nothingNew({ state, part, now }: Situation<'analyze'>, found: readonly Finding[]): Change {
  const stands = state.circuit_breaker.status === 'TRIGGERED';
  const named = patternNames(found).join(', ');
  const detail = stands
    ? 'the circuit breaker is already TRIGGERED'
    : found.length === 0
      ? 'no systemic pattern found'
      : `the goal is ${state.goal.status}, so nothing is halted; found: ${named}`;
  if (part !== 'human') return { state, detail, already: true };
  return {
    state: withBreaker(state, { last_check: iso(now) }),
    detail,
    notes: found.map(findingLine),
  };
}

export const resolve: Row<'resolve'> = {
  name: 'resolve',
  typed: 'analyze --resolve',
  syntax: 'analyze --resolve "…"',
  summary: 'Record how a tripped circuit breaker was handled, and clear it.',
  who: ['human'],
  from: 'board',
  already: ({ state, command }) => {
    const last = state.circuit_breaker.history?.at(-1) as { readonly resolution?: unknown } | undefined;
    return state.circuit_breaker.status === 'OK' && last !== undefined && last.resolution === command.resolution;
  },
  guards: [
    {
      name: 'triggered',
      rule: 'the breaker is TRIGGERED',
      check: ({ state, commandLine }) =>
        state.circuit_breaker.status === 'TRIGGERED'
          ? undefined
          : refuse('the circuit breaker is OK', `There is nothing to resolve; look again: ${commandLine('analyze')}`),
    },
    {
      name: 'resolution',
      rule: 'the resolution says what was done about it',
      check: ({ command, commandLine }) =>
        blank(command.resolution)
          ? refuse('the resolution is empty', `Say what was decided or changed: ${commandLine('resolve')}`)
          : undefined,
    },
  ],
  effects:
    'circuit_breaker OK; the trigger with its resolution and all evidence there is by now in its history; CHECKPOINT stays until `liza resume`',
  change: (s) => {
    const { state, actor, now, command } = s;
    const { current_trigger, history = [] } = state.circuit_breaker;
    const archived = command.facts?.archived;
    const known = triggerOf(current_trigger);
    const late = newFindings(state, findPatterns(state, archived));
    const entry = {
      ...(isFields(current_trigger) ? current_trigger : {}),
      ...(late.length === 0
        ? {}
        : {
            time: known?.time ?? iso(now),
            by: known?.by ?? actorName(actor),
            findings: [...(known?.findings ?? []), ...late],
          }),
      settled: evidenceKeys(state, archived),
      resolution: command.resolution,
      resolved_at: iso(now),
      resolved_by: actorName(actor),
    };
    const cleared = withBreaker(state, { status: 'OK', current_trigger: undefined, history: [...history, entry] });
    return {
      state: aligned(s, cleared, 'breaker_resolved', command.resolution.slice(0, 2000)),
      detail: 'circuit breaker resolved',
      notes: [
        ...late.map((one) => `also resolved, found since then: ${findingLine(one)}`),
        ...(s.board.switches.CHECKPOINT === undefined
          ? []
          : ['CHECKPOINT is still on: liza resume --decision continue']),
      ],
    };
  },
};

type Breaker = State['circuit_breaker'];

const withBreaker = (state: State, changes: { readonly [K in keyof Breaker]?: Breaker[K] | undefined }): State => ({
  ...state,
  circuit_breaker: patch<Breaker>(state.circuit_breaker, changes),
});
