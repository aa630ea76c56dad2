// Whether a hint fits its reader: the commands that a text names, and whether the table lets these parts run them.
// `world.ts` holds every refusal of the core's tests against it.

import { REGISTRY } from '../../../src/cli/registry.ts';
import type { Actor, Board, Part } from '../../../src/protocol/board.ts';
import type { CommandName } from '../../../src/protocol/command.ts';
import type { Row } from '../../../src/protocol/command-row.ts';
import type { Refusal } from '../../../src/protocol/decision.ts';
import { findTask } from '../../../src/protocol/find.ts';
import { admits } from '../../../src/protocol/next-commands.ts';
import { TABLE } from '../../../src/protocol/table.ts';

/** Everything after `liza ` that is the name of a command, the longer name before the shorter. */
export const namedCommands = (text: string): readonly string[] =>
  [...text.matchAll(/\bliza ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g)].flatMap(([, first = '', second = '']) => {
    const name = [`${first} ${second}`, first].find((one) => Object.hasOwn(REGISTRY, one));
    return name === undefined ? [] : [name];
  });

const ROWS = Object.values(TABLE) as unknown as readonly Row<CommandName>[];
/** Verbs that no row decides, and that an agent may type. */
const LOOKING = new Set([
  'status',
  'show',
  'log',
  'log verify',
  'help',
  'attempts',
  'audit',
  'blame',
  'validate',
  'version',
  'question list',
  'anomaly list',
]);
const READING: Readonly<Record<string, readonly Part[]>> = {
  'discovery list': ['planner', 'human'],
  try: ['coder', 'code_reviewer'],
  'lock read': ['planner', 'coder', 'code_reviewer', 'human', 'supervisor'],
  'config get': ['planner', 'coder', 'code_reviewer', 'human', 'supervisor'],
};

export function unfit(verb: string, parts: readonly Part[]): boolean {
  if (LOOKING.has(verb)) return false;
  const readers = READING[verb];
  if (readers !== undefined) return !parts.some((part) => readers.includes(part));
  const rows = ROWS.filter(({ name, typed, syntax }) => `${typed ?? syntax} `.startsWith(`${verb} `) || name === verb);
  // What no row decides (init, run, doctor) is a person's or a supervisor's.
  if (rows.length === 0) return parts.every((part) => part !== 'human' && part !== 'supervisor');
  return !rows.some(({ who }) => parts.some((part) => who.includes(part)));
}

/** The random walk meets the same hints again and again. */
const FITTING = new Set<string>();

/** Throws when an agent is told to run what it may not. A supervisor is no reader: it may name the others' commands. */
export function holdHintFits({ parts }: Actor, { hint, message }: Refusal): void {
  const known = `${parts.join()} ${hint}`;
  if (parts.includes('supervisor') || FITTING.has(known)) return;
  const wrong = namedCommands(hint).filter((verb) => unfit(verb, parts));
  if (wrong.length > 0) throw new Error(`the hint for ${parts.join()} names ${wrong.join(', ')}: ${message} → ${hint}`);
  FITTING.add(known);
}

/** `liza amend retry-login …`: a command of a row, on a task by its id. */
const onTasks = (text: string): readonly (readonly [string, string])[] =>
  [...text.matchAll(/\bliza ([a-z][a-z-]*) ([a-z0-9][a-z0-9-]*)/g)].map(([, verb = '', id = '']) => [verb, id]);

/** Throws when an agent is told to run a command on a task whose status does not admit it now. */
export function holdHintIsTimely(board: Board, { parts }: Actor, { hint, message }: Refusal): void {
  if (parts.includes('supervisor')) return;
  for (const [verb, id] of onTasks(hint)) {
    const task = findTask(board.state, id);
    const rows = ROWS.filter(({ name, typed }) => (typed ?? name) === verb && name === verb);
    if (task === undefined || rows.length === 0 || rows.some(({ from }) => !Array.isArray(from))) continue;
    const isOpen = rows.some((row) => parts.some((part) => row.who.includes(part) && admits(row, part, task.status)));
    if (!isOpen)
      throw new Error(
        `the hint for ${parts.join()} names liza ${verb} ${id}, which is ${task.status}: ${message} → ${hint}`,
      );
  }
}
