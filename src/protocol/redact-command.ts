// A command of an agent or of its supervisor, without secrets in what it says: the board, its journal and its log
// never hold them. A person's own words stay as they are.

import { redact } from '../text/redact.ts';
import type { Actor } from './board.ts';
import { plays } from './board.ts';
import type { Command } from './command.ts';
import { type Refusal, refuse } from './decision.ts';
import { isFields } from './values.ts';

/** What the caller looked up, and what is compared or run as it is; none of it is said. */
const FACTS: ReadonlySet<string> = new Set([
  'name',
  'facts',
  'task',
  'agent',
  'commit',
  'process',
  'worktree',
  'handled',
]);

export function concealed<C extends Command>(command: C, actor: Actor, secrets: readonly string[]): C {
  return plays(actor, 'human') ? command : (walk(command, secrets, 0) as C);
}

/** Commands that Liza will run cannot be redacted: they would not work any more, and nobody would know why. */
export function refuseSecretInCommand(command: Command, clean: Command): Refusal | undefined {
  const lists = [command, clean].map((one) => JSON.stringify(validations(one)));
  return lists[0] === lists[1]
    ? undefined
    : refuse(
        'a validation command holds a credential',
        'Let it come from the environment or a file of the project, and name that',
        1,
        'credential',
      );
}

/** The lists named `validation`, wherever a definition is. */
function validations(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(validations);
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'validation' && Array.isArray(inner) ? [inner] : validations(inner),
  );
}

/** A record that an agent wrote by its own hand, or that holds names of its choosing. */
export const hideIn = (value: unknown, secrets: readonly string[] = []): unknown => walk(value, secrets, 1);

/** What does not change stays the very same object. */
function walk(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (depth > 12) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => walk(item, secrets, depth + 1));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(
    ([key, inner]) => [key, depth === 0 && FACTS.has(key) ? inner : walk(inner, secrets, depth + 1)] as const,
  );
  return entries.some(([key, inner]) => inner !== value[key]) ? Object.fromEntries(entries) : value;
}
