// `liza release-claim <task>`: takes a task from its coder; the work is kept.

import type { Attempt } from '../../git/attempts.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { keptFolderLine } from '../../tasks/kept-folder.ts';
import type { Released } from '../../tasks/release.ts';
import { counted } from '../../text/format.ts';
import { committedResult, onTasks } from '../open-project.ts';
import type { Result, Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'The task.' }],
  options: { reason: { value: 'text', description: 'Why, for its history.' } },
  examples: ['liza release-claim retry-login --reason "coder-1 is stuck"'],
  run: onTasks(async (context, args) => {
    const { releaseClaim } = await import('../../tasks/release.ts');
    const released = await releaseClaim(context, args.must('task'), args.text('reason'));
    return isRefusal(released) ? released : releasedResult(released);
  }),
};

/** Where discarded work is, for people. */
export function keptLines(attempt: Attempt | undefined): readonly string[] {
  if (attempt === undefined) return [];
  const { ref, commits, uncommitted, task } = attempt;
  return [
    `its work is kept as ${ref} (${counted(commits, 'commit')}, ${counted(uncommitted, 'uncommitted file')}): liza attempts ${task}`,
  ];
}

/** Shared with `wt delete`. */
export function releasedResult({ committed, attempt, keptFolder, left }: Released): Result {
  const lines = [
    ...keptLines(attempt),
    ...(keptFolder === undefined ? [] : [keptFolderLine(keptFolder)]),
    ...(left === undefined ? [] : [`its worktree is still there: ${left.message}`, `→ ${left.hint}`]),
  ];
  const data = { attempt: attempt?.ref };
  if (committed === undefined) return { ok: true, message: 'no worktree is left', lines, data };
  return committedResult(committed, () => ({ lines, data }));
}
