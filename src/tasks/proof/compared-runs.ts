// What commands tell that are red on the base alone: they are run again, and what fails or is missing only now is compared
// with what failed there before.

import { join } from 'node:path';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { flakeText } from '../../protocol/review/flake.ts';
import type { ProofRun } from '../../protocol/review/proof.ts';
import type { TaskContext } from '../context.ts';
import { readLog } from '../read-log.ts';
import { onlyIn } from '../rules/judged-on-base.ts';
import { type Proving, type Ran, type RedRun, runAll, short } from './run-commands.ts';

type Outcome = 'green' | 'red' | 'unknown';

export interface Looked {
  readonly outcome: Outcome;
  readonly red?: RedRun;
  /** What failed or was missing only there, where the same command is red without that, too. */
  readonly only?: ReadonlySet<string>;
  /** How many tests it left out, where that is told. */
  readonly skipped?: number;
  /** Why it is not known, where no run that failed says so. */
  readonly why?: string;
  /** Commands that were red and green on the same files. */
  readonly flaky?: readonly string[];
  /** Nobody could tell it here, whatever the coder does: the base itself is red. */
  readonly untold?: true;
}

export interface Limits {
  /** Seconds that the next run may take. */
  readonly left: () => number;
  /** What a command took. */
  readonly spend: (seconds: number) => void;
}

export const unlimited = (seconds: number): Limits => ({ left: () => seconds, spend: () => {} });

/** Of the commands alone: how long a checkout takes to be made ready says nothing about tests. */
export function timed(seconds: number): Limits {
  let spent = 0;
  return {
    left: () => seconds - spent,
    spend: (took) => {
      spent += took;
    },
  };
}

/** Time that ran out and programs that did not start say nothing about tests. */
export const isTelling = ({ ended }: RedRun): boolean => ended === 'exited' || ended === 'signalled';

export const outcomeOf = ({ red }: Ran): Looked =>
  red === undefined ? { outcome: 'green' } : { outcome: isTelling(red) ? 'red' : 'unknown', red };

/** What the others show, beside a command that shows nothing. Where there are no others, nobody could tell. */
export const flakyOne = (seen: Looked | Refusal, command: string): Looked | Refusal =>
  isRefusal(seen)
    ? seen
    : {
        ...seen,
        flaky: [command, ...(seen.flaky ?? [])],
        ...(seen.outcome === 'unknown' && seen.why === undefined ? { why: flakeText([command]) } : {}),
      };

export interface Checkout {
  readonly folder: string;
  readonly tree: string;
  readonly limits: Limits;
}

/** Red on the base alone, and nothing that differs was seen with the tests. */
interface SameRun extends Pick<RedRun, 'command'> {
  readonly why: string;
  readonly red: RedRun;
}

const sameRun = (red: RedRun, why: string): SameRun => ({ command: red.command, why, red });
const untried = (red: RedRun): SameRun => sameRun(red, `on the base alone "${short(red.command)}" ${red.how}`);
const unlike = (red: RedRun): SameRun =>
  sameRun(
    red,
    isTelling(red)
      ? `"${short(red.command)}" is red on the base without them, too (it ${red.how}), and says nothing that differs with them`
      : `with the new tests on the base "${short(red.command)}" ${red.how}`,
  );

export interface Compared extends Looked {
  /** Red before, and green now. */
  readonly green: readonly string[];
  readonly same: readonly SameRun[];
}

/** By commands that are red on the base alone: red is what fails here and not there. */
export async function comparedWith(
  context: TaskContext,
  proving: Proving,
  redBefore: readonly RedRun[],
  { folder, tree, limits, what }: Checkout & { readonly what: string },
): Promise<Compared | Refusal> {
  const tried = redBefore.filter(isTelling);
  const seconds = limits.left();
  if (tried.length === 0 || seconds <= 0) return { outcome: 'unknown', green: [], same: redBefore.map(untried) };
  const only = tried.map(({ command }) => command);
  const asked = { what, files: tree, seconds, spend: limits.spend, only, goOn: true };
  const ran = await runAll(context, proving, folder, asked);
  if (isRefusal(ran)) return ran;
  const same = redBefore.filter((red) => !isTelling(red)).map(untried);
  for (const red of ran.reds) {
    const before = tried.find(({ command }) => command === red.command);
    const differs = before === undefined ? new Set<string>() : onlyIn(logText(context, before), logText(context, red));
    if (isTelling(red) && differs.size > 0) return { outcome: 'red', red, only: differs, green: [], same: [] };
    same.push(unlike(red));
  }
  const green = ran.runs.flatMap(({ ok, command }) => (ok ? [command] : []));
  return { outcome: same.length === 0 ? 'green' : 'unknown', green, same };
}

/** All of it where that is not too long, else its end. */
export const logText = ({ disk, paths }: TaskContext, { log, tail = [] }: ProofRun & Partial<RedRun>): string =>
  readLog(disk, join(paths.root, log), tail.join('\n'));
