// An approval as text: what shows each criterion, and the concerns beside it. Only its form is read here; whether a
// file, line or test is there at the commit is for git to say (tasks/verdict-facts.ts). Linear in the text.

import { whole } from '../../text/format.ts';
import { criteriaOf } from '../definition/criteria.ts';
import type { TASK_TYPES, Task } from '../state.ts';
import { greenCommands, ranForm } from './ran-command.ts';
import { placeIn, rangeEnd } from './verdict.ts';

/** What an approval names for one criterion. `diff`: only these change. `seen`: its own word, which nothing can check. */
export type Evidence = { readonly criterion: number } & (
  | { readonly by: 'test'; readonly file: string; readonly name: string }
  | { readonly by: 'ran'; readonly command: string }
  | { readonly by: 'place'; readonly file: string; readonly line: number; readonly to?: number }
  | { readonly by: 'diff'; readonly paths: readonly string[] }
  | { readonly by: 'seen'; readonly text: string }
);

/** What does not block, and somebody should know. */
export interface Concern {
  readonly file?: string;
  readonly line?: number;
  readonly text: string;
}

interface Approval {
  readonly evidence: readonly Evidence[];
  readonly concerns: readonly Concern[];
  /** Lines that name a criterion and show nothing, each as one clause. */
  readonly problems: readonly string[];
}

/** `criteria`: how many there are. */
export function parseApproval(text: string, criteria: number): Approval {
  const evidence: Evidence[] = [];
  const problems: string[] = [];
  for (const { numbers, named, body, strict, shown } of text.split('\n').flatMap(readLine)) {
    // `1. text` may be any list; `1: text` is about a criterion.
    if (shown.length === 0 && !strict) continue;
    const none = named.find((n) => n < 1 || n > criteria);
    if (none !== undefined) problems.push(`there is no criterion ${none}`);
    else if (shown.length === 0) problems.push(`criterion ${numbers}: “${whole(body).slice(0, 80)}” ${whyNot(body)}`);
    else evidence.push(...named.flatMap((criterion) => shown.map((one) => ({ criterion, ...one }))));
  }
  if (evidence.length > MOST_EVIDENCE)
    problems.push(`more than ${MOST_EVIDENCE} are named: the ones that show most do`);
  return { evidence: evidence.slice(0, MOST_EVIDENCE), concerns: concernsIn(text), problems };
}

const whyNot = (body: string): string =>
  /^seen:?(?:\s|$)/i.test(body)
    ? `is too short: say in a sentence of ${LEAST_WORDS} words or more what you saw`
    : 'is in no known form';

/** Each is looked up in git. */
const MOST_EVIDENCE = 200;

const ONE = '\\d{1,4}';
const AND = '\\s{0,2}(?:,|&|-|\u2013|\\.\\.|and|to)\\s{0,2}';
const BOLD = '[*_]{0,3}';

/** `1: …`; also `2)`, `2.`, `2 -`, `**2:**`, `Criterion 2:`, and several at once: `1, 3:`, `1-3:`. */
const NUMBERED = new RegExp(
  `^${BOLD}(?:criteri(?:on|a)\\s{1,3})?#?(${ONE}(?:${AND}${ONE}){0,200})${BOLD}\\s?(:|[.)]|-|\u2013|\u2014|\u2192)${BOLD}(\\s*)(\\S.*)$`,
  'i',
);
const NEXT = new RegExp(`;\\s*(?=${ONE}(?:${AND}${ONE}){0,200}\\s?[:)]\\s)`, 'i');

interface Line {
  /** As they are written. */
  readonly numbers: string;
  readonly named: readonly number[];
  readonly body: string;
  /** It is about a criterion, whatever it says of it. */
  readonly strict: boolean;
  /** Empty: nothing in any known form. */
  readonly shown: readonly Shown[];
}

/** Several on one line, as an argument of a shell has them: `1: ran npm test; 2: src/a.ts:3`. */
function readLine(line: string): readonly Line[] {
  const plain = line.trim().replace(/^[-*+>\u2022]\s+/, '');
  if (!NUMBERED.test(plain)) return [];
  return plain.split(NEXT).flatMap((part) => {
    const [, numbers = '', mark, blank, given = ''] = NUMBERED.exec(part) ?? [];
    if (mark === undefined) return [];
    const body = given.replace(/^[*_]{1,3}(test|ran|seen|diff)(:?)[*_]{1,3}/i, '$1$2');
    return [{ numbers, named: numbersIn(numbers), body, strict: mark === ':' && blank !== '', shown: shownBy(body) }];
  });
}

const numbersIn = (text: string): readonly number[] =>
  text.split(/\s*(?:,|&|and)\s*/i).flatMap((part) => {
    const [from = 0, to = from] = part.split(/\s*(?:-|\u2013|\.\.|to)\s*/i).map(Number);
    return to <= from || to - from > MOST_EVIDENCE
      ? [...new Set([from, to])]
      : Array.from({ length: to - from + 1 }, (_none, at) => from + at);
  });

/** A line that seems to be meant for that criterion, and is in no form. */
export function nearLine(text: string, criterion: number): string | undefined {
  const near = new RegExp(`^[^\\w(]{0,6}(?:criterion\\s{0,3}|c)?#?${criterion}\\b[^\\n]`, 'i');
  const line = text
    .split('\n')
    .find((one) => near.test(one.trim()) && !readLine(one).some(({ strict, shown }) => strict || shown.length > 0));
  return line === undefined ? undefined : whole(line).slice(0, 80);
}

type Shown = Evidence extends infer E ? (E extends Evidence ? Omit<E, 'criterion'> : never) : never;

function shownBy(body: string): readonly Shown[] {
  const one = byWord(body);
  return one === 'place' ? placesIn(body) : one === undefined ? [] : [one];
}

/** `src/a.ts:3, src/b.ts:10-20`: each is looked up. What follows the last is a remark. */
function placesIn(text: string): readonly Shown[] {
  const found: Shown[] = [];
  for (let rest = text; found.length < MOST_EVIDENCE; ) {
    const place = placeIn(`${rest} `);
    if (place === undefined || (found.length > 0 && /\s/.test(place.file))) break;
    const to = rangeEnd(`${rest} `);
    found.push({ by: 'place', file: place.file, line: place.line, ...(to === undefined ? {} : { to }) });
    const [, next] = /^[`"']?\s*(?:[,;+&]|and\b)\s*(\S.*)$/i.exec(place.text) ?? [];
    if (next === undefined) break;
    rest = next;
  }
  return found;
}

function byWord(body: string): Shown | 'place' | undefined {
  const [, word = '', rest = ''] = /^(test|ran|seen|diff):?\s+(.*)$/i.exec(body) ?? [];
  switch (word.toLowerCase()) {
    case 'test':
      return testIn(rest);
    case 'ran':
      return { by: 'ran', command: unquoted(rest) };
    case 'seen':
      return isSentence(rest) ? { by: 'seen', text: rest } : undefined;
    case 'diff':
      return pathsIn(rest);
    default:
      return 'place';
  }
}

/** Fewer words are no sentence. */
const LEAST_WORDS = 3;

/** Dots, dashes and the same word again and again say nothing. */
function isSentence(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return new Set(words).size >= LEAST_WORDS && /\p{L}{2}/u.test(text) && !/^<.*>$/.test(text);
}

/** A pattern for everything says nothing. */
function pathsIn(text: string): Shown | undefined {
  const paths = text
    .split(/[\s,]+|\band\b/)
    .map((path) => path.replace(/^[`'"]|[`'"]$/g, '').replace(/^\.\//, ''))
    .filter((path) => path !== '');
  return paths.length === 0 || paths.some((path) => /^[*./<>]+$|^<.*>$/.test(path)) ? undefined : { by: 'diff', paths };
}

/** `file \u203a name`, the name as the runners print it: with `\u203a`, ` > ` or `::` between its parts. */
function testIn(text: string): Shown | undefined {
  const at = /\s*(?:\u203a|\u00bb|::|\s[>\u2192\u2014\u2013-]\s)\s*|:\s+|\s+(?=["'`])/.exec(text);
  if (at === null) return undefined;
  const file = unquoted(text.slice(0, at.index)).replace(/:\d+$/, '').replace(/^\.\//, '');
  const name = unquoted(text.slice(at.index + at[0].length));
  return file === '' || name === '' ? undefined : { by: 'test', file, name };
}

/** What it says besides naming what shows a criterion. */
export const remarksIn = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !readLine(line).some(({ shown }) => shown.length > 0))
    .join('\n')
    .trim();

const unquoted = (text: string): string =>
  text
    .trim()
    .replace(/^(["'`])(.*)\1$/, '$2')
    .trim();

/** What the file of a test may hold of its name: its last part, without the parameters that a runner adds. */
export function testNames({ file, name }: { readonly file: string; readonly name: string }): readonly string[] {
  const last = unquoted(name.split(/\s*\u203a\s*|\s+>\s+|::/).findLast((part) => part.trim() !== '') ?? name);
  const plain = last.replace(/\[[^\]]*\]$|\(\)$|\s\([\w.]+\)$/, '');
  const sub = file.endsWith('.go') ? (last.split('/').at(-1) ?? last) : last;
  // `Class.method`, `Class#method`
  const member = /^[\w.#]+$/.test(plain) ? (plain.split(/[.#]/).at(-1) ?? plain) : plain;
  return [...new Set([last, plain, member, sub, sub.replaceAll('_', ' ')])].filter((one) => one.trim() !== '');
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
    return [place === undefined ? { text: said } : { file: place.file, line: place.line, text: said }];
  });
}

/** Where a sentence begins like a place (`at 10:30`, `localhost:80`, an address on the network) it names no file. */
function pathIn(line: string): ReturnType<typeof placeIn> {
  const place = placeIn(line);
  return place === undefined || /\s|:\/\/|^localhost$|^[\d.]+$/.test(place.file) ? undefined : place;
}

/** `[concern] …`; also `Concern: …`. */
const CONCERN = /^\s*(?:[-*+>\u2022]\s+)?(?:\*{0,3}\[concern\]\*{0,3}:?|[*_]{0,3}concern[*_]{0,3}:[*_]{0,3})\s*(.*)$/i;

const BLOCKER =
  /^\s*(?:(?:[-*+>\u2022]|\d{1,3}[.):])\s+)?[*_`]{0,3}(?:\[blocker\]|blocker[*_]{0,3}:(?=[\s*_`]*\S{1,300}:\d))/i;

/** Lines of an approval that block. */
export const blockersIn = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => (BLOCKER.test(line) ? [whole(line).slice(0, 80)] : []));

export const CONCERN_FORM = '- [concern] file:line — what somebody should know';

/** The form to fill in; `withTexts`: with each criterion's words, and the command that shows one that quotes it. */
export function approvalForm(task: Task, withTexts: boolean): string {
  const lines = criteriaOf(task.done_when).flatMap((text, at) => {
    const shown = withTexts ? greenCommands(task).find((command) => text.includes(`\`${command}\``)) : undefined;
    return [
      ...(withTexts ? [`(criterion ${at + 1}: ${whole(text)})`] : []),
      `${at + 1}: ${shown === undefined ? FIRST_WAY[task.type ?? 'code'] : ranForm(task, shown)}`,
    ];
  });
  return [
    `liza submit-verdict ${task.id} APPROVED - --commit ${task.review_commit} <<'VERDICT'`,
    ...lines,
    'VERDICT',
  ].join('\n');
}

const TEST = 'test <file> › <name>';
const PLACE = '<file>:<line>';

/** What shows most in such a task: a text has no tests. */
const FIRST_WAY: Readonly<Record<(typeof TASK_TYPES)[number], string>> = {
  code: TEST,
  test: TEST,
  config: TEST,
  docs: PLACE,
  spec: PLACE,
};

/** What may stand in each line of the form. */
export const APPROVAL_WAYS =
  '`n: test <file> › <name>`, `n: ran <command>` or `n: ran #2` (one that Liza ran green at this commit), `n: <file>:<line>` or `:10-20`, `n: diff <paths>` (nothing else changed) or, flagged because nothing can check it, `n: seen <a sentence>`, also for what you ran yourself: `n: seen I ran <command>: <result>`';
