// The protocol as `liza help` shows it: states, roles and anomalies, read off the core's own tables.

import type { Part } from '../protocol/board.ts';
import { ANOMALY_TYPES, TASK_STATUSES, TERMINAL_STATUSES } from '../protocol/state.ts';
import { TABLE } from '../protocol/table.ts';

const ROWS = Object.values(TABLE);
const PARTS: readonly Part[] = ['human', 'supervisor', 'planner', 'coder', 'code_reviewer'];

/** One block per state: what can be done from there, where it leads, and who may. */
export function stateLines(): readonly string[] {
  return TASK_STATUSES.flatMap((status) => {
    const leaving = ROWS.filter(({ from }) => Array.isArray(from) && from.includes(status));
    const final = (TERMINAL_STATUSES as readonly string[]).includes(status);
    return [
      final ? `${status}: final, nothing leaves it` : status,
      ...leaving.map(({ name, to, who }) => {
        const leads = to === undefined ? '' : ` → ${to.join(' or ')}`;
        return `  ${name.padEnd(18)} (${who.map(spoken).join(', ')})${leads}`;
      }),
    ];
  });
}

export function roleLines(): readonly string[] {
  return PARTS.flatMap((part) => [
    `${spoken(part)}:`,
    ...ROWS.filter(({ who }) => who.includes(part)).map(({ name, summary }) => `  ${name.padEnd(26)} ${summary}`),
  ]);
}

export function anomalyLines(): readonly string[] {
  const width = Math.max(...Object.keys(ANOMALY_TYPES).map((type) => type.length));
  return Object.entries(ANOMALY_TYPES).map(([type, { roles, details }]) => {
    const needed = details.length === 0 ? '' : `; needs ${details.map((key) => `--detail ${key}=…`).join(' ')}`;
    return `${type.padEnd(width)}  ${roles.length === 0 ? 'Liza itself' : roles.map(spoken).join(', ')}${roles.length === 0 ? '' : needed}`;
  });
}

const spoken = (part: Part): string => (part === 'code_reviewer' ? 'reviewer' : part);
