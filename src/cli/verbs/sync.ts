// `liza sync [branch]`: brings a person's branch into the integration branch, once its tests are green.

import { isRefusal } from '../../protocol/decision.ts';
import { NO_TESTS, testText } from '../../tasks/rules/tested.ts';
import type { Synced } from '../../tasks/sync.ts';
import { counted } from '../../text/format.ts';
import { committedResult, onTasks } from '../open-project.ts';
import { rewrittenLines } from '../render/rewritten-branch.ts';
import { plain } from '../render/terminal.ts';
import type { Result, Verb } from '../verb.ts';

export const verb: Verb = {
  operatorOnly: true,
  positionals: [
    {
      name: 'branch',
      optional: true,
      description: 'Your branch; default: the one the board was made from (base_branch).',
    },
  ],
  options: {
    'with-unreviewed': { description: 'Also commits that agents made and nobody reviewed.' },
    'test-from': {
      value: 'side',
      choices: ['base', 'candidate'],
      description:
        'Which side’s scripts/integration-test.sh is run (test_command if it has none); candidate is for a person who has read it, and mends one that is red itself.',
    },
  },
  examples: ['liza sync', 'liza sync origin/main', 'liza sync --test-from candidate'],
  details: [
    'Other people keep working beside Liza: this merges their work into the integration branch, so that agents build on it. It fast-forwards or makes a merge commit, and tests the result first: with scripts/integration-test.sh of the integration branch, or test_command if there is no such script.',
    'Running coders are told which files changed. Your own branch and your files stay as they are, unless you have the integration branch checked out: then a clean checkout is updated with it, and uncommitted changes hold the sync.',
    'Exit 3: a conflict or a red test; the files or the end of the output are shown, and nothing is changed.',
  ],
  run: onTasks(async (context, args) => {
    const { syncBase } = await import('../../tasks/sync.ts');
    const synced = await syncBase(context, {
      branch: args.text('branch'),
      withUnreviewed: args.flag('with-unreviewed'),
      testFrom: args.text('test-from') === 'candidate' ? 'candidate' : 'base',
    });
    return isRefusal(synced) ? synced : syncedResult(synced);
  }),
};

function syncedResult(synced: Synced): Result {
  const { branch, how, committed, commits, test } = synced;
  const data = { branch, how, commits, test: test.verdict };
  if (committed === undefined)
    return {
      ok: true,
      message: `already done: the integration branch has all of ${branch}`,
      lines: keptLines(synced).map(plain),
      data: { ...data, already: true },
    };
  return committedResult(committed, () => ({ lines: syncedLines(synced), data }));
}

/** Also below the result of an `init` that brought the branch in. */
export function syncedLines(synced: Synced): readonly string[] {
  const { how, commits, test, remarks } = synced;
  // No task stands behind what comes: nothing of it was tested before.
  const tested = test.verdict === 'none' ? `no tests were run on the result: ${NO_TESTS}` : testText(test);
  return [
    `${counted(commits, 'commit')}, ${how === 'merge' ? 'merge commit' : how}; ${tested}`,
    ...keptLines(synced),
    ...remarks,
  ].map(plain);
}

const keptLines = ({ branch, kept }: Synced): readonly string[] =>
  rewrittenLines(
    kept,
    (these) => `${branch} was rewritten since Liza built on it; the integration branch keeps ${these}`,
  );
