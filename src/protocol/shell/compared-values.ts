// What `test`, `[` and `[[` say of words that never change, and of the exit code of the command before (`$?`).

import type { Word } from './shell-tokens.ts';

/** The name of the variable that a word is, and nothing else; `?` for `$?`. */
export const variableOf = ({ text }: Word): string | undefined => /^\$\{?(\w+|\?)\}?$/.exec(text)?.[1];

/** Which answers it may give; `codes`: the exit codes that a variable may hold, undefined: it is not known. */
export function compared(
  given: readonly Word[],
  codes: (variable: string) => readonly number[] | undefined,
): readonly boolean[] {
  const last = given.at(-1)?.text ?? '';
  const all = /^\]{1,2}$/.test(last) ? given.slice(0, -1) : given;
  const isNot = all[0]?.text === '!' && all.length > 1;
  const args = isNot ? all.slice(1) : all;
  const variable = args.map(variableOf).find((name) => name !== undefined && codes(name) !== undefined);
  const values = variable === undefined ? undefined : codes(variable);
  const filled = (value: number): readonly Word[] =>
    args.map((word) => (variableOf(word) === variable ? { text: String(value), varies: false, runs: [] } : word));
  const found = values === undefined ? [constant(args)] : values.map((value) => constant(filled(value)));
  const answers = found.flatMap((is) => (is === undefined ? [true, false] : [is !== isNot]));
  return [...new Set(answers)];
}

function constant(args: readonly Word[]): boolean | undefined {
  const [a, b, c] = args;
  if (args.some(({ runs }) => runs.length > 0)) return undefined;
  const isSame = a !== undefined && c !== undefined && a.text === c.text;
  if (args.some(({ varies }) => varies) && !isSame) return undefined;
  if (args.length < 2) return a !== undefined && a.text !== '';
  if (args.length === 2) return a?.text === '-n' ? b?.text !== '' : a?.text === '-z' ? b?.text === '' : undefined;
  if (args.length > 3 || a === undefined || c === undefined) return undefined;
  const [x, y] = [Number(a.text), Number(c.text)];
  switch (b?.text) {
    case '=':
    case '==':
      return a.text === c.text;
    case '!=':
      return a.text !== c.text;
    case '-eq':
      return isSame || x === y;
    case '-ne':
      return !isSame && x !== y;
    case '-lt':
      return x < y;
    case '-le':
      return isSame || x <= y;
    case '-gt':
      return x > y;
    case '-ge':
      return isSame || x >= y;
    default:
      return undefined;
  }
}
