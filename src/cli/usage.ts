// The text of `--help` for one verb, derived from its description, so that it cannot go stale.

import type { Io } from './io.ts';
import { fold } from './render/print.ts';
import { wrap } from './render/terminal.ts';
import type { LoadedVerb, Option, Positional } from './verb.ts';

export function usageLine(verb: LoadedVerb): string {
  const required = Object.entries(verb.options).filter(([, option]) => option.required);
  const others = Object.keys(verb.options).length > required.length;
  return [
    `liza ${verb.name}`,
    ...verb.positionals.map(shownPositional),
    ...required.map(([name, option]) => shownOption(name, option)),
    ...(others ? ['[options]'] : []),
  ].join(' ');
}

export function helpText(
  verb: LoadedVerb,
  summary: string,
  common: Readonly<Record<string, Option>>,
  reader: Reader,
): readonly string[] {
  const width = readable(reader.columns);
  const prose = (text: string): readonly string[] => wrap(fold(text, reader), width);
  const words = verb.positionals.map((word): Row => [`<${word.name}>`, described(word.description, word.choices)]);
  const options = Object.entries({ ...verb.options, ...common }).map(
    ([name, option]): Row => [
      `${option.short === undefined ? '' : `-${option.short}, `}--${name}${option.value === undefined ? '' : ` <${option.value}>`}`,
      described(`${option.description}${option.repeat ? ' Repeatable.' : ''}`, option.choices),
    ],
  );
  return [
    `Usage: ${usageLine(verb)}`,
    '',
    ...prose(summary),
    ...(verb.details ?? []).flatMap((paragraph) => ['', ...prose(paragraph)]),
    ...(words.length === 0 ? [] : ['', 'Arguments:', ...table(words, reader)]),
    '',
    'Options:',
    ...table(options, reader),
    '',
    verb.examples.length === 1 ? 'Example:' : 'Examples:',
    ...verb.examples.map((example) => `  ${example}`),
  ];
}

/** Who reads it: how wide the screen is, and whether it shows more than ASCII. */
export type Reader = Pick<Io, 'columns' | 'unicode'>;

type Row = readonly [left: string, right: string];

/** Long lines are hard to read, however wide the terminal is. */
const readable = (columns: number): number => Math.min(columns, 100);

const described = (description: string, choices: readonly string[] | undefined): string =>
  `${description}${choices === undefined ? '' : ` One of: ${choices.join(', ')}.`}`;

/** Two columns; the second is wrapped, where there is room for it beside the first. */
export function table(rows: readonly Row[], reader: Reader): string[] {
  const folded = rows.map(([name, text]) => [fold(name, reader), fold(text, reader)] as const);
  const left = Math.max(...folded.map(([name]) => name.length));
  const room = readable(reader.columns) - left - 4;
  return folded.flatMap(([name, text]) => {
    const [first = '', ...more] = room < 20 ? [text] : wrap(text, room);
    return [`  ${name.padEnd(left)}  ${first}`, ...more.map((line) => `${' '.repeat(left + 4)}${line}`)];
  });
}

function shownPositional(word: Positional): string {
  const inner = `<${word.name}>${word.rest ? '…' : ''}`;
  return word.optional ? `[${inner}]` : inner;
}

const shownOption = (name: string, option: Option): string =>
  option.value === undefined ? `--${name}` : `--${name} <${option.value}>`;
