// Whether a coder's plan says anything: what would fit every task, or is no word at all, is as good as missing.

import { countWords } from '../../text/sentence.ts';

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
}: {
  readonly intent: string;
  readonly risks: string;
}): readonly string[] => [
  ...(intent.trim() === '' || saysIntent(intent)
    ? []
    : [`an intent that says what you will do in this task (not “${intent.trim().slice(0, 40)}”)`]),
  ...(risks.trim() === '' || hasWord(risks) ? [] : [`risks in words (not “${risks.trim().slice(0, 40)}”)`]),
];
