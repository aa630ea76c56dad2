// A repository with a board, many files and the agents of a task, for the parts that measure git workflows.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeBoard } from './boards.mjs';
import { LIZA } from './part.mjs';

const { NODE_EXTRA_CA_CERTS: _, LIZA_AGENT_ID: __, ...inherited } = process.env;
const IDENTITY = { GIT_AUTHOR_NAME: 'b', GIT_AUTHOR_EMAIL: 'b@b', GIT_COMMITTER_NAME: 'b', GIT_COMMITTER_EMAIL: 'b@b' };

export const environmentOf = (agent) => ({
  ...inherited,
  ...IDENTITY,
  ...(agent === undefined ? {} : { LIZA_AGENT_ID: agent }),
});

/** Of `tasks` tasks and `files` files, in folders of the given kind; coder-1 and code-reviewer-1 are registered. */
export function makeRepository({ tasks, files, folders, isolation }) {
  const root = makeBoard(tasks);
  for (let n = 0; n < files; n += 1) {
    const folder = join(root, `src/d${n % folders}`);
    if (n < folders) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${n}.txt`), `line ${n}\n`.repeat(20));
  }
  const run = (program, args, agent) =>
    execFileSync(program, args, { cwd: root, env: environmentOf(agent), stdio: ['ignore', 'ignore', 'inherit'] });
  const git = (...args) => run('git', args);
  const liza = (...args) => run(process.execPath, [LIZA, ...args]);
  git('add', 'src', 'specs');
  git('commit', '-q', '-m', 'files');
  git('branch', 'integration');
  writeFileSync(join(root, '.git/info/exclude'), '/.liza/\n/.worktrees/\n', { flag: 'a' });
  liza('note', 'import');
  liza('config', 'set', 'isolation', isolation);
  // Where it is on, all folders are clones; what it costs itself: bench/sandbox.mjs.
  liza('config', 'set', 'sandbox', 'off');
  for (const agent of ['coder-1', 'code-reviewer-1']) run(process.execPath, [LIZA, 'register', agent], agent);
  return root;
}

export const TASK = [
  ...['--spec', 'specs/vision.md', '--done', 'it is there and exported', '--scope', 'IN: src'],
  ...['--validate', 'test -d .', '--ready'],
];
