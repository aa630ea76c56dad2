// What may come in with a command at all: bounded text and well-formed ids. Checked once for
// every command, so that no row can forget it and no id ever reaches git or a path unchecked.

import type { Command } from './command.ts';
import { type Refusal, refuse } from './decision.ts';
import { ID_PATTERN, TEXT_LIMIT } from './fields.ts';

const ID_FIELDS: ReadonlySet<string> = new Set([
  'task',
  'agent',
  'id',
  'to_task',
  'discovery',
  'reserve',
  'during',
  'exclude',
  'replacements',
  'depends_on',
  'tasks',
  'with',
]);

/** Under these keys a caller's own names begin. */
const FREE: ReadonlySet<string> = new Set(['details', 'value']);

export function checkInput(command: Command): Refusal | undefined {
  const { name: _name, ...fields } = command;
  return walk(fields, [], false);
}

/** Depth is bounded: payloads are a few levels, `details` and config values whatever JSON allows. */
function walk(value: unknown, path: readonly string[], isId: boolean): Refusal | undefined {
  if (typeof value === 'string') return checkText(value, path, isId);
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length > 12) return refuse(`${path.slice(0, 3).join('.')} is nested too deeply`, 'Give it flat', 1, 'input');
  for (const [key, inner] of Object.entries(value)) {
    const list = Array.isArray(value);
    const found = walk(
      inner,
      list ? path : [...path, key],
      list ? isId : ID_FIELDS.has(key) && !path.some((part) => FREE.has(part)),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkText(text: string, path: readonly string[], isId: boolean): Refusal | undefined {
  const field = path.join('.');
  if (text.length > TEXT_LIMIT) {
    return refuse(
      `${field} has ${text.length} characters, at most ${TEXT_LIMIT} are kept`,
      'Say it shorter, or put it into a file and name that',
      1,
      'text-limit',
    );
  }
  if (!isId || ID_PATTERN.test(text)) return undefined;
  return refuse(
    `"${printable(text)}" is no id (${field})`,
    'An id is 1 to 63 lower-case letters, digits and dashes, and starts with a letter or digit: task-1',
    1,
    'id-pattern',
  );
}

const printable = (text: string): string => text.slice(0, 80).replace(/[^\x20-\x7e]/g, '?');
