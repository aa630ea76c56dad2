// Whether two texts by different authors are about the same thing. Both are normalised first (case, punctuation,
// numbers, commit ids, filler words and endings go), then compared by letter pairs, which forgives spelling, and by
// words, which forgives their order; the better of the two counts. Linear in the text, which is cut to a few lines.

import { bigrams, overlap, type Pairs } from '../../protocol/review/verdict.ts';

/** From here on two wordings count as similar. */
export const SIMILAR = 0.6;

export interface Wording {
  readonly text: string;
  readonly pairs: Pairs;
  readonly words: ReadonlySet<string>;
}

const COMPARED = 400;

export function wording(text: string): Wording {
  const words = wordsOf(text);
  return { text, pairs: bigrams(words.join(' ')), words: new Set(words) };
}

/** 0 … 1. Texts that say nothing are like no other. */
export function similarity(a: Wording, b: Wording): number {
  if (a.words.size === 0 || b.words.size === 0) return 0;
  return Math.max(overlap(a.pairs, b.pairs), shared(a.words, b.words));
}

/** A name (of a service, say) within a text or another name: every word of it is there. */
export function names(name: Wording, text: Wording): boolean {
  return name.words.size > 0 && [...name.words].every((word) => text.words.has(word));
}

/** A service by its own name: what kind of thing it is says nothing about which. */
export function nameOf(text: string): Wording {
  const own = wordsOf(text).filter((word) => !KINDS.has(word));
  return own.length === 0 ? wording(text) : { text, pairs: bigrams(own.join(' ')), words: new Set(own) };
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const word of a) if (b.has(word)) both += 1;
  // One word in common may be chance: half of what the letters would give.
  return ((2 * both) / (a.size + b.size)) * (both === 1 && a.size + b.size > 2 ? 0.5 : 1);
}

function wordsOf(text: string): readonly string[] {
  return text
    .slice(0, COMPARED)
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/\b(?=[a-z]*\d)[0-9a-f]{7,40}\b/g, ' ')
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '' && !FILLER.has(word))
    .map(stem)
    .slice(0, 60);
}

/** `retries`, `retried` and `retry` are one word; short words stay as they are. */
function stem(word: string): string {
  if (word.length < 5) return word;
  return word.replace(/(?:ations?|ments?|ions?|ings?|ness|ed|ies|ly|es|s)$/, '').replace(/[ey]$/, '');
}

const FILLER: ReadonlySet<string> = new Set(
  'a an and any are as at be been but by can cannot could did do does for from had has have in into is it its may no not of on or our so than that the their then there they this to was we were when which while will with would you'.split(
    ' ',
  ),
);

const KINDS: ReadonlySet<string> = new Set(
  'api apis service services server servers system cluster endpoint host site sandbox staging production prod rest http https com org net io www'
    .split(' ')
    .map(stem),
);
