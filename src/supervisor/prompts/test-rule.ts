// The rules about tests that a planner must know before it cuts tasks: a task that they refuse at submit was planned
// wrongly. As the project has set them, in a few lines.

import { testPatterns } from '../../protocol/facts/scope.ts';
import { type Settings, type State, settings } from '../../protocol/state.ts';
import { inline, pathList, quote } from './quote.ts';

export function testRule(state: State): readonly string[] {
  const config = settings(state);
  const { test_command: command, tests_in_code: within = [], tdd } = config;
  const set = [
    `test files: ${pathList(testPatterns(config), 0, MOST_PATTERNS)}`,
    ...(within.length === 0 ? [] : [`code that holds its own tests: ${pathList(within, 0, MOST_PATTERNS)}`]),
    `test_command, run at each submission: ${typeof command === 'string' ? inline(command) : 'none, so --validate each code task'}`,
    TDD[tdd],
    ...checkout(config),
  ];
  return [
    'TESTS: a code task is submitted only with a changed test file; those are IN unless OUT.',
    ...quote(set.join('\n'), 'liza status --json'),
    'VALIDATION: one clean clone with history, test_command first, no credentials; tried on the base too: `liza help validation`',
    'SAME FILE at once: a fixed place in it for each task (scope), or --depends.',
  ];
}

/** What a command meets there decides whether it can pass at all. */
function checkout({ post_worktree_cmd: setUp, worktree_files: files = [], validation_timeout }: Settings) {
  const made = setUp
    ? `as ${inline(setUp)} makes them`
    : 'those in git and on this machine, nothing is installed for it';
  return [
    `dependencies in that clone: ${made}${files.length === 0 ? '' : `; ${pathList(files)} copied in`}`,
    `time for all commands: ${validation_timeout} s`,
  ];
}

const MOST_PATTERNS = 14;

const TDD = {
  strict: 'tdd: strict, new tests must fail on the base',
  evidence: 'tdd: evidence, the reviewer sees whether new tests fail on the base',
  off: 'tdd: off, new tests need not fail on the base',
} as const;
