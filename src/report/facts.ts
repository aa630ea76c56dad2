// Computes the facts of a report from the board. Counting and reading history is shared with metrics, checkpoints and
// `liza blame`; this file only puts them together.

import { sum } from '../budget/rules/ledger.ts';
import { amountOf, type Unit, unknownOf } from '../budget/rules/limits.ts';
import { metricsOf, taskFigures, timeInStates } from '../governance/rules/metrics.ts';
import { decisionsToTake } from '../governance/rules/open-decisions.ts';
import type { Board } from '../protocol/board.ts';
import { endEvent } from '../protocol/goal/alignment.ts';
import { type BaseDistance, rewrittenText } from '../protocol/goal/base-distance.ts';
import { codersOf, historyOf } from '../protocol/leases.ts';
import { isUrgent, openDiscoveries } from '../protocol/messages/discoveries.ts';
import { questionsOf } from '../protocol/messages/questions.ts';
import { queueOf } from '../protocol/queue/order.ts';
import { figuresText, queueFigures, queueLine } from '../protocol/queue/tell.ts';
import type { Anomaly, Discovery, State, Task } from '../protocol/state.ts';
import { defined, isFields } from '../protocol/values.ts';
import { roundBy, roundsOf, stateIntervals, timesOutOfOrder } from '../protocol/work/task-history.ts';
import { gist } from '../text/format.ts';
import { safeText } from '../text/redact.ts';
import { type Instant, instant } from '../text/time.ts';
import type {
  AnomalyTold,
  DiscoveryTold,
  Judged,
  Progress,
  QuestionTold,
  Report,
  RoundTold,
  TaskStory,
  Used,
  UseTold,
} from './model.ts';
import { planChanges } from './plan-changes.ts';
import { workersOf } from './workers.ts';

interface ReportSource {
  readonly state: State;
  /** Tasks of the goal that left the state. */
  readonly archived: readonly Task[];
  readonly now: Instant;
  /** Processes that are known to be gone. */
  readonly gone?: Board['gone'] | undefined;
  /** Values that nobody may read in a report. */
  readonly secrets?: readonly string[];
  /** Undefined: not known, or no matter of this goal. */
  readonly base?: BaseDistance | undefined;
}

export function reportOf(source: ReportSource): Report {
  const secrets = source.secrets ?? [];
  const state = ofGoal(cleaned(source.state, secrets));
  const archived = cleaned(source.archived, secrets);
  const { goal, sprint } = state;
  const tasks = [...archived, ...state.tasks];
  const over = goal.status === 'COMPLETED' || goal.status === 'ABORTED';
  const to = over ? endOf(state, tasks, source.now) : Math.max(source.now, lastEvent(tasks, source.now));
  const left = new Set(archived.map(({ id }) => id));
  const reasonLimit = limitFor(tasks);
  const stories = tasks.map((task) => storyOf(task, to, left.has(task.id), reasonLimit)).toSorted(byBeginning);
  const from = Math.min(
    beginning(goal.created ?? sprint.timeline.started, to),
    ...stories.map(({ intervals }) => intervals[0]?.from ?? to),
  );
  return {
    goal: { id: goal.id, description: goal.description, status: goal.status, ...defined({ spec: goal.spec_ref }) },
    sprint: { id: sprint.id, status: sprint.status, ...defined({ deadline: sprint.timeline.deadline }) },
    made: source.now,
    from,
    to,
    over,
    totals: metricsOf(tasks),
    archived: archived.length,
    waits: over ? [] : decisionsToTake(state, source.now),
    tasks: stories,
    spent: timeInStates(tasks, to),
    workers: workersOf(state, tasks),
    use: totalUse(state, stories),
    anomalies: state.anomalies.map(anomalyTold),
    questions: questionsTold(state),
    discoveries: openDiscoveries(state).map(discoveryTold),
    planChanges: planChanges(state, tasks),
    queue: queueTold({ state, ...defined({ gone: source.gone }) }),
    burnUp: burnUp(stories),
    verdicts: judged(stories, from, to),
    outOfOrder: tasks.reduce((sum, task) => sum + timesOutOfOrder(task), 0),
    ...defined({ rewritten: source.base && rewrittenText(cleaned(source.base, secrets)) }),
  };
}

/** Notes stay on the board when the next goal begins; those of an earlier one are none of this goal's. */
function ofGoal(state: State): State {
  const { created = '' } = state.goal;
  const isOwn = ({ timestamp }: { readonly timestamp: string }): boolean => timestamp >= created;
  return {
    ...state,
    human_notes: state.human_notes.filter(isOwn),
    spec_changes: state.spec_changes.filter(isOwn),
  };
}

/** When the goal was reached or given up: the report of a goal that is over stays the same from then on. */
function endOf({ goal }: State, tasks: readonly Task[], now: Instant): Instant {
  const said = endEvent(goal);
  return Math.max(said === undefined ? 0 : Math.min(now, instant(said.timestamp)), lastEvent(tasks, now)) || now;
}

const lastEvent = (tasks: readonly Task[], now: Instant): Instant =>
  tasks.flatMap((task) => stateIntervals(task, now)).reduce((last, { from }) => Math.max(last, from), 0);

const beginning = (time: string, to: Instant): Instant =>
  Number.isNaN(instant(time)) ? to : Math.min(to, instant(time));

const byBeginning = (a: TaskStory, b: TaskStory): number =>
  (a.intervals[0]?.from ?? 0) - (b.intervals[0]?.from ?? 0) || (a.id < b.id ? -1 : 1);

/** Reasons are shown whole as long as all of them together stay readable. */
const ALL_REASONS = 250_000;
function limitFor(tasks: readonly Task[]): number {
  const verdicts = tasks.reduce(
    (sum, task) => sum + historyOf(task).filter(({ reason }) => typeof reason === 'string').length,
    0,
  );
  return Math.max(300, Math.min(4000, Math.floor(ALL_REASONS / Math.max(1, verdicts))));
}

const TITLE = 160;
const REASON = 400;

function storyOf(task: Task, to: Instant, archived: boolean, reasonLimit: number): TaskStory {
  const coders = codersOf(task);
  const reason = reasonOf(task);
  return {
    id: task.id,
    title: gist(task.description ?? '', TITLE),
    status: task.status,
    priority: task.priority,
    archived,
    intervals: stateIntervals(task, to),
    figures: taskFigures(task, to),
    coders,
    rounds: roundsTold(task, reasonLimit),
    use: { ...defined({ usage: task.usage }), ...defined({ sessions: task.sessions }), worked: coders.length > 0 },
    ...(reason === undefined ? {} : { reason: gist(reason, REASON) }),
    replacedBy: task.superseded_by ?? [],
  };
}

function reasonOf(task: Task): string | undefined {
  if (task.status === 'BLOCKED') return task.blocked_reason;
  if (task.status === 'SUPERSEDED') return task.rescope_reason;
  if (task.status === 'MERGED') return untestedText(task);
  const told = historyOf(task).findLast(({ event }) => event === 'abandoned' || event === 'integration_failed');
  const said = task.status === 'ABANDONED' ? told?.rationale : told?.reason;
  return (task.status === 'ABANDONED' || task.status === 'INTEGRATION_FAILED') && typeof said === 'string'
    ? said
    : undefined;
}

function untestedText(task: Task): string | undefined {
  const why = historyOf(task).findLast(({ event }) => event === 'merged')?.untested;
  return typeof why === 'string' ? `merged without tests: ${why}` : undefined;
}

function roundsTold(task: Task, reasonLimit: number): readonly RoundTold[] {
  const merged = historyOf(task).findLast(({ event }) => event === 'merged')?.commit;
  const diffs = historyOf(task).filter(({ event }) => event === 'submitted');
  return roundsOf(task, typeof merged === 'string' ? merged : undefined).map((round) => {
    const diff = diffs.find(({ commit, time }) => commit === round.commit && time === round.time)?.diff;
    const files = isFields(diff) && typeof diff.files === 'number' ? diff.files : undefined;
    return {
      ...round,
      verdicts: round.verdicts.map(({ reason, ...verdict }) =>
        reason === undefined ? verdict : { ...verdict, reason: shortened(reason, reasonLimit) },
      ),
      ...defined({ files, by: roundBy(round) }),
      undeclared: isFields(diff) ? listLength(diff.undeclared) : 0,
    };
  });
}

/** Lines stay: a rejection has a form. */
const shortened = (text: string, limit: number): string =>
  text.length <= limit
    ? text
    : `${text
        .slice(0, limit - 1)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd()}…`;

const listLength = (list: unknown): number =>
  isFields(list) && Array.isArray(list.paths) ? list.paths.length + (Number(list.more) || 0) : 0;

function totalUse(state: State, stories: readonly TaskStory[]): UseTold {
  const planner = Object.values(state.agents).some(({ role }) => role === 'planner');
  const planning: Used = {
    ...defined({ usage: state.goal.usage, sessions: state.goal.sessions }),
    worked: planner && stories.length > 0,
  };
  const all = [planning, ...stories.map(({ use }) => use)];
  // The same sums as `liza status` and the budgets have.
  const spent = state.goal.spent ?? sum(all.flatMap(({ usage }) => usage ?? []));
  return {
    planning,
    tokens: amountOf(spent, 'tokens'),
    cost: amountOf(spent, 'usd'),
    tokensUnknown: all.filter((use) => (use.worked && !tellsTokens(use)) || isPartly(use, 'tokens')).length,
    costUnknown: all.filter((use) => (use.worked && use.usage?.cost_usd === undefined) || isPartly(use, 'usd')).length,
  };
}

/** Whether the usage of some sessions is unknown: their provider did not tell it, or has no price. */
export const isPartly = ({ usage }: Used, unit: Unit): boolean => usage !== undefined && unknownOf(usage, unit) > 0;

/** A session without a single token is one whose provider does not count. */
export const tellsTokens = ({ usage }: Used): boolean => (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0) > 0;

function anomalyTold({ id, type, timestamp, task, reporter, details, processed_by }: Anomaly): AnomalyTold {
  const said = Object.entries(details ?? {})
    .map(([key, value]) => `${key.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('; ');
  return {
    ...defined({ id }),
    type,
    ...defined({ time: timestamp }),
    ...defined({ task }),
    ...defined({ by: reporter }),
    text: gist(said, REASON),
    ...defined({ processedBy: processed_by }),
  };
}

function questionsTold(state: State): readonly QuestionTold[] {
  return questionsOf(state)
    .map(({ id, asked_by: by, task, goal, text, status, assume, answer, closed_by }) => ({
      id,
      by,
      ...defined({ task }),
      ...(goal === undefined || goal === state.goal.id ? {} : { from: goal }),
      text,
      state: closed_by === undefined ? status : `${status} by ${closed_by}`,
      ...defined({ answer: answer ?? assume }),
    }))
    .toSorted((a, b) => Number(b.state === 'open') - Number(a.state === 'open'));
}

function discoveryTold(found: Discovery): DiscoveryTold {
  const { id, severity, by, during, carried_from: from, description, recommendation } = found;
  return {
    id,
    severity,
    urgent: isUrgent(found),
    by,
    ...defined({ during, from }),
    text: gist(description, WHOLE),
    ...(recommendation === undefined ? {} : { recommends: gist(recommendation, WHOLE) }),
  };
}
const WHOLE = 2000;

/** Tasks that were replaced or given up are wanted no longer. */
function burnUp(stories: readonly TaskStory[]): readonly Progress[] {
  const steps = stories.flatMap(({ intervals }) => {
    const first = intervals[0];
    const last = intervals.at(-1);
    if (first === undefined || last === undefined) return [];
    const end =
      last.state === 'MERGED'
        ? [{ time: last.from, wanted: 0, merged: 1 }]
        : last.state === 'SUPERSEDED' || last.state === 'ABANDONED'
          ? [{ time: last.from, wanted: -1, merged: 0 }]
          : [];
    return [{ time: first.from, wanted: 1, merged: 0 }, ...end];
  });
  const points: Progress[] = [];
  for (const { time, wanted, merged } of steps.toSorted((a, b) => a.time - b.time)) {
    const before = points.at(-1);
    const sum = { time, wanted: (before?.wanted ?? 0) + wanted, merged: (before?.merged ?? 0) + merged };
    if (before?.time === time) points.pop();
    points.push(sum);
  }
  return points;
}

function judged(stories: readonly TaskStory[], from: Instant, to: Instant): readonly Judged[] {
  let approvals = 0;
  return stories
    .flatMap(({ id, rounds }) =>
      rounds
        .flatMap(({ verdicts }) => verdicts)
        .filter(({ verdict }) => verdict !== 'integration_failed')
        .map(({ verdict, time, by }) => ({
          time: Math.max(from, Math.min(to, instant(time) || from)),
          task: id,
          ...defined({ by }),
          approved: verdict === 'approved',
        })),
    )
    .toSorted((a, b) => a.time - b.time)
    .map((one, at) => {
      if (one.approved) approvals += 1;
      return { ...one, percent: Math.round((100 * approvals) / (at + 1)) };
    });
}

/** Only where batches were merged: what single merges cost is told with their tasks. */
function queueTold(board: Pick<Board, 'state' | 'gone'>): readonly string[] {
  const { state } = board;
  const { batches = [] } = queueOf(state);
  const line = queueLine(board);
  const searched = batches.filter(({ entries, blamed }) => entries > 1 || blamed !== undefined);
  return [...(line === undefined ? [] : [line]), ...(searched.length === 0 ? [] : figuresText(queueFigures(state)))];
}

/** Tasks under which the integration branch moved most. */
export const drifted = (tasks: readonly TaskStory[]): readonly TaskStory[] =>
  tasks
    .filter(({ figures }) => (figures.drift_commits ?? 0) > 0)
    .toSorted((a, b) => (b.figures.drift_commits ?? 0) - (a.figures.drift_commits ?? 0));

/**
 * The board as a report may show it: every text, names of fields included, is made safe before anything is read from
 * it. `secrets` are values of the environment that must not leave it.
 */
function cleaned<T>(value: T, secrets: readonly string[]): T {
  return clean(value, secrets) as T;
}

function clean(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return safe(value, secrets);
  if (Array.isArray(value)) return value.map((one) => clean(one, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [safe(key, secrets), clean(one, secrets)]));
}

/** Most texts are ids, times and states, which nothing can hide in. */
const safe = (text: string, secrets: readonly string[]): string =>
  PLAIN.test(text) && !secrets.some((secret) => text.includes(secret)) ? text : safeText(text, secrets);

const PLAIN = /^[A-Za-z0-9./ -]{0,14}$|^\d{4}-\d\d-\d\dT[\d:.]+Z$|^[A-Z_]{1,19}$|^[0-9a-f]{40,64}$/;
