// Whether two texts say the same: case, punctuation, order and all spacing are set aside, also inside code and next to
// punctuation (`k(2,3)`, `k(2, 3)`). A word, a number, its sign, a path or an operator that differs is another text.

/** Of what people read. */
export function saysTheSame(before: string, after: string): boolean {
  const [was, is] = [before.toLowerCase(), after.toLowerCase()];
  if (inSequence(was) === inSequence(is)) return true;
  return words(was) === words(is) && operators(was) === operators(is);
}

/** Of what a shell reads: its punctuation and its order count. */
export const runsTheSame = (before: string, after: string): boolean => tight(before) === tight(after);

const tight = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/ ?([^\p{L}\p{N}_ ]) ?/gu, '$1')
    .trim();

// Made when first used: every command loads this file, few compare texts, and `\p{…}` takes long to read.
/** `!` is one where no sentence ends with it. */
const operator = (): RegExp => /(?<![\p{L}\p{N}"')\]]\s*)!(?=\s*[\p{L}\p{N}_(])|!(?=\s*=)|[+*/%<>=&|^~]/gu;
const wordOrNumber = (): RegExp => /-(?=\s*\d)|[\p{L}\p{N}_]+(?:(?<=\d)\.(?=\d)[\p{L}\p{N}_]+)*/gu;
let either: RegExp | undefined;

/** Blind to spacing, so it has to see what stands beside what. */
function inSequence(text: string): string {
  either ??= new RegExp(`${operator().source}|${wordOrNumber().source}`, 'gu');
  return (text.match(either) ?? []).join(' ');
}

const operators = (text: string): string => (text.match(operator()) ?? []).toSorted().join(' ');

/** Punctuation inside a word (`src/a.ts`, `1.5`) and the sign of a number are part of it. */
const word = (): RegExp => /(?:-(?=\d))?[\p{L}\p{N}*](?:.*[\p{L}\p{N}*])?/u;

/** Blind to order, so it has to keep together what belongs together. */
const words = (text: string): string =>
  text
    .split(/\s+/)
    .flatMap((each) => word().exec(each)?.[0] ?? [])
    .toSorted()
    .join(' ');
