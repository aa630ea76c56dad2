// The scope text of a task as path lists (`IN:` and `OUT:` lines), and a small glob matcher.
// It hides what counts as a path, a test, code. The matcher keeps one return point per star and never recurses, so a
// hostile pattern costs length × length at worst.

export const DEFAULT_TEST_PATTERNS = [
  '**/test/**',
  '**/tests/**',
  '**/__tests__/**',
  '**/*.test.*',
  '**/*.spec.*',
  '**/*_test.*',
  '**/test_*',
] as const;

export const testPatterns = (settings: { readonly test_patterns?: readonly string[] | undefined }): readonly string[] =>
  settings.test_patterns ?? DEFAULT_TEST_PATTERNS;

interface Scope {
  readonly in: readonly string[];
  readonly out: readonly string[];
  /** IN items that are prose, not paths: `retry logic of the client`. */
  readonly prose: readonly string[];
}

export function parseScope(text: string): Scope {
  const found = { in: [] as string[], out: [] as string[], prose: [] as string[] };
  let section: 'in' | 'out' | undefined;
  for (const line of text.split('\n').flatMap(splitAtHeadings)) {
    const heading = /^[\s>*-]{0,20}(IN|OUT)( scope)?\s{0,5}:/i.exec(line);
    if (heading?.[1] !== undefined) section = heading[1].toLowerCase() === 'in' ? 'in' : 'out';
    if (section === undefined) continue;
    for (const item of line.slice(heading?.[0].length ?? 0).split(/[,;]/)) {
      const entry = clean(item);
      if (entry === '') continue;
      if (isPath(entry)) found[section].push(entry);
      else if (section === 'in') found.prose.push(entry);
    }
  }
  return found;
}

/** True when every IN item is a path and every path is a test: tests split off from their code. */
export function onlyTests(scope: Scope, patterns: readonly string[]): boolean {
  return scope.in.length > 0 && scope.prose.length === 0 && scope.in.every((path) => isTest(path, patterns));
}

export function isTest(path: string, patterns: readonly string[]): boolean {
  const plain = path.endsWith('/') ? path.slice(0, -1) : path;
  return patterns.some((pattern) => matches(pattern, plain) || matches(pattern, `${plain}/x`));
}

/** Files of a change that the scope declares OUT. */
export function outOfScope(scope: Scope, files: readonly string[]): readonly string[] {
  return files.filter((file) => scope.out.some((item) => covers(item, file)));
}

const CODE = new Set(
  (
    'ts tsx mts cts js jsx mjs cjs py rb go rs java kt kts scala swift c h cc cpp cxx hpp m mm cs fs php pl pm lua ' +
    'ex exs erl hs ml clj dart r jl sh bash zsh ps1 sql vue svelte'
  ).split(' '),
);

export function isCode(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 && CODE.has(name.slice(dot + 1).toLowerCase());
}

/** An item covers a file when it is that path, a folder above it, or a glob matching it; `*.md` matches at any depth. */
export function covers(item: string, file: string): boolean {
  const plain = item.replace(/^\.\//, '').replace(/\/$/, '');
  if (file === plain || file.startsWith(`${plain}/`)) return true;
  if (!/[*?]/.test(plain)) return false;
  return matches(plain, file) || (!plain.includes('/') && matches(`**/${plain}`, file));
}

/** `**` spans folders, `*` and `?` stay within one name. */
export function matches(pattern: string, path: string): boolean {
  return matchSequence(pattern.split('/'), path.split('/'), (part) => part === '**', matchName);
}

function matchName(pattern: string, name: string): boolean {
  return matchSequence(
    [...pattern],
    [...name],
    (char) => char === '*',
    (char, actual) => char === '?' || char === actual,
  );
}

function matchSequence(
  pattern: readonly string[],
  text: readonly string[],
  isStar: (part: string) => boolean,
  same: (part: string, actual: string) => boolean,
): boolean {
  let at = 0;
  let position = 0;
  let star = -1;
  let resume = 0;
  while (position < text.length) {
    const part = pattern[at];
    if (part !== undefined && isStar(part)) {
      star = at++;
      resume = position;
    } else if (part !== undefined && same(part, text[position] ?? '')) {
      at++;
      position++;
    } else if (star !== -1) {
      // The last star takes one more; earlier stars never need to move again.
      at = star + 1;
      position = ++resume;
    } else {
      return false;
    }
  }
  while (at < pattern.length && isStar(pattern[at] ?? '')) at++;
  return at === pattern.length;
}

function splitAtHeadings(line: string): readonly string[] {
  const out = line.search(/\sOUT:/);
  return out === -1 ? [line] : [line.slice(0, out), line.slice(out + 1)];
}

function clean(item: string): string {
  return item
    .trim()
    .replace(/^[-*]\s+/, '')
    .replace(/^[`"']+/, '')
    .replace(/[`"'.]+$/, '')
    .trim();
}

const isPath = (entry: string): boolean => !/\s/.test(entry);
