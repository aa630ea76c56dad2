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

export function missingThings(printed: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const raw of printed.split('\n')) {
    if (found.size >= MOST) break;
    const line = raw.slice(0, READ);
    const [said] = FORMS.flatMap((form) => form.exec(line)?.[1] ?? []);
    if (said !== undefined) found.add(withoutCheckout(said).slice(0, LONGEST));
  }
  return found;
}
