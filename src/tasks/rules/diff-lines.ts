// A unified diff of git without context, as the lines that went and came, hunk by hunk. A line that went in one place
// and came in another was moved, or only indented. Linear in the diff.

export interface DiffLine {
  /** Its number in the file. */
  readonly at: number;
  readonly text: string;
  /** The same text, blanks aside, came or went elsewhere in the diff, with the line before or behind it; or at the same place. */
  readonly moved: boolean;
}

export interface Hunk {
  readonly path: string;
  /** The whole file is new. */
  readonly isNew: boolean;
  readonly gone: readonly DiffLine[];
  readonly came: readonly DiffLine[];
}

export function readHunks(unified: string): readonly Hunk[] {
  const hunks = split(unified);
  const gone = counted(hunks.flatMap((hunk) => hunk.gone));
  const came = counted(hunks.flatMap((hunk) => hunk.came));
  const pairs = { gone: pairsOf(hunks.map((hunk) => hunk.gone)), came: pairsOf(hunks.map((hunk) => hunk.came)) };
  // As often as it is on the other side: one of two equal lines may be lost.
  const marked = (lines: readonly Line[], beside: readonly Line[], others: Others): readonly DiffLine[] => {
    const here = new Set(beside.map(({ text }) => squeezed(text)));
    const own = lines.map(({ text }) => squeezed(text)).filter((text) => text !== '');
    const together = new Set(
      own.flatMap((text, at) => {
        const next = own[at + 1];
        return next !== undefined && others.pairs.has(pair(text, next)) ? [text, next] : [];
      }),
    );
    return lines.map((line) => {
      const text = squeezed(line.text);
      const left = others.counts.get(text) ?? 0;
      // One line alone may be written anew for something else: `run()` in one test, and in another that lost it.
      const moved = left > 0 && (here.has(text) || together.has(text) || !ACTS.test(text));
      if (moved) others.counts.set(text, left - 1);
      return { ...line, moved };
    });
  };
  return hunks.map((hunk) => ({
    ...hunk,
    gone: marked(hunk.gone, hunk.came, { counts: came, pairs: pairs.came }),
    came: marked(hunk.came, hunk.gone, { counts: gone, pairs: pairs.gone }),
  }));
}

/** A statement that may stand anywhere: a call without words of its own. What has a name or a text in it is known again. */
const ACTS = /^(?:await)?[\w$.]+\([^"'`]*\);?$/;

interface Others {
  readonly counts: Map<string, number>;
  /** Lines that follow each other in one place. */
  readonly pairs: ReadonlySet<string>;
}

const pair = (one: string, next: string): string => `${one}\n${next}`;

function pairsOf(places: readonly (readonly Line[])[]): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (const lines of places) {
    const texts = lines.map(({ text }) => squeezed(text)).filter((text) => text !== '');
    for (const [at, text] of texts.entries()) if (at > 0) pairs.add(pair(texts[at - 1] ?? '', text));
  }
  return pairs;
}

type Line = Omit<DiffLine, 'moved'>;
interface Open {
  readonly path: string;
  readonly isNew: boolean;
  readonly gone: Line[];
  readonly came: Line[];
}

function split(unified: string): readonly Open[] {
  const hunks: Open[] = [];
  let [path, isNew, before, after] = ['', false, 0, 0];
  let hunk: Open | undefined;
  for (const line of unified.split('\n')) {
    if (line.startsWith('diff --git ')) hunk = undefined;
    else if (hunk === undefined && line.startsWith('--- ')) {
      isNew = line.startsWith('--- /dev/null');
      path = isNew ? '' : named(line);
    } else if (hunk === undefined && line.startsWith('+++ ')) path ||= named(line);
    else if (line.startsWith('@@ ')) {
      const [, old = '0', now = '0'] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line) ?? [];
      [before, after] = [Number(old), Number(now)];
      hunk = { path, isNew, gone: [], came: [] };
      hunks.push(hunk);
    } else if (line.startsWith('-')) hunk?.gone.push({ at: before++, text: line.slice(1) });
    else if (line.startsWith('+')) hunk?.came.push({ at: after++, text: line.slice(1) });
  }
  return hunks;
}

/** `--- a/test/x.ts`; git quotes a name with odd characters, and the quotes may stay. */
const named = (line: string): string =>
  line
    .slice(4)
    .replace(/^("?)[ab]\//, '$1')
    .replace(/\t$/, '');

const squeezed = (text: string): string => text.replace(/\s+/g, '');

function counted(lines: readonly Line[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of lines) counts.set(squeezed(text), (counts.get(squeezed(text)) ?? 0) + 1);
  return counts;
}
