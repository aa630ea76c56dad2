// What a task says must be done: whether it is well-formed, what a change makes of it, and whether it says something
// else than before. Shared by add-task, amend, finalize, unblock and supersede; gates.ts has what it must pass.

import { whole } from '../../text/format.ts';
import type { Board, Part } from '../board.ts';
import type { CommandLine } from '../command-row.ts';
import { type Refusal, refuse } from '../decision.ts';
import type { SpecFacts } from '../facts/spec-facts.ts';
import { dependencyCycle, statusOf } from '../find.ts';
import { historyOf } from '../leases.ts';
import { TASK_TYPES, type Task } from '../state.ts';
import { blank } from '../values.ts';
import { TAG } from '../work/hosts.ts';
import { criteriaOf, withCriterion, withReplaced } from './criteria.ts';
import type { Definition, DefinitionChange } from './payloads.ts';
import { runsTheSame, saysTheSame } from './wording.ts';

const DEFAULT_PRIORITY = 3;

/** The fields that make up a definition. */
export const DEFINITION_FIELDS = [
  'description',
  'spec_ref',
  'done_when',
  'scope',
  'type',
  'priority',
  'depends_on',
  'needs',
  'validation',
  'max_iterations',
  'max_review_cycles',
] as const satisfies readonly (keyof DefinitionChange)[];

/** The fields that tell a coder what to do; only these make a definition *changed*. */
const SUBSTANCE = ['done_when', 'scope', 'spec_ref', 'validation'] as const;

/** What a definition is judged by: the board, how hints name the commands that mend it, and who reads them. */
export interface Judged {
  readonly board: Pick<Board, 'state' | 'archived'>;
  readonly commandLine: CommandLine;
  readonly part: Part;
  /** What is judged came with this very command, which can be given again. */
  readonly given?: true;
  /** How the command changes a task that is there. */
  readonly changes?: DefinitionChange | undefined;
}

/** Checks that the given fields are well-formed: priority, type, limits, dependencies. */
export function checkDefinition(by: Judged, id: string, given: DefinitionChange): Refusal | undefined {
  const { priority, type, depends_on, needs } = given;
  if (priority !== undefined && !(Number.isInteger(priority) && priority >= 1 && priority <= 5)) {
    return refuse(`priority is ${priority}`, 'Use a whole number from 1 (highest) to 5: --priority 2', 1, 'priority');
  }
  if (type !== undefined && !TASK_TYPES.includes(type)) {
    return refuse(`type is ${type}`, `Use one of ${TASK_TYPES.join(', ')}: --type code`, 1, 'type');
  }
  for (const limit of ['max_iterations', 'max_review_cycles'] as const) {
    const value = given[limit];
    if (value !== undefined && !(Number.isInteger(value) && value >= 1)) {
      return refuse(`${limit} is ${value}`, 'Use a whole number of at least 1', 1, 'limits');
    }
  }
  const tag = needs?.find((one) => !TAG.test(one));
  if (tag !== undefined) {
    return refuse(
      `needs has ${tag}, which is no tag`,
      'Small letters, digits, dots and dashes: --needs gpu',
      1,
      'needs',
    );
  }
  return depends_on === undefined ? undefined : checkDependencies(by, id, depends_on);
}

export function checkDependencies(
  { board, commandLine }: Judged,
  id: string,
  dependencies: readonly string[],
): Refusal | undefined {
  const unknown = dependencies.filter((dependency) => dependency !== id && statusOf(board, dependency) === undefined);
  if (unknown.length > 0) {
    return refuse(
      `it would depend on ${unknown.join(', ')}, which is not a task`,
      `Add that task first: ${commandLine('add-task', unknown[0])}`,
      1,
      'dependencies-exist',
    );
  }
  const cycle = dependencyCycle(board.state, id, dependencies);
  if (cycle === undefined) return undefined;
  return refuse(
    `the dependencies would make a cycle: ${cycle.slice(0, 12).join(' → ')}`,
    'Leave one of these dependencies out',
    1,
    'acyclic',
  );
}

/** A new DRAFT. */
export function draft(definition: Definition, created: string): Task {
  const { id, ...rest } = definition;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return { id, status: 'DRAFT', ...given, priority: definition.priority ?? DEFAULT_PRIORITY, created } as Task;
}

/** A criterion can only be replaced where there is one, and only once; with --done all are given anew. */
export function checkReplaced(
  { commandLine }: Judged,
  task: Task,
  changes: DefinitionChange = {},
): Refusal | undefined {
  const { replace_done: replaced = [], done_when } = changes;
  if (replaced.length > 0 && done_when !== undefined) {
    return refuse('all criteria are replaced, and single ones as well', 'Use --done or --replace-done', 1, 'criterion');
  }
  const numbers = replaced.map(({ criterion }) => criterion);
  const twice = numbers.find((number, at) => numbers.indexOf(number) < at);
  if (twice !== undefined) {
    const given = replaced.filter(({ criterion }) => criterion === twice).map(({ text }) => `“${whole(text)}”`);
    return refuse(
      `criterion ${twice} is replaced ${given.length} times, by ${given.join(' and by ')}`,
      `Give one text for it: --replace-done "${twice}: …"; one that comes besides: --add-done "…"`,
      1,
      'criterion',
    );
  }
  const criteria = criteriaOf(task.done_when);
  const wrong = numbers.find((number) => number < 1 || number > criteria.length);
  if (wrong === undefined) return undefined;
  const list = criteria.map((one, at) => `\n  ${at + 1}: ${one.replaceAll('\n', '\n     ')}`).join('');
  return refuse(
    `${task.id} has no criterion ${wrong}; it has ${criteria.length === 0 ? 'none' : `these:${list}`}`,
    criteria.length === 0
      ? `Give the first: ${commandLine('amend', task.id).split(' --')[0]} --done "…"`
      : `Name one of them: --replace-done "${criteria.length}: …"; or add one: --add-done "…"`,
    1,
    'criterion',
  );
}

/** The fields that would really become different; criteria that are replaced or added become part of done_when. */
export function differing(task: Task, changes: DefinitionChange): Omit<DefinitionChange, 'add_done' | 'replace_done'> {
  const replaced = (changes.replace_done ?? []).reduce(
    (so, { criterion, text }) => (so === undefined ? so : withReplaced(so, criterion, text)),
    task.done_when,
  );
  const done_when = appended(changes.done_when ?? replaced, changes.add_done);
  const asked: DefinitionChange = done_when === undefined ? changes : { ...changes, done_when };
  return Object.fromEntries(
    DEFINITION_FIELDS.flatMap((field) => {
      const value = asked[field];
      return value === undefined || JSON.stringify(value) === JSON.stringify(task[field]) ? [] : [[field, value]];
    }),
  );
}

/** A criterion that is there already is not added again. */
function appended(doneWhen: string | undefined, more: readonly string[] = []): string | undefined {
  return more
    .filter((one) => !blank(one))
    .reduce((so, one) => (criteriaOf(so).includes(one.trim()) ? so : withCriterion(so, one)), doneWhen);
}

/** The former values of the fields that change: what history keeps, so that nothing is rewritten silently. */
export function formerValues(task: Task, changes: DefinitionChange): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.keys(changes).map((field) => [field, task[field as keyof Task] ?? null]));
}

type Definitions = Readonly<Record<string, unknown>>;

/** Differs in substance, spacing aside. */
export const isChanged = (before: Definitions, after: Definitions): boolean =>
  SUBSTANCE.some((field) => normalise(before[field]) !== normalise(after[field]));

/** Says something else: a word, a number, an operator, a path or a command differs. */
export const isReworded = (before: Definitions, after: Definitions): boolean =>
  SUBSTANCE.some((field) => {
    const isSame = field === 'validation' ? runsTheSame : saysTheSame;
    return !isSame(textOf(before[field]), textOf(after[field]));
  });

/** Whether the section of the spec reads differently than when the last coder failed. */
export function isSpecChanged(task: Task, { spec_hash: now }: SpecFacts): boolean {
  const history = historyOf(task);
  const since = history.slice(history.findLastIndex((entry) => entry.failed !== undefined) + 1);
  const noticed = since.find(({ event }) => event === 'spec_changed')?.before;
  const then = noticed ?? task.spec_seen ?? task.spec_hash;
  return now !== undefined && then !== undefined && now !== then;
}

/** The definition under which the last coder failed. */
export const definitionWhenFailed = (task: Task): Definitions =>
  definitionAt(
    task,
    historyOf(task).findLastIndex((entry) => entry.failed !== undefined),
  );

/** The definition as it was when the task was last blocked. */
export const definitionWhenBlocked = (task: Task): Definitions =>
  definitionAt(
    task,
    historyOf(task).findLastIndex(({ event }) => event === 'blocked' || event === 'limit'),
  );

/** Amendments since that event are undone in reverse. */
function definitionAt(task: Task, place: number): Definitions {
  const former = historyOf(task)
    .slice(place + 1)
    .map((entry) => entry.was)
    .filter((was) => typeof was === 'object' && was !== null);
  return Object.assign({}, task, ...former.toReversed()) as Definitions;
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : String(value ?? ''));

const normalise = (value: unknown): string => textOf(value).replace(/\s+/g, ' ').trim();
