// What completion scripts need to know about the commands, gathered once from their descriptions.
// The three writers (completion-bash, -zsh, -fish) only differ in how a shell wants it said.

import { defined } from '../protocol/values.ts';
import { COMMON_OPTIONS } from './args.ts';
import { REGISTRY } from './registry.ts';
import { TOPICS } from './topics.ts';
import type { Kind, Option } from './verb.ts';

export interface Offer {
  /** As typed: `add-task`, `plan done`. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OfferedOption[];
  /** What its arguments are, in order. */
  readonly words: readonly Word[];
}

export interface OfferedOption {
  readonly name: string;
  readonly short?: string;
  readonly description: string;
  /** Absent: a flag. */
  readonly values?: Values;
}

export interface Word {
  readonly values: Values;
  readonly rest: boolean;
}

/** A fixed list, task ids, file names, or anything. */
export type Values = readonly string[] | 'task' | 'file' | 'any';

export async function gatherOffers(): Promise<readonly Offer[]> {
  const offers: Offer[] = [];
  for (const [name, { summary, load }] of Object.entries(REGISTRY)) {
    if (load === undefined) continue;
    const { verb } = await load();
    offers.push({
      name,
      summary,
      options: Object.entries({ ...verb.options, ...COMMON_OPTIONS }).map(([option, described]) =>
        offered(option, described),
      ),
      words: verb.positionals.map(({ choices, kind, rest }) => ({
        values: choices ?? valuesOf(kind),
        rest: rest === true,
      })),
    });
  }
  return offers;
}

function offered(name: string, { short, description, value, choices, kind }: Option): OfferedOption {
  return {
    name,
    ...defined({ short }),
    description,
    ...(value === undefined ? {} : { values: choices ?? valuesOf(kind) }),
  };
}

function valuesOf(kind: Kind | undefined): Values {
  if (kind === 'verb')
    return [...new Set(Object.keys(REGISTRY).flatMap((name) => name.split(' '))), ...Object.keys(TOPICS)];
  return kind === undefined || kind === 'agent' ? 'any' : kind;
}

/** First words, each with its second words, if it is a family such as `config get`. */
export function families(offers: readonly Offer[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { name } of offers) {
    const [first = '', second] = name.split(' ');
    found.set(first, [...(found.get(first) ?? []), ...(second === undefined ? [] : [second])]);
  }
  return found;
}

/** Task ids, one a line; quiet outside a project. */
export const TASK_IDS = 'liza show --ids 2>/dev/null';
