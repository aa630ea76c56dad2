// What an approval names for each criterion, line by line, as people and models write it: `1: ran npm test`, `(2) src/a.ts:3`,
// `Criterion 3 — test a.test.ts › x`, or the criterion with what shows it in the lines below. Linear in the text.

import { isSentence } from '../../text/sentence.ts';
import { commandsSaid, itemsIn } from './approval-items.ts';
import { placeIn, rangeEnd } from './verdict.ts';

/** What an approval names for one criterion. `diff`: only these change; `adds`: no line of these is changed or removed. `seen`: its own word, which nothing can check. */
export type Evidence = { readonly criterion: number } & (
  | { readonly by: 'test'; readonly file: string; readonly name: string }
  | { readonly by: 'ran'; readonly command: string }
  | { readonly by: 'place'; readonly file: string; readonly line: number; readonly to?: number }
  | { readonly by: 'diff'; readonly paths: readonly string[]; readonly adds?: true }
  | { readonly by: 'seen'; readonly text: string }
);

/** Each is looked up in git. */
export const MOST_EVIDENCE = 200;

const ONE = '\\d{1,4}';
const AND = '\\s{0,2}(?:,|&|-|\u2013|\\.\\.|and|to)\\s{0,2}';
const BOLD = '[*_]{0,3}';

const LABEL = `${BOLD}(?:criteri(?:on|a)\\s{1,3}|(?:ac|c)[-\\s]?(?=\\d))?[#(\\[]{0,2}(${ONE}(?:${AND}${ONE}){0,200})`;

/** `1: …`; also `2)`, `2.`, `2 -`, `(2)`, `**2:**`, `Criterion 2:`, `AC2:`, and several at once: `1, 3:`, `1-3:`. */
const NUMBERED = new RegExp(`^${LABEL}${BOLD}\\s?(:|[.)\\]/=|]|-|\u2013|\u2014|\u2192)${BOLD}(\\s*)(\\S.*)$`, 'i');
/** A criterion alone: what shows it follows below. */
const HEAD = new RegExp(`^(?:#{1,6}\\s+)?${LABEL}${BOLD}\\s?[:.)\\]]?${BOLD}$`, 'i');
const NEXT = new RegExp(`;\\s*(?=${ONE}(?:${AND}${ONE}){0,200}\\s?[:)]\\s)`, 'i');

export interface Line {
  /** As they are written. */
  readonly numbers: string;
  readonly named: readonly number[];
  readonly body: string;
  /** It is about a criterion, whatever it says of it. */
  readonly strict: boolean;
  /** Empty: nothing in any known form. */
  readonly shown: readonly Shown[];
}

export interface Read extends Line {
  /** Which line of the text it begins on, and which ones show something. */
  readonly at: number;
  readonly rows: readonly number[];
}

/** Each criterion that the text names, with what stands in its line and in those below that belong to it. */
export function readLines(text: string): readonly Read[] {
  const found: { -readonly [K in keyof Read]: Read[K] }[] = [];
  let isOpen = false;
  for (const [at, line] of text.split('\n').entries()) {
    const own = readLine(line);
    const [, alone] = own.length > 0 ? [] : (HEAD.exec(line.trim()) ?? []);
    if (alone !== undefined) own.push({ numbers: alone, named: numbersIn(alone), body: '', strict: false, shown: [] });
    found.push(...own.map((one) => ({ ...one, at, rows: one.shown.length > 0 ? [at] : [] })));
    const last = found.at(-1);
    if (own.length > 0) isOpen = true;
    else if (line.trim() === '') isOpen &&= last?.shown.length === 0;
    else if (isOpen && last !== undefined) {
      const isBelow = /^(?:\s{2,}|\s*[-*+>\u2022]\s)/.test(line) || last.body === '';
      const shown = isBelow && !/\[concern\]/i.test(line) ? shownBy(line.trim().replace(/^[-*+>\u2022]\s+/, '')) : [];
      isOpen = isBelow;
      if (shown.length === 0) continue;
      last.shown = [...last.shown, ...shown];
      last.rows = [...last.rows, at];
    }
  }
  return found;
}

/** Several on one line, as an argument of a shell has them: `1: ran npm test; 2: src/a.ts:3`. */
export function readLine(line: string): Line[] {
  const row = /^\|(.*)\|$/.exec(line.trim())?.[1] ?? line;
  const plain = row.trim().replace(/^(?:[-*+>\u2022]|#{1,6})\s+/, '');
  if (!NUMBERED.test(plain)) return [];
  return plain.split(NEXT).flatMap((part) => {
    const [, numbers = '', mark, blank, given = ''] = NUMBERED.exec(part) ?? [];
    if (mark === undefined) return [];
    const body = given.replace(/^[*_]{1,3}(test|ran|seen|diff)(:?)[*_]{1,3}/i, '$1$2');
    return [{ numbers, named: numbersIn(numbers), body, strict: mark === ':' && blank !== '', shown: shownBy(body) }];
  });
}

/** Each once. */
function numbersIn(text: string): readonly number[] {
  const named = new Set<number>();
  for (const part of text.split(/\s*(?:,|&|and)\s*/i)) {
    const [from = 0, to = from] = part.split(/\s*(?:-|\u2013|\.\.|to)\s*/i).map(Number);
    const isRange = to > from && to - from <= MOST_EVIDENCE;
    for (const n of isRange ? Array.from({ length: to - from + 1 }, (_none, at) => from + at) : [from, to])
      named.add(n);
  }
  return [...named];
}

type Shown = Evidence extends infer E ? (E extends Evidence ? Omit<E, 'criterion'> : never) : never;

/** What a line says of a criterion: by itself, or behind a word of praise, the criterion's own text or a dash. */
function shownBy(body: string): readonly Shown[] {
  const own = plainly(body);
  // A path with blanks may be a sentence that ends with a place.
  const isSure = own.length > 0 && !own.some((one) => one.by === 'place' && /\s/.test(one.file));
  if (isSure || NUMBERED_RUN.test(body)) return own;
  const found = partsOf(body).map(surely);
  return found.find((one) => one.length > 0) ?? own;
}

/** What cannot be read of it is not read in part. */
const NUMBERED_RUN = /^ran:?\s+[#`]/i;

/** `ran npm test, src/a.ts:3`: several in one line, each of which must be read. */
function plainly(body: string): readonly Shown[] {
  const read = itemsIn(body).map((item) => {
    const found = byWord(item);
    return found === 'place' ? placesIn(item) : (found ?? []);
  });
  return read.every((one) => one.length > 0) ? read.flat().slice(0, MOST_EVIDENCE + 1) : [];
}

const PRAISE =
  /^(?:[\u2713\u2714\u2705]|\[x\]|(?:pass(?:ed|es)?|met|ok|yes|done|fulfilled|satisfied|(?:shown|proved|covered|verified|checked)\s+(?:by|in)|evidence|see|place|file)\b)[\s:,\u2014\u2013-]*/i;

/** What stands behind praise and behind each dash or colon, and what the line ends with in brackets. */
function partsOf(body: string): readonly string[] {
  const marks = [...body.slice(0, LONGEST).matchAll(/\s[\u2014\u2013-]\s+|[:;\u2192]\s+|=>\s*/g)].slice(0, MOST_PARTS);
  const behind = marks.map(({ index, 0: mark }) => body.slice(index + mark.length));
  const [, within] = /\(([^()]+)\)[\s.]*$/.exec(body) ?? [];
  return [body, ...behind, ...(within === undefined ? [] : [within])].flatMap((part) => [
    part,
    part.replace(PRAISE, ''),
  ]);
}

/** No criterion is longer. */
const LONGEST = 2000;
/** Nor has it as many dashes and colons: each part is read to its end. */
const MOST_PARTS = 50;

/** Only forms that nothing else could be: a place of a plain path, `ran`, and a test with a path. */
function surely(part: string): readonly Shown[] {
  const isBare = /^[`'"]?[^\s`'"./]*[./][^\s`'"]*[`'"]?(?:\s*\u203a|::)\s*\S/.test(part);
  const shown = plainly(isBare ? `test ${part}` : part);
  const isPlain = (one: Shown): boolean =>
    one.by === 'ran' || (one.by !== 'seen' && one.by !== 'diff' && /^[^\s:./]*[./][^\s:]*$/.test(one.file));
  return shown.every(isPlain) ? shown : [];
}

/** `src/a.ts:3, src/b.ts:10-20`: each is looked up. What follows the last is a remark. */
function placesIn(text: string): readonly Shown[] {
  const found: Shown[] = [];
  for (let rest = text; found.length < MOST_EVIDENCE; ) {
    const place = placeIn(`${rest} `);
    if (place === undefined || (found.length > 0 && /\s/.test(place.file))) break;
    const to = rangeEnd(`${rest} `);
    found.push({ by: 'place', file: place.file, line: place.line, ...(to === undefined ? {} : { to }) });
    const [, next] = /^[`"']?\s*(?:[,;+&]|and\b)\s*(\S.*)$/i.exec(place.text) ?? [];
    if (next === undefined) break;
    rest = next;
  }
  return found;
}

function byWord(body: string): readonly Shown[] | 'place' | undefined {
  const [, word = '', rest = ''] = /^(test|ran|seen|diff):?\s+(.*)$/i.exec(body) ?? [];
  switch (word.toLowerCase()) {
    case 'test':
      return each(testIn(rest));
    case 'ran':
      return commandsSaid(rest)?.map((command) => ({ by: 'ran', command: unquoted(command) }));
    case 'seen':
      return isSentence(rest) ? [{ by: 'seen', text: rest }] : undefined;
    case 'diff':
      return each(pathsIn(rest));
    default:
      return 'place';
  }
}

const each = (one: Shown | undefined): readonly Shown[] => (one === undefined ? [] : [one]);

/** A pattern for everything says nothing, unless it says that lines are only added. */
function pathsIn(text: string): Shown | undefined {
  const adds = ONLY_ADDS.exec(text);
  const within = adds === null ? text : (adds[1] ?? '');
  if (within === '') return { by: 'diff', paths: [], adds: true };
  const paths = within
    .split(/[\s,]+|\band\b/)
    .map((path) => path.replace(/^[`'"]|[`'"]$/g, '').replace(/^\.\//, ''))
    .filter((path) => path !== '');
  if (paths.length === 0 || paths.some((path) => /^[*./<>]+$|^<.*>$/.test(path))) return undefined;
  return { by: 'diff', paths, ...(adds === null ? {} : { adds: true }) };
}

/** `only adds`, `only adds lines to src/a.ts` */
const ONLY_ADDS = /^only add(?:s|ed)?(?: (?:new )?lines?)?(?: (?:to|in))?(?:\s+([^\s.].*)|[.\s]*)$/i;

/** `file \u203a name`, the name as the runners print it: with `\u203a`, ` > ` or `::` between its parts. */
function testIn(text: string): Shown | undefined {
  const at = /(?<!\s)\s*(?:\u203a|\u00bb|::|\s[>\u2192\u2014\u2013-]\s)\s*|:\s+|(?<!\s)\s+(?=["'`])/.exec(text);
  if (at === null) return undefined;
  const file = unquoted(text.slice(0, at.index)).replace(/:\d+$/, '').replace(/^\.\//, '');
  const name = unquoted(text.slice(at.index + at[0].length));
  return file === '' || name === '' ? undefined : { by: 'test', file, name };
}

export const unquoted = (text: string): string =>
  text
    .trim()
    .replace(/^(["'`])(.*)\1$/, '$2')
    .trim();
