// Which files an entry means: its own path, what is below it, or what its pattern matches. It hides the matcher. Entries
// are read once, however many files are held against them. The matcher keeps one return point per star and never
// recurses, so a hostile pattern costs length × length at worst.

type Matcher = (path: string) => boolean;

/** An item covers a file when it is that path, a folder above it, or a glob matching it; `*.md` matches at any depth. */
export const covers = (item: string, file: string): boolean => coverage([item])(file);

/** Whether one of the items covers a file. A name is looked up; only patterns are tried one by one. */
export function coverage(items: readonly string[]): Matcher {
  const names = new Set(items.map(plainName));
  const globs = [...names].filter(isPattern).map((item) => readGlob(item.includes('/') ? item : `**/${item}`));
  const longest = longestOf(names);
  return (file) => {
    if (names.has(file) || foldersAbove(file, longest).some((folder) => names.has(folder))) return true;
    if (globs.length === 0) return false;
    const parts = file.split('/');
    return globs.some((glob) => glob(parts));
  };
}

/** Those of the items that cover one of the files. */
export function covering(items: readonly string[], files: readonly string[]): readonly string[] {
  const longest = longestOf(items);
  const there = new Set(items.length === 0 ? [] : files.flatMap((file) => [file, ...foldersAbove(file, longest)]));
  return items.filter((item) => there.has(plainName(item)) || (isPattern(item) && files.some(coverage([item]))));
}

const plainName = (item: string): string => item.replace(/^\.\//, '').replace(/\/$/, '');

const longestOf = (items: Iterable<string>): number => {
  let longest = 0;
  for (const { length } of items) longest = Math.max(longest, length);
  return longest;
};

/** Those whose names are not too long for any item: the depth of a path costs no more than its length. */
function foldersAbove(file: string, longest: number): readonly string[] {
  const folders: string[] = [];
  for (let end = file.indexOf('/'); end !== -1 && end <= longest; end = file.indexOf('/', end + 1))
    folders.push(file.slice(0, end));
  return folders;
}

/** In one list: each is tried on every file of a change. */
export const MOST_PATTERNS = 50;

/** Stands for files by their form, and has to be tried on each. */
export const isPattern = (item: string): boolean => /[*?]/.test(item);

/** `**` spans folders, `*` and `?` stay within one name. */
export const matches = (pattern: string, path: string): boolean => readGlob(pattern)(path.split('/'));

/** Whether one of the patterns matches. */
export function matcher(patterns: readonly string[]): Matcher {
  const globs = patterns.map(readGlob);
  return (path) => {
    const parts = path.split('/');
    return globs.some((glob) => glob(parts));
  };
}

type NameMatcher = (name: string) => boolean;

function readGlob(pattern: string): (parts: readonly string[]) => boolean {
  const wanted = pattern.split('/').map((part) => (part === '**' ? undefined : readName(part)));
  const last = wanted.at(-1);
  return (parts) => (last === undefined || last(parts.at(-1) ?? '')) && matchParts(wanted, parts);
}

/** undefined spans any number of parts. */
function matchParts(wanted: readonly (NameMatcher | undefined)[], parts: readonly string[]): boolean {
  let at = 0;
  let position = 0;
  let star = -1;
  let resume = 0;
  while (position < parts.length) {
    const part = wanted[at];
    if (at < wanted.length && part === undefined) {
      star = at++;
      resume = position;
    } else if (part?.(parts[position] ?? '') === true) {
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
  while (at < wanted.length && wanted[at] === undefined) at++;
  return at === wanted.length;
}

function readName(pattern: string): NameMatcher {
  if (!isPattern(pattern)) return (name) => name === pattern;
  const [head = ''] = /^[^*?]*/.exec(pattern) ?? [];
  const [tail = ''] = /[^*?]*$/.exec(pattern) ?? [];
  return (name) => name.startsWith(head) && name.endsWith(tail) && matchName(pattern, name);
}

/** `?` is one character, also where UTF-16 has two units for it. */
function matchName(pattern: string, name: string): boolean {
  const after = (position: number): number => position + ((name.codePointAt(position) ?? 0) > 0xffff ? 2 : 1);
  let at = 0;
  let position = 0;
  let star = -1;
  let resume = 0;
  while (position < name.length) {
    const char = pattern[at];
    if (char === '*') {
      star = at++;
      resume = position;
    } else if (char === '?') {
      at++;
      position = after(position);
    } else if (char !== undefined && char === name[position]) {
      at++;
      position++;
    } else if (star !== -1) {
      at = star + 1;
      resume = after(resume);
      position = resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
