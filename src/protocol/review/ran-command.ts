// Which of the commands that Liza ran at a commit somebody means, and whether it was green: by its number (`#2`), by its
// words, where it is long or has several lines by how it begins, or by a command that it runs as a part of it.

import { whole } from '../../text/format.ts';
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
  const given = [said, said.split(/\s+(?:[\u2014\u2013(]|-\s)/)[0] ?? '', /^`([^`]+)`/.exec(said)?.[1] ?? ''].map(
    whole,
  );
  const isGiven = (command: string): boolean => given.includes(whole(command));
  return (
    runs.find(({ command }) => isGiven(command)) ??
    begunBy(runs, whole(said)) ??
    runs.find(({ command }) => commandsWithin(command).some(isGiven))
  );
}

/** Not of a short command: `npm test` is not the `npm test -- one.test.js` that was run. */
function begunBy(runs: readonly ProofRun[], said: string): ProofRun | undefined {
  const [, begin = '', cut] = /^`?(.*?)\s?(\u2026|\.\.\.)?`?$/.exec(said) ?? [];
  if (begin.length < LEAST) return undefined;
  const fits = runs.filter(
    ({ command }) => whole(command).startsWith(begin) && (cut !== undefined || isUnwieldy(command)),
  );
  return fits.length === 1 ? fits[0] : undefined;
}

const LEAST = 4;
const LONG = 100;

/** Nobody writes it out on one line. */
export const isUnwieldy = (command: string): boolean => command.length > LONG || command.trim().includes('\n');

/** How an approval may name it. */
export function ranForm(task: Task, command: string): string {
  const at = runsAt(task, task.review_commit).findIndex((run) => run.command === command);
  return isUnwieldy(command) && at !== -1 ? `ran #${at + 1}` : `ran ${whole(command)}`;
}
