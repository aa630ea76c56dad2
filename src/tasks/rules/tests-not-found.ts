// Whether a run that is not green came to no test at all: the tests are still to be written, or the program that runs them
// is not there. Such a run says nothing of the code, and nobody is told that it is red. Linear in the text.

import { COLOURS, countedTests } from './counted-tests.ts';
import { saidFailures } from './said-failures.ts';

export interface NotFound {
  /** The tests themselves, or the program that runs them. */
  readonly what: 'tests' | 'program';
  /** The line that says so. */
  readonly said: string;
}

interface Run {
  readonly how: string;
  readonly code?: number;
  /** The end of what it printed. */
  readonly tail: string;
}

/** One word is a program; a file of the project has a path or an ending. */
const NO_PROGRAM: readonly RegExp[] = [
  /: ([\w+@-]+): (?:command )?not found$/,
  /: command not found: [\w+@-]+$/,
  /\bpython[\d.]*: No module named [\w.]+$/,
];

/** npm and its like, Python, unittest, pytest, make, go, cargo, jest, vitest, mocha, ava, deno, bun, PHPUnit, ctest, dotnet. */
const NO_TESTS: readonly RegExp[] = [
  /\bno test specified\b/,
  /\bMissing script: "?test\b|\bCommand "test" not found|\bERR_PNPM_NO_SCRIPT\b/,
  /\bCould not read package\.json: Error: ENOENT\b/,
  /: can't open file '[^']+': \[Errno 2\]/,
  /^ImportError: Start directory is not importable: /,
  /^NO TESTS RAN$|^=*\s?no tests ran\b|^ERROR: file or directory not found: /,
  /\bNo rule to make target '[^']+'\.|\*\*\* No targets specified and no makefile found\./,
  /\bmatched no packages$|\bno packages to test$|\bgo\.mod file not found\b/,
  /^error: could not find `Cargo\.toml`/,
  /\bNo tests? (?:(?:files? |modules? )?found|executed|were found|is available)\b/,
  /\bCouldn[\u2019']t find any files to test\b/,
];
/** The file or folder that node was given; in a test it would be a name that the test loads, with a stack. */
const NODE = /^(?:# )?(?:Could not find '[^']+'|(?:Error: )?Cannot find module '\/[^']+')$/;
const SHELL =
  /^(?:\S*\/)?[a-z]*sh: (?:\d+: |line \d+: )?(?:cannot open )?\S+: (?:not found|No such file(?: or directory)?)$/;
/** Of a shell that did not find what it should run, or may not run it; dash says 2 of a script. */
const CANNOT_RUN: ReadonlySet<number | undefined> = new Set([2, 126, 127]);
/** Longer lines are no runner's. */
const READ = 500;
const LONGEST = 100;

/** Undefined: it is green or red, or ended in another way. */
export function testsNotFound({ how, code, tail }: Run): NotFound | undefined {
  if (how !== 'exited' || code === 0) return undefined;
  const printed = tail.replace(COLOURS, '');
  // npm repeats what it runs behind `> `.
  const lines = printed.split('\n').flatMap((line) => (line.startsWith('> ') ? [] : [line.slice(0, READ).trimEnd()]));
  const saying = (...forms: readonly RegExp[]): string | undefined =>
    lines.find((line) => forms.some((form) => form.test(line)));
  const found = (what: NotFound['what'], said: string): NotFound => ({ what, said: short(said) });
  // Some ran, or a file of them failed as a whole: tests are there.
  const ran = (countedTests(printed) ?? 0) > 0;
  const given = ran || /\bRequire stack:|\bimported from\b/.test(printed) ? undefined : saying(NODE);
  if (given !== undefined) return found('tests', given);
  if (ran || saidFailures(printed)?.closing !== undefined) return undefined;
  const program = saying(...NO_PROGRAM);
  if (program !== undefined && code !== 2) return found('program', program);
  const said = saying(...NO_TESTS) ?? (CANNOT_RUN.has(code) ? saying(SHELL) : undefined);
  if (said !== undefined) return found('tests', said);
  return code === 126 || code === 127
    ? found('program', lines.findLast((line) => line !== '') ?? `exit ${code}`)
    : undefined;
}

/** Where Liza ran it: that folder is gone, and what stands below it is the project. */
const CHECKOUT = /\/[^\s']{0,400}\/\.(?:(?:proof|trial|merge)-[^/\s']{1,200}|checkout)\//g;

const short = (line: string): string =>
  line
    .replace(CHECKOUT, '')
    .replace(/^(?:# )?(?:npm (?:error|ERR!) (?:[a-z]+ )?)?/, '')
    .replace(/^[=\s]+|(?: in [\d.]+s)?[=\s]*$/g, '')
    .slice(0, LONGEST);

/** `npm test finds no tests yet (Missing script: "test")`. */
export const notFoundText = (command: string, { what, said }: NotFound): string =>
  what === 'tests' ? `${command} finds no tests yet (${said})` : `${command} cannot be run (${said})`;

interface Where {
  /** The person's. */
  readonly branch: string;
  /** A goal that is over takes no more tasks. */
  readonly isOver?: boolean;
}

/** What helps where the project's own command (test_command) tests. */
export function notFoundMend({ what, said }: NotFound, { branch, isOver = false }: Where): string {
  const other = 'if the tests are run in another way: liza config set test_command "<command>"';
  if (what === 'tests')
    return `${isOver ? 'the next goal' : 'a task of this goal'} may write them, or you do: commit them on ${branch}, then: liza sync; ${other}; for none until then: liza config set test_command null`;
  if (/\bPermission denied$/.test(said))
    return `make it executable (chmod +x) and commit that on ${branch}, then: liza sync; ${other}`;
  return `install it, or say how a fresh checkout does: liza config set post_worktree_cmd "<command>"; ${other}`;
}
