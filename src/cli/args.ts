// argv → Args, or one sentence that says what is wrong with it. util.parseArgs splits the tokens;
// the judging is done here, because its own messages are paragraphs and its strict mode takes a
// Markdown list (`--reason "- first"`) for an option.

import { parseArgs } from 'node:util';
import { Bug, type Refusal, refuse } from '../protocol/decision.ts';
import { checkTaskId, quoted } from '../protocol/ids.ts';
import { meantHint } from '../protocol/unknown-id.ts';
import { defined } from '../protocol/values.ts';
import { usageLine } from './usage.ts';
import type { Args, LoadedVerb, Option, Positional } from './verb.ts';

/** Every verb has these; they are not repeated in its own list. */
export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  json: { description: 'Print the result as one JSON object.' },
  help: { short: 'h', description: 'Show this help.' },
};

export function readArgs(verb: LoadedVerb, argv: readonly string[]): Args | Refusal {
  const options = { ...verb.options, ...COMMON_OPTIONS };
  const words: string[] = [];
  const given = new Map<string, string[]>();

  for (const token of tokens(verb, options, argv)) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      words.push(restore(token.value ?? ''));
      continue;
    }
    const option = options[token.name];
    if (option === undefined) return unknownOption(verb, token.rawName, options);
    const problem = checkOption(verb, token, option, given.get(token.name));
    if (problem !== undefined) return problem;
    given.set(token.name, [...(given.get(token.name) ?? []), restore(token.value ?? '')]);
  }

  const empty = emptyAmong(options, given);
  if (empty !== undefined) return empty;
  const misplaced = placeWords(verb, words, given);
  if (misplaced !== undefined) return misplaced;
  const lacking = Object.entries(options).filter(([name, { required }]) => required && !given.has(name));
  if (lacking.length > 0) return missing(verb, lacking.map(([name, { value }]) => `--${name} <${value}>`).join(', '));
  return checkValues(verb, options, given) ?? answer(verb, options, given);
}

interface Token {
  readonly kind: 'option' | 'positional' | 'option-terminator';
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/**
 * argv cannot hold a NUL, so it marks what only looks like an option: a dash followed by a space, or a number, and a
 * sentence that begins with an option's name (`--json prints one line`).
 */
const MARK = '\u0000';
const protect = (word: string): string => (/^-+\s|^-\.?\d|^--[^\s=]+\s/.test(word) ? MARK + word : word);
const restore = (word: string): string => (word.startsWith(MARK) ? word.slice(1) : word);

function tokens(
  verb: LoadedVerb,
  options: Readonly<Record<string, Option>>,
  argv: readonly string[],
): readonly Token[] {
  const parsed = parseArgs({
    args: (verb.passthrough ? endOptionsAtFirstWord(argv) : argv).map(protect),
    options: Object.fromEntries(
      Object.entries(options).map(([name, option]) => [
        name,
        {
          type: option.value === undefined ? ('boolean' as const) : ('string' as const),
          ...defined({ short: option.short }),
        },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return parsed.tokens as unknown as readonly Token[];
}

function endOptionsAtFirstWord(argv: readonly string[]): readonly string[] {
  const first = argv.findIndex((word) => !word.startsWith('-') || word === '--');
  if (first === -1 || argv[first] === '--') return argv;
  return [...argv.slice(0, first), '--', ...argv.slice(first)];
}

function checkOption(verb: LoadedVerb, token: Token, option: Option, before: readonly string[] | undefined) {
  const flag = option.value === undefined;
  if (flag && token.value !== undefined) {
    return refuse(`${token.rawName} takes no value`, usageHint(verb), 1, 'usage');
  }
  if (!flag && token.value === undefined) {
    return refuse(`${token.rawName} needs a value: <${option.value}>`, usageHint(verb), 1, 'usage');
  }
  if (!flag && token.inlineValue !== true && /^--?[A-Za-z][\w-]*(=|$)/.test(token.value ?? '')) {
    return refuse(
      `${token.rawName} needs a value, but ${quoted(token.value ?? '')} looks like an option`,
      `if that is the value, write ${token.rawName}=${token.value}`,
      1,
      'usage',
    );
  }
  if (before !== undefined && !flag && !option.repeat) {
    return refuse(`${token.rawName} is given twice`, usageHint(verb), 1, 'usage');
  }
  return undefined;
}

/** Of texts that are given one by one an empty one says nothing, and would be dropped; a list of ids may be emptied. */
function emptyAmong(
  options: Readonly<Record<string, Option>>,
  given: ReadonlyMap<string, readonly string[]>,
): Refusal | undefined {
  for (const [name, values] of given) {
    const { repeat, value, kind } = options[name] ?? {};
    const at = values.findIndex((one) => one.trim() === '');
    if (repeat !== true || kind === 'tasks' || at === -1) continue;
    const which =
      values.length === 1 ? `--${name} is empty` : `--${name} number ${at + 1} of ${values.length} is empty`;
    return refuse(
      `${which}, and nothing was stored`,
      `Give it a text, or leave it out: --${name} <${value}>`,
      1,
      'usage',
    );
  }
  return undefined;
}

function placeWords(verb: LoadedVerb, words: readonly string[], given: Map<string, string[]>): Refusal | undefined {
  const rest = [...words];
  for (const positional of verb.positionals) {
    const mine = positional.rest ? rest.splice(0) : rest.splice(0, 1);
    if (mine.length === 0 && !positional.optional) return missing(verb, `<${positional.name}>`);
    if (mine.length > 0) given.set(positional.name, mine);
  }
  if (rest[0] === undefined) return undefined;
  return refuse(`liza ${verb.name} does not accept ${quoted(rest[0])}`, usageHint(verb), 1, 'usage');
}

function checkValues(
  verb: LoadedVerb,
  options: Readonly<Record<string, Option>>,
  given: ReadonlyMap<string, readonly string[]>,
): Refusal | undefined {
  const described: [string, string, Option | Positional][] = [
    ...Object.entries(options).map(([name, option]): [string, string, Option] => [name, `--${name}`, option]),
    ...verb.positionals.map((word): [string, string, Positional] => [word.name, `<${word.name}>`, word]),
  ];
  for (const [name, shown, { kind, choices }] of described) {
    for (const value of given.get(name) ?? []) {
      const bad = kind === 'task' || kind === 'new-task' ? checkTaskId(value) : undefined;
      if (bad !== undefined) return bad;
      if (choices !== undefined && !choices.includes(value)) {
        return refuse(
          `${shown} is ${quoted(value)}, must be one of ${choices.join(', ')}`,
          `${meantHint(value, choices)}${usageHint(verb)}`,
          1,
          'usage',
        );
      }
    }
  }
  return undefined;
}

function answer(
  verb: LoadedVerb,
  options: Readonly<Record<string, Option>>,
  given: ReadonlyMap<string, readonly string[]>,
): Args {
  const declared = new Set([...Object.keys(options), ...verb.positionals.map(({ name }) => name)]);
  const all = (name: string): readonly string[] => {
    if (!declared.has(name)) throw new Bug(`liza ${verb.name} declares no "${name}"`);
    return given.get(name) ?? [];
  };
  return {
    all,
    text: (name) => all(name)[0],
    must: (name) => {
      const value = all(name)[0];
      if (value === undefined) throw new Bug(`liza ${verb.name} ran without its "${name}"`);
      return value;
    },
    flag: (name) => all(name).length > 0,
    json: given.has('json'),
  };
}

function unknownOption(verb: LoadedVerb, rawName: string, options: Readonly<Record<string, Option>>): Refusal {
  const known = Object.keys(options);
  const typed = rawName.replace(/^-+/, '');
  const words = verb.positionals.map(({ name }) => name).filter((name) => !known.includes(name));
  const shown = (name: string): string => (words.includes(name) ? `<${name}>, which has no dashes` : `--${name}`);
  const meant = Object.entries(options).find(
    ([name, { aka = [] }]) => aka.includes(typed) || typed.startsWith(`${name}-`),
  );
  const other = Object.entries(verb.elsewhere ?? {}).find(([name]) => name === typed)?.[1];
  const did =
    other !== undefined
      ? `${other}; `
      : meant === undefined
        ? meantHint(typed, [...known, ...words], shown)
        : `did you mean ${shown(meant[0])}? `;
  return refuse(`liza ${verb.name} has no option ${quoted(rawName)}`, did + usageHint(verb), 1, 'usage');
}

const missing = (verb: LoadedVerb, what: string): Refusal =>
  refuse(`liza ${verb.name} needs ${what}`, `${usageHint(verb)}; for example: ${verb.examples[0]}`, 1, 'usage');

const usageHint = (verb: LoadedVerb): string => `usage: ${usageLine(verb)}`;

/** A repeatable option that was not given at all leaves its field alone. */
export const some = (values: readonly string[]): readonly string[] | undefined =>
  values.length === 0 ? undefined : values;
