// Whether a coder's plan says anything: what would fit every task, or is no word at all, is as good as missing.

import { countWords } from '../../text/sentence.ts';
import type { Checkpoint } from '../command.ts';
import { isNobodys } from './example-words.ts';

/** `do it`, `implement the task`. */
const FITS_ALL =
  /^(?:(?:i|we|will|to|do|doing|it|this|that|the|my|a|an|and|make|change|changes|implement|fix|finish|complete|work|works?|task|code|stuff|things?|all|as|is|asked|described|planned|done)(?:[\s.!,]+|$))+$/i;

/** Words of scripts without blanks or capitals count by themselves. */
export const hasWord = (text: string): boolean => /\p{L}{2}|\p{Lo}/u.test(text);

const saysIntent = (text: string): boolean => hasWord(text) && countWords(text) > 1 && !FITS_ALL.test(text.trim());

/** The fields that are given and say nothing, each with what belongs there. */
export const thinFields = ({
  intent,
  risks,
  assumptions = [],
  files_to_modify: files = [],
}: Pick<Checkpoint, 'intent' | 'risks'> & Partial<Checkpoint>): readonly string[] => [
  ...(intent.trim() === '' || (saysIntent(intent) && !isNobodys(intent))
    ? []
    : [`an intent that says what you will do in this task (${not([intent])})`]),
  ...(risks.trim() === '' || (hasWord(risks) && !isNobodys(risks)) ? [] : [`risks in words (${not([risks])})`]),
  ...nobodys('assumptions in words of your own, or none', assumptions),
  ...nobodys('files of this task', files),
];

const nobodys = (what: string, given: readonly string[]): readonly string[] => {
  const found = given.filter(isNobodys);
  return found.length === 0 ? [] : [`${what} (${not(found)})`];
};

const not = (texts: readonly string[]): string =>
  `not ${texts
    .slice(0, 5)
    .map((text) => `“${text.trim().slice(0, 40)}”`)
    .join(', ')}`;
