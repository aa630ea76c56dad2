// What an anomaly may be: who may log it, what it must say, and who may close it.

import type { Anomaly, Role } from '../state.ts';

/**
 * Anomaly type → the roles that may log it (none: Liza alone does) and the details it must carry. `aboutAgents`: what Liza
 * holds against an agent; only a person closes it.
 */
export const ANOMALY_TYPES = {
  retry_loop: { roles: ['coder', 'code_reviewer'], details: ['count', 'error_pattern'] },
  trade_off: { roles: ['coder'], details: ['what', 'why', 'debt_created'] },
  spec_ambiguity: { roles: ['coder'], details: [] },
  external_blocker: { roles: ['coder'], details: ['blocker_service'] },
  assumption_violated: { roles: ['coder', 'code_reviewer'], details: ['assumption', 'reality'] },
  scope_deviation: { roles: ['code_reviewer'], details: [] },
  workaround: { roles: ['code_reviewer'], details: [] },
  debt_created: { roles: ['code_reviewer'], details: [] },
  spec_changed: { roles: ['code_reviewer'], details: [] },
  hypothesis_exhaustion: { roles: ['planner'], details: [] },
  spec_gap: { roles: ['planner'], details: [] },
  review_deadlock: { roles: ['planner'], details: [] },
  system_ambiguity: { roles: ['planner', 'coder', 'code_reviewer'], details: ['protocol_section', 'question'] },
  identity_violation: { roles: [], details: ['agent', 'claimed', 'command'], aboutAgents: true },
  branch_moved: { roles: [], details: ['agent', 'branch', 'commit'], aboutAgents: true },
  git_planted: { roles: [], details: ['what', 'at'], aboutAgents: true },
  planted_above: { roles: [], details: ['at', 'changed'], aboutAgents: true },
  verdict_disputed: { roles: [], details: ['agent', 'commit', 'first', 'second'], aboutAgents: true },
  /** Said by `liza retract` after the verdict. */
  retracted: { roles: [], details: ['reason', 'commit'] },
} as const satisfies Record<string, AnomalyRow>;
interface AnomalyRow {
  readonly roles: readonly Role[];
  readonly details: readonly string[];
  readonly aboutAgents?: true;
}
export type AnomalyType = keyof typeof ANOMALY_TYPES;

export const isAboutAgents = ({ type }: Pick<Anomaly, 'type'>): boolean => {
  const rows: Readonly<Record<string, AnomalyRow | undefined>> = ANOMALY_TYPES;
  return Object.hasOwn(rows, type) && rows[type]?.aboutAgents === true;
};

/** Required details that are absent or empty. */
export function missingDetails(
  type: string,
  details: Readonly<Record<string, unknown>> | undefined,
): readonly string[] {
  if (!Object.hasOwn(ANOMALY_TYPES, type)) return [];
  return ANOMALY_TYPES[type as AnomalyType].details.filter((key) => {
    const value = details?.[key];
    return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
  });
}
