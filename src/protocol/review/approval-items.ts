// Several things in one line of an approval: `ran #1, #2 and #4`, `ran #3 and test a.test.ts › x`, `src/a.ts:3, ran npm test`.
// Each is an item of its own: one that is read over would stand in nobody's record, and nobody would look it up.

import { PROGRAMS } from '../shell/shell-words.ts';

type Kind = 'ran' | 'test' | 'diff' | 'seen' | 'place';

const TEST_OF_FILE = String.raw`[\x60'"]?[^\s,;\x60'"]{0,200}\w\.\w{1,20}[\x60'"]?(?:\s{0,3}[\u203a\u00bb]|::|\s{1,3}>\s)\s{0,3}\S`;
const BARE_TEST = new RegExp(`^${TEST_OF_FILE}`, 'i');
const TEST = new RegExp(
  String.raw`^test:?\s{1,3}(?:${TEST_OF_FILE}|[^\s,;]{0,200}\w\.\w{1,20}\s{1,3}["'\x60\u2014\u2013-])`,
  'i',
);
const PLACE = /^[`'"]?[^\s,;`'"./]*[./][^\s,;`'"]*:\d/;
/** A name of a test may have a host with its port in it. */
const PLACE_OF_FILE = /^[`'"]?[\w@./-]{1,200}\.[a-z]\w{0,9}:\d/i;
const NUMBER = /^(?:(?:command|validation)\s{0,3})?#\s?\d/i;

const kindOf = (item: string): Kind => {
  const word = /^(test|ran|seen|diff)(?::|\s)/i.exec(item)?.[1]?.toLowerCase();
  return (word as Kind | undefined) ?? 'place';
};

/** The items of a line, each with its word before it. What somebody saw is a sentence, whatever it says. */
export function itemsIn(body: string): readonly string[] {
  const items: string[] = [];
  let kind = kindOf(body);
  let from = 0;
  let quoted = 0;
  let seen = 0;
  const take = (to: number): void => {
    items.push(worded(body.slice(from, to).trim(), kind));
  };
  for (const { index, 0: mark } of body.matchAll(/[,;+&]|\b(?:and|plus)\b/gi)) {
    quoted += (body.slice(seen, index).match(/`/g) ?? []).length;
    seen = index;
    if (index < from || quoted % 2 === 1 || kind === 'seen') continue;
    const after = body.slice(index + mark.length, index + mark.length + LONGEST);
    const [skipped = ''] = /^\s*(?:(?:and|also|plus)\s+)*/i.exec(after) ?? [];
    const next = begun(after.slice(skipped.length), kind);
    if (next === undefined) continue;
    take(index);
    from = index + mark.length + skipped.length;
    kind = next;
  }
  take(body.length);
  return items;
}

/** No name of a file is longer. */
const LONGEST = 500;

const worded = (item: string, kind: Kind): string =>
  kind === 'place' || kindOf(item) === kind ? item : `${kind} ${item}`;

/** What kind of item begins here, beside one of that kind; undefined: it belongs to that one. */
function begun(text: string, beside: Kind): Kind | undefined {
  if (TEST.test(text) || BARE_TEST.test(text)) return 'test';
  const [, ran] = /^ran:?\s+(\S+)/i.exec(text) ?? [];
  // `reads once, ran twice` may be the name of a test.
  if (ran !== undefined) return beside !== 'test' || /^[#`]|^\.?\//.test(ran) || PROGRAMS.has(ran) ? 'ran' : undefined;
  if (/^diff:?\s+(?:only add(?:s|ed)?\b|\S*[./])/i.test(text)) return 'diff';
  // `counts hits, seen once` may be one, too.
  if ((beside === 'test' ? /^seen(?::|\s+I\b)/i : /^seen:?\s+\S/i).test(text)) return 'seen';
  if (beside === 'ran' && (NUMBER.test(text) || /^`[^`]+`/.test(text))) return 'ran';
  if (beside === 'place') return undefined;
  return (beside === 'ran' ? PLACE : PLACE_OF_FILE).test(text) ? 'place' : undefined;
}

const SIGN = String.raw`(?:,\s*and\b|[,;&+/\u2013-]|\.\.|\band\b|\bto\b)`;
/** `#1, 2 and 4`, `#1-#3`, `#1 #2`; `#1, 5 tests` is one and a remark. */
const NUMBERS = new RegExp(
  String.raw`^(?:(?:commands?|validations?)\s{0,3})?#\s?\d{1,3}(?:\s{0,3}${SIGN}\s{0,3}(?:#\s?\d{1,3}\b|\d{1,3}(?=\s{0,3}(?:[,;&+]|$|[(\u2014\u2013]|(?:and|to)\b)))|\s{1,3}#\s?\d{1,3}\b){0,50}`,
  'i',
);

/** The commands that are named, by number or by words; undefined: the line names more than can be read of it. */
export function commandsSaid(said: string): readonly string[] | undefined {
  if (/^`[^`]+`[^`(\u2014\u2013]*`/.test(said)) return undefined;
  const [numbers] = NUMBERS.exec(said) ?? [];
  if (numbers === undefined) return [said];
  const [remark = ''] = said.slice(numbers.length).split(/[(\u2014\u2013]|\s-\s/);
  if (/#\s?\d|\u203a/.test(remark)) return undefined;
  const named: number[] = [];
  for (const [, to, digits] of numbers.matchAll(/(-|\u2013|\.\.|\bto\b)?\s*#?\s?(\d{1,3})/gi)) {
    const last = Number(digits);
    const first = to === undefined ? last : Math.min((named.at(-1) ?? last) + 1, last);
    for (let n = first; n <= last && named.length < MOST; n++) named.push(n);
  }
  return named.length === 1 ? [said.replace(/^[a-z]+\s{0,3}(?=#)/i, '')] : [...new Set(named)].map((n) => `#${n}`);
}

const MOST = 50;
