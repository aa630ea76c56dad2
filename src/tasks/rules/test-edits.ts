// A diff of test files, read for what weakens them: every line that was taken from a test that was there before,
// and every new line that switches a test off. Linear in the diff; what is kept is bounded.

import type { TestEdits } from '../../protocol/command.ts';

/** Test files whose diff is read. */
export const TEST_EDITS_READ = 200;

const MOST_LINES = 80;
const MOST_TEXT = 6000;
const LINE = 160;

/** Switches a test off, lets it fail, or all others with it, in the words of common test runners. */
const SWITCHED_OFF =
  /\b(it|test|describe|context|suite)\.(skip|only|todo|fails)\b|\b(xit|xtest|xdescribe|fit|fdescribe)\s*\(|\b(skip|todo):\s*(true|['"`])|@(unittest\.)?(skip|expectedFailure)|pytest\.(mark\.)?(skip|xfail)|#\[ignore|@(Disabled|Ignore)\b|\bt\.Skip(Now|f)?\(/;

/** Reads a unified diff of git without context lines. */
export function readTestEdits(unified: string): TestEdits {
  const found: string[] = [];
  let [path, isNew, before, after] = ['', false, 0, 0];
  let inHunk = false;
  for (const line of unified.split('\n')) {
    if (line.startsWith('diff --git ')) inHunk = false;
    else if (!inHunk && line.startsWith('--- ')) {
      isNew = line.startsWith('--- /dev/null');
      path = isNew ? '' : named(line);
    } else if (!inHunk && line.startsWith('+++ ')) path ||= named(line);
    else if (line.startsWith('@@ ')) {
      const [, old = '0', now = '0'] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line) ?? [];
      [inHunk, before, after] = [true, Number(old), Number(now)];
    } else if (inHunk && line.startsWith('-')) {
      if (!isNew && line.slice(1).trim() !== '') found.push(`${path}:${before} - ${told(line)}`);
      before += 1;
    } else if (inHunk && line.startsWith('+')) {
      if (SWITCHED_OFF.test(line.slice(0, 2000))) found.push(`${path}:${after} + ${told(line)}`);
      after += 1;
    }
  }
  return bounded(found);
}

/** `--- a/test/x.ts`; git quotes a name with odd characters, and the quotes may stay. */
const named = (line: string): string =>
  line
    .slice(4)
    .replace(/^("?)[ab]\//, '$1')
    .replace(/\t$/, '');

const told = (line: string): string => line.slice(1).trim().slice(0, LINE);

function bounded(found: readonly string[]): TestEdits {
  const lines: string[] = [];
  let length = 0;
  for (const line of found) {
    length += line.length;
    if (lines.length === MOST_LINES || length > MOST_TEXT) break;
    lines.push(line);
  }
  const more = found.length - lines.length;
  return { lines, ...(more === 0 ? {} : { more }) };
}
