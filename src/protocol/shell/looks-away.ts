// Whether a line looks at anything of the project at all. One of which every command works only on fixed values, on the
// environment or on what is printed by such a command ends the same way whatever the work is. What is not understood
// counts as a look.

import { SHELLS } from './fed-shell.ts';
import { isQuietCode } from './inline-code.ts';
import { aboutTools, givenToXargs, IDLE, nameOf, SURE, unwrapped } from './known-commands.ts';
import { type Files, readShellLine, type ShellLine } from './shell-line.ts';
import type { Word } from './shell-tokens.ts';
import { DEEPEST } from './subshells.ts';

/** Why it says nothing about the project; undefined: something in it may look. */
export function looksAway(command: string): string | undefined {
  return isAway(command, 0)
    ? 'nothing that stands in the project decides it, only fixed values, the environment or installed programs'
    : undefined;
}

function isAway(command: string, depth: number): boolean {
  const line = depth > DEEPEST ? undefined : readShellLine(command);
  return line !== undefined && isLineAway(line, { depth, fed: false });
}

interface Place {
  readonly depth: number;
  /** Another command of its pipe prints into it. */
  readonly fed: boolean;
}

function isLineAway(line: ShellLine, place: Place): boolean {
  const inside = (of: ShellLine): boolean => isLineAway(of, place);
  switch (line.kind) {
    case 'simple':
      return isSimpleAway(line.words, line.files, place);
    case 'not':
    case 'subshell':
    case 'group':
      return inside(line.of);
    case 'redirected':
      return areFilesAway(line.files, place) && inside(line.of);
    case 'and':
    case 'or':
      return inside(line.left) && inside(line.right);
    case 'pipe':
      return line.parts.every((part, at) => isLineAway(part, { ...place, fed: place.fed || at > 0 }));
    case 'list':
      return line.steps.length > 0 && line.steps.every(({ of }) => inside(of));
    case 'if':
      return (
        line.arms.every((arm) => inside(arm.when) && inside(arm.then)) &&
        (line.otherwise === undefined || inside(line.otherwise))
      );
    case 'loop':
      return (line.when === undefined ? line.rounds !== undefined : inside(line.when)) && inside(line.body);
    // What a `case` asks, and what a name stands for, is not kept.
    case 'case':
    case 'function':
      return false;
    default:
      return line satisfies never;
  }
}

const areRunsAway = (runs: readonly string[], { depth }: Place): boolean => runs.every((one) => isAway(one, depth + 1));

const areFilesAway = ({ reads, runs }: Files, place: Place): boolean => !reads && areRunsAway(runs, place);

function isSimpleAway(all: readonly Word[], files: Files, place: Place): boolean {
  const [first, ...rest] = unwrapped(all);
  if (
    !areRunsAway(
      all.flatMap(({ runs }) => runs),
      place,
    )
  )
    return false;
  if (first === undefined || all.every(({ text }) => /^\w+\+?=/.test(text))) return areFilesAway(files, place);
  if (first.varies || rest.some(isPattern)) return false;
  const name = nameOf(first.text);
  if (ignoresInput(name, rest)) return areRunsAway(files.runs, place);
  return areFilesAway(files, place) && isProgramAway(name, rest, place);
}

/** `*.md` names files of the project; `$?` and `${a[0]}` do not. */
const isPattern = ({ text, varies }: Word): boolean =>
  varies && /[*?]|^[^[]*\[.*\]/s.test(text.replace(/\$\{[^}]{0,200}\}|\$[?*@#]/g, ''));

/** `xargs true < f`: what it is given is not looked at. */
const ignoresInput = (name: string, rest: readonly Word[]): boolean =>
  SURE.has(name) || (name === 'xargs' && SURE.has(givenToXargs(rest)[0]?.text ?? ''));

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** What they say comes from their words and from the machine. */
const BY_WORDS = set(
  'false expr seq yes nproc arch tty basename dirname let tr exit return break continue set wait env printenv locale getconf',
);

function isProgramAway(name: string, rest: readonly Word[], place: Place): boolean {
  const words = rest.map(({ text }) => text);
  if (IDLE.has(name) || BY_WORDS.has(name) || aboutTools(name, words) !== undefined) return true;
  if (name === 'test' || name === '[' || name === '[[') return isTestAway(words);
  if (name === 'cd') return words.every((word) => OUTSIDE.test(word) || /^(?:\.{1,2}\/?|-)$/.test(word));
  if (name === 'eval') return !rest.some(({ varies }) => varies) && isAway(words.join(' '), place.depth + 1);
  if (SHELLS.has(name)) {
    const at = words.findIndex((word) => /^-[a-zA-Z]*c$/.test(word));
    return at !== -1 && rest[at + 1]?.varies === false && isAway(words[at + 1] ?? '', place.depth + 1);
  }
  return isQuietCode(name, rest) || isFilterAway(name, words, place);
}

/** Beside the project, whatever the work is. */
const OUTSIDE = /^(?:\/|~|\$\{?HOME\}?|\/(?:bin|usr|etc|dev|proc|sys|lib)(?:\/.*)?)$/;

const isTestAway = (words: readonly string[]): boolean =>
  words.every((word, at) => {
    if (/^-(?:nt|ot|ef)$/.test(word)) return false;
    return !/^-[bcdefghkprsuwxLNOGS]$/.test(word) || OUTSIDE.test(words[at + 1] ?? '');
  });

interface Filter {
  /** Letters of the options that a value follows. */
  readonly values: string;
  /** How many words it takes before files begin. */
  readonly own: number;
  /** With these it reads files. */
  readonly files?: RegExp;
}

const GREP: Filter = { values: 'eABCmdD', own: 1, files: /^-[a-zA-Z]*[frR]|^--(?:file|recursive|deref|include)/ };
const AWK: Filter = { values: 'vF', own: 1, files: /^-f|^--(?:file|include)|getline|system/ };
const PLAIN: Filter = { values: '', own: 0 };
const FILTERS: Readonly<Record<string, Filter>> = {
  ...Object.fromEntries(['grep', 'egrep', 'fgrep', 'rg', 'ag'].map((name) => [name, GREP])),
  ...Object.fromEntries(['awk', 'gawk', 'mawk'].map((name) => [name, AWK])),
  ...Object.fromEntries(
    'cat tee wc nl rev tac fmt less more bc sha1sum sha256sum md5sum'.split(' ').map((name) => [name, PLAIN]),
  ),
  sed: { values: 'e', own: 1, files: /^-[a-zA-Z]*[fi]|^--(?:file|in-place)/ },
  jq: { values: '', own: 1, files: /^-f|^--(?:from-file|slurpfile|rawfile|args?|argjson)/ },
  cut: { values: 'dfbc', own: 0 },
  sort: { values: 'ktS', own: 0 },
  uniq: { values: 'fsw', own: 0 },
  head: { values: 'nc', own: 0 },
  tail: { values: 'nc', own: 0 },
  fold: { values: 'w', own: 0 },
  paste: { values: 'd', own: 0 },
};

/** It reads what is printed into it, and no file. */
function isFilterAway(name: string, words: readonly string[], { fed }: Place): boolean {
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  // These two look through the folder where nothing is printed into them.
  if (filter === undefined || (!fed && /^(?:rg|ag)$/.test(name))) return false;
  const { values, own, files } = filter;
  if (files !== undefined && words.some((word) => files.test(word))) return false;
  const takesValue = (word = ''): boolean => /^-[a-zA-Z]$/.test(word) && values.includes(word.charAt(1));
  const named = words.filter((word, at) => (!word.startsWith('-') || word === '') && !takesValue(words[at - 1]));
  return named.length <= (words.some((word) => /^-e|^--(?:regexp|expression)/.test(word)) ? 0 : own);
}
