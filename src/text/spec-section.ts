// The section of a Markdown document that an anchor names: by GitHub's slug of a heading, or by an id that is written
// out ({#id}, <a id="…">, <h2 id="…">). Headings inside code fences are none.

export interface SpecSection {
  readonly text: string;
  /** No heading has this anchor: the text is the whole document. */
  readonly anchorMissing?: true;
  /** The anchors that it has instead. */
  readonly anchors?: readonly string[];
}

/** From its heading to the next one of the same or a higher level; without an anchor the whole document. */
export function specSection(markdown: string, anchor: string | undefined): SpecSection {
  const lines = markdown.replace(/\r\n?/g, '\n').split('\n');
  if (anchor === undefined) return { text: tidy(lines) };
  const all = headings(lines);
  const wanted = decoded(anchor).toLowerCase();
  const found = all.find(({ names }) => names.includes(wanted));
  if (found === undefined)
    return { text: tidy(lines), anchorMissing: true, anchors: all.flatMap(({ names }) => names[0] ?? []) };
  const next = all.find(({ line, level }) => line > found.line && level <= found.level);
  return { text: tidy(lines.slice(found.line, next?.line)) };
}

export interface PlainSection {
  /** Undefined: what stands before the first heading. */
  readonly anchor: string | undefined;
  /** The anchors of the sections that it is in, outermost first. */
  readonly within: readonly string[];
  readonly text: string;
}

/** Every section up to the next heading of any level: together they are the document. */
export function plainSections(markdown: string): readonly PlainSection[] {
  const lines = markdown.replace(/\r\n?/g, '\n').split('\n');
  const all = headings(lines);
  const open: Heading[] = [];
  const first = tidy(lines.slice(0, all[0]?.line ?? lines.length));
  return [
    ...(first === '' ? [] : [{ anchor: undefined, within: [], text: first }]),
    ...all.map((heading, at) => {
      while ((open.at(-1)?.level ?? 0) >= heading.level) open.pop();
      const within = open.map(({ names }) => names[0] ?? '');
      open.push(heading);
      return { anchor: heading.names[0] ?? '', within, text: tidy(lines.slice(heading.line, all[at + 1]?.line)) };
    }),
  ];
}

/** The anchor of a spec_ref such as `specs/auth.md#retry`. */
export const anchorOf = (specRef: string): string | undefined => {
  const hash = specRef.indexOf('#');
  return hash === -1 ? undefined : specRef.slice(hash + 1);
};

interface Heading {
  readonly line: number;
  readonly level: number;
  /** Its slug and its written ids, in small letters. */
  readonly names: readonly string[];
}

function headings(lines: readonly string[]): readonly Heading[] {
  const found: Heading[] = [];
  const slugs = new Map<string, number>();
  let fence: string | undefined;
  for (const [at, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined;
      continue;
    }
    if (mark !== undefined) fence = mark;
    const heading = headingAt(lines, at);
    if (heading === undefined) continue;
    const slug = slugOf(withoutEmphasis(heading.title));
    const before = slugs.get(slug) ?? 0;
    slugs.set(slug, before + 1);
    const numbered = before === 0 || slug === '' ? slug : `${slug}-${before}`;
    // The last is how older boards may have written it.
    const names = [numbered, ...idsIn(line), ...idsAbove(lines, at), slugOf(heading.title)];
    found.push({ line: at, level: heading.level, names: [...new Set(names)].filter((name) => name !== '') });
  }
  return found;
}

/** `## Title`, `<h2>Title</h2>`, or a title above a line of `=` or `-`. */
function headingAt(
  lines: readonly string[],
  at: number,
): { readonly level: number; readonly title: string } | undefined {
  const line = lines[at] ?? '';
  const hashes = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(line);
  if (hashes?.[1] !== undefined)
    return { level: hashes[1].length, title: (hashes[2] ?? '').replace(/[ \t]#+[ \t]*$/, '') };
  const tag = /^ {0,3}<h([1-6])(?:\s[^>]*)?>(.*)$/i.exec(line);
  if (tag !== null) return { level: Number(tag[1]), title: tag[2] ?? '' };
  const under = /^ {0,3}(=+|-{2,})[ \t]*$/.exec(lines[at + 1] ?? '')?.[1];
  if (under === undefined || !/^ {0,3}[^\s>|*+-]/.test(line)) return undefined;
  return { level: under.startsWith('=') ? 1 : 2, title: line };
}

const LONGEST_TITLE = 1000;

/** `__bold__` and `_it_` are marks, `snake_case` and code are not; stars fall with the punctuation. */
function withoutEmphasis(title: string): string {
  if (title.length > LONGEST_TITLE) return title;
  return title
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith('`')
        ? part
        : part
            .replace(/&(?:#\w+|\w+);/g, '')
            .replace(
              /(?<![\p{L}\p{N}_\\])(_{1,3})(?=[^\s_])([^_]|_(?=[\p{L}\p{N}]))*?\1(?![\p{L}\p{N}_])/gu,
              (marked, mark: string) => marked.slice(mark.length, -mark.length),
            ),
    )
    .join('');
}

/** As GitHub makes it: small letters, no punctuation, dashes for blanks. */
function slugOf(title: string): string {
  return title
    .replace(/\{#[^}{]*\}\s*$/, '')
    .replace(/<[^<>]*>/g, '')
    .replace(/!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

const idsIn = (line: string): readonly string[] =>
  [...line.matchAll(/\{#([^{}\s]+)\}|<(?:a|h[1-6])\s[^<>]*?\b(?:id|name)=["']?([^"'\s>]+)/gi)].map(
    ([, written, tagged]) => (written ?? tagged ?? '').toLowerCase(),
  );

/** On the line above, or with a blank line between where nothing else stands on it. */
function idsAbove(lines: readonly string[], at: number): readonly string[] {
  const above = lines[at - 1] ?? '';
  if (above.trim() !== '') return /^\s*<h[1-6]/i.test(above) ? [] : idsIn(above);
  const further = lines[at - 2] ?? '';
  return /^\s*<a\s[^>]*>(?:\s*<\/a>)?\s*$/i.test(further) ? idsIn(further) : [];
}

function decoded(anchor: string): string {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}

/** Blanks at the ends of lines and of the text are no change. */
const tidy = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
