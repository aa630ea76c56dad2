// The completion script for fish: one `complete` line per verb, option and argument.

import { families, type Offer, TASK_IDS, type Values } from './completion.ts';

export function fishScript(offers: readonly Offer[]): string {
  const known = [...families(offers)];
  const lines = [
    '# fish completion for liza; load it with: liza completion fish | source',
    'complete -c liza -f',
    ...known.map(([first]) => `complete -c liza -n __fish_use_subcommand -a ${first} -d ${said(about(offers, first))}`),
    ...offers.flatMap(forVerb),
  ];
  return `${lines.join('\n')}\n`;
}

function forVerb({ name, summary, options, words }: Offer): string[] {
  const [first = '', second] = name.split(' ');
  const here = second === undefined ? seen(first) : `${seen(first)}; and ${seen(second)}`;
  const offerSecond = `complete -c liza -n ${said(`${seen(first)}; and not ${seen(second ?? '')}`)} -a ${second} -d ${said(summary)}`;
  const arguments_ = words.map(({ values }) => values).filter((values) => values !== 'any');
  return [
    ...(second === undefined ? [] : [offerSecond]),
    ...options.map(
      (option) =>
        `complete -c liza -n ${said(here)} -l ${option.name}${option.short === undefined ? '' : ` -s ${option.short}`}` +
        ` -d ${said(option.description)}${option.values === undefined ? '' : ` -r${values(option.values)}`}`,
    ),
    ...arguments_.map((argument) => `complete -c liza -n ${said(here)}${values(argument)}`),
  ];
}

function values(offered: Values): string {
  if (offered === 'any') return '';
  if (offered === 'file') return ' -F';
  return ` -a ${said(offered === 'task' ? `(${TASK_IDS})` : offered.join(' '))}`;
}

function about(offers: readonly Offer[], first: string): string {
  const exact = offers.find(({ name }) => name === first) ?? offers.find(({ name }) => name.startsWith(`${first} `));
  return exact?.summary ?? '';
}

const seen = (word: string): string => `__fish_seen_subcommand_from ${word}`;

const said = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
