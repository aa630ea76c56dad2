// Which of the commands that Liza ran at a commit somebody means, and whether it was green: by its number (`#2`), by its
// words, where it is long or has several lines by how it begins, or by a command within it that must have been green
// where the whole line is (exit-code.ts).

import { whole } from '../../text/format.ts';
import { checksNothing, decidingIn } from '../shell/always-green.ts';
import { commandsWithin } from '../shell/nested-commands.ts';
import type { Task } from '../state.ts';
import { type ProofRun, proofAt } from './proof.ts';

const runsAt = (task: Task, commit: string | undefined): readonly ProofRun[] => proofAt(task, commit)?.runs ?? [];

/** The commands that Liza ran green at the commit under review. */
export const greenCommands = (task: Task, commit = task.review_commit): readonly string[] =>
  runsAt(task, commit).flatMap(({ ok, command }) => (ok ? [command] : []));

/** Whether Liza ran it green; what follows it in brackets or after a dash is a remark. */
export const ranGreen = (task: Task, commit: string | undefined, said: string): boolean =>
  runMeant(runsAt(task, commit), said)?.ok === true;

/** As Liza ran it; as it was said, where it ran no such. */
export const commandMeant = (task: Task, commit: string | undefined, said: string): string =>
  runMeant(runsAt(task, commit), said)?.command ?? said;

function runMeant(runs: readonly ProofRun[], said: string): ProofRun | undefined {
  const n = /^(?:(?:command|validation)\s{0,3})?#\s?(\d{1,3})\b|^command (\d{1,3})\b/i.exec(said);
  if (n !== null) return runs[Number(n[1] ?? n[2]) - 1];
  const isGiven = givenBy(said);
  return (
    runs.find(({ command }) => isGiven(command)) ??
    runs.find(({ command }) => [...decidingIn(command)].some(isGiven)) ??
    begunBy(runs, whole(said))
  );
}

/** Whether it is a part of what Liza ran, and one that checks nothing; alone on a line it is the task's validation, and flagged. */
export function isNoCheck(task: Task, commit: string | undefined, said: string): boolean {
  const runs = runsAt(task, commit);
  const isGiven = givenBy(said);
  if (runs.some(({ command }) => isGiven(command))) return false;
  return runs.some(({ command }) => [...decidingIn(command)].some((part) => isGiven(part) && checksNothing(part)));
}

/** What follows it in brackets or after a dash is a remark. */
function givenBy(said: string): (command: string) => boolean {
  const given = [said, said.split(/\s+(?:[\u2014\u2013(]|-\s)/)[0] ?? '', /^`([^`]+)`/.exec(said)?.[1] ?? ''].map(
    whole,
  );
  return (command) => given.includes(whole(command));
}

/** The run that has it as a part which may be red, or may not have run at all, where the run is green. */
export function undecidedIn(task: Task, commit: string | undefined, said: string): string | undefined {
  const runs = runsAt(task, commit);
  if (runMeant(runs, said) !== undefined) return undefined;
  const run = runs.find(({ ok, command }) => ok && commandsWithin(command).some(givenBy(said)));
  return run === undefined ? undefined : `ran #${runs.indexOf(run) + 1}`;
}

/** Not of a short command: `npm test` is not the `npm test -- one.test.js` that was run. */
function begunBy(runs: readonly ProofRun[], said: string): ProofRun | undefined {
  const [, begin = '', cut] = /^`?(.*?)\s?(\u2026|\.\.\.)?`?$/.exec(said) ?? [];
  if (begin.length < LEAST) return undefined;
  const fits = runs.filter(
    ({ command }) => whole(command).startsWith(begin) && (cut !== undefined || isBegun(command, begin)),
  );
  return fits.length === 1 ? fits[0] : undefined;
}

/** What is one of its commands by itself is not how it begins. */
const isBegun = (command: string, begin: string): boolean =>
  isUnwieldy(command) && !commandsWithin(command).some((one) => whole(one) === begin);

const LEAST = 4;
const LONG = 100;

/** Its number is shorter to write, and mistyped less. */
export const isLong = (command: string): boolean => isUnwieldy(command) || command.trim().length > 30;

/** Nobody writes it out on one line. */
export const isUnwieldy = (command: string): boolean => command.length > LONG || command.trim().includes('\n');

/** Where its words are not to be written out. */
export const ranNumber = (task: Task, command: string): string =>
  `ran #${runsAt(task, task.review_commit).findIndex((run) => run.command === command) + 1}`;

/** How an approval may name it. */
export function ranForm(task: Task, command: string): string {
  const at = runsAt(task, task.review_commit).findIndex((run) => run.command === command);
  return isLong(command) && at !== -1 ? `ran #${at + 1}` : `ran ${whole(command)}`;
}
