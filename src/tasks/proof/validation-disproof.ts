// Why a commit is refused by what its validation showed, and what its coder can do: the command may be wrong, or red or
// without an end on the base, too.

import { inBash, type UnreadLine } from '../../protocol/facts/spec-facts.ts';
import { UNRUNNABLE } from '../../protocol/review/flake.ts';
import { type Disproof, greenAt, redBefore as redBeforeAt } from '../../protocol/review/proof.ts';
import { MOST_TRIAL_LINES, trialOf } from '../../protocol/review/trial.ts';
import { shellQuoted } from '../../protocol/shell/shell-words.ts';
import type { Task } from '../../protocol/state.ts';
import { tellingLines } from '../../text/telling-lines.ts';
import { outputOf, type Proving, type RedRun, short } from './run-commands.ts';

/** How a command that hung comes out without the change. */
export type OnBase = { readonly hangs: boolean; readonly how: string };

const unrunnableHint = (task: string, red: RedRun, unread: UnreadLine | undefined): string => {
  const question = `The validation ${short(red.command)} ${red.how} and cannot be run${unread === undefined ? '' : ` by sh (${unread.said})`}: what should be run instead${unread?.bash === true ? `, ${short(inBash(unread.line))}` : ''}?`;
  const block = `liza block ${task} --reason "its validation cannot be run" --question ${shellQuoted(question)}`;
  if (unread !== undefined)
    return `No change of yours makes it green: sh cannot run that line. The planner must change it, and it does not count against you: ${block}`;
  return `The command itself could not be run. If your change should provide it, fix that and submit the new HEAD; otherwise the planner must fix it, and it does not count against you: ${block}`;
};

/** The trial on the base ended with the same words, so that the change may have nothing to do with it. */
function isRedAlike({ task }: Proving, red: RedRun): boolean {
  const before = redBefore(task, red);
  if (before?.output === undefined || before.how !== red.how) return false;
  const words = (text: string): string => text.replace(/\d+(?:\.\d+)?/g, '0');
  const said = tellingLines(red.tail.join('\n'), MOST_TRIAL_LINES).join('\n').slice(0, before.output.length);
  return words(said) === words(before.output);
}

const alikeHint = (task: string, red: RedRun): string =>
  `${REMEDY}. On the base it was red in the same way: if it is the command that is wrong, not your work, ask: liza block ${task} --reason "its validation is red whatever the change does" --question ${shellQuoted(`The validation ${short(red.command)} ${red.how} with and without the change: what should be run instead?`)}`;

/** Nobody ran it without the change: what fails may have failed before, and be no part of the task. */
function unknownHint(task: Task, red: RedRun): string {
  const question = `The validation ${short(red.command)} ${red.how} without the change of this task, too: who mends that?`;
  return `${REMEDY}. Whether it is green on the base is not known: if what fails there fails without your change and is no part of your task, ask: liza block ${task.id} --reason "its validation is red on the base" --question ${shellQuoted(question)}`;
}

/** In the trial of its validation on the base. */
const redBefore = (task: Task, { command }: RedRun) =>
  trialOf(task)?.runs.find((one) => one.command === command.trim() && one.is === 'red');

const REMEDY = 'Fix it, commit, and submit the new HEAD; for its whole output run it yourself';

/** Itself; of a longer one the first words, and its number as the prompt has it under VALIDATION. */
function named({ commands }: Proving, { command }: RedRun): string {
  const at = commands.indexOf(command);
  const words = firstWords(command);
  return `${commands.length > 1 && at !== -1 && words !== command ? `#${at + 1}, ` : ''}"${words}"`;
}

const FIRST_WORDS = 60;

const firstWords = (command: string): string => {
  const line = command.replace(/\s+/g, ' ');
  const cut = line.slice(0, FIRST_WORDS);
  return line.length > FIRST_WORDS ? `${/\s/.test(cut) ? cut.replace(/\s+\S*$/, '') : cut} …` : line;
};

interface Looked {
  readonly onBase: OnBase | undefined;
  readonly unread: UnreadLine | undefined;
  /** How it ended when it ran once more, at once. */
  readonly again?: 'green' | 'red';
}

/** Whose flake it is, its coder alone can tell; the second time asking is all that is left. */
function flakeHint({ task, commit }: Proving, red: RedRun): string {
  const mend = 'If your change or its tests are why, make them steady, commit, and submit the new HEAD';
  const question = `The validation ${short(red.command)} is red and green on the same files, a flake: what should be run instead?`;
  return redBeforeAt(task, commit) === 0
    ? `${mend}. If it is the command, a timing say, submit the same commit again: it is run again, and the reviewer is told of both`
    : `${mend}. If it is the command, ask for a steady one: liza block ${task.id} --reason "its validation is red and green on the same files" --question ${shellQuoted(question)}`;
}

export function disproofOf(proving: Proving, red: RedRun, { onBase, unread, again }: Looked): Disproof {
  const { task, base, settings } = proving;
  const found = {
    guard: 'validation',
    reason: `Liza ran its validation at this commit, and ${named(proving, red)} ${red.how}`,
    hint: REMEDY,
    output: outputOf(red.tail),
    ...(again === undefined ? {} : { again }),
  } as const;
  if (UNRUNNABLE.includes(red.code ?? 0) || unread !== undefined)
    return { ...found, hint: unrunnableHint(task.id, red, unread), cannot_run: true };
  if (again === 'green')
    return {
      ...found,
      reason: `${found.reason}; run once more on the same files, it was green: a flake, or it needs what its first run leaves`,
      hint: flakeHint(proving, red),
    };
  if (red.ended !== 'timed-out') {
    // Without what the change brings it is red by nature.
    if (proving.facts.changes.some(({ path, kind }) => kind === 'added' && red.command.includes(path))) return found;
    if (isRedAlike(proving, red)) return { ...found, hint: alikeHint(task.id, red) };
    // One that was red in another way there is the task's own check, red until the work is done.
    const isKnown = redBefore(task, red) !== undefined || greenAt(proving.board.state, base).has(red.command);
    return isKnown ? found : { ...found, hint: unknownHint(task, red) };
  }
  const limit = settings.validation_timeout;
  const set = `${found.reason}, the limit for all commands together (config validation_timeout)`;
  if (onBase === undefined) return { ...found, reason: set, limit };
  const at = `on the base ${base.slice(0, 12)} it`;
  if (!onBase.hangs) return { ...found, reason: `${set}; ${at} ${onBase.how}`, limit };
  return {
    ...found,
    reason: `${set}; ${at} does not end either`,
    hint: `The operator must fix the command or its limit, unless that is your task: liza block ${task.id} --reason "the validation does not end" --question "…"`,
    limit,
    hangs_on_base: true,
  };
}
