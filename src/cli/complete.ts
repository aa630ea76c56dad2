// Answers `liza __complete <word>…`, which the scripts of `liza completion` ask: the words typed after `liza`, the last
// one being completed. One candidate a line, behind it a tab and what it is; `:file` asks the shell for file names.
// Loads the registry and the description of one command, and takes ids from the blackboard without its lock. It writes
// nothing, neither a file nor an error: in trouble there are no candidates.

import type { BoardContext } from '../store/context.ts';
import { openStore } from '../store/open.ts';
import { peekIds } from '../store/read-one-task.ts';
import { COMMON_OPTIONS } from './args.ts';
import type { Io } from './io.ts';
import { REGISTRY } from './registry.ts';
import { fold } from './render/print.ts';
import { TOPICS } from './topics.ts';
import type { Kind, LoadedVerb, Option } from './verb.ts';

interface Candidate {
  readonly word: string;
  readonly about?: string;
}

/** What may stand at one place of a command. */
interface Values {
  readonly kind?: Kind;
  readonly choices?: readonly string[];
}

const FILE: Candidate = { word: ':file' };

export async function complete(words: readonly string[], io: Io): Promise<void> {
  const found = await candidates(words, io).catch(() => []);
  const lines = found.filter(isPlain).map(({ word, about }) => (about === undefined ? word : `${word}\t${about}`));
  if (lines.length > 0) io.stdout(`${fold(lines.join('\n'), io)}\n`);
}

/** A shell may expand what it is offered, and a board may have been written by anyone. */
const isPlain = ({ word }: Candidate): boolean => /^[\w:=.,/+-]+$/.test(word);

async function candidates(words: readonly string[], io: Io): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  // As run.ts reads them: options may come first, and the longer name wins.
  const at = before.findIndex((word) => !word.startsWith('-'));
  const [first, second] = at === -1 ? [] : before.slice(at);
  if (first === undefined) return current.startsWith('-') ? [] : firstWords();
  const isPair = second !== undefined && Object.hasOwn(REGISTRY, `${first} ${second}`);
  const name = isPair ? `${first} ${second}` : first;
  const load = Object.hasOwn(REGISTRY, name) ? REGISTRY[name]?.load : undefined;
  const given = [...before.slice(0, at), ...before.slice(at + (isPair ? 2 : 1))];
  // A family may also be a command of its own, as `log` and `log verify` are.
  const seconds = second === undefined && !current.startsWith('-') ? secondWords(first) : [];
  return load === undefined ? seconds : [...seconds, ...(await forVerb(await load(), given, current, io))];
}

const offered = () => Object.entries(REGISTRY).filter(([, { load }]) => load !== undefined);

function firstWords(): readonly Candidate[] {
  const about = new Map<string, string>();
  for (const [name, { summary }] of offered()) {
    const [first = ''] = name.split(' ');
    if (name === first || !about.has(first)) about.set(first, summary);
  }
  return [...about].map(([word, summary]) => ({ word, about: summary }));
}

const secondWords = (first: string): readonly Candidate[] =>
  offered().flatMap(([name, { summary }]) =>
    name.startsWith(`${first} `) ? [{ word: name.slice(first.length + 1), about: summary }] : [],
  );

async function forVerb(
  verb: LoadedVerb,
  given: readonly string[],
  current: string,
  io: Io,
): Promise<readonly Candidate[]> {
  const options = { ...verb.options, ...COMMON_OPTIONS };
  const { pending, position, ended } = placeAfter(verb, options, given);
  if (pending !== undefined) return valuesOf(pending, io);
  if (!ended && current.startsWith('-')) return forOption(options, current, io);
  const word = verb.positionals[position] ?? verb.positionals.findLast(({ rest }) => rest === true);
  return word === undefined ? [] : valuesOf(word, io);
}

interface Place {
  /** The option whose value comes next. */
  readonly pending: Option | undefined;
  /** How many arguments are there already. */
  readonly position: number;
  /** From here on a dash begins no option. */
  readonly ended: boolean;
}

function placeAfter(verb: LoadedVerb, options: Readonly<Record<string, Option>>, given: readonly string[]): Place {
  let place: Place = { pending: undefined, position: 0, ended: false };
  for (const word of given) {
    if (place.pending !== undefined) place = { ...place, pending: undefined };
    else if (!place.ended && word === '--') place = { ...place, ended: true };
    else if (!place.ended && word.startsWith('-') && word !== '-') place = { ...place, pending: valued(options, word) };
    else place = { ...place, position: place.position + 1, ended: place.ended || verb.passthrough === true };
  }
  return place;
}

function valued(options: Readonly<Record<string, Option>>, typed: string): Option | undefined {
  const [, option] =
    Object.entries(options).find(([name, { short }]) => [`--${name}`, `-${short}`].includes(typed)) ?? [];
  return option?.value === undefined ? undefined : option;
}

/** Names; behind `--name=` its values. */
async function forOption(
  options: Readonly<Record<string, Option>>,
  current: string,
  io: Io,
): Promise<readonly Candidate[]> {
  const end = current.indexOf('=');
  if (end !== -1) {
    const option = valued(options, current.slice(0, end));
    const values = option === undefined ? [] : await valuesOf(option, io);
    return values.map((value) => (value === FILE ? FILE : { ...value, word: current.slice(0, end + 1) + value.word }));
  }
  const long = Object.entries(options).map(([name, { description }]) => ({ word: `--${name}`, about: description }));
  const short = Object.values(options).flatMap(({ short: letter, description }) =>
    letter === undefined || current !== '-' ? [] : [{ word: `-${letter}`, about: description }],
  );
  return [...long, ...short];
}

async function valuesOf({ kind, choices }: Values, io: Io): Promise<readonly Candidate[]> {
  if (choices !== undefined) return choices.map((word) => ({ word }));
  switch (kind) {
    case undefined:
      return [];
    case 'file':
      return [FILE];
    case 'verb':
      return topics();
    case 'task':
    case 'tasks':
      return idsOf('tasks', io);
    case 'agent':
    case 'new-agent':
      return idsOf('agents', io);
    case 'new-task':
    case 'question':
    case 'note':
    case 'discovery':
    case 'anomaly':
    case 'goal':
    case 'record':
      return [];
    default:
      return kind satisfies never;
  }
}

function topics(): readonly Candidate[] {
  const words = new Set(Object.keys(REGISTRY).flatMap((name) => name.split(' ')));
  return [
    ...[...words].map((word) => ({ word })),
    ...Object.entries(TOPICS).map(([word, { summary }]) => ({ word, about: summary })),
  ];
}

/** None when the board cannot be read: what else fits is still offered. */
async function idsOf(section: 'tasks' | 'agents', io: Io): Promise<readonly Candidate[]> {
  const root = io.root();
  if (typeof root !== 'string') return [];
  const context = { ...io.context(root), leavesCache: true } as const;
  const ids = peekIds(context, section) ?? (await readIds(context, section).catch(() => []));
  return ids.map((word) => ({ word }));
}

async function readIds(context: BoardContext, section: 'tasks' | 'agents'): Promise<readonly string[]> {
  const { tasks, agents } = (await openStore(context).read()).board.state;
  return section === 'tasks' ? tasks.map(({ id }) => id) : Object.keys(agents);
}
