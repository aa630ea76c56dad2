// What may come in with a command at all: bounded text, well-formed ids, no secrets. Checked once for every command,
// so that no row can forget it, no id reaches git or a path unchecked, and neither board, journal nor log holds a
// credential. A person's own words stay as they are.

import { redact } from '../text/redact.ts';
import { type Actor, plays } from './board.ts';
import type { Command } from './command.ts';
import { type Refusal, refuse } from './decision.ts';
import { isDash, isExample, isOpen } from './definition/example-words.ts';
import { ID_PATTERN, TEXT_LIMIT } from './records/fields.ts';
import { isFields, words } from './values.ts';

const ID_FIELDS: ReadonlySet<string> = new Set(
  words('task agent id to_task discovery reserve during exclude replacements depends_on tasks with about because'),
);

/** Under these keys a caller's own names begin. */
const FREE: ReadonlySet<string> = new Set(['details', 'value']);

/** In other fields a dash may be a value. */
const PROSE: ReadonlySet<string> = new Set(
  words(
    'intent risks validation assumptions reason questions question text assume answer message summary next_action ' +
      'description done_when add_done scope rationale root_cause recommendation',
  ),
);

/** Of these an empty one would be dropped or say nothing; other lists are held by the guards of their commands. */
const TEXTS: ReadonlySet<string> = new Set(
  words('assumptions add_done validation files_to_modify attempted next_steps findings files_modified'),
);

export function checkInput(command: Command): Refusal | undefined {
  const { name, ...fields } = command;
  const isReport = REPORTS.has(name) || name.startsWith('record-');
  return (
    firstFault(fields, [], { isId: false, isReport }) ??
    (isReport ? undefined : tooManyCommands(command)) ??
    (isReport ? undefined : tooMuchText(fields))
  );
}

/** Characters of all that one command brings; what Liza looked up for it is bounded where that is done. */
const MOST_TEXT = 8 * TEXT_LIMIT;

function tooMuchText(fields: object): Refusal | undefined {
  const given = Object.entries(fields).filter(([key]) => !LOOKED_UP.has(key));
  const length = given.reduce((sum, [, value]) => sum + lengthOf(value), 0);
  return length <= MOST_TEXT
    ? undefined
    : refuse(
        `this command brings ${length} characters, at most ${MOST_TEXT} are kept`,
        'Say it shorter, or put it into a file and name that',
        1,
        'text-limit',
      );
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, inner]) => sum + key.length + lengthOf(inner), 0);
}

/** Each is read several times, and runs before every merge. */
const MOST_COMMANDS = 50;

function tooManyCommands(command: Command): Refusal | undefined {
  for (const { length, text } of validations(command).map((list) => ({ length: list.length, text: list.join('') }))) {
    if (length > MOST_COMMANDS || text.length > TEXT_LIMIT)
      return refuse(
        `a validation has ${length} commands of ${text.length} characters together, at most ${MOST_COMMANDS} of ${TEXT_LIMIT} are kept`,
        'Put them into a script of the project, and let the validation run that',
        1,
        'text-limit',
      );
  }
  return undefined;
}

interface Kind {
  readonly isId: boolean;
  readonly isReport: boolean;
}

/** Depth is bounded: payloads are a few levels, `details` and config values whatever JSON allows. */
function firstFault(value: unknown, path: readonly string[], { isId, isReport }: Kind): Refusal | undefined {
  if (typeof value === 'string') return checkText(value, path, { isId, isReport });
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length > 12)
    return refuse(`${path.slice(0, 3).join('.')} is nested too deeply`, 'Remove the nesting', 1, 'input');
  for (const [key, inner] of Object.entries(value)) {
    const list = Array.isArray(value);
    if (list && !isReport && typeof inner === 'string' && inner.trim() === '' && TEXTS.has(path.at(-1) ?? ''))
      return refuse(
        `${path.join('.')} number ${Number(key) + 1} of ${value.length} is empty`,
        'Give it a text, or leave it out',
        1,
        'input',
      );
    const found = firstFault(inner, list ? path : [...path, key], {
      isId: list ? isId : ID_FIELDS.has(key) && !path.some((part) => FREE.has(part)),
      isReport,
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkText(text: string, path: readonly string[], { isId, isReport }: Kind): Refusal | undefined {
  const field = () => path.join('.');
  if (text.length > TEXT_LIMIT) {
    return refuse(
      `${field()} has ${text.length} characters, at most ${TEXT_LIMIT} are kept`,
      'Say it shorter, or put it into a file and name that',
      1,
      'text-limit',
    );
  }
  // What a plan lacks is told at once, by its own guard.
  if (isPlaceholder(text, path) && !isReport && path[0] !== 'checkpoint') {
    return refuse(
      `${field()} says only ${text.trim()}`,
      `Replace the words of the example by your own`,
      1,
      'placeholder',
    );
  }
  if (!isId || ID_PATTERN.test(text)) return undefined;
  return refuse(
    `"${printable(text)}" is not an id (${field()})`,
    'An id is 1 to 63 lower-case letters, digits and dashes, and starts with a letter or digit: task-1',
    1,
    'id-pattern',
  );
}

/** Whatever field it is in; a setting and what Liza looked up or ran may have any value. */
const isPlaceholder = (text: string, path: readonly string[]): boolean =>
  isOpen(text)
    ? !path.some((part) => FREE.has(part) || LOOKED_UP.has(part))
    : isExample(text)
      ? !path.some((part) => part === 'value' || LOOKED_UP.has(part))
      : isDash(text) && PROSE.has(path.at(-1) ?? '') && path[0] !== 'facts';

/** What the supervisor saw, nobody said: an agent's last line may be anything. */
const REPORTS: ReadonlySet<string> = new Set(
  words(
    'session-start session-end context-used trouble refused-attempt planted-above verdict-unfinished limit review-copy review-changed',
  ),
);

const LOOKED_UP: ReadonlySet<string> = new Set(words('facts proof runs changes_seen session usage config state'));

const printable = (text: string): string => text.slice(0, 80).replace(/[^\x20-\x7e]/g, '?');

/** Fields that the caller looked up, or that are compared or run as they are: they hold no prose to redact. */
const FACTS: ReadonlySet<string> = new Set(
  words('name facts task agent commit process worktree handled about because'),
);

/** The command of an agent or its supervisor, with the secrets in its words replaced. */
export function concealed<C extends Command>(command: C, actor: Actor, secrets: readonly string[]): C {
  return plays(actor, 'human') ? command : (redacted(command, secrets, 0) as C);
}

/** Commands that Liza will run cannot be redacted: they would not work any more, and nobody would know why. */
export function refuseSecretInCommand(command: Command, clean: Command): Refusal | undefined {
  if (command === clean) return undefined;
  const lists = [command, clean].map((one) => JSON.stringify(validations(one)));
  return lists[0] === lists[1]
    ? undefined
    : refuse(
        'a validation command contains a credential',
        'Read it from the environment or from a file of the project instead',
        1,
        'credential',
      );
}

/** The lists named `validation`, wherever a definition is. */
function validations(value: unknown): readonly (readonly unknown[])[] {
  if (Array.isArray(value)) return value.flatMap(validations);
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'validation' && Array.isArray(inner) ? [inner] : validations(inner),
  );
}

/** Hides secrets in a record that an agent wrote, or that holds names of its choosing. */
export const hideIn = (value: unknown, secrets: readonly string[] = []): unknown => redacted(value, secrets, 1);

/** Replaces secrets at any depth; what holds none stays the very same object. */
function redacted(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (depth > 12) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => redacted(item, secrets, depth + 1));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(
    ([key, inner]) => [key, depth === 0 && FACTS.has(key) ? inner : redacted(inner, secrets, depth + 1)] as const,
  );
  return entries.some(([key, inner]) => inner !== value[key]) ? Object.fromEntries(entries) : value;
}
