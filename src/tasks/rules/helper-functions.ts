// Functions of a test file that are called like tests and may well be none: what pytest calls a fixture, what stands within
// another function, `def run_test(…)`, and functions of a script, which no runner finds by their names. Linear in the text.

const PYTHON = /\.pyi?$/i;
const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte)$/i;
/** Further up it is not looked: a class may be long. */
const MOST_LINES = 200;

export function helperIn(text: string, path: string): (name: string, at: number) => boolean {
  if (SCRIPT.test(path)) return () => true;
  if (!PYTHON.test(path)) return () => false;
  const lines = text.split('\n');
  const starts: number[] = [];
  let start = 0;
  for (const line of lines) {
    starts.push(start);
    start += line.length + 1;
  }
  const lineAt = new Map(starts.map((from, n) => [from, n]));
  return (name, at) => {
    const n = lineAt.get(text.lastIndexOf('\n', at - 1) + 1) ?? 0;
    return isAsked(name, lines[n] ?? '') || isFixture(lines, n) || isWithinFunction(lines, n);
  };
}

/** What is not named as pytest looks for tests, and is given something, is called by others. */
const isAsked = (name: string, line: string): boolean =>
  !name.startsWith('test') && !/\(\s*(?:self)?\s*\)/.test(line.slice(0, 300));

function isFixture(lines: readonly string[], n: number): boolean {
  for (let at = n - 1; at >= 0 && n - at < 12; at -= 1) {
    const line = (lines[at] ?? '').trim();
    if (/^@(?:\w+\.)*fixture\b/.test(line)) return true;
    // The rest of a decorator that goes over several lines.
    if (!/^@|^[)\]}]|,$|\($/.test(line)) return false;
  }
  return false;
}

function isWithinFunction(lines: readonly string[], n: number): boolean {
  const own = indentOf(lines[n] ?? '');
  for (let at = n - 1; own > 0 && at >= Math.max(0, n - MOST_LINES); at -= 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || indentOf(line) >= own) continue;
    return /^\s*(?:async\s+)?def\b/.test(line);
  }
  return false;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
