// A project that an earlier release made (test/fixtures/<version>/README.md), laid out in a temporary folder as it would
// be after a clone: repository and branches from the bundle, `.liza` and its copy in the git directory from the archive.
// What git does not carry is missing on purpose: task folders, hook, exclude lines. No path is rewritten: the board holds
// none of the folder it was made in but in texts (logs, a setting of the past).

import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type BuiltProject, builtIn, type Ran } from '../support/program.ts';
import { repositoryIn, start } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');

/** What that release itself printed with `--json`, on the project laid out like this. */
export interface Printed {
  readonly argv: readonly string[];
  readonly code: number;
  readonly answer: Readonly<Record<string, unknown>>;
}

export const printedBy = (version: string): readonly Printed[] =>
  readFileSync(join(FIXTURES, version, 'printed.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Printed);

export function layOut(version: string): BuiltProject {
  const made = repositoryIn(temporaryFolder());
  start(made, 'main', {});
  made.git('fetch', '-q', '--update-head-ok', join(FIXTURES, version, 'repository.bundle'), '+refs/*:refs/*');
  made.git('reset', '-q', '--hard');
  execFileSync('tar', ['-xzf', join(FIXTURES, version, 'project.tar.gz'), '-C', made.base]);
  cpSync(join(made.base, 'liza'), made.file('.liza'), { recursive: true });
  renameSync(join(made.base, 'git-copy'), made.file('.git/liza'));
  // The copy is the journal byte for byte; the archive holds it once.
  cpSync(made.file('.liza/journal.jsonl'), made.file('.git/liza/journal.jsonl'));
  return builtIn(made);
}

/** The environment in which the clock stands at `now`; nothing of the machine's sandbox is asked. */
export const at = (now: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--require=${join(FIXTURES, 'clock.cjs')}`,
  FIXTURE_NOW: now,
  LIZA_SANDBOX: 'off',
});

export function answerOf(ran: Ran): Readonly<Record<string, unknown>> {
  return JSON.parse(ran.stdout) as Record<string, unknown>;
}
