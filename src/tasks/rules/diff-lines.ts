// A unified diff of git without context, as the lines that went and came, hunk by hunk. A line that went in one place
// and came in another was moved, or only indented. Linear in the diff.

export interface DiffLine {
  /** Its number in the file. */
  readonly at: number;
  readonly text: string;
  /** The same text, blanks aside, came or went elsewhere in the diff. */
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
  // As often as it is on the other side: one of two equal lines may be lost.
  const marked = (lines: readonly Line[], others: Map<string, number>): readonly DiffLine[] =>
    lines.map((line) => {
      const left = others.get(squeezed(line.text)) ?? 0;
      others.set(squeezed(line.text), left - 1);
      return { ...line, moved: left > 0 };
    });
  return hunks.map((hunk) => ({ ...hunk, gone: marked(hunk.gone, came), came: marked(hunk.came, gone) }));
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
