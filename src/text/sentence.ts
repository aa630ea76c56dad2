// Whether a text says something to who reads it later: a sentence, however short, as against `x`, `ok` or dots.

/** Fewer words are no sentence. */
export const LEAST_WORDS = 3;

/** Different ones; dots and dashes are none, and some scripts have no blanks between words. */
export function countWords(text: string): number {
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const signs = text.match(
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu,
  );
  return Math.max(new Set(words).size, Math.ceil(new Set(signs).size / 2));
}

/** Dots, dashes and the same word again and again say nothing. */
export const isSentence = (text: string): boolean =>
  countWords(text) >= LEAST_WORDS && /\p{L}{2}/u.test(text) && !/^<.*>$/.test(text);
