// The summary of a checkpoint: what a person needs to decide how to go on, from the board alone. Data in, Markdown out;
// the same board gives the same text.

import { eventsOf } from '../../protocol/goal/alignment.ts';
import { historyOf } from '../../protocol/leases.ts';
import { discoveryHead, openDiscoveries } from '../../protocol/messages/discoveries.ts';
import type { Anomaly, Discovery, HistoryEvent, State, Task } from '../../protocol/state.ts';
import { counted } from '../../text/format.ts';
import { inlineText, document as markdown, markdownTable, wholeText } from '../../text/markdown.ts';
import { duration, type Instant, instant } from '../../text/time.ts';
import { driftOf, figure, metrics, sprintTasks, timeInStates } from './metrics.ts';
import { decisionsToTake } from './open-decisions.ts';
import { planHistory } from './plan-history.ts';

/** `archived`: tasks that left the state. */
export function checkpointSummary(state: State, archived: readonly Task[], now: Instant): string {
  const { sprint, goal } = state;
  const tasks = [...state.tasks, ...archived];
  const { since, reason } = checkpointOf(state);
  const { deadline, checkpoint_at: at } = sprint.timeline;
  return markdown(
    `Checkpoint of ${sprint.id}`,
    [
      `- Goal: ${inlineText(goal.description)} (${goal.status})`,
      `- Halted: ${at ?? 'not yet'}, ${inlineText(reason)}`,
      `- Covers: since ${since}`,
      `- Sprint: ${sprint.status}, ${counted(sprint.scope.planned.length, 'task')} planned${deadline === undefined ? '' : `, deadline ${deadline}`}`,
    ],
    [
      ['Decisions to make', decisions(state, now)],
      ['Metrics', metricLines(state, archived, now)],
      ['What each task did', taskEvents(tasks, since)],
      ['Blocked questions', questions(state.tasks)],
      ['Open discoveries', openDiscoveries(state).map(discoveryLine)],
      ['Anomalies', state.anomalies.filter(({ timestamp = since }) => timestamp >= since).map(anomalyLine)],
      ['Course', planLines(state, since)],
      ['Drift', driftLines(sprintTasks(state, archived))],
      ['Reviews', reviews(state, archived)],
    ],
  );
}

/** When and why this checkpoint began, and since when the one before it is past. */
function checkpointOf({ sprint, goal }: State): { readonly since: string; readonly reason: string } {
  const { started, checkpoint_at: at } = sprint.timeline;
  const marks = eventsOf(goal, 'checkpoint').filter((one) => one.timestamp >= started);
  const this_ = marks.findLast(({ timestamp }) => timestamp === at);
  const before = marks.filter((one) => one !== this_ && (at === undefined || one.timestamp < at)).at(-1);
  return { since: before?.timestamp ?? started, reason: this_?.summary ?? 'by its file' };
}

function decisions(state: State, now: Instant): readonly string[] {
  const open = decisionsToTake(state, now);
  return [
    ...(open.length === 0
      ? ['Nothing waits for you except your decision to continue.']
      : open.map((one, at) => `${at + 1}. ${one}`)),
    '',
    'Then one of:',
    '',
    '- `liza resume --decision continue`',
    '- `liza resume --decision adjust-specs --note "…"`, after the edit and `liza spec-change <spec> "…"`',
    '- `liza resume --decision replan --note "…"`, which wakes the planner with your note',
    '- `liza resume --decision stop`, which aborts the goal; tasks and worktrees stay',
  ];
}

export function metricLines(state: State, archived: readonly Task[], now: Instant): readonly string[] {
  const numbers = Object.entries(metrics(state, archived)).map(([name, value]) => [name, figure(name, value)]);
  const times = Object.entries(timeInStates(sprintTasks(state, archived), now)).map(([status, seconds]) => [
    `time in ${status}`,
    duration(seconds * 1000),
  ]);
  return markdownTable(['Metric', 'Value'], [...numbers, ...times]);
}

/** Each event is one entry of the journal; the newest of a busy task are shown, the others counted. */
const MOST_EVENTS = 40;

function taskEvents(tasks: readonly Task[], since: string): readonly string[] {
  const moved = tasks.flatMap((task) => {
    const events = historyOf(task).filter(({ time }) => time >= since);
    return events.length === 0 ? [] : [{ task, events }];
  });
  const still = tasks.length - moved.length;
  return [
    ...moved.flatMap(({ task, events }) => [
      `### ${task.id}: ${task.status}`,
      '',
      ...(events.length > MOST_EVENTS
        ? [`- ${counted(events.length - MOST_EVENTS, 'earlier event')}: \`liza show ${task.id}\``]
        : []),
      ...events.slice(-MOST_EVENTS).map(eventLine),
      '',
    ]),
    ...(still === 0 ? [] : [`${counted(still, 'task')} did not move.`]),
  ];
}

function eventLine(entry: HistoryEvent): string {
  const said = SAYING.map((key) => entry[key]).find((value) => typeof value === 'string' && value !== '');
  const by = entry.agent === undefined ? '' : ` by ${inlineText(entry.agent)}`;
  return `- ${entry.time} ${inlineText(entry.event.replaceAll('_', ' '))}${by}${said === undefined ? '' : `: ${inlineText(String(said))}`}`;
}
const SAYING = ['reason', 'rationale', 'summary', 'assessment', 'note', 'commit', 'merge_commit'];

function questions(tasks: readonly Task[]): readonly string[] {
  return tasks
    .filter(({ status }) => status === 'BLOCKED')
    .flatMap((task) => [
      `- **${task.id}**: ${inlineText(task.blocked_reason ?? '')}`,
      ...(task.blocked_questions ?? []).map((question) => `  - ${wholeText(question)}`),
    ]);
}

/** Whole, with what its finder would do. */
export function discoveryLine(found: Discovery): string {
  const next = found.recommendation === undefined ? '' : `; recommends: ${inlineText(found.recommendation, WHOLE)}`;
  return `- **${inlineText(found.id)}** (${inlineText(discoveryHead(found).slice(found.id.length + 2))}): ${inlineText(found.description, WHOLE)}${next}`;
}
const WHOLE = 2000;

export function anomalyLine({ id, type, task, reporter, timestamp, details, processed_by }: Anomaly): string {
  const said = Object.entries(details ?? {})
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('; ');
  const done = processed_by === undefined ? 'open' : `processed by ${processed_by}`;
  const where = [timestamp, task, reporter].filter((one) => one !== undefined).join(', ');
  return `- ${id === undefined ? '' : `${inlineText(id)} `}**${inlineText(type)}** (${inlineText(where)}; ${done})${said === '' ? '' : `: ${inlineText(said)}`}`;
}

function planLines(state: State, since: string): readonly string[] {
  return planHistory(state)
    .filter(({ timestamp }) => timestamp >= since)
    .slice(-MOST_EVENTS)
    .map(({ timestamp, kind, by, spec, text }) =>
      spec === undefined
        ? `- ${timestamp} ${inlineText(kind)}${by === undefined ? '' : ` by ${inlineText(by)}`}: ${inlineText(text)}`
        : `- ${timestamp} spec ${inlineText(spec)} changed: ${inlineText(text)}`,
    );
}

/** How much came to the integration branch while a task was under way. */
export function driftLines(tasks: readonly Task[]): readonly string[] {
  const drifted = tasks
    .flatMap((task) => {
      const drift = driftOf(task);
      return drift === undefined || drift === 0 ? [] : [{ id: task.id, drift }];
    })
    .toSorted((a, b) => b.drift - a.drift);
  return drifted.map(({ id, drift }) => `- ${id}: ${counted(drift, 'commit')} were merged before it`);
}

function reviews(state: State, archived: readonly Task[]): readonly string[] {
  const m = metrics(state, archived);
  const verdicts = m.review_verdict_approvals + m.review_verdict_rejections;
  if (verdicts === 0) return ['No verdict yet.'];
  const stamp =
    verdicts >= 5 && m.review_verdict_approvals * 100 > verdicts * 95
      ? ['- More than 95 % approvals: is the review real?']
      : [];
  return [
    `- Approval rate: ${m.review_verdict_approval_rate_percent} % of ${counted(verdicts, 'verdict')}`,
    `- First pass: ${m.first_pass_rate_percent} % of the tasks with a verdict`,
    ...stamp,
  ];
}

/** `2026-03-01T09:00:00Z` as part of a file's name that every file system takes. */
export const fileTime = (timestamp: string): string => timestamp.replaceAll(':', '');

/** The file of the checkpoint that the board is at; undefined: it never was at one in this sprint. */
export function summaryFile({ sprint }: State): string | undefined {
  const { checkpoint_at: at } = sprint.timeline;
  return at === undefined || Number.isNaN(instant(at)) ? undefined : `${fileTime(at)}-${sprint.id}.md`;
}
