// The row by which the machine records that the section a task was made from reads differently now. The task keeps the
// hash it was finalized with: coder and reviewer are shown the difference to that text.

import { counted } from '../../text/format.ts';
import { iso } from '../../text/time.ts';
import { event, evolve, withTask } from '../change.ts';
import type { Row, Situation } from '../command-row.ts';
import { type Refusal, refuse } from '../decision.ts';
import { isTerminal, TASK_STATUSES } from '../state.ts';

export const specChanged: Row<'spec-changed'> = {
  name: 'spec-changed',
  typed: 'spec-change',
  syntax: 'spec-change <spec> "…"',
  summary: 'Record that the section of a task’s spec reads differently now.',
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
          : refuse('it is no SHA-256', 'Say what changed yourself: liza spec-change <spec> "…"'),
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

function changeText({ command: { added, removed, heading_gone } }: Pick<Situation<'spec-changed'>, 'command'>): string {
  if (heading_gone === true) return 'noticed by Liza: the heading that the anchor names is gone';
  if (added === undefined || removed === undefined) return 'noticed by Liza: the section reads differently';
  return `noticed by Liza: ${counted(added, 'line')} added, ${removed} removed`;
}

function specKnown({ task }: Pick<Situation<'spec-changed'>, 'task'>): Refusal | undefined {
  if (task.spec_hash !== undefined && task.spec_ref !== undefined) return undefined;
  return refuse(`nobody knows how the spec of ${task.id} read before`, 'Say what changed: liza spec-change <spec> "…"');
}
