// The shape of a verb: what it takes, an example, what it does. Parsing, help and completion all
// read the same description. A verb answers with a Result and leaves the printing to cli/render/result.ts.

import type { Refusal } from '../protocol/decision.ts';
import type { Notice } from '../protocol/notice.ts';
import type { Io } from './io.ts';

export const GROUPS = ['Anyone', 'Human', 'Supervisor', 'Planner', 'Coder', 'Reviewer', 'Plumbing'] as const;
export type Group = (typeof GROUPS)[number];

/**
 * The kind of a value: parsing checks it, completion offers it. An id of something that is on the board (IDS) is refused
 * when nothing has it; a test holds this for every command. `tasks`: commas may separate several.
 */
export type Kind = (typeof IDS)[number] | 'new-task' | 'new-agent' | 'verb' | 'file';
export const IDS = ['task', 'agent', 'question', 'note', 'discovery', 'anomaly', 'goal', 'tasks', 'record'] as const;

export interface Option {
  /** Placeholder of its value, such as `text`; absent: a flag. */
  readonly value?: string;
  readonly description: string;
  readonly short?: string;
  /** What people type for it: a refusal names the right one. */
  readonly aka?: readonly string[];
  readonly required?: true;
  /** May be given again; otherwise a second one is refused. */
  readonly repeat?: true;
  readonly kind?: Kind;
  readonly choices?: readonly string[];
}

export interface Positional {
  readonly name: string;
  readonly description: string;
  readonly optional?: true;
  /** Takes all remaining arguments. Only the last one may. */
  readonly rest?: true;
  /** A free text: `-` reads it from stdin. */
  readonly text?: true;
  readonly kind?: Kind;
  readonly choices?: readonly string[];
}

/** What a file of verbs/ says of a verb. Its name, summary and groups are in registry.ts, which loads before it. */
export interface Verb {
  readonly positionals?: readonly Positional[];
  readonly options?: Readonly<Record<string, Option>>;
  /** Options that people look for here: what to type instead. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /** At least one, ready to be pasted. */
  readonly examples: readonly [string, ...string[]];
  /** Further paragraphs for `--help`. */
  readonly details?: readonly string[];
  /** Refused to an agent. */
  readonly operatorOnly?: true;
  /** What follows the first argument is another program's (`lock modify <cmd…>`): no option is read there. */
  readonly passthrough?: true;
  run(args: Args, io: Io): Promise<Result>;
}

export interface LoadedVerb extends Verb {
  /** As typed: `add-task`, `plan done`. */
  readonly name: string;
  readonly positionals: readonly Positional[];
  readonly options: Readonly<Record<string, Option>>;
}

/** Options and positionals share one namespace. Asking for a name the verb never declared is a Bug. */
export interface Args {
  /** Undefined: it was not given. */
  text(name: string): string | undefined;
  /** For a required argument: without it the verb would not run. */
  must(name: string): string;
  all(name: string): readonly string[];
  flag(name: string): boolean;
  readonly json: boolean;
}

export interface Done {
  readonly ok: true;
  /** One line: what changed. */
  readonly message?: string;
  /** What was asked for, or what to do next; printed below the message. */
  readonly lines?: readonly string[];
  /** The message sums the lines up, and so stands below them. */
  readonly sumsUp?: true;
  /** Goes into `--json` as it is. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly notices?: readonly Notice[];
  /** Everything is printed already (`log -f`). */
  readonly silent?: true;
  /** The exit code of the program that was run, where that is the answer (`try`). */
  readonly code?: number;
}

/** A refusal that still has something to print on stdout, such as `INVALID: …` lines. */
export interface Refused extends Refusal {
  readonly lines?: readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
  readonly notices?: readonly Notice[];
}

export type Result = Done | Refused;
