// An approval as text: what shows each criterion (approval-lines.ts reads it), and the concerns beside it. Only its form
// is read here; whether a file, line or test is there at the commit is for git to say (tasks/verdict-facts.ts). Linear in the text.

import { whole } from '../../text/format.ts';
import { countWords, LEAST_WORDS } from '../../text/sentence.ts';
import { criteriaOf } from '../definition/criteria.ts';
import { isAboutText, isAboutTheDiff, saysWhatItDoes } from '../definition/criterion-kinds.ts';
import { isTimed } from '../definition/timed-criteria.ts';
import { commandsWithin } from '../shell/nested-commands.ts';
import { isCommand } from '../shell/shell-words.ts';
import type { TASK_TYPES, Task } from '../state.ts';
import { type Evidence, MOST_EVIDENCE, readLine, readLines, unquoted } from './approval-lines.ts';
import { greenCommands, ranForm, ranNumber } from './ran-command.ts';
import { placeIn, rangeEnd, rejectionConcerns } from './verdict.ts';

/** What does not block, and somebody should know. */
export interface Concern {
  readonly file?: string;
  readonly line?: number;
  /** The last line of a range. */
  readonly to?: number;
  readonly text: string;
  /** The change does not touch the file. */
  readonly outside?: true;
}

/** Why an approval does not show what it should, as one clause. */
export interface Problem {
  readonly text: string;
  /** The criteria that it is about; absent: it is about the approval as a whole. */
  readonly criteria?: readonly number[];
}

/** `criterion 2: why`. */
export const aboutOne = (criterion: number, why: string): Problem => ({
  text: `criterion ${criterion}: ${why}`,
  criteria: [criterion],
});

interface Approval {
  readonly evidence: readonly Evidence[];
  readonly concerns: readonly Concern[];
  /** Lines that name a criterion and show nothing. */
  readonly problems: readonly Problem[];
}

/** `criteria`: how many there are. */
export function parseApproval(text: string, criteria: number): Approval {
  const evidence: Evidence[] = [];
  const problems: Problem[] = [];
  for (const { numbers, named, body, strict, shown } of readLines(text)) {
    // `1. text` may be any list; `1: text` is about a criterion.
    if (shown.length === 0 && !strict) continue;
    const none = named.find((n) => n < 1 || n > criteria);
    if (none !== undefined) problems.push({ text: `there is no criterion ${none}` });
    else if (shown.length === 0)
      problems.push({ text: `criterion ${numbers}: “${whole(body).slice(0, 80)}” ${whyNot(body)}`, criteria: named });
    else if (!isFull(evidence)) {
      const first = named.slice(0, MOST_EVIDENCE + 1);
      evidence.push(...first.flatMap((criterion) => shown.map((one) => ({ criterion, ...one }))));
    }
  }
  if (isFull(evidence)) problems.push({ text: `more than ${MOST_EVIDENCE} are named: name the strongest ones` });
  return { evidence: evidence.slice(0, MOST_EVIDENCE), concerns: concernsIn(text), problems };
}

/** What is named beyond that is not even made: a line of numbers and one of commands are millions together. */
const isFull = (evidence: readonly Evidence[]): boolean => evidence.length > MOST_EVIDENCE;

const whyNot = (body: string): string =>
  /^seen:?(?:\s|$)/i.test(body)
    ? `is too short: say in a sentence of ${LEAST_WORDS} words or more what you saw`
    : 'has no known form';

/** A line that seems to be meant for that criterion, and is in no form. */
export function nearLine(text: string, criterion: number): string | undefined {
  const near = new RegExp(`^[^\\w(]{0,6}(?:criterion\\s{0,3}|c)?#?${criterion}\\b[^\\n]`, 'i');
  const read = new Set(
    readLines(text).flatMap(({ strict, shown, rows, at }) => (strict || shown.length > 0 ? [at, ...rows] : [])),
  );
  const line = text.split('\n').find((one, at) => near.test(one.trim()) && !read.has(at));
  return line === undefined ? undefined : whole(line).slice(0, 80);
}

/** What it says besides naming what shows a criterion. */
export function remarksIn(text: string): string {
  const showing = new Set(readLines(text).flatMap(({ rows }) => rows));
  return text
    .split('\n')
    .filter((_line, at) => !showing.has(at))
    .join('\n')
    .trim();
}

/** What the file of a test may hold of its name: its last part, without the parameters that a runner adds. */
export function testNames({ file, name }: { readonly file: string; readonly name: string }): readonly string[] {
  const last = unquoted(
    name.split(/(?<!\s)\s*\u203a\s*|(?<!\s)\s+>\s+|::/).findLast((part) => part.trim() !== '') ?? name,
  );
  const plain = last.replace(/\[[^\]]{0,300}\]$|\(\)$|\s\([\w.]+\)$/, '');
  const sub = file.endsWith('.go') ? (last.split('/').at(-1) ?? last) : last;
  // `Class.method`, `Class#method`
  const member = /^[\w.#]+$/.test(plain) ? (plain.split(/[.#]/).at(-1) ?? plain) : plain;
  // `name — what it shows`
  const [unremarked = last] = last.split(/(?<!\s)\s+[\u2014\u2013]\s+|(?<!\s)\s+\((?=pass|green|ok|fails|red)/i);
  return [...new Set([last, plain, member, sub, sub.replaceAll('_', ' '), unremarked])].filter(
    (one) => one.trim() !== '',
  );
}

function concernsIn(text: string): readonly Concern[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at): readonly Concern[] => {
    const [, first] = CONCERN.exec(line) ?? [];
    if (first === undefined) return [];
    const after = lines.slice(at + 1);
    const end = after.findIndex((next) => !/^\s{2,}\S/.test(next) || CONCERN.test(next) || readLine(next).length > 0);
    const below = (end === -1 ? after : after.slice(0, end)).map((next) => next.trim());
    const place = pathIn(`${first} `);
    const said = [place?.text ?? first, ...below].join('\n').trim();
    if (/^[.\u2026]*$/.test(said)) return [];
    return [place === undefined ? { text: said } : { ...place, text: said }];
  });
}

/** What a rejection says under `Concerns:`, with the places that its lines begin with. */
export const concernsOfRejection = (text: string): readonly Concern[] =>
  rejectionConcerns(text).map((one) => pathIn(`${one} `) ?? { text: one });

/** Where a sentence begins like a place (`at 10:30`, `localhost:80`, an address on the network) it names no file. */
function pathIn(line: string): (Concern & Pick<Required<Concern>, 'text'>) | undefined {
  const place = placeIn(line);
  if (place === undefined || /\s|:\/\/|^localhost$|^[\d.]+$/.test(place.file)) return undefined;
  const to = rangeEnd(line);
  return {
    file: place.file,
    line: place.line,
    ...(to === undefined || to <= place.line ? {} : { to }),
    text: place.text,
  };
}

/** `[concern] …`; also `Concern: …`. */
const CONCERN = /^\s*(?:[-*+>\u2022]\s+)?(?:\*{0,3}\[concern\]\*{0,3}:?|[*_]{0,3}concern[*_]{0,3}:[*_]{0,3})\s*(.*)$/i;

const BLOCKER =
  /^\s*(?:(?:[-*+>\u2022]|\d{1,3}[.):])\s+)?[*_`]{0,3}(?:\[blocker\]|blocker[*_]{0,3}:(?=[\s*_`]*\S{1,300}:\d))/i;

/** Lines of an approval that block. */
export const blockersIn = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => (BLOCKER.test(line) ? [whole(line).slice(0, 80)] : []));

export const CONCERN_FORM = '`- [concern] file:line — what somebody should know` (the place may be left out)';

/** The form to fill in; `withTexts`: with each criterion's words, and the command that shows one that quotes it, which is a number without them. */
export function approvalForm(task: Task, withTexts: boolean): string {
  return [
    `liza submit-verdict ${task.id} APPROVED - --commit ${task.review_commit} <<'VERDICT'`,
    ...formLines(task, withTexts),
    'VERDICT',
  ].join('\n');
}

/** `only`: of these criteria. */
export const formLines = (task: Task, withTexts: boolean, only?: ReadonlySet<number>): readonly string[] =>
  criteriaOf(task.done_when).flatMap((text, at) => {
    if (only?.has(at + 1) === false) return [];
    const green = greenCommands(task);
    const asked = green.find((command) => text.includes(`\`${command}\``) || begins(text, command));
    const shown = asked ?? green.find((command) => hasPart(text, command));
    const way = withTexts && asked !== undefined ? ranForm(task, asked) : shown && ranNumber(task, shown);
    return [...(withTexts ? [`(criterion ${at + 1}: ${whole(text)})`] : []), `${at + 1}: ${way ?? wayFor(text, task)}`];
  });

/** `npm run lint exits 0`, `the file only grows: test "$(…)" = 0`. */
const begins = (text: string, command: string): boolean => {
  const at = text.startsWith(`${command} `) ? 0 : text.indexOf(`: ${command}`);
  return at !== -1 && command.includes(' ') && countWords(text.slice(at)) <= countWords(command) + MOST_RESULT;
};
const MOST_RESULT = 12;

/** It quotes a command of several words that the line runs: `npm pack --dry-run`. */
const hasPart = (text: string, command: string): boolean =>
  !command.includes('`') &&
  [...text.matchAll(/`([^`]+\s[^`]+)`/g)].some(
    ([, part = '']) => isCommand(part) && commandsWithin(command).some((one) => whole(one) === whole(part)),
  );

/** By what the criterion is about, then by what such a task is. */
function wayFor(criterion: string, { type = 'code' }: Task): string {
  if (isAboutTheDiff(criterion) && !saysWhatItDoes(criterion) && !GIVES.test(criterion)) return DIFF;
  if (isAboutText(criterion) || DOCUMENT_FIRST.test(criterion)) return PLACE;
  return isTimed(criterion) && MEASURED.test(criterion) ? UNSURE : FIRST_WAY[type];
}

/** What comes out for what goes in: `"12 abc" 12, "" null`. */
const GIVES = /"[^"]*"\s*(?:is |gives |\u2192 ?|-> ?|: ?|= ?)?(?:-?\d|null\b|true\b|false\b|["{[])/;
const MEASURED = /\b(?:median|measured|benchmark\w*|percentile|runs)\b/i;
const DOCUMENT_FIRST = /^`?[\w@./-]*\w\.(?:md|mdx|markdown|rst|adoc|txt)\b/i;

const UNSURE = '<test …, ran #…, file:line or diff …>';
const TEST = 'test <file> › <name>';
const PLACE = '<file>:<line>';
const DIFF = 'diff <paths>';

/** What shows most in such a task: a text has no tests. */
const FIRST_WAY: Readonly<Record<(typeof TASK_TYPES)[number], string>> = {
  code: TEST,
  test: TEST,
  config: UNSURE,
  docs: PLACE,
  spec: PLACE,
};

/** What may stand in each line of the form. */
export const APPROVAL_WAYS =
  '`n: test <file> › <name>`, `n: ran <command>` or `n: ran #2` (one that Liza ran green at this commit), `n: <file>:<line>` or `:10-20`, `n: diff <paths>` (nothing else changed) or `n: diff only adds <paths>` (no line there changed or went) for what stays as it is, or, flagged because nothing can check it, `n: seen <a sentence>`, also for what you ran yourself: `n: seen I ran <command>: <result>`; several in one line with commas';
