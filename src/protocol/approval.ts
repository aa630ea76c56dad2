// An approval as text: what shows each criterion, and the concerns beside it. Only its form is read here; whether a
// file, line or test is there at the commit is for git to say (tasks/verdict-facts.ts). Linear in the text.

import { whole } from '../text/format.ts';
import { criteriaOf } from './criteria.ts';
import { proofAt } from './proof.ts';
import type { Task } from './state.ts';
import { placeIn } from './verdict.ts';

/** What an approval names for one criterion. `seen` is the reviewer's own word: nothing can check it. */
export type Evidence = { readonly criterion: number } & (
  | { readonly by: 'test'; readonly file: string; readonly name: string }
  | { readonly by: 'ran'; readonly command: string }
  | { readonly by: 'place'; readonly file: string; readonly line: number }
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
  for (const line of text.split('\n').flatMap(parts)) {
    const [, numbers = '', mark, body = ''] = NUMBERED.exec(line) ?? [];
    const named = numbers.split(',').map(Number);
    const shown = mark === undefined ? undefined : shownBy(body);
    // `1. text` may be any list; `1: text` is about a criterion.
    if (mark === undefined || (shown === undefined && mark !== ':')) continue;
    const none = named.find((n) => n < 1 || n > criteria);
    if (none !== undefined) problems.push(`there is no criterion ${none}`);
    else if (shown === undefined)
      problems.push(`criterion ${numbers}: “${whole(body).slice(0, 80)}” is in no known form`);
    else evidence.push(...named.map((criterion) => ({ criterion, ...shown })));
  }
  if (evidence.length > MOST_EVIDENCE)
    problems.push(`more than ${MOST_EVIDENCE} are named: the ones that show most do`);
  return { evidence: evidence.slice(0, MOST_EVIDENCE), concerns: concernsIn(text), problems };
}

/** Each is looked up in git. */
const MOST_EVIDENCE = 200;

const NUMBERED = /^(?:criterion\s)?\s*(\d{1,4}(?:\s?,\s?\d{1,4})*)\s?([:.)])\s+(\S.*)$/i;

/** Several on one line, as an argument of a shell has them: `1: ran npm test; 2: src/a.ts:3`. */
function parts(line: string): readonly string[] {
  const plain = line.trim().replace(/^[-*>]\s+/, '');
  return NUMBERED.test(plain) ? plain.split(/;\s*(?=\d{1,4}\s?:\s)/) : [];
}

type Shown = Evidence extends infer E ? (E extends Evidence ? Omit<E, 'criterion'> : never) : never;

function shownBy(body: string): Shown | undefined {
  const [, word = '', rest = ''] = /^(test|ran|seen):?\s+(.*)$/i.exec(body) ?? [];
  switch (word.toLowerCase()) {
    case 'test':
      return testIn(rest);
    case 'ran':
      return { by: 'ran', command: unquoted(rest) };
    case 'seen':
      return rest.split(/\s+/).length < LEAST_WORDS || /^<.*>$/.test(rest) ? undefined : { by: 'seen', text: rest };
    default: {
      const place = placeIn(`${body} `);
      return place === undefined ? undefined : { by: 'place', file: place.file, line: place.line };
    }
  }
}

/** Fewer words are no sentence. */
const LEAST_WORDS = 3;

/** `file \u203a name`, the name as the runners print it: with `\u203a`, ` > ` or `::` between its parts. */
function testIn(text: string): Shown | undefined {
  const at = /\s*(?:\u203a|::|\s>\s)\s*/.exec(text);
  if (at === null) return undefined;
  const file = unquoted(text.slice(0, at.index)).replace(/:\d+$/, '').replace(/^\.\//, '');
  const name = unquoted(text.slice(at.index + at[0].length));
  return file === '' || name === '' ? undefined : { by: 'test', file, name };
}

/** What it says besides naming what shows a criterion. */
export const remarksIn = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !parts(line).some((part) => shownBy(NUMBERED.exec(part)?.[3] ?? '') !== undefined))
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
  const plain = last.replace(/\[[^\]]*\]$/, '');
  const sub = file.endsWith('.go') ? (last.split('/').at(-1) ?? last) : last;
  return [...new Set([last, plain, sub, sub.replaceAll('_', ' ')])].filter((one) => one.trim() !== '');
}

function concernsIn(text: string): readonly Concern[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at): readonly Concern[] => {
    const [, first] = CONCERN.exec(line) ?? [];
    if (first === undefined) return [];
    const after = lines.slice(at + 1);
    const end = after.findIndex((next) => !/^\s{2,}\S/.test(next) || CONCERN.test(next) || parts(next).length > 0);
    const below = (end === -1 ? after : after.slice(0, end)).map((next) => next.trim());
    const place = placeIn(`${first} `);
    const said = [place?.text ?? first, ...below].join('\n').trim();
    if (/^[.\u2026]*$/.test(said)) return [];
    return [place === undefined ? { text: said } : { file: place.file, line: place.line, text: said }];
  });
}

const CONCERN = /^\s*(?:[-*>]\s+)?\**\[concern\]\**\s*(.*)$/i;

export const CONCERN_FORM = '- [concern] file:line — what somebody should know';

/** The commands that Liza ran green at the commit under review. */
export const greenCommands = (task: Task, commit = task.review_commit): readonly string[] =>
  (proofAt(task, commit)?.runs ?? []).flatMap(({ ok, command }) => (ok ? [command] : []));

/** `command 2 of VALIDATION`, as the evidence calls it, is the second one that Liza ran at that commit. */
export function commandMeant(task: Task, commit: string | undefined, said: string): string {
  const n = Number(/^command (\d{1,3})\b/i.exec(said)?.[1] ?? Number.NaN);
  return proofAt(task, commit)?.runs[n - 1]?.command ?? said;
}

/** Whether Liza ran it green; what follows it in brackets or after a dash is a remark. */
export function ranGreen(task: Task, commit: string | undefined, command: string): boolean {
  const given = [
    command,
    command.split(/\s+(?:[\u2014\u2013(]|-\s)/)[0] ?? '',
    /^`([^`]+)`/.exec(command)?.[1] ?? '',
    commandMeant(task, commit, command),
  ].map(whole);
  return greenCommands(task, commit).some((green) => given.includes(whole(green)));
}

/** The form to fill in; `withTexts`: with each criterion's words, and the command that shows one that quotes it. */
export function approvalForm(task: Task, withTexts: boolean): string {
  const lines = criteriaOf(task.done_when).flatMap((text, at) => {
    const shown = withTexts ? greenCommands(task).find((command) => text.includes(`\`${command}\``)) : undefined;
    return [
      ...(withTexts ? [`(criterion ${at + 1}: ${whole(text)})`] : []),
      `${at + 1}: ${shown === undefined ? 'test <file> › <name>' : `ran ${whole(shown)}`}`,
    ];
  });
  return [
    `liza submit-verdict ${task.id} APPROVED - --commit ${task.review_commit} <<'VERDICT'`,
    ...lines,
    'VERDICT',
  ].join('\n');
}

/** What may stand in each line of the form. */
export const APPROVAL_WAYS =
  '`n: test <file> › <name>`, `n: ran <command>` (one that Liza ran green at this commit), `n: <file>:<line>` or `n: seen <a sentence>` (flagged: nothing can check it)';
