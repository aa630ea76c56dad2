// Line hunks: how one text became another, small enough for a journal line and exact in both directions.
// A text is its `split('\n')`; hunks ascend and name lines of the OLD text. Applying checks every removed line, so a
// hunk never lands on text it was not made for. Must never split the whole text when a hunk touches a few lines.

import type { Replacement, Text } from './text.ts';

export interface Hunk {
  /** 0-based line of the old text before which `ins` goes and from which `del` is taken. */
  readonly at: number;
  readonly del: readonly string[];
  readonly ins: readonly string[];
}

/** The text is not the one the hunk was made for. */
export class HunkMismatch extends Error {
  override readonly name = 'HunkMismatch';
  constructor(
    readonly line: number,
    readonly expected: string | undefined,
    readonly found: string | undefined,
  ) {
    super(`line ${line + 1} is not what the change expects`);
  }
}

/** A line of a text, and the character it begins with. */
export interface LineStart {
  readonly line: number;
  readonly at: number;
}

/** The new text, from the old. `near` may know a line at or above the given one, so that fewer have to be counted. */
export function applyHunks(
  text: string,
  hunks: readonly Hunk[],
  near: (line: number) => LineStart | undefined = () => undefined,
): string {
  const past = text.length + 1;
  const groups: string[] = [];
  let line = 0;
  let at = 0;
  for (const hunk of hunks) {
    const start = at;
    if (hunk.at < line) throw new HunkMismatch(hunk.at, undefined, undefined);
    const known = near(hunk.at);
    if (known !== undefined && known.line > line) ({ line, at } = known);
    for (; line + CHUNK <= hunk.at; line += CHUNK) {
      MANY_LINES.lastIndex = at;
      if (!MANY_LINES.test(text)) break;
      at = MANY_LINES.lastIndex;
    }
    for (; line < hunk.at; line++) {
      if (at === past) throw new HunkMismatch(line, hunk.del[0], undefined);
      at = nextLine(text, at);
    }
    if (at > start) groups.push(text.slice(start, at - 1));
    for (const expected of hunk.del) {
      const end = at === past ? past : nextLine(text, at);
      const found = at === past ? undefined : text.slice(at, end - 1);
      if (found !== expected) throw new HunkMismatch(line, expected, found);
      at = end;
      line++;
    }
    if (hunk.ins.length > 0) groups.push(hunk.ins.join('\n'));
  }
  if (at < past) groups.push(text.slice(at));
  return groups.join('\n');
}

/**
 * What the hunks replace in the text, found without joining it; undefined where the last line, which may have no end, is
 * concerned: then `applyHunks` knows. `near` as there.
 */
export function replacementsOf(
  text: Text,
  hunks: readonly Hunk[],
  near: (line: number) => LineStart | undefined,
): readonly Replacement[] | undefined {
  const found: Replacement[] = [];
  for (const { at, del, ins } of hunks) {
    const known = near(at);
    if (known === undefined || known.line > at) return undefined;
    const lines = linesFrom(text, known.at, at - known.line + del.length);
    if (lines === undefined) return undefined;
    const passed = lines.slice(0, at - known.line);
    if (!del.every((line, n) => line === lines[passed.length + n])) return undefined;
    const start = known.at + sizeOf(passed);
    found.push({ start, end: start + sizeOf(del), by: ins.map((line) => `${line}\n`).join('') });
  }
  const isOrdered = found.every(({ start }, n) => start >= (found[n - 1]?.end ?? 0));
  return isOrdered ? found : undefined;
}

/** So many whole lines; undefined: fewer follow, or the last of them has no end. */
function linesFrom(text: Text, start: number, count: number): readonly string[] | undefined {
  for (let size = 1024; ; size *= 4) {
    const lines = text.slice(start, Math.min(start + size, text.length)).split('\n');
    if (lines.length > count) return lines.slice(0, count);
    if (start + size >= text.length) return undefined;
  }
}

/** How many characters lines take in a text. */
export const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);

/** Where the next line begins, as if the last one too ended in a newline. */
function nextLine(text: string, from: number): number {
  const nl = text.indexOf('\n', from);
  return nl === -1 ? text.length + 1 : nl + 1;
}

/** The old text, from the new. */
export function revertHunks(text: string, hunks: readonly Hunk[]): string {
  return applyHunks(text, invertHunks(hunks));
}

/** The hunks that lead back, in terms of the new text's lines. */
export function invertHunks(hunks: readonly Hunk[]): Hunk[] {
  let shift = 0;
  return hunks.map(({ at, del, ins }) => {
    const inverse = { at: at + shift, del: ins, ins: del };
    shift += ins.length - del.length;
    return inverse;
  });
}

/** Hunks between any two texts: small where the `diff` package finds them within bounds, else one hunk. */
export async function diffHunks(oldText: string, newText: string): Promise<Hunk[]> {
  const [whole] = diffHunksSimple(oldText, newText);
  if (whole === undefined || whole.del.length === 0 || whole.ins.length === 0) return whole ? [whole] : [];
  const { diffArrays } = await import('./diff-library.ts');
  const changes = diffArrays([...whole.del], [...whole.ins], { maxEditLength: MAX_EDITS });
  if (changes === undefined) return [whole];
  const hunks: Hunk[] = [];
  let at = whole.at;
  let open: { at: number; del: string[]; ins: string[] } | undefined;
  for (const { added, removed, value } of changes) {
    if (!added && !removed) {
      at += value.length;
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = { at, del: [], ins: [] };
      hunks.push(open);
    }
    if (added) for (const line of value) open.ins.push(line);
    else for (const line of value) open.del.push(line);
    if (removed) at += value.length;
  }
  return hunks;
}

/** At most one hunk: everything between the first and the last differing line. */
export function diffHunksSimple(oldText: string, newText: string): Hunk[] {
  if (oldText === newText) return [];
  // Only the differing middle becomes lines: a board has hundreds of thousands.
  const start = commonStart(oldText, newText);
  const from = start === 0 ? 0 : oldText.lastIndexOf('\n', start - 1) + 1;
  const tail = commonEnd(oldText, newText, from);
  const hunk = trimHunk({
    at: countLines(oldText, from),
    del: oldText.slice(from, oldText.length - tail).split('\n'),
    ins: newText.slice(from, newText.length - tail).split('\n'),
  });
  return hunk ? [hunk] : [];
}

const STRIDE = 4096;

/** How many characters both begin with. */
function commonStart(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  let at = 0;
  while (at + STRIDE <= shared && a.slice(at, at + STRIDE) === b.slice(at, at + STRIDE)) at += STRIDE;
  while (at < shared && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

/** How many characters both end with, after `from`, from the beginning of a line on. */
function commonEnd(a: string, b: string, from: number): number {
  const shared = Math.min(a.length, b.length) - from;
  let length = 0;
  const piece = (text: string, size: number) => text.slice(text.length - length - size, text.length - length);
  while (length + STRIDE <= shared && piece(a, STRIDE) === piece(b, STRIDE)) length += STRIDE;
  while (length < shared && piece(a, 1) === piece(b, 1)) length++;
  const line = a.indexOf('\n', a.length - length);
  return line === -1 ? 0 : a.length - line;
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let nl = text.indexOf('\n'); nl !== -1 && nl < end; nl = text.indexOf('\n', nl + 1)) lines++;
  return lines;
}

/** The hunk without the lines both sides share at its ends; undefined when nothing is left. */
export function trimHunk({ at, del, ins }: Hunk): Hunk | undefined {
  const shared = Math.min(del.length, ins.length);
  let head = 0;
  while (head < shared && del[head] === ins[head]) head++;
  let tail = 0;
  while (tail < shared - head && del[del.length - 1 - tail] === ins[ins.length - 1 - tail]) tail++;
  if (head + tail === del.length && del.length === ins.length) return undefined;
  return { at: at + head, del: del.slice(head, del.length - tail), ins: ins.slice(head, ins.length - tail) };
}

// Most lines are only walked past, and a compiled pattern does that many times faster than a call for each.
const CHUNK = 64;
const MANY_LINES = /(?:[^\n]*\n){64}/y;
const MAX_EDITS = 2000;
