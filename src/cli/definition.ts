// The flags that define a task, shared by add-task, amend and unblock, and the same definition
// written as JSON for `supersede --define`. Reading only: the protocol decides what is acceptable.

import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { asDoneWhen } from '../protocol/definition/criteria.ts';
import type { Definition, DefinitionChange } from '../protocol/definition/payloads.ts';
import { checkTaskId, quoted } from '../protocol/ids.ts';
import { TASK_TYPES } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { some } from './args.ts';
import type { Args, Option } from './verb.ts';

export const DEFINITION_OPTIONS = {
  desc: { value: 'text', description: 'What to build, in one or two sentences.' },
  spec: {
    value: 'path',
    kind: 'file',
    description:
      'The spec it comes from, such as specs/auth.md#retry; for several sections, the heading above them or the file.',
  },
  done: { value: 'text', repeat: true, description: 'How anyone can tell that it is done; each is one criterion.' },
  'add-done': { value: 'text', repeat: true, description: 'One more criterion, after the existing ones.' },
  scope: { value: 'text', description: 'What is in scope, and what is not.' },
  type: { value: 'type', choices: TASK_TYPES, description: 'Kind of work; default code.' },
  priority: { value: '1-5', description: '1 is the most urgent; default 3.' },
  depends: {
    value: 'task',
    kind: 'tasks',
    repeat: true,
    description: 'A task that must be merged first; commas separate several.',
  },
  needs: {
    value: 'tag',
    repeat: true,
    description: 'What a host must have to work on it, as gpu or macos; commas separate several.',
  },
  validate: { value: 'command', repeat: true, description: 'A command that proves it is done.' },
  'max-iterations': { value: 'n', description: 'Attempts before the task is blocked.' },
  'max-review-cycles': { value: 'n', description: 'Rejections before the task is blocked.' },
} as const satisfies Readonly<Record<string, Option>>;

/** Of a task that is there. */
export const CHANGE_OPTIONS = {
  ...DEFINITION_OPTIONS,
  'replace-done': {
    value: 'n: text',
    repeat: true,
    description: 'Replaces criterion number n; the others stay.',
  },
} as const satisfies Readonly<Record<string, Option>>;

export function readChange(args: Args): DefinitionChange | Refusal {
  const given = readDefinition(args);
  if (isRefusal(given)) return given;
  const replaced: Replacement[] = [];
  for (const value of args.all('replace-done')) {
    const one = readReplacement(value);
    if (isRefusal(one)) return one;
    replaced.push(one);
  }
  return replaced.length === 0 ? given : { ...given, replace_done: replaced };
}

type Replacement = NonNullable<DefinitionChange['replace_done']>[number];

function readReplacement(value: string): Replacement | Refusal {
  const [, number, text] = /^\s*(\d{1,6})\s*[:.)=]\s*(\S[\s\S]*)$/.exec(value) ?? [];
  return number === undefined || text === undefined
    ? refuse(
        `--replace-done is ${quoted(value)}, must be the number of a criterion and its new text`,
        'for example --replace-done "2: a 401 is not retried at all"',
        1,
        'usage',
      )
    : { criterion: Number(number), text };
}

export function readDefinition(args: Args): DefinitionChange | Refusal {
  const numbers = ['priority', 'max-iterations', 'max-review-cycles'].map((name) => wholeNumber(args, name));
  const depends = args.flag('depends') ? args.all('depends').flatMap(splitIds) : undefined;
  const bad = [...numbers, ...(depends ?? []).map(checkTaskId)].find((one) => typeof one === 'object');
  if (bad !== undefined) return bad;
  const [priority, max_iterations, max_review_cycles] = numbers as readonly (number | undefined)[];
  return defined({
    description: args.text('desc'),
    spec_ref: args.text('spec'),
    done_when: asDoneWhen(args.all('done')),
    add_done: some(args.all('add-done').filter((one) => one.trim() !== '')),
    scope: args.text('scope'),
    type: args.text('type') as DefinitionChange['type'],
    priority,
    depends_on: depends,
    needs: args.flag('needs') ? args.all('needs').flatMap(splitIds) : undefined,
    validation: some(args.all('validate')),
    max_iterations,
    max_review_cycles,
  });
}

const FIELDS: Readonly<Record<string, keyof Definition>> = {
  id: 'id',
  description: 'description',
  desc: 'description',
  spec_ref: 'spec_ref',
  spec: 'spec_ref',
  done_when: 'done_when',
  done: 'done_when',
  scope: 'scope',
  type: 'type',
  priority: 'priority',
  depends_on: 'depends_on',
  depends: 'depends_on',
  needs: 'needs',
  validation: 'validation',
  validate: 'validation',
  max_iterations: 'max_iterations',
  max_review_cycles: 'max_review_cycles',
};
const LISTS: readonly string[] = ['depends_on', 'needs', 'validation'];
const NUMBERS: readonly string[] = ['priority', 'max_iterations', 'max_review_cycles'];

/** One task as a JSON object, under the board's field names or the flags'. */
export function definitionFrom(json: unknown): Definition | Refusal {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return badDefinition('it is not a JSON object');
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(json)) {
    const field = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
    if (field === undefined) return badDefinition(`it has an unknown field ${quoted(key)}`);
    const wanted = LISTS.includes(field) ? 'list of texts' : NUMBERS.includes(field) ? 'number' : 'text';
    if (!fits(value, wanted)) return badDefinition(`${key} must be a ${wanted}`);
    fields[field] = value;
  }
  if (typeof fields.id !== 'string') return badDefinition('it has no id');
  return checkTaskId(fields.id) ?? (fields as unknown as Definition);
}

function fits(value: unknown, wanted: 'list of texts' | 'number' | 'text'): boolean {
  if (wanted === 'number') return typeof value === 'number';
  if (wanted === 'text') return typeof value === 'string';
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

const badDefinition = (fact: string): Refusal =>
  refuse(
    `the task definition was not understood: ${fact}`,
    `write it like {"id":"retry-login","description":"…","spec_ref":"specs/auth.md","done_when":"…","scope":"…"}`,
    1,
    'definition',
  );

const splitIds = (value: string): string[] => value.split(/[\s,]+/).filter((id) => id !== '');

function wholeNumber(args: Args, name: string): number | undefined | Refusal {
  const value = args.text(name);
  if (value === undefined) return undefined;
  if (/^-?\d{1,9}$/.test(value)) return Number(value);
  return refuse(`--${name} is ${quoted(value)}, must be a whole number`, `for example --${name}=3`, 1, 'usage');
}
