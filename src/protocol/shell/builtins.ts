// What builtins do to the ways of a shell: `exit` and `return`, `set`, `trap`, `wait`, and assignments, of which those of an
// exit code are kept.

import { variableOf } from './compared-values.ts';
import type { Word } from './shell-tokens.ts';
import { as, either, going, merged, type Outcome, plus, type Way, type Ways } from './ways.ts';

export function assigned(words: readonly Word[], isRun: boolean, before: Ways, ready: Ways): Outcome {
  const codesOf = (codes: Way['codes'], isBeforeRed: boolean): Way['codes'] =>
    words.reduce((so, { text }) => {
      const [, name = '', value = ''] = /^(\w+)\+?=([\s\S]*)$/.exec(text) ?? [];
      const { [name]: _old, ...others } = so;
      const isLast = /^\$(?:\?|\{\?\})$/.test(value);
      return isLast && Object.keys(others).length < MOST_CODES ? { ...others, [name]: isBeforeRed } : others;
    }, codes);
  if (!isRun) return going(before.map((way) => ({ ...way, red: false, codes: codesOf(way.codes, way.red) })));
  return going(ready.map((way) => ({ ...way, codes: codesOf(way.codes, way.red) })));
}

const MOST_CODES = 3;

export const unread = (ways: Ways): Ways => either(ways).map((way) => ({ ...way, unsure: true }));

export const waited = (ways: Ways): Ways =>
  either(ways).map((way) => (way.red || way.job === undefined ? way : { ...way, passed: plus(way.passed, way.job) }));

const RED_CODES: readonly number[] = Array.from({ length: 255 }, (_none, at) => at + 1);

export function codesIn({ red, codes }: Way, variable: string): readonly number[] | undefined {
  const is = variable === '?' ? red : codes[variable];
  return is === undefined ? undefined : is ? RED_CODES : [0];
}

export function ended([code]: readonly Word[], ways: Ways): Ways {
  if (code === undefined) return ways;
  return ways.flatMap((way) => {
    const variable = variableOf(code);
    const held = variable === undefined ? undefined : variable === '?' ? way.red : way.codes[variable];
    if (held !== undefined) return as([way], held);
    return code.varies ? either([way]) : as([way], !/^0+$/.test(code.text));
  });
}

/** A shell that does not know `pipefail` ends there. */
export function optioned(
  next: Ways,
  before: Ways,
  { trusting, lacksPipefail }: { readonly trusting: boolean; readonly lacksPipefail?: boolean },
): Outcome {
  const isAsked = !trusting && next.some(({ pipefail }) => pipefail);
  if (isAsked && lacksPipefail === true) return { next: [], back: [], exit: merged(as(before, true)) };
  return { next: merged(next), back: [], exit: isAsked ? merged(as(before, true)) : [] };
}

export function setModes(rest: readonly Word[], ways: Ways): Ways {
  const end = rest.findIndex(({ text }) => text === '--');
  const given = rest.slice(0, end === -1 ? undefined : end);
  const said = given.map(({ text }) => text);
  const isSet = (letter: string, name: string): boolean | undefined => {
    const at = said.findLastIndex((text, place) => {
      if (new RegExp(`^[-+][a-zA-Z]*${letter}`).test(text) && letter !== '') return true;
      return text === name && /^[-+][a-zA-Z]*o$/.test(said[place - 1] ?? '');
    });
    if (at === -1) return undefined;
    return (said[at] === name ? said[at - 1] : said[at])?.startsWith('-');
  };
  const isUnsure = given.some(({ varies }) => varies) || isSet('n', 'noexec') === true;
  return ways.map((way) => ({
    ...way,
    red: false,
    errexit: isSet('e', 'errexit') ?? way.errexit,
    pipefail: isSet('', 'pipefail') ?? way.pipefail,
    unsure: way.unsure || isUnsure,
  }));
}

/** Other signals than the end may change the exit code when they come; whether they do is not known. */
export function setTrap(rest: readonly Word[], ways: Ways): Ways {
  const [code, ...signals] = rest.filter(({ text }) => text !== '--');
  if (code === undefined || /^-[lp]$/.test(code.text)) return as(ways, false);
  const isReset = code.text === '-' || signals.length === 0;
  const isEnd = (isReset ? rest : signals).some(({ text }) => /^(?:EXIT|0)$/i.test(text));
  const isOther = !isReset && code.text !== '' && signals.some(({ text }) => !/^(?:EXIT|0)$/i.test(text));
  return ways.map((way) => ({
    ...way,
    red: false,
    trap: isEnd ? (isReset || code.text === '' ? undefined : code.text) : way.trap,
    unsure: way.unsure || isOther || code.varies,
  }));
}
