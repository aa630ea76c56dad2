// What pre-flight found: one line and at most one mend for each check, and the commit that it looked at. A stop keeps
// agents from starting; a warning is told, and work goes on.

import { BUDGET_EXAMPLE } from '../../protocol/commands/operator/setting-hint.ts';
import type { BaseDistance } from '../../protocol/goal/base-distance.ts';
import { apartText, inStepText, otherWay } from '../../protocol/goal/base-distance.ts';
import type { Config, Settings } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { counted } from '../../text/format.ts';
import { duration, type Instant, instant } from '../../text/time.ts';

export type CheckName =
  | 'goal'
  | 'place'
  | 'board'
  | 'vision'
  | 'agents'
  | 'disk'
  | 'own tests'
  | 'set-up'
  | 'tests'
  | 'base'
  | 'registry'
  | 'exchange'
  | 'budget'
  | 'sandbox';

export interface PreflightCheck {
  readonly check: CheckName;
  readonly level: 'ok' | 'warning' | 'stop';
  readonly message: string;
  /** What the person does about it. */
  readonly mend?: string;
  /** The message in a few words, for the start of a run. */
  readonly brief?: string;
  /** What mends it, where that is one command. */
  readonly command?: string;
  /** The end of what a program printed. */
  readonly output?: readonly string[];
}

export interface PreflightResult {
  readonly time: string;
  /** Where the integration branch was. */
  readonly commit?: string;
  /** The settings by which programs were run. */
  readonly under?: string;
  readonly checks: readonly PreflightCheck[];
}

export const fine = (check: CheckName, message: string): PreflightCheck => ({ check, level: 'ok', message });
export const warn = (check: CheckName, message: string, mend: string, brief?: string): PreflightCheck => ({
  ...fine(check, message),
  level: 'warning',
  mend,
  ...defined({ brief }),
});
export const stop = (check: CheckName, message: string, mend: string): PreflightCheck => ({
  ...fine(check, message),
  level: 'stop',
  mend,
});

/** What a line of 80 columns has beside the time and the word for its level. */
const ONE_LINE = 62;

/** As a run tells it when it starts: on one line, or with the command that tells all of it. */
export function startLine({ check, message, mend, brief, command }: PreflightCheck): string {
  const all = [`${check}: ${message}`, ...(mend === undefined ? [] : [mend])].join('; ');
  return all.length <= ONE_LINE ? all : `${check}: ${brief ?? message}: ${command ?? 'liza run --check'}`;
}

export const stopsOf = (checks: readonly PreflightCheck[]): readonly PreflightCheck[] =>
  checks.filter(({ level }) => level === 'stop');

/** `1 thing stops the run, 2 warnings`. */
export function verdictText(checks: readonly PreflightCheck[]): string {
  const stops = stopsOf(checks).length;
  const warnings = checks.filter(({ level }) => level === 'warning').length;
  const rest = warnings === 0 ? '' : `, ${counted(warnings, 'warning')}`;
  if (stops === 0) return `nothing stops a run${rest}`;
  return `${stops === 1 ? '1 problem stops' : `${stops} problems stop`} the run${rest}`;
}

/** What programs found on a commit. */
const OF_HEAD: ReadonlySet<CheckName> = new Set(['tests', 'registry']);

/** The checks that say something of the board as it is: what was found on another commit may be over. */
export const standingChecks = (
  { commit, checks }: Pick<PreflightResult, 'commit' | 'checks'>,
  { head, setupFails }: { readonly head: string | undefined; readonly setupFails: boolean },
): readonly PreflightCheck[] =>
  checks.filter(
    ({ check, level }) =>
      level === 'ok' || (check === 'set-up' ? setupFails || level !== 'stop' : !OF_HEAD.has(check) || commit === head),
  );

/** What `liza doctor` says of the last one. */
export function lastResultText(
  result: PreflightResult,
  { now, head }: { now: Instant; head: string | undefined },
): string {
  const { commit, checks, time } = result;
  const at = commit === undefined ? '' : ` on ${commit.slice(0, 12)}`;
  const since =
    head === undefined || commit === undefined || head === commit ? '' : `; integration is at ${head.slice(0, 12)} now`;
  return `${verdictText(checks)}, ${duration(Math.max(0, now - instant(time)))} ago${at}${since}`;
}

/** What helps where tests are red: it depends on how they ended. */
export function redTestsMend(ended: EndedTests, { validation_timeout }: Pick<Settings, 'validation_timeout'>): string {
  if (ended.how === 'timed-out')
    return `give them more time: liza config set validation_timeout ${validation_timeout * 2}; or make them shorter`;
  if (ended.how === 'over-limit')
    return 'raise the limit that it names: liza config set <setting> <number>; or have the tests use less';
  return 'fix them in your branch, then: liza sync; or make that this goal’s first task';
}

interface EndedTests {
  readonly how: 'exited' | 'signalled' | 'timed-out' | 'over-limit' | 'lived-on' | 'stopped' | 'not-started';
}

/** The template as it was written: only the name of the goal was put in. */
export function isUntouched(text: string, template: string): boolean {
  const body = (page: string): string =>
    page
      .replace(/^\uFEFF?\s*#[^\n]*\n/, '')
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n');
  return body(text) === body(template);
}

export function checkBase(
  distance: BaseDistance | undefined,
  goal: { readonly status: string },
): readonly PreflightCheck[] {
  if (distance === undefined) return [];
  const apart = apartText(distance, goal);
  if (apart === undefined) return [fine('base', inStepText(distance))];
  const both = `${apart.fact}${otherWay(distance, apart)}`;
  return [apart.isLag ? warn('base', both, apart.step, apart.fact) : { ...fine('base', both), mend: apart.step }];
}

export function checkBudget({ budgets }: Pick<Config, 'budgets'>): PreflightCheck {
  const named = [budgets?.goal, budgets?.day, budgets?.task, ...Object.values(budgets?.tasks ?? {})];
  const isSet = named.some((one) => Object.values(one ?? {}).some((limit) => typeof limit === 'number'));
  if (isSet) return fine('budget', 'a budget is set');
  return {
    ...warn(
      'budget',
      'no budget is set: nothing limits what agents spend',
      `stop them at 20 dollars a day, for example: ${BUDGET_EXAMPLE}`,
      'none is set',
    ),
    command: BUDGET_EXAMPLE,
  };
}
