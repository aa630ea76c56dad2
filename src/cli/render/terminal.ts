// Text on its way to a terminal. Agents write most of what Liza prints, so everything passes `plain`
// first: a control character is shown, never obeyed. Widths are terminal columns, not characters.
// Knows nothing of tasks, and never looks at the real terminal: what it can do is told by `Look`.

import { invisible } from '../../text/invisible.ts';

export interface Look {
  readonly color: boolean;
  readonly unicode: boolean;
  readonly width: number;
  /** No line is cut, and no word broken: there is no edge. */
  readonly isWhole?: boolean;
  /** Every row of a list instead of a bounded page. */
  readonly all?: boolean;
}

/**
 * Makes text safe to print: control characters and escape sequences become visible (`^[`), and so do
 * the invisible characters that reorder or hide what a person reads. Line breaks stay.
 */
export function plain(text: string): string {
  if (HARMLESS.test(text)) return text;
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/\t/g, '  ')
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (character) => `^${String.fromCharCode(character.charCodeAt(0) + 64)}`)
    .replace(UNSEEN, numbered);
}

const HARMLESS = /^[\n -~]*$/;

const numbered = (character: string): string =>
  `<U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`;

// DEL and C1 (an 8-bit terminal obeys U+009B as `ESC [`), bidirectional controls, zero-width spaces, tag characters.
const UNSEEN = invisible(String.raw`\u007f-\u009f`);

/** One safe line: runs of white space become one space. */
export const oneLine = (text: string): string => plain(text.replace(/\s+/g, ' ').trim());

/**
 * The same text for a terminal that only shows ASCII. Nothing is left out, and no letter is taken for another: code and
 * diffs come this way, too, so what has no known stand-in is named by its number.
 */
export const ascii = (text: string): string =>
  NON_ASCII.test(text) ? text.replace(SIGN_OR_CHARACTER, (sign) => SPELT[sign] ?? numbered(sign)) : text;

const NON_ASCII = /[^\x00-\x7f]/;
const SIGN_OR_CHARACTER = /\u26a0\ufe0f|[^\x00-\x7f]/gu;

const SPELT: Readonly<Record<string, string>> = {
  '⚠️': '[!]',
  '⚠': '[!]',
  '🚨': '[!!]',
  '—': '-',
  '–': '-',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '…': '...',
  '·': '|',
  '•': '*',
  '→': '->',
  '←': '<-',
  '≥': '>=',
  '≤': '<=',
  '×': 'x',
  '›': '>',
  '✓': '+',
  '✗': 'x',
  '✕': 'x',
};

/** Columns the text takes: wide characters and emojis two, combining marks none. */
export function columns(text: string): number {
  if (!NON_ASCII.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + (isWide(grapheme) ? 2 : isMark(grapheme) ? 0 : 1), 0);
}

// Made when first used: `\p{…}` takes longer to read than the rest of this file to load.
const isMark = (grapheme: string): boolean => /^[\p{M}\u200c\u200d]+$/u.test(grapheme);
const isWide = (grapheme: string): boolean =>
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u.test(
    grapheme,
  );

/** At most `width` columns; ends with the mark when something was cut. */
export function clip(text: string, width: number, mark: string): string {
  if (columns(text) <= width) return text;
  const room = width - columns(mark);
  if (room < 0) return take(mark, width);
  return wholeNumbers(text, take(text, room)).trimEnd() + mark;
}

/** Without the beginning of a `<U+00EB>` whose end was cut off. */
function wholeNumbers(text: string, taken: string): string {
  const begun = taken.lastIndexOf('<');
  const cut = begun < 0 ? undefined : /^<U\+[0-9A-F]{4,6}>/.exec(text.slice(begun))?.[0];
  return cut !== undefined && begun + cut.length > taken.length ? taken.slice(0, begun) : taken;
}

function take(text: string, width: number): string {
  let used = 0;
  let taken = '';
  for (const grapheme of graphemes(text)) {
    used += columns(grapheme);
    if (used > width) break;
    taken += grapheme;
  }
  return taken;
}

export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - columns(text)));

/** Breaks at spaces; a word longer than the width is broken where it must be. Line breaks are kept. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((paragraph) => wrapParagraph(paragraph, Math.max(1, width), false));
}

/** The same for what people copy: a word longer than the width stays whole, on a line that is too long. */
export function wrapWhole(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((paragraph) => wrapParagraph(paragraph, Math.max(1, width), true));
}

/** Cut by width alone: nothing is left out between two pieces. */
export function pieces(text: string, width: number): readonly string[] {
  const found: string[] = [];
  let rest = text;
  do {
    const piece = take(rest, Math.max(1, width)) || (graphemes(rest)[0] ?? '');
    found.push(piece);
    rest = rest.slice(piece.length);
  } while (rest !== '');
  return found;
}

const TAB = 8;

/** Tabs as the blanks that a terminal makes of them. */
export const untabbed = (line: string): string =>
  line.split('\t').reduce((before, part) => `${before}${' '.repeat(TAB - (columns(before) % TAB))}${part}`);

/**
 * One printed line, colours and all, as lines of at most `width`. What follows stands below the text of the line's second
 * column where it has one, else two columns further in than the line. A word is never broken: people copy paths.
 */
export function hang(line: string, width: number): readonly string[] {
  if (shownColumns(line) <= width) return [line];
  const seen = line.replace(SGR, '');
  const row = COMMAND_ROW.exec(seen);
  if (row !== null)
    return row[1] === '' ? [line] : [line.slice(0, line.length - (row[2] ?? '').length).trimEnd(), `    ${row[2]}`];
  const start = LINE_START.exec(seen)?.[0].length ?? width;
  const indent = ' '.repeat(start <= width / 2 ? start : Math.min(/^ */.exec(seen)?.[0].length ?? 0, width / 2) + 2);
  const lines: string[] = [];
  let current: string | undefined;
  for (const word of wordsOf(line, width - indent.length, true)) {
    const longer = current === undefined ? word : `${current} ${word}`;
    if (current === undefined || current.trim() === '' || shownColumns(longer.trimEnd()) <= width) {
      current = longer;
      continue;
    }
    lines.push(current.trimEnd());
    current = indent + word.trimStart();
  }
  return [...lines, current ?? ''];
}

/** A command that people copy: the line itself, or the last column of a table. Broken in two it would not run. */
const COMMAND_ROW = /^ +(|\S+(?: \S+){0,4} {2,})((?:cd|git|liza|node|npm|npx|rm) (?:(?! {2}).)+)$/;
/** What stands before the text: the first columns of a table, or the number or sign of a list. */
const LINE_START = /^ *(?:(?:\d+\.|[-*+>]|->) +|(?:\S+(?: \S+){0,4} {2,})+(?=\S))/;
const SGR = /\x1b\[[0-9;]*m/g;
const shownColumns = (text: string): number => columns(text.replace(SGR, ''));

function wrapParagraph(paragraph: string, width: number, whole: boolean): readonly string[] {
  const indent = /^ */.exec(paragraph)?.[0].slice(0, Math.floor(width / 2)) ?? '';
  const lines: string[] = [];
  let line = indent;
  let used = indent.length;
  for (let word of wordsOf(paragraph.trim(), width - indent.length, whole)) {
    const glue = line === indent ? '' : ' ';
    let wide = columns(word);
    if (used + glue.length + wide <= width) {
      line += glue + word;
      used += glue.length + wide;
      continue;
    }
    if (line !== indent) lines.push(line);
    while (!whole && indent.length + wide > width) {
      // A character wider than the whole line still has to go somewhere.
      const piece = take(word, width - indent.length) || (graphemes(word)[0] ?? '');
      lines.push(indent + piece);
      word = word.slice(piece.length);
      wide = columns(word);
    }
    line = indent + word;
    used = indent.length + wide;
  }
  if (line !== indent || lines.length === 0) lines.push(line.trimEnd());
  return lines;
}

/**
 * Where quoted blanks broke, nobody could tell how many there are: such a text is one word if a line can hold it. So is a
 * command within a sentence: in two lines it could not be copied.
 */
function wordsOf(text: string, room: number, whole: boolean): readonly string[] {
  // In what people copy, several blanks may mean something: they stay with the word before them.
  const between = whole ? / (?=\S)/ : / +/;
  if (!MAY_BIND.test(text)) return text.split(between);
  const bound = text
    .replace(COMMAND, (command) =>
      (whole || columns(command) <= room) && /^liza| (?:-|["'<])/.test(command)
        ? command.replaceAll(' ', HELD)
        : command,
    )
    .replace(QUOTED, (quoted) =>
      EDGE_OR_RUN.test(quoted) && columns(quoted) <= room ? quoted.replaceAll(' ', HELD) : quoted,
    );
  return bound.split(between).map((word) => word.replaceAll(HELD, ' '));
}

/** Without a quote or a program's name nothing is. */
const MAY_BIND = /['"`]|(?:liza|git|npm|npx|node) /;
const QUOTED = /(?<![^\s([{,:=])(['"`])(?:(?!\1).)+\1(?=[\s)\]},.;:!?]|$)/g;
/** A program, one or two words, and what can be nothing but arguments: options with a value, quoted texts, paths, ids. */
const COMMAND =
  /(?<![\w./-])(?:liza|git|npm|npx|node) [a-z][\w-]*(?: [a-z][\w-]*(?=$|[;,.:)]| ["'<-]| \S*[\d_./~@=-]))?(?: (?:--?[A-Za-z][\w-]*(?:[ =](?:"[^"]*"|'[^']*'|<[^>]*>|[\w./~:@-]+))?|"[^"]*"|'[^']*'|<[^>]*>|(?=\S*[\d_./~@=-])[\w./~:@=-]+))*/g;
const EDGE_OR_RUN = /^. | .$| {2}/;
const HELD = '\0';

/** Letters, dashes, arrows and boxes that never combine: the segmenter costs 12 ms and is left alone. */
const SIMPLE = /^[\x20-\x7e\n\u00a0-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u259f]*$/;

function graphemes(text: string): string[] {
  if (SIMPLE.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

let segmenter: Intl.Segmenter | undefined;
