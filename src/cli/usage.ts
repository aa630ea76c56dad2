// The text of `--help` for one verb, all from its description: what cannot be derived cannot go stale.

import type { Option, Positional, Verb } from './verb.ts';

export function usageLine(verb: Verb): string {
  const required = Object.entries(verb.options).filter(([, option]) => option.required);
  const others = Object.keys(verb.options).length > required.length;
  return [
    `liza ${verb.name}`,
    ...verb.positionals.map(shownPositional),
    ...required.map(([name, option]) => shownOption(name, option)),
    ...(others ? ['[options]'] : []),
  ].join(' ');
}

export function helpText(verb: Verb, summary: string, common: Readonly<Record<string, Option>>): readonly string[] {
  const words = verb.positionals.map((word): Row => [`<${word.name}>`, word.description, word.choices]);
  const options = Object.entries({ ...verb.options, ...common }).map(
    ([name, option]): Row => [
      `${option.short === undefined ? '' : `-${option.short}, `}--${name}${option.value === undefined ? '' : ` <${option.value}>`}`,
      `${option.description}${option.repeat ? ' Repeatable.' : ''}`,
      option.choices,
    ],
  );
  return [
    `Usage: ${usageLine(verb)}`,
    '',
    summary,
    ...(verb.details ?? []).flatMap((paragraph) => ['', paragraph]),
    ...(words.length === 0 ? [] : ['', 'Arguments:', ...table(words)]),
    '',
    'Options:',
    ...table(options),
    '',
    verb.examples.length === 1 ? 'Example:' : 'Examples:',
    ...verb.examples.map((example) => `  ${example}`),
  ];
}

type Row = readonly [left: string, description: string, choices: readonly string[] | undefined];

function table(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(
    ([left, description, choices]) =>
      `  ${left.padEnd(width)}  ${description}${choices === undefined ? '' : ` One of: ${choices.join(', ')}.`}`,
  );
}

function shownPositional(word: Positional): string {
  const inner = `<${word.name}>${word.rest ? '…' : ''}`;
  return word.optional ? `[${inner}]` : inner;
}

const shownOption = (name: string, option: Option): string =>
  option.value === undefined ? `--${name}` : `--${name} <${option.value}>`;
