// The draft of a retrospective: the template's headings, with the data part of the ones it knows filled in from the
// board. The template's guiding words stay for the person who completes it; nothing is judged here.

import { historyOf } from '../../protocol/leases.ts';
import type { State, Task } from '../../protocol/state.ts';
import { counted } from '../../text/format.ts';
import { inlineText, markdownTable } from '../../text/markdown.ts';
import { duration, type Instant } from '../../text/time.ts';
import { patternNames, triggerOf } from './breaker.ts';
import { anomalyLine, driftLines, metricLines } from './checkpoint-summary.ts';
import { isWorked, metrics, sprintTasks, taskFigures, timeInStates, tokensOf } from './metrics.ts';

export function retrospectiveDraft(template: string, state: State, archived: readonly Task[], now: Instant): string {
  const facts: Readonly<Record<string, () => readonly string[]>> = {
    'The numbers': () => numbers(state, archived, now),
    'What cost most': () => costs(sprintTasks(state, archived), now),
    Patterns: () => patterns(state, sprintTasks(state, archived)),
    'For the specs': () => specs(state),
  };
  const used = new Set<string>();
  const filled = template
    .replaceAll('<sprint>', state.sprint.id)
    .split('\n')
    .flatMap((line) => {
      const name = /^## +(.+?)\s*$/.exec(line)?.[1] ?? '';
      if (!Object.hasOwn(facts, name)) return [line];
      used.add(name);
      return [line, '', ...(facts[name]?.() ?? [])];
    });
  const left = Object.entries(facts).filter(([name]) => !used.has(name));
  return `${[...filled, ...left.flatMap(([name, lines]) => ['', `## ${name}`, '', ...lines()])].join('\n').trimEnd()}\n`;
}

/** How what the people learned is added to the file. */
export const learnedSection = (learned: string, at: string): string =>
  `\n## What we learned (${at})\n\n${learned.trimEnd()}\n`;

function numbers(state: State, archived: readonly Task[], now: Instant): readonly string[] {
  const { timeline, id, status } = state.sprint;
  const m = metrics(state, archived);
  const tasks = sprintTasks(state, archived);
  const superseded = tasks.filter((task) => task.status === 'SUPERSEDED').length;
  const open = m.tasks_total - m.tasks_done;
  return [
    `${id} ${status}: ${timeline.started} to ${timeline.ended ?? 'now'}. Of ${counted(m.tasks_total, 'task')} ${m.tasks_merged} merged, ${superseded} superseded, ${m.tasks_abandoned} abandoned, ${open} open.`,
    '',
    ...metricLines(state, archived, now),
  ];
}

const MOST = 10;

function costs(tasks: readonly Task[], now: Instant): readonly string[] {
  if (tasks.length === 0) return ['No tasks.'];
  const rows = tasks
    .map((task) => ({
      id: task.id,
      figures: taskFigures(task, now),
      blocked: timeInStates([task], now).BLOCKED ?? 0,
      tokens: tokensOf(task),
      untold: isWorked(task) ? 'unknown' : '',
    }))
    .toSorted((a, b) => b.figures.iterations - a.figures.iterations || b.blocked - a.blocked)
    .slice(0, MOST)
    .map(({ id, figures: f, blocked, tokens, untold }) => [
      id,
      f.status,
      String(f.iterations),
      String(f.review_cycles),
      duration(blocked * 1000),
      tokens === undefined ? untold : String(tokens),
      f.cost_usd === undefined ? untold : f.cost_usd.toFixed(2),
    ]);
  return markdownTable(['Task', 'Status', 'Iterations', 'Rejections', 'Blocked', 'Tokens', 'USD'], rows);
}

function patterns(state: State, tasks: readonly Task[]): readonly string[] {
  const { started } = state.sprint.timeline;
  const anomalies = state.anomalies.filter(({ timestamp = started }) => timestamp >= started);
  const replaced = tasks.filter(({ status }) => status === 'SUPERSEDED');
  const failures = tasks.flatMap((task) =>
    historyOf(task).filter(({ event }) => event === 'integration_failed').length > 0 ? [task.id] : [],
  );
  const trips = [state.circuit_breaker.current_trigger, ...(state.circuit_breaker.history ?? [])]
    .map(triggerOf)
    .filter((one) => one !== undefined && one.time >= started);
  return [
    ...anomalies.map(anomalyLine),
    ...replaced.map(
      (task) =>
        `- ${task.id} was replaced by ${(task.superseded_by ?? []).join(', ')}: ${inlineText(task.rescope_reason ?? '')}`,
    ),
    ...failures.map((id) => `- ${id} was approved but did not merge at first`),
    ...driftLines(tasks),
    ...trips.map(
      (one) => `- The circuit breaker tripped at ${one?.time}: ${patternNames(one?.findings ?? []).join(', ')}`,
    ),
    ...(anomalies.length + replaced.length + failures.length + trips.length === 0 ? ['No anomaly was logged.'] : []),
  ];
}

function specs(state: State): readonly string[] {
  const { started } = state.sprint.timeline;
  const changes = state.spec_changes.filter(({ timestamp }) => timestamp >= started);
  const gaps = state.anomalies.filter(
    ({ type, timestamp = started }) => (type === 'spec_gap' || type === 'spec_ambiguity') && timestamp >= started,
  );
  const lines = [
    ...gaps.map(anomalyLine),
    ...changes.map(
      ({ timestamp, spec, change }) => `- ${timestamp} ${inlineText(spec)} changed: ${inlineText(change)}`,
    ),
  ];
  return lines.length === 0 ? ['No gap was logged and no change recorded.'] : lines;
}
