// `liza wt create|merge|delete`: a task's worktree by hand; supervisors do the same by themselves.

import { isRefusal } from '../../protocol/decision.ts';
import type { Merged } from '../../tasks/merge.ts';
import { testText } from '../../tasks/rules/tested.ts';
import { committedResult, onTasks, openTaskContext } from '../open-project.ts';
import { plain } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';
import { keptLines, releasedResult } from './release-claim.ts';

const wtCreate: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'A claimed task.' }],
  options: { fresh: { description: 'Start over from the integration branch; the old work is kept.' } },
  examples: ['liza wt create retry-login', 'liza wt create --fresh retry-login'],
  details: ['claim-task creates the worktree itself. This is for one that was deleted, or that should start over.'],
  run: onTasks(async (context, args) => {
    const { createWorktree } = await import('../../tasks/create-worktree.ts');
    const created = await createWorktree(context, args.must('task'), args.flag('fresh'));
    if (isRefusal(created)) return created;
    const { folder, start, committed, kept } = created;
    const data = { worktree: folder, start_commit: start };
    if (committed === undefined) {
      return { ok: true, message: `already done: ${folder} is there, at ${start.slice(0, 12)}`, data };
    }
    const lines = [
      `worktree ${folder} at ${start.slice(0, 12)}`,
      ...(kept === undefined ? [] : [`the old work is kept as ${kept}`]),
    ];
    return committedResult(committed, () => ({ lines, data }));
  }),
};

const wtMerge: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'An approved task.' }],
  options: {
    'test-from': {
      value: 'side',
      choices: ['base', 'candidate'],
      description:
        'Which side’s scripts/integration-test.sh is run (test_command if it has none); candidate is for a person who has read it.',
    },
  },
  examples: [
    'LIZA_AGENT_ID=code-reviewer-1 liza wt merge retry-login',
    'liza wt merge retry-login --test-from candidate',
  ],
  details: [
    'Liza builds and tests the merge separately and moves the branch only then. It is tested with scripts/integration-test.sh of the integration branch, or test_command if there is no such script; test_command is not run again on files on which Liza saw it green at the submission. If you have the integration branch checked out, a clean checkout is updated with it, and uncommitted changes hold the merge; otherwise nothing touches your working tree.',
    'Exit 3: a conflict or a red test; the task is INTEGRATION_FAILED and a coder may claim the fix.',
  ],
  run: async (args, io) => {
    const testFrom = args.text('test-from') === 'candidate' ? 'candidate' : 'base';
    if (testFrom === 'candidate') {
      const { humanOnly } = await import('../../identity/identify.ts');
      const operator = await humanOnly(io, 'wt merge --test-from candidate');
      if (operator !== undefined) return operator;
    }
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const { mergeTask } = await import('../../tasks/merge.ts');
    const merged = await mergeTask(context, args.must('task'), { testFrom });
    if (isRefusal(merged)) return merged;
    return committedResult(merged.committed, () => ({
      lines: toldLines(merged).map(plain),
      data: { merge_commit: merged.commit, how: merged.how, test: merged.test?.verdict },
    }));
  },
};

const HOW = {
  'fast-forward': 'fast-forward',
  merge: 'merge commit',
  contained: 'the branch had it already',
  before: '',
} as const;

function toldLines({ how, test, remarks, tidied }: Merged): readonly string[] {
  const tested = test === undefined || how === 'contained' ? '' : `; ${testText(test)}`;
  const left =
    tidied === undefined
      ? []
      : 'ok' in tidied
        ? [`its worktree is still there: ${tidied.message}`]
        : keptLines(tidied.attempt);
  return [...(how === 'before' ? [] : [`${HOW[how]}${tested}`]), ...remarks, ...left];
}

const wtDelete: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'A blocked, rejected, unclaimed or finished task.' }],
  examples: ['liza wt delete retry-login'],
  details: ['Commits and uncommitted files are kept first: liza attempts <task>.'],
  run: onTasks(async (context, args) => {
    const { deleteWorktree } = await import('../../tasks/release.ts');
    const released = await deleteWorktree(context, args.must('task'));
    return isRefusal(released) ? released : releasedResult(released);
  }),
};

export const verbs = { 'wt create': wtCreate, 'wt merge': wtMerge, 'wt delete': wtDelete };
