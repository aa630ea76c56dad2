// The names of tests that passed in what a test runner printed, as far as it says them: TAP, node, mocha, vitest, jest,
// pytest -v, unittest -v, go -v, cargo, gradle, dotnet, googletest, bun, swift. Of them only those are wanted that somebody names. Linear in the text; bounded.

const MOST = 12;
const NAME = 160;
/** Longer lines are no runner's. */
const READ = 500;

const FORMS: readonly RegExp[] = [
  /^\s*ok \d+ -? ?([^#]+?)(?:\s+#.*)?$/,
  /^\s*[\u2713\u2714\u221a] (.+?)(?:\s+\(?\d+(?:\.\d+)?\s?m?s\)?)?$/,
  /^(\S+::.+?) PASSED\b/,
  /^\[gw\d+\] \[ *\d+%\] PASSED (\S+::.+)$/,
  /^(\w+) \([\w.]+\) \.\.\. ok$/,
  /^\s*--- PASS: (\S+)/,
  /^test (\S+)(?: - should panic)? \.\.\. ok$/,
  /^(\S.* > .+?)(?:\(\))? PASSED$/,
  /^\s+Passed (\S+)(?: \[|$)/,
  /^\[ {7}OK \] (\S+) \(/,
  /^\(pass\) (.+?)(?: \[[\d.]+ms\])?$/,
  /^Test Case '-?\[?\S+[ .](\w+)\]?' passed/,
];
const COLOURS = /\u001b\[[\d;]*m/g;

/** Those of `wanted` that passed; one of which the runner also says that it failed is not among them. */
export function passedTests(
  printed: string,
  wanted: ReadonlySet<string>,
  failed: readonly string[],
): readonly string[] {
  const not = new Set(failed.map(ownName));
  const found = new Set<string>();
  for (const raw of printed.split('\n')) {
    if (found.size === MOST) break;
    const name = ownName(passedIn(raw) ?? '');
    if (wanted.has(name) && !not.has(name)) found.add(name.slice(0, NAME));
  }
  return [...found];
}

/** The test that this line says passed. */
export function passedIn(raw: string): string | undefined {
  const line = raw.slice(0, READ).replace(COLOURS, '').trimEnd();
  return FORMS.flatMap((form) => form.exec(line)?.[1] ?? [])[0];
}

/** Without the file and the groups around it. */
export const ownName = (name: string): string =>
  (name.split(/ > | \u203a |::/).at(-1) ?? name).replace(/ \([\w.]+\)$/, '').trim();
