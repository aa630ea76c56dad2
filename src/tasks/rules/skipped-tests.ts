// What a test runner says at its end of tests that it did not run, or that were meant to fail: node, vitest, jest, mocha,
// pytest, unittest, go, cargo, rspec, PHPUnit, googletest, Maven, dotnet. Quoted, not interpreted. Linear in the text.

const FORMS: readonly RegExp[] = [
  /^(?:#|\u2139) (?:skipped|todo) [1-9]\d*$/,
  /^\s*Tests:?\s.*\b[1-9]\d* (?:skipped|todo)\b/,
  /^=*\s?.*\b[1-9]\d* (?:skipped|xfailed|deselected)\b.* in [\d.]+s/,
  /^OK \(.*(?:skipped|expected failures)=[1-9]/,
  /^\s+[1-9]\d* pending$/,
  /^\s*--- SKIP: \S/,
  /^test result: .*; [1-9]\d* ignored;/,
  /^\d+ examples?, .*\b[1-9]\d* pending/,
  /^Tests: .*\b(?:Skipped|Incomplete): [1-9]/,
  /^\[ {2}SKIPPED \] [1-9]\d* tests?/,
  /\bTests run: .*\bSkipped: [1-9]/,
  /\bPassed: +\d+, Skipped: +[1-9]/,
];
const COLOURS = /\u001b\[[\d;]*m/g;
/** Longer lines are no runner's. */
const READ = 300;
const MOST = 4;

/** The lines that say so, as one; undefined: none does. */
export function skippedTests(printed: string): string | undefined {
  const said = printed
    .split('\n')
    .map((raw) => raw.slice(0, READ).replace(COLOURS, '').trimEnd())
    .filter((line) => FORMS.some((form) => form.test(line)))
    .map((line) => line.replace(/^[#\u2139=\s]+|[=\s]+$/g, '').replace(/\s+/g, ' '));
  const lines = [...new Set(said)];
  if (lines.length === 0) return undefined;
  const more = lines.length - MOST;
  return `${lines.slice(0, MOST).join('; ')}${more > 0 ? `; and ${more} more lines` : ''}`;
}

/** A test by its name: TAP, node, vitest, jest, mocha, bats, pytest, unittest, go, cargo, gradle, dotnet, googletest. */
const NAMED: readonly RegExp[] = [
  /^\s*ok (?:\d+ -? ?|- )(.+?)\s+# (?:skip|todo)\b/i,
  /^\s*[\ufe63\u2713\u2714] (.+?)(?:\s+\(\d+(?:\.\d+)?\s?m?s\))?\s+# (?:skip|todo)\b/i,
  /^\s*\ufe63 (.+?)(?:\s+\(\d+(?:\.\d+)?\s?m?s\))?$/,
  /^\s*\u2193 (.+?)(?:\s+\[skipped\])?$/,
  /^\s*(?:\u25cb skipped|\u270e todo) (.+)$/,
  /^\s+- (.+?)(?: \(skipped(?:: [^)]*)?\))?$/,
  /^(\S+::.+?) (?:SKIPPED|XFAIL)\b/,
  /^(\w+) \([\w.]+\) \.\.\. (?:skipped|expected failure)/,
  /^\s*--- SKIP: (\S+)/,
  /^test (\S+) \.\.\. ignored/,
  /^(\S.* > .+?)(?:\(\))? SKIPPED$/,
  /^\s+Skipped (\S+)(?: \[|$)/,
  /^\[ {2}SKIPPED \] (\S+) \(/,
];

/** The test that this line says did not run, or was meant to fail. */
export function skippedIn(raw: string): string | undefined {
  const line = raw.slice(0, READ).replace(COLOURS, '').trimEnd();
  return NAMED.flatMap((form) => form.exec(line)?.[1] ?? [])[0];
}
