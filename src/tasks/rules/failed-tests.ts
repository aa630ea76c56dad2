// The names of failed tests in what a test runner printed, as far as it says them: TAP, node, vitest, jest, mocha, ava,
// pytest, unittest, go, cargo, rspec, phpunit, ctest. Linear in the text; what is kept is bounded.

const MOST = 12;
const NAME = 160;
/** Longer lines are no runner's. */
const READ = 500;

const FORMS: readonly RegExp[] = [
  /^\s*not ok \d+ -? ?(.+?)(?:\s+#.*)?$/,
  /^\s*[\u2716\u2717\u2718\xd7\u2715] (.+?)(?:\s+\(?\d+(?:\.\d+)?\s?m?s\)?)?$/,
  /^\s*FAIL\s+(\S+ > .+)$/,
  /^\s*\u25cf (.+ \u203a .+)$/,
  /^(?:FAILED|ERROR) (\S+::\S+|\S+\.py)(?: - .*)?$/,
  /^(?:FAIL|ERROR): (\S+ \(\S+\))$/,
  /^\s*--- FAIL: (\S+)/,
  /^test (\S+) \.\.\. FAILED$/,
  /^rspec (\.\/\S+:\d+ # .+)$/,
  /^\s*\d+\) (\S+::\S+|\S+ .+)$/,
  /^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted)\)/,
];
const COLOURS = /\u001b\[[\d;]*m/g;
/** Titles of lists, and what node says of the file around its tests. */
const NO_NAME = /^(?:failing tests:?|\d+ (?:failing|failed).*)$/i;

export function failedTests(printed: string): readonly string[] {
  const found = new Set<string>();
  for (const raw of printed.split('\n')) {
    if (found.size === MOST) break;
    const name = failedIn(raw);
    if (name !== undefined) found.add(name.slice(0, NAME));
  }
  return [...found];
}

/** Where Liza ran it: that folder is gone, and what stands below it is the project. */
const CHECKOUT = /(?:file:\/\/)?\/[^\s]{0,400}\/\.proof-[^/\s]{1,200}\//g;

/** The test that this line says failed. */
export function failedIn(raw: string): string | undefined {
  const line = raw.slice(0, READ).replace(COLOURS, '').trimEnd();
  const name = FORMS.flatMap((form) => form.exec(line)?.[1] ?? [])[0]?.trim();
  return name === undefined || name === '' || NO_NAME.test(name) ? undefined : name.replace(CHECKOUT, '');
}
