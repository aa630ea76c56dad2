// The validation of a coder's plan: whether it names a command, and says what shall come of it. It rests on how the text
// is built. Talk of tests, a suite or a linter names no command: which one, the next reader would have to guess. Of the
// task's own commands the number or the word `commands` will do. Words are judged, nothing is run.

import { proofCommands } from '../review/proof.ts';
import { alwaysGreen, printsForReaders } from '../shell/always-green.ts';
import { ALONE, PROGRAMS, shellQuoted } from '../shell/shell-words.ts';
import type { Settings, Task } from '../state.ts';
import { EXAMPLE, withoutExamples } from './example-words.ts';
import { hasWord } from './plan-words.ts';

type Config = Pick<Settings, 'test_command'>;

/** What the text lacks; undefined: nothing. Where there is nothing to run, `read: what a reader shall find` is enough. */
export function lacksInValidation(config: Config, task: Task, validation: string): string | undefined {
  const isForReaders = task.type === 'docs' || task.type === 'spec';
  const said = withoutExamples(validation);
  if (/^\s*read\b/i.test(said) && isForReaders && !/^\s*read:\s*\u2026/i.test(said)) return undefined;
  const { hasCommand, hasResult } = readPlan(said, proofCommands(config, task));
  if (hasCommand && hasResult) return undefined;
  return hasCommand
    ? 'it does not say what result is expected'
    : hasResult
      ? `it names no command${/\b(?:tests?|suite|lint|build)/i.test(validation) ? ' that runs them' : ''}`
      : 'it names neither';
}

/** How it may be written, with the task's own command. */
export function exampleValidation(config: Config, task: Task): string {
  const [own] = proofCommands(config, task);
  if (own === undefined && (task.type === 'docs' || task.type === 'spec')) return `"read: ${EXAMPLE.found}"`;
  // A long one would hide what is missing; its number says as much.
  const named = own === undefined || own.length <= LONGEST_SHOWN ? (own ?? EXAMPLE.command) : '#1';
  return shellQuoted(`${named}: ${EXAMPLE.printed}`);
}

const LONGEST_SHOWN = 120;

function readPlan(
  text: string,
  known: readonly string[],
): { readonly hasCommand: boolean; readonly hasResult: boolean } {
  const own = known.reduce((so, command) => so.replaceAll(spaced(command), ' ` ` '), spaced(text));
  const named = own
    .split('\n')
    .map((line) => readHead(line, known))
    .join('\n');
  const quoted = named.replace(/`([^`\n\S]*[^`\s][^`\n]*|[ ])`/g, (_, code) =>
    canRun(code) ? ` ${NAMED} ` : ` ${code} `,
  );
  const clauses = quoted.split(/\n|;|&&|\|\||=>|->|\u2192|:(?=\s|$)|,\s|\.\s|\s[-\u2013\u2014]\s|[()]/).map(wordsOf);
  const commands = clauses.map((words) => words.some((word, at) => isCommandAt(words, at) || word === NAMED));
  return {
    hasCommand: commands.includes(true) || clauses.some((words) => words.some((word) => isReference(word, known))),
    hasResult: clauses.some((words, at) =>
      commands[at] === true ? saysOutcome(words, commands.slice(0, at).includes(true)) : saysResult(words),
    ),
  };
}

const spaced = (text: string): string => text.replace(/[ \t]+/g, ' ');

/** Stands where a command was. */
const NAMED = '\u0001';

/** What was found before stands as a blank. */
const canRun = (code: string): boolean => {
  const [first = '', ...more] = code.trim().split(/\s+/);
  if (first === '') return true;
  if (isTalk(first) && !more.some(isArgument)) return false;
  return !isIdle(code);
};

/** What prints is one here: the plan says what shall be read in it. */
const isIdle = (code: string): boolean => alwaysGreen(code) !== undefined && !printsForReaders(code);

/** What stands before a colon is a command where it can be run; a lone word such as `done:` is neither command nor result. */
function readHead(line: string, known: readonly string[]): string {
  const [all = '', head = ''] = /^\s*(?:\d+[.)]\s+|[-*$>]\s+)?([^:`\u0001]{1,200}):(?=\s+\S)/.exec(line) ?? [];
  const rest = line.slice(all.length);
  const [first = '', ...more] = head.trim().split(' ');
  if (/^#\d/.test(first)) return line;
  if (head === '' || isIdle(head)) return rest;
  if (isTalk(first)) {
    if (CHECK.test(first)) return line;
    if (more.length > 0) return line;
    // What is read is not run.
    return READS.has(first.toLowerCase()) ? rest.replace(/^(\s*)[\w@-]*[/.][\w./@-]+/, '$1') : rest;
  }
  const isRun =
    more.length === 0 ? isProgram(first, rest, known) : /^[A-Za-z][\w.-]*$/.test(first) && more.some(isArgument);
  return isRun ? ` \` \` : ${rest}` : line;
}

/** A lone word may be anything: a program that needs no more, the task's own, a file, or one of which it is said how it ends. */
const isProgram = (word: string, rest: string, known: readonly string[]): boolean =>
  PROGRAMS.has(word)
    ? ALONE.has(word)
    : known.some((command) => command.startsWith(`${word} `)) ||
      (/^[\w./-]+$/.test(word) && (/[./_\d-]/.test(word) || /^\s*(?:exit|print|return)/i.test(rest)));

/** `#2`, `both commands`, where the task has them. */
const isReference = (word: string, known: readonly string[]): boolean => {
  const [, number, noun] = /^(?:#(\d+)|(commands|validations?))[.,:!]?$/i.exec(word) ?? [];
  return number === undefined ? noun !== undefined && known.length > 0 : known[Number(number) - 1] !== undefined;
};

/** A number, an option, a path, a value, capitals: what a sentence seldom has behind its first word. */
const isArgument = (word: string): boolean => /^-|\d|[/=."']|^[A-Z]{2,}$/.test(word.replace(/[.,]$/, ''));

const wordsOf = (clause: string): readonly string[] =>
  clause
    .replace(/^\s*(?:\d+[.)]|[-*$>])\s+/, '')
    .split(/\s+/)
    .filter((word) => word !== '');

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));
/** A command follows them. */
const LEADS = set(
  'run runs running execute executing call calling use using start of with via by and then first finally',
);
/** Words of a sentence, which no command line has next to its program. */
const ENGLISH = set(
  'i we you it the a an all will that this these my our its is are be was should would shall must hope think believe sure ' +
    'whether out and if how to for of on in at no not so what when see through again them everything',
);
const READS = set('read see look inspect review open view');
/** Single words that no program is called. */
const NO_PROGRAM = new Set([
  ...READS,
  ...set(
    'done yes no ok okay true false check checked checks result results expected expect manual manually works working',
  ),
  ...set('verify verified validation validate plan later todo tbd note output outcome success fine good finished'),
  ...set(
    'ready complete completed confirm ensure observe all nothing none step goal criterion criteria then after before',
  ),
]);
/** Programs whose names are English words, too: of these a target or an argument follows. */
const ALSO_WORDS = set('make test time find go just task cat black mix stack swift diff tap hatch rake node bun');
const TARGET =
  /^(?:\w+[:-])?(?:tests?|checks?|all|builds?|verify|lint|ci|run|spec|vet|generate|compile|clean|bench)(?:[:-][\w:-]+)?$/;
/** What a project's command runs, in general: it is no command, and no result either. */
const CHECK =
  /^(?:(?:unit-?|e2e-?)?(?:tests?|suites?|specs?|lint(?:er|ing)?|type-?checks?|typechecker|builds?|compiler|benchmarks?|ci|pipeline|coverage)|commands|validations?|#\d+)[.,:!]?$/i;

const isTalk = (word: string): boolean => {
  const plain = word.toLowerCase();
  return ENGLISH.has(plain) || NO_PROGRAM.has(plain) || CHECK.test(plain);
};

function isCommandAt(words: readonly string[], at: number): boolean {
  const before = words[at - 1]?.toLowerCase();
  if (before !== undefined && !LEADS.has(before) && !/^\w+=/.test(before)) return false;
  const [first = '', next, third = ''] = words.slice(at).map((word) => word.replace(/^["']|["'.]$/g, ''));
  if (/^(?:\.{1,2}|[\w@.-]+)?\/[\w./@-]+$/.test(first))
    return (
      /\./.test(first) || !(CHECK.test(next ?? '') || first.split('/').every((part) => isTalk(part) || ENDS.test(part)))
    );
  if (/^[\w-]+\.(?:sh|py|rb|pl|[cm]?[jt]s)$/.test(first)) return true;
  if (PROGRAMS.has(first)) {
    if (!ALSO_WORDS.has(first)) return ALONE.has(first) || (next !== undefined && !ENDS.test(next));
    if (next === undefined) return first === 'make';
    // `make tests pass` asks for something, and runs nothing.
    if (TARGET.test(next)) return first !== 'test' && !ENDS_PLAIN.test(third) && !ENGLISH.has(third);
    return isArgument(next) || PROGRAMS.has(next);
  }
  return (
    /^[a-z][\w.-]*$/.test(first) && !ENGLISH.has(first) && words.slice(at + 1).some((word) => /^--?[a-z]/i.test(word))
  );
}

const ENDS = /^(?:pass|fail|work|green|red|succe|is$|are$|ok$)/i;
const ENDS_PLAIN = /^(?:pass|work|succeed|green|happy)$/i;
/** Without those by which somebody is told to do something: show, list, must. */
const BEFORE = /^(?:exits?$|prints?$|pass(?:es|ed)?$|fail(?:s|ed|ures?)?$|green$|red$|ok(?:ay)?$|succe|no$|without$)/i;
const OUTCOME =
  /^(?:exit|print|pass|fail|show|give|green|red|ok|okay|expect|succe|return|answer|output|report|list|throw|equal|contain|match|is$|are$|no$|without$|must$|shall$|should$)/i;

const saysResult = (words: readonly string[]): boolean => words.some((word) => isOwn(word) && !CHECK.test(word));

/**
 * Behind a command only words of an outcome count: the others may be its arguments. Before it an outcome may stand, too
 * (`green with test/a.js`), and whatever is said of a command that was named already (`3 more with test/a.js`).
 */
function saysOutcome(words: readonly string[], isNamed: boolean): boolean {
  const end = words.lastIndexOf(NAMED);
  const at = words.findIndex((word, place) => word === NAMED || isCommandAt(words, place));
  const before = words.slice(0, at);
  if (before.some((word) => BEFORE.test(word) || (isNamed && isOwn(word) && !isTalk(word)))) return true;
  return end === -1 ? words.slice(1).some((word) => OUTCOME.test(word)) : words.slice(end + 1).some(isOwn);
}

const isOwn = (word: string): boolean =>
  (hasWord(word) || /\p{N}/u.test(word)) &&
  !LEADS.has(word.toLowerCase()) &&
  !ENGLISH.has(word.toLowerCase()) &&
  !READS.has(word.toLowerCase());
