// What was reported about a task: anomalies on it, discoveries made during it and those that name it, in the order of
// time. Its reviewer reads them, and those that came after the submission most of all; its coder reads what others
// found that names its task.

import { LIZA, roleOfId } from '../board.ts';
import { historyOf } from '../leases.ts';
import type { Discovery, Role, State, Task } from '../state.ts';

export interface Reported {
  readonly id: string;
  /** `scope_deviation`, or `discovery, high`. */
  readonly kind: string;
  readonly by: string;
  readonly time: string;
  readonly text: string;
  /** The commit under review was submitted before it. */
  readonly late: boolean;
}

export function reportedOn({ anomalies, discovered }: State, task: Task): readonly Reported[] {
  const submitted = historyOf(task).findLast(({ event }) => event === 'submitted')?.time ?? '';
  const late = (time: string): boolean => submitted !== '' && time > submitted;
  const own = anomalies.flatMap(
    ({ id = 'anomaly', type, task: about, reporter = 'somebody', timestamp = '', details }) =>
      about === task.id && !(reporter === LIZA && TOLD_ELSEWHERE.has(type))
        ? [{ id, kind: type, by: reporter, time: timestamp, text: saidBy(type, details), late: late(timestamp) }]
        : [],
  );
  const found = discoveriesOn(discovered, task.id).map((one) => ({
    ...withFate(one, task),
    late: late(one.created ?? ''),
  }));
  return [...own, ...found].toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
}

/** Those made during the task, those that it takes up, and those that name it. */
export const discoveriesOn = (discovered: readonly Discovery[], task: string): readonly Discovery[] =>
  discovered.filter((one) => one.during === task || isFor(task, one));

/** Discoveries of other work that name this task, or that it took up: problems that its coder would run into. */
export const namedIn = ({ discovered }: Pick<State, 'discovered'>, task: Task): readonly NamedIn[] =>
  discovered
    .filter((one) => one.converted_to_task === task.id || (one.during !== task.id && isNamed(task.id, one)))
    .map((one) => ({ ...withFate(one, task), taken: one.converted_to_task === task.id }));

interface NamedIn extends Omit<Reported, 'late'> {
  /** The task takes it up. */
  readonly taken: boolean;
}

/** What was reported during the task, with what became of it: its next session must neither miss it nor report it again. */
export function reportedDuring(state: Pick<State, 'anomalies' | 'discovered'>, task: Task): readonly string[] {
  const told = ({ id, kind, by, text }: Omit<Reported, 'late' | 'time'>): string => `${id} (${kind}) by ${by}: ${text}`;
  const own = state.anomalies.flatMap(
    ({ id = 'anomaly', type, task: about, reporter = LIZA, processed_at: at, ...rest }) =>
      about === task.id && AT_WORK.has(roleOfId(reporter))
        ? [
            told({
              id,
              kind: `${type}; ${at === undefined ? 'open' : 'handled'}`,
              by: reporter,
              text: detailText(rest.details),
            }),
          ]
        : [],
  );
  const found = state.discovered
    .filter(({ during, converted_to_task: to }) => during === task.id && to !== task.id)
    .map((one) => {
      const report = asReport(one, task);
      return told({ ...report, kind: `${report.kind}; ${fateOf(one)}` });
    });
  return [...own, ...found];
}

/** What a planner or a person records of a task comes to its coder otherwise. */
const AT_WORK: ReadonlySet<Role | undefined> = new Set(['coder', 'code_reviewer']);

/** What a planner or a person decided about it. */
export function fateOf({ converted_to_task: to, dismissed_reason: dismissed }: Discovery): string {
  if (dismissed) return `dismissed: ${dismissed}`;
  return to ? `taken up by ${to}` : 'open';
}

const isFor = (task: string, found: Discovery): boolean => found.converted_to_task === task || isNamed(task, found);

const asReport = (
  { id, severity, by, created = '', description, recommendation, converted_to_task: to }: Discovery,
  task: Task,
) => ({
  id,
  kind: `discovery, ${severity}${to === task.id ? ', which this task takes up' : ''}`,
  by,
  time: created,
  text: recommendation === undefined ? description : `${description}\nrecommends: ${recommendation}`,
});

/** With what was decided about it, if anything was. */
function withFate(one: Discovery, task: Task) {
  const report = asReport(one, task);
  const isOpen = fateOf(one) === 'open' || one.converted_to_task === task.id;
  return isOpen ? report : { ...report, kind: `${report.kind}; ${fateOf(one)}` };
}

/** An id that could be any word (`find`) counts only as a quotation: `find`. */
function isNamed(task: string, { description, recommendation, dismissed_reason: dismissed }: Discovery): boolean {
  if (dismissed) return false;
  const own = task.includes('-') || task.length > 5;
  const words = `${description} ${recommendation ?? ''}`.split(own ? /[^\w-]+/ : /[^\w`-]+/);
  return words.includes(own ? task : `\`${task}\``);
}

/** What Liza itself records of these is in the evidence, or beside the spec. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(['scope_deviation', 'spec_changed']);

/** What Liza holds against an agent, in a sentence; its fields have names that read otherwise. */
function saidBy(type: string, details: Readonly<Record<string, unknown>> | undefined): string {
  const { agent, claimed, command, count } = details ?? {};
  return type === 'identity_violation' && [agent, claimed, command].every((one) => typeof one === 'string')
    ? `${agent} ran \`liza ${command}\` as ${claimed}; it was refused${Number(count) > 1 ? `, ${count} times` : ''}, and says nothing of the change`
    : detailText(details);
}

const detailText = (details: Readonly<Record<string, unknown>> | undefined): string =>
  Object.entries(details ?? {})
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('; ');
