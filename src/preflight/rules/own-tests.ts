// A person's own tests, run in the project's folder while agents work: some runners look into every folder, and so they
// would run what agents are just writing in .worktrees, with the person's own rights.

import { type CommandRun, nameOf } from '../../protocol/facts/command-files.ts';

export interface WideRunner {
  readonly runner: string;
  /** How it leaves the folder out. */
  readonly mend: string;
}

const MENDS: Readonly<Record<string, string>> = {
  // From Node 22 on a folder is no argument; the shell knows the star everywhere.
  'node --test': 'name your tests, for example: node --test test/*.test.js',
  jest: 'add to its settings: "testPathIgnorePatterns": ["/node_modules/", "<rootDir>/.worktrees/"]',
  vitest: "add to its settings: exclude: [...configDefaults.exclude, '.worktrees/**']",
  ava: `add to its settings: "files": ["test/**/*", "!.worktrees/**"]`,
};

/** Those among the runs that look into .worktrees. `settings`: the text of the files that could keep them from it. */
export function wideRunner(runs: readonly CommandRun[], settings: string): WideRunner | undefined {
  if (settings.includes('.worktrees')) return undefined;
  for (const { folder, program, rest } of runs) {
    const name = nameOf(program);
    const isNode = name === 'node' && rest.includes('--test') && rest.every((word) => word.startsWith('-'));
    const runner = isNode ? 'node --test' : name;
    const mend = MENDS[runner];
    if (folder === '' && mend !== undefined) return { runner, mend };
  }
  return undefined;
}
