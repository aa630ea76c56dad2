// How the plan changed: its alignment history and the changes of its specs, in the order of time.

import { kindOf } from '../../protocol/goal/alignment.ts';
import type { State } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';

interface PlanEvent {
  readonly timestamp: string;
  /** `spec` for a changed spec; else the event of the alignment history, such as `rescope`. */
  readonly kind: string;
  readonly by?: string;
  /** The file of a changed spec. */
  readonly spec?: string;
  readonly text: string;
}

export function planHistory({ goal, spec_changes }: Pick<State, 'goal' | 'spec_changes'>): readonly PlanEvent[] {
  const moves = (goal.alignment_history ?? []).map(
    (line): PlanEvent => ({
      timestamp: line.timestamp,
      kind: kindOf(line),
      ...defined({ by: line.by }),
      text: line.summary,
    }),
  );
  const edits = spec_changes.map(
    ({ timestamp, spec, change, triggered_by: by }): PlanEvent => ({
      timestamp,
      kind: 'spec',
      ...defined({ by }),
      spec,
      text: change,
    }),
  );
  return [...moves, ...edits].toSorted(byTime);
}

export const byTime = (a: { readonly timestamp: string }, b: { readonly timestamp: string }): number =>
  a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0;
