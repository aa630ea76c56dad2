// The names of failed tests in what a test runner printed, as far as it says them: TAP, node, vitest, jest, mocha, ava,
// pytest, unittest, go, cargo, rspec, phpunit, ctest. Linear in the text; what is kept is bounded.

const MOST = 30;
const NAME = 160;
/** Longer lines are no runner's. */
const READ = 500;

const FORMS: readonly RegExp[] = [
  /^\s*not ok (?:\d+ -? ?|- )(.+?)(?:\s+#.*)?$/,
  /^\s*[\u2716\u2717\u2718\xd7\u2715] (.+?)(?:\s+\(?\d+(?:\.\d+)?\s?m?s\)?)?$/,
  /^\s*FAIL\s+(\S+ > .+)$/,
  /^\s*\u25cf (.+ \u203a .+)$/,
  /^(?:FAILED|ERROR) (\S+::\S+|\S+\.py)(?: - .*)?$/,
  /^(?:FAIL|ERROR): (\S+ \(\S+\))(?: [[(].*)?$/,
  /^\s*--- FAIL: (\S+)/,
  /^test (\S+) \.\.\. FAILED$/,
  /^rspec (\.\/\S+:\d+ # .+)$/,
  /^\s*\d+\) (\S+::\S+|\S+ .+)$/,
  /^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted)\)/,
];
const COLOURS = /\u001b\[[\d;]*m/g;
/** Titles of lists, and what node says of the file around its tests. */
const NO_NAME = /^(?:failing tests:?|\d+ (?:failing|failed).*)$/i;
/** No test: unittest puts it in the place of a module that cannot be loaded, and counts it. */
export const STAND_IN = /\(unittest\.loader\.(?:_FailedTest|ModuleImportFailure|LoadTestsFailure)\b/;

export interface NamedTests {
  readonly names: readonly string[];
  /** So many more are not kept. */
  readonly more: number;
}

/** Without a bound: what is compared must be whole. */
export function allFailed(printed: string): ReadonlySet<string> {
  const found = new Set<string>();
  const lines = printed.split('\n');
  for (const [at, raw] of lines.entries()) {
    const name = GROUP.test(raw.slice(0, READ)) ? (withinGroup(lines, at) ?? failedIn(raw)) : failedIn(raw);
    if (name !== undefined) found.add(name.slice(0, NAME));
  }
  return found;
}

export const bounded = (found: ReadonlySet<string>): NamedTests => ({
  names: [...found].slice(0, MOST),
  more: Math.max(0, found.size - MOST),
});

/** mocha tells the failed ones again below their groups: `1) a group`, deeper `another`, deeper `the test:`. */
const GROUP = /^ {1,4}\d+\) \S/;
const DEEPEST = 8;

function withinGroup(lines: readonly string[], at: number): string | undefined {
  let depth = (lines[at] ?? '').search(/\S/);
  for (const raw of lines.slice(at + 1, at + 1 + DEEPEST)) {
    const line = raw.slice(0, READ).replace(COLOURS, '').trimEnd();
    if (line.search(/\S/) <= depth || /^\s*Failure\/Error/.test(line)) return undefined;
    if (line.endsWith(':')) return line.trim().slice(0, -1);
    depth = line.search(/\S/);
  }
  return undefined;
}

/** Where Liza ran it: that folder is gone, and what stands below it is the project. */
const CHECKOUT = /(?:file:\/\/)?\/[^\s]{0,400}\/\.proof-[^/\s]{1,200}\//g;

export const withoutCheckout = (text: string): string => text.replace(CHECKOUT, '');

/** The test that this line says failed. */
export function failedIn(raw: string): string | undefined {
  const line = raw.slice(0, READ).replace(COLOURS, '').trimEnd();
  const name = FORMS.flatMap((form) => form.exec(line)?.[1] ?? [])[0]?.trim();
  return name === undefined || name === '' || NO_NAME.test(name) || STAND_IN.test(name)
    ? undefined
    : withoutCheckout(name);
}
