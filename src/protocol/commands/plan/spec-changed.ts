// The rows by which the machine records that the section a task was made from, or a file of specs, reads differently now.
// The task keeps the hash it was finalized with: coder and reviewer are shown the difference to that text. A file that
// changed is the planner's: its sections may be those of merged tasks, or of none yet.

import { counted } from '../../../text/format.ts';
import { iso } from '../../../text/time.ts';
import { event, evolve, withGoal, withTask } from '../../change.ts';
import type { Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import type { SpecFacts } from '../../facts/spec-facts.ts';
import { isTerminal, type State, TASK_STATUSES } from '../../state.ts';

export const specChanged: Row<'spec-changed'> = {
  name: 'spec-changed',
  typed: 'spec-change',
  syntax: 'spec-change <spec> "…"',
  summary: 'Record that the section of a task’s spec has changed.',
  who: ['supervisor', 'human'],
  from: TASK_STATUSES.filter((status) => status !== 'DRAFT' && !isTerminal(status)),
  inner: true,
  already: ({ task, command }) => (task.spec_seen ?? task.spec_hash) === command.spec_hash,
  guards: [
    { name: 'spec-known', rule: 'the text that the task was finalized with is known', check: specKnown },
    {
      name: 'value',
      rule: 'it names the SHA-256 of the section',
      check: ({ command }) =>
        /^[0-9a-f]{64}$/.test(command.spec_hash)
          ? undefined
          : refuse('it is not a SHA-256', 'Say what changed yourself: liza spec-change <spec> "…"'),
    },
  ],
  effects: 'spec_seen, history spec_changed; one entry of spec_changes for each new text',
  change: (s) => {
    const { state, task, command } = s;
    const { spec_ref: spec = '' } = task;
    const { spec_hash: hash, added, removed, heading_gone } = command;
    const told = event(s, 'spec_changed', {
      spec,
      before: task.spec_seen ?? task.spec_hash,
      hash,
      added,
      removed,
      heading_gone,
    });
    const next = withTask(state, evolve(task, { spec_seen: hash === task.spec_hash ? undefined : hash }, told));
    const isKnown = state.spec_changes.some((one) => one.spec === spec && one.hash === hash);
    const entry = { timestamp: iso(s.now), spec, change: changeText(s), hash };
    return {
      state: isKnown ? next : { ...next, spec_changes: [...state.spec_changes, entry] },
      detail: `the spec of ${task.id} changed: ${changeText(s)}`,
    };
  },
};

export const specFileChanged: Row<'spec-file-changed'> = {
  name: 'spec-file-changed',
  typed: 'spec-change',
  syntax: 'spec-change <spec> "…"',
  summary: 'Record that a file of specs has changed.',
  who: ['supervisor', 'human'],
  from: 'board',
  inner: true,
  already: ({ state, command }) => seenHash(state, command.spec) === command.hash,
  guards: [
    {
      name: 'value',
      rule: 'it names the SHA-256 of the file',
      check: ({ command }) =>
        /^[0-9a-f]{64}$/.test(command.hash)
          ? undefined
          : refuse('it is not a SHA-256', 'Say what changed yourself: liza spec-change <spec> "…"'),
    },
  ],
  effects:
    'goal.specs_seen; one entry of spec_changes, which wakes the planner once; a file seen for the first time makes none',
  change: ({ state, command: { spec, hash, added, removed }, now }) => {
    const before = seenHash(state, spec);
    const next = withSpecSeen(state, { spec, hash });
    if (before === undefined) return { state: next, detail: `${spec} is watched for changes` };
    const change = changeText({ command: { added, removed } });
    const entry = { timestamp: iso(now), spec, change, hash, before };
    return { state: { ...next, spec_changes: [...next.spec_changes, entry] }, detail: `${spec} changed: ${change}` };
  },
};

/** How the file read when Liza last looked; undefined: it never did. */
export const seenHash = ({ goal }: Pick<State, 'goal'>, spec: string): string | undefined =>
  goal.specs_seen?.find((one) => one.spec === spec)?.hash;

export function withSpecSeen(state: State, file: NonNullable<SpecFacts['file']>): State {
  const others = (state.goal.specs_seen ?? []).filter(({ spec }) => spec !== file.spec);
  return withGoal(state, { specs_seen: [...others, { spec: file.spec, hash: file.hash }] });
}

interface Counted {
  readonly command: {
    readonly added?: number | undefined;
    readonly removed?: number | undefined;
    readonly heading_gone?: true;
  };
}

function changeText({ command: { added, removed, heading_gone } }: Counted): string {
  if (heading_gone === true) return 'noticed by Liza: the heading that the anchor names is gone';
  if (added === undefined || removed === undefined) return 'noticed by Liza: its text differs';
  return `noticed by Liza: ${counted(added, 'line')} added, ${removed} removed`;
}

function specKnown({ task }: Pick<Situation<'spec-changed'>, 'task'>): Refusal | undefined {
  if (task.spec_hash !== undefined && task.spec_ref !== undefined) return undefined;
  return refuse(
    `it is not known how the spec of ${task.id} read before`,
    'Say what changed: liza spec-change <spec> "…"',
  );
}
