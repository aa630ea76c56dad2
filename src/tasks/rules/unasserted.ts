// New tests in whose own lines nothing is asserted: they show at most that the code does not throw. A word that any
// framework or helper may use to check, and a file that sets something up for each test, leave no doubt to tell. Linear in the text.

import { declaredTests } from './declared-tests.ts';
import { isAlone } from './test-body.ts';
import { withoutComments } from './without-comments.ts';

const MOST = 10;
/** A longer test does more than can be told by its words. */
const LONGEST = 60;

/** Whatever may check: an assertion, a helper that is called so, or the way in which a test says that it failed. */
const CHECKS =
  /assert|expect|should|verif|check|ensure|require[^(]|refute|raise|throw|reject|fail|panic|match|compare|equal|snapshot|valid|same|must|test\w*\(|\b(?:ok|is|eq|ne|done|spy|mock\w*|calledWith|plan|pass|t|ctx|cy|page)\b[.(]|\b(?:t|self|this|ctx)\.\w*(?:[Ee]rr|[Ff]atal)|>>>/i;

export function unassertedTests(before: string, after: string, path: string): readonly string[] {
  if (!isAlone(after, path)) return [];
  const known = new Set(declaredTests(before, path).tests.map(({ name }) => name));
  const { tests } = declaredTests(after, path);
  const starts = [...new Set(tests.flatMap(({ line, sure, group }) => (sure || group ? [line] : [])))].sort(
    (a, b) => a - b,
  );
  const ends = new Map(starts.map((line, at) => [line, starts[at + 1] ?? Number.POSITIVE_INFINITY]));
  const lines = withoutComments(after, path).text.split('\n');
  const isBare = (line: number): boolean => {
    const end = ends.get(line) ?? line;
    const [head = '', ...body] = lines.slice(line - 1, Math.min(end - 1, line + LONGEST));
    if (body.length >= LONGEST) return false;
    return !CHECKS.test([head.replace(NAME, ''), ...body].map((one) => one.slice(0, 500)).join('\n'));
  };
  const bare = tests.filter(
    ({ name, sure, off, group, line }) => sure && !off && !group && !known.has(name) && isBare(line),
  );
  return [...new Set(bare.map(({ name }) => name.slice(0, 160)))].slice(0, MOST);
}

/** What a line declares says nothing of what it does. */
const NAME =
  /^\s*(?:(?:it|test|specify)(?:\.\w+)*\s*\(\s*(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`)|(?:async\s+)?def\s+\w+|func\s+\w+\(\w+ \*testing\.T\)|fn\s+\w+)/;
