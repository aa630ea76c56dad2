// What the protocol answers: a decided change or a refusal, both plain values. What the environment or our own mistakes
// break is thrown instead, as a typed error.

import type { Switch } from './board.ts';
import { EXAMPLE } from './definition/example-words.ts';
import type { Notice } from './notice.ts';
import type { RefusalName } from './refusal-names.ts';
import type { State, Task } from './state.ts';
import { defined } from './values.ts';

/** The exit codes of docs/commands.md, without 0. */
type RefusalCode = 1 | 2 | 3 | 4 | 5;

/** What a guard looks at besides the board: what the caller read from disk and git, or what Liza ran at the commit. */
export type Need = 'facts' | 'proof';

export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  /** What was refused and the fact that refused it. */
  readonly message: string;
  /** What to do next. */
  readonly hint: string;
  /** Which guard said no; for callers and tests, never shown. */
  readonly guard?: RefusalName;
  /** What the guard looks at that the caller has to find out. */
  readonly needs?: Need;
  /** Others were faster: no mistake of the caller, and worth another try. */
  readonly raced?: true;
  /** What the caller should hear besides: an edit by hand that was found on the way. */
  readonly notices?: readonly Notice[];
}

export interface Decided {
  readonly ok: true;
  readonly state: State;
  /** One line for people: log.yaml and the terminal. */
  readonly detail: string;
  /** What the person or agent said with it: journal and log have it after the detail. */
  readonly said?: string | undefined;
  readonly task?: string;
  /** The id of the record that it made, or had made before. */
  readonly made?: string;
  /** The command had taken effect before; nothing is written. */
  readonly already?: true;
  /** Further lines worth telling the caller. */
  readonly notes?: readonly string[];
  /** Kill switches to set or clear together with the state. */
  readonly switches?: Readonly<Partial<Record<Switch, boolean>>>;
  /** Terminal tasks to keep in the archive before they leave the state. */
  readonly archive?: readonly Task[];
}

export type Decision = Decided | Refusal;

export const isRefusal = (value: object): value is Refusal => 'ok' in value && value.ok === false;

export const refuse = (message: string, hint: string, code: RefusalCode = 1, guard?: RefusalName): Refusal => ({
  ok: false,
  code,
  message,
  hint,
  ...defined({ guard }),
});

/** What an agent of any role does instead of a person's command. */
export const FOR_A_PERSON = `leave it to a person: liza ask "…" --assume "${EXAMPLE.assume}"`;

// The program is bundled in parts, and each part has its own copy of these classes: an error is known
// by its name, so that `instanceof` holds across parts.
const named = (name: string) => (error: unknown) => error instanceof Error && error.name === name;

/** A refusal where the caller has no way to return one: the board could not even be read. */
export class Refused extends Error {
  static override [Symbol.hasInstance] = named('Refused');
  override name = 'Refused';
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

/** What is at fault, where a caller acts on it. */
type Fault =
  /** Git was ended, or the machine lacks something: it says nothing about the repository, and may go well next time. */
  | 'machine'
  /** Git would never lay this commit out: it has a path into .git, for one. */
  | 'commit'
  /** Git used all the time or memory that it may: what it was given to read is the cause. */
  | 'limit';

/** The environment failed us: git missing, the disk full. `code` is the exit code. */
export class EnvironmentError extends Error {
  static override [Symbol.hasInstance] = named('EnvironmentError');
  override name = 'EnvironmentError';
  readonly fault: Fault | undefined;
  constructor(
    message: string,
    readonly hint: string,
    readonly code: RefusalCode = 5,
    options?: ErrorOptions & { readonly fault?: Fault | undefined },
  ) {
    super(message, options);
    this.fault = options?.fault;
  }
}

/** A broken invariant of our own: a mistake in this program, never the user's. */
export class Bug extends Error {
  override name = 'Bug';
}
