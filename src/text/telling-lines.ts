// The few lines of a red command's output that say what went wrong: a reader gets the error, not the end of a stack or a
// package manager's advertisement. Knows what node, mocha, TAP, pytest, unittest, make and npm print. Linear in the text;
// where it recognises nothing, the last lines are told as they are.

import { beginning } from './format.ts';

const LONGEST = 240;
const LONGEST_READ = 2000;
/** Nobody reads a checksum to its end, and two of them fill a line. */
const HASH = /\b(sha\d{1,3}-[\w+/]{12})[\w+/]{12,}={0,2}/g;
const COLOURS = /\u001b\[[\d;]*m/g;

/** At most `most` lines of the output, in its order. */
export function tellingLines(output: string, most: number): readonly string[] {
  const printed = output
    .replace(COLOURS, '')
    .split('\n')
    .map((line) => beginning(line.slice(0, LONGEST_READ).replace(HASH, '$1\u2026'), LONGEST).trimEnd())
    .filter((line) => line !== '');
  const lines = withCodes(printed).filter((line) => !isNoise(line));
  if (lines.length === 0) return printed.slice(-most);
  const weak = new Set(at(lines, WEAK));
  // The line before often names the test.
  const strong = at(lines, STRONG).flatMap((n) => [n, ...(weak.has(n - 1) ? [n - 1] : []), n + 1, n + 2]);
  const all = [...strong, ...weak, ...[...lines.keys()].toReversed()];
  const chosen = [...new Set(all.filter((n) => n < lines.length))].slice(0, most);
  return chosen.sort((a, b) => a - b).flatMap((n) => lines[n] ?? []);
}

/** As many of them as fit into so many characters. */
export function tellingText(output: string, most: number): string {
  for (let most = MOST_LINES; most > 1; most -= 1) {
    const text = tellingLines(output, most).join('\n');
    if (text.length <= most) return text;
  }
  return beginning(tellingLines(output, 1).join(''), most);
}

const MOST_LINES = 20;

/**
 * npm tells the kind of its error on a line of its own, and on the next one what is wrong. The usage below it is that of
 * a command which was called as it should be.
 */
function withCodes(lines: readonly string[]): readonly string[] {
  let code = '';
  let isUsage = false;
  return lines.flatMap((line) => {
    const [, said] = /^npm (?:error|ERR!)(?: (.*))?$/.exec(line) ?? [];
    if (said === undefined) return [line];
    isUsage = said === 'Usage:' || (isUsage && !said.startsWith('Run "npm help'));
    const named = NPM_CODE.exec(said)?.[1];
    code = named ?? code;
    if (isUsage || named !== undefined) return [];
    if (code === '' || isNoise(line)) return [line];
    const told = said.toUpperCase().includes(code) ? line : `npm error ${code}: ${said.trim()}`;
    code = '';
    return [told];
  });
}

const NPM_CODE = /^code (E[A-Z\d]{2,20})$/;

const at = (lines: readonly string[], forms: readonly RegExp[]): readonly number[] =>
  lines.flatMap((line, n) => (forms.some((form) => form.test(line)) ? [n] : []));

/** Says what was wrong; what follows it says with which values. */
const STRONG: readonly RegExp[] = [
  /^\s*(?:E\s+)?(?:Uncaught )?[\w.]*(?:Error|Exception)\b(?: \[\w+\])?(?:: |$)/,
  /^\s*not ok (?:\d+|- )/,
  /^\w+: \*\*\* /,
  /^thread '.*' panicked|^panic: /,
  /^(?:sh|bash|\/bin\/sh): .*(?:not found|No such file)/,
];
/** Says that, or where, something failed. */
const WEAK: readonly RegExp[] = [
  /\bFAIL(?:ED|URES?)?\b|\berror\b/,
  /^\s*\d+\) \S/,
  /^\s*[\u2716\u2717\u2718\xd7\u2715] /,
  /\bexpected\b|\bactual\b/i,
  /\b\d+ (?:failed|failing)\b/,
];
const isNoise = (line: string): boolean => NOISE.some((one) => one.test(line)) || isPunctuation(line);
const isPunctuation = (line: string): boolean => /^[^\p{L}\p{N}]*$/u.test(line);
const NOISE: readonly RegExp[] = [
  /^npm (?:notice|warn|WARN)\b/,
  /^npm (?:error|ERR!)\s*(?:$|(?:code|syscall|path|errno|A complete log)\b)/,
  // around the usage that it prints below its reason
  /^npm (?:error|ERR!) (?:Clean install a project$|Run "npm help)/,
  /\blooking for funding\b|run `npm fund`/,
  /^> \S+@\S+ \S+$/,
  // frames that are not the project's own, with and without `at`
  /^\s*at .*(?:node:|node_modules\/|\[eval\]|<anonymous>\)?(?: \{)?$)/,
  /\(?node:[\w/]+:\d+(?::\d+)?\)?$|^\s*\S.* \(<anonymous>\)$/,
  /^Node\.js v\d/,
  /^\[eval\]:\d+$/,
  /^\s*throw\b/,
  // a rule with a title
  /^[=_-]{3,} (?:FAILURES|ERRORS|short test summary info|test session starts) [=_-]{3,}$/,
  // what a runner says around each test
  /^\s*(?:# (?:Subtest|tests|suites|pass|cancelled|skipped|todo|duration_ms)\b|TAP version|1\.\.\d+$|ok (?:\d+|- ))/,
  /^\s*(?:duration_ms|location|failureType|type|generatedMessage|operator|code|name|stack|error):(?: \|-| (?:true|false),?| '.*',?| [\d.]+)$/,
  // of an assertion that something is so
  /^\s*(?:actual|expected): (?:true|false),?$/,
];
