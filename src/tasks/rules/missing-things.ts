// What a run says that it did not find: a module, an export, a name that a compiler wants. Tests that stop there did not
// come to what they check. Python, node, vitest, jest, TypeScript, go, Rust, Ruby, Java, C, PHP. Linear in the text; bounded.

import { withoutCheckout } from './failed-tests.ts';

const MOST = 20;
const LONGEST = 160;
/** Longer lines are no runner's. */
const READ = 500;

const FORMS: readonly RegExp[] = [
  /\bModuleNotFoundError: (No module named \S+)/,
  /\bImportError: (cannot import name '[^']+' from '[^']+')/,
  /(Cannot find (?:module|package) ['"][^'"]+['"])/,
  /(The requested module '[^']+' does not provide an export named '[^']+')/,
  /(Failed to resolve import ["'][^"']+["'])/,
  /(Module '[^']+' has no exported member '[^']+')/,
  /\.go:\d+:\d+: (undefined: \S+)/,
  /(no required module provides package \S+|package \S+ is not in (?:std|GOROOT)\b)/,
  /^error\[E\d+\]: ((?:unresolved import|cannot find|failed to resolve)[^\n]*)/,
  /(cannot load such file -- \S+)/,
  /error: (cannot find symbol|package \S+ does not exist)/,
  /fatal error: (\S+: No such file or directory)/,
  /((?:Class|Interface) "[^"]+" not found)/,
];

/** A call of what is not there: the test ran up to it. */
const CALLS: readonly RegExp[] = [
  /\bAttributeError: (.*\bhas no attribute '[^']+')/,
  /\bNameError: (name '[^']+' is not defined)/,
  /\bReferenceError: (\S+ is not defined)/,
  /\bTypeError: (\S+ is not a function)/,
  /\bNoMethodError:? \(?(undefined method ['`]\S+)/,
];
const OTHERWISE = /\b[A-Z]\w*(?:Error|Exception|Failure)\b|^E\s+assert\b|\bERR_ASSERTION\b|\bexpect(?:ed)?\b/;

export function missingThings(printed: string): ReadonlySet<string> {
  return new Set(said(printed, FORMS).slice(0, MOST));
}

/** Where each of so many tests failed by calling what is not there, and none otherwise: what that was, first. */
export function missingCall(printed: string, failed: number): string | undefined {
  const lines = printed.split('\n').map((line) => line.slice(0, READ));
  const others = lines.filter((line) => OTHERWISE.test(line) && !CALLS.some((form) => form.test(line)));
  const calls = others.length === 0 ? said(printed, CALLS) : [];
  return failed > 0 && calls.length >= failed ? calls[0] : undefined;
}

const said = (printed: string, forms: readonly RegExp[]): readonly string[] =>
  printed.split('\n').flatMap((raw) => {
    const line = raw.slice(0, READ);
    const [what] = forms.flatMap((form) => form.exec(line)?.[1] ?? []);
    return what === undefined ? [] : [withoutCheckout(what).slice(0, LONGEST)];
  });
