// Coder and reviewer could not agree within the allowed cycles: the five ways a planner may judge that, each
// with the command that follows from it. Nothing is discarded unless the planner chooses so.

import { lastCoder } from '../../protocol/leases.ts';
import type { Task } from '../../protocol/state.ts';

export function deadlockLines(task: Task): readonly string[] {
  const { id } = task;
  const coder = lastCoder(task) ?? 'coder-1';
  const record = `\`liza anomaly --type review_deadlock --task ${id} --detail assessment="your judgement"\``;
  return [
    'A review deadlock. Read every rejection and what answered it, then choose one assessment:',
    `1. The coder does not address the feedback; another goes on with the work: \`liza unblock ${id} --keep-worktree --exclude ${coder} --assessment "which blocker was never answered"\``,
    `2. The reviewer's criteria are unclear or shift; make them clear, the same coder goes on: \`liza unblock ${id} --keep-worktree --reset-review-cycles --reserve ${coder} --done "the criterion, now unambiguous" --assessment "what shifted"\``,
    `3. They disagree about the approach; decide it, as a constraint: \`liza unblock ${id} --reset-review-cycles --scope "IN: the chosen way. OUT: the other" --done "what proves it" --assessment "which way, and why"\``,
    `4. The task is misframed: ${record}, add better tasks, then \`liza supersede ${id} --root-cause "what was misframed" --replacement new-task\``,
    `5. There is no viable path: ${record}, then \`liza abandon ${id} --reason "why none is left"\``,
    "If the spec itself must change, leave it BLOCKED: specs are a person's.",
  ];
}
