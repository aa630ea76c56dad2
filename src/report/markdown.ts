// The same facts as Markdown: tables, and bars of letters where the page has drawings. For a pull request, a wiki, a
// terminal.

import { isTerminal, type TaskStatus } from '../protocol/state.ts';
import { parseRejection } from '../protocol/verdict.ts';
import { counted } from '../text/format.ts';
import { inlineText, document as markdown, markdownTable } from '../text/markdown.ts';
import { duration } from '../text/time.ts';
import { drifted } from './facts.ts';
import {
  approvalRate,
  clock,
  confinedNote,
  costTold,
  headline,
  inputTold,
  outputTold,
  seconds,
  sessionsTold,
  stateWord,
  tokensTold,
  unknownNote,
  usedTotal,
  when,
} from './format.ts';
import type { Report, TaskStory } from './model.ts';

/** The first line says that the file is a report of ours. */
export const MARKDOWN_MARK = '<!-- liza report -->';

export function markdownReport(report: Report): string {
  const { goal, sprint, totals, from, to, over, turned } = report;
  const text = markdown(
    inlineText(goal.description, 300),
    [
      `**${goal.status}**: ${headline(report)}`,
      '',
      `- Time: ${when(from)} to ${over ? when(to) : 'now'} UTC, ${duration(to - from)}`,
      ...(goal.spec === undefined ? [] : [`- Spec: ${inlineText(goal.spec)}`]),
      `- Sprint: ${sprint.id} ${sprint.status}${sprint.deadline === undefined ? '' : `, deadline ${when(sprint.deadline)}`}`,
      `- Reviews: ${totals.first_pass_rate_percent === null ? 'no verdict yet' : `${approvalRate(report)} approved, ${totals.first_pass_rate_percent} % of the tasks at first`}`,
      `- Used: ${usedTotal(report)}`,
      ...(turned === 0 ? [] : [`- ${counted(turned, 'event')} had a time before that of the event they follow`]),
    ],
    [
      ...(report.waits.length === 0
        ? []
        : [['What waits for a person', report.waits.map((line, at) => `${at + 1}. ${line}`)] as const]),
      ['Timeline', timeline(report)],
      ['Merged over time', burnUp(report)],
      ['Approval rate over time', approvals(report)],
      ['Time in each state', timeInState(report)],
      ['Who did what', crew(report)],
      ['Review rounds', report.tasks.flatMap(reviews)],
      ['Tokens and cost', usage(report)],
      ['Anomalies', report.anomalies.map(anomaly)],
      ['Course', report.course.map(turn)],
      [
        'Drift',
        drifted(report.tasks).map(({ id, figures }) => `- ${id}: ${counted(figures.drift_commits ?? 0, 'commit')}`),
      ],
      ['Tasks', tasks(report)],
    ],
  );
  return `${MARKDOWN_MARK}\n${text}\nMade by \`liza report\`, ${when(report.made)} UTC. All times are UTC.\n`;
}

function timeline(report: Report): readonly string[] {
  if (report.tasks.length === 0) return [];
  const rows = report.tasks.map(({ id, status, spans }) => [
    id,
    status,
    spans
      .map(({ state, from, to }) =>
        isTerminal(state)
          ? `${stateWord(state)} at ${clock(from, report)}`
          : `${stateWord(state)} ${duration(to - from)}`,
      )
      .join(' → ') || 'no history',
  ]);
  return markdownTable(['Task', 'State', 'How it came there'], rows);
}

const WIDTH = 30;
const bar = (part: number, whole: number): string =>
  '█'.repeat(part <= 0 || whole <= 0 ? 0 : Math.max(1, Math.round((WIDTH * part) / whole)));

/** A page of steps at most: what lies between is no news. */
const MOST = 25;
const sampled = <T>(items: readonly T[]): readonly T[] => {
  const every = Math.ceil(items.length / MOST);
  return items.filter((_, at) => at % every === 0 || at === items.length - 1);
};

function burnUp(report: Report): readonly string[] {
  const whole = Math.max(1, ...report.burnUp.map(({ wanted }) => wanted));
  const rows = sampled(report.burnUp).map(({ time, wanted, merged }) => [
    clock(time, report),
    String(merged),
    String(wanted),
    bar(merged, whole),
  ]);
  return rows.length === 0 ? [] : markdownTable(['Time', 'Merged', 'Wanted', ''], rows);
}

function approvals(report: Report): readonly string[] {
  const rows = sampled(report.verdicts).map(({ time, task, approved, percent, by }) => [
    clock(time, report),
    task,
    approved ? 'approved' : 'rejected',
    inlineText(by ?? ''),
    `${percent} %`,
    bar(percent, 100),
  ]);
  return rows.length === 0 ? [] : markdownTable(['Time', 'Task', 'Verdict', 'By', 'Rate so far', ''], rows);
}

function timeInState({ spent, tasks: stories }: Report): readonly string[] {
  const entries = (Object.entries(spent) as [TaskStatus, number][]).filter(([, count]) => count > 0);
  if (entries.length === 0) return [];
  const whole = entries.reduce((sum, [, count]) => sum + count, 0);
  const states = entries.map(([state]) => state);
  const each = stories.map(({ id, figures: { time_in_state_seconds: time } }) => [
    id,
    ...states.map((state) => ((time[state] ?? 0) === 0 ? '' : seconds(time[state] ?? 0))),
  ]);
  return [
    ...markdownTable(
      ['State', 'Time of all tasks', ''],
      entries.map(([state, count]) => [stateWord(state), seconds(count), bar(count, whole)]),
    ),
    '',
    ...markdownTable(['Task', ...states.map(stateWord)], each),
  ];
}

function crew({ workers }: Report): readonly string[] {
  if (workers.length === 0) return [];
  const rows = workers.map((one) => [
    inlineText(one.id),
    one.role,
    inlineText(one.provider ?? ''),
    sessionsTold(one.use),
    ...[one.planned, one.claimed, one.submitted, one.approved, one.rejected, one.merged, one.blocked, one.reported].map(
      String,
    ),
    tokensTold(one.use),
    costTold(one.use),
  ]);
  return markdownTable(
    [
      'Who',
      'Role',
      'Agent CLI',
      'Sessions',
      'Planned',
      'Claimed',
      'Submitted',
      'Approved',
      'Rejected',
      'Merged',
      'Blocked',
      'Reported',
      'Tokens',
      'Cost',
    ],
    rows,
  );
}

const REASON = 500;

function reviews({ id, status, rounds }: TaskStory): readonly string[] {
  if (rounds.length === 0) return [];
  return [
    `### ${id}: ${counted(rounds.length, 'round')}, ${status}`,
    '',
    ...rounds.flatMap(({ commit, by, time, verdicts, merged, undeclared }, at) => [
      `${at + 1}. \`${commit?.slice(0, 10) ?? 'a commit'}\`${by === undefined ? '' : ` by ${inlineText(by)}`}${time === undefined ? '' : `, ${when(time)}`}${undeclared === 0 ? '' : `, ${counted(undeclared, 'file')} not declared before`}${merged ? ', this was merged' : ''}`,
      ...verdicts.map(
        ({ verdict, by: judge, time: when_, reason }) =>
          `   - **${verdict.replace('_', ' ')}**${judge === undefined ? '' : ` by ${inlineText(judge)}`}, ${when(when_)}${reason === undefined ? '' : `: ${why(reason)}`}`,
      ),
    ]),
    '',
  ];
}

/** What blocks, where a rejection names it. */
function why(reason: string): string {
  const { blockers } = parseRejection(reason, false);
  const text = blockers.map(({ file, line, text: said }) => `${file}:${line} ${said}`).join('; ');
  return inlineText(text || reason, REASON);
}

function usage(report: Report): readonly string[] {
  const { use, tasks: stories } = report;
  const rows = [{ id: 'planning', use: use.planning }, ...stories]
    .filter(({ use: one }) => one.worked || one.usage !== undefined)
    .map(({ id, use: one }) => [id, sessionsTold(one), inputTold(one), outputTold(one), costTold(one)]);
  return rows.length === 0
    ? []
    : [
        `${unknownNote(report)} ${confinedNote(report)}`.trim(),
        '',
        ...markdownTable(['Task', 'Sessions', 'Input', 'Output', 'Cost'], rows),
      ];
}

function anomaly({ id, type, time, task, by, text, processedBy }: Report['anomalies'][number]): string {
  const where = [time === undefined ? undefined : when(time), task, by].filter((one) => one !== undefined).join(', ');
  const state = processedBy === undefined ? 'open' : `dealt with by ${inlineText(processedBy)}`;
  return `- ${id === undefined ? '' : `${inlineText(id)} `}**${inlineText(type)}** (${inlineText(where)}; ${state}): ${inlineText(text, REASON)}`;
}

const turn = ({ timestamp, kind, by, text }: Report['course'][number]): string =>
  `- ${when(timestamp)} **${inlineText(kind)}**${by === undefined ? '' : ` by ${inlineText(by)}`}: ${inlineText(text, REASON)}`;

function tasks({ tasks: stories }: Report): readonly string[] {
  if (stories.length === 0) return [];
  const rows = stories.map(({ id, title, status, priority, coders, figures, reason, replacedBy, archived }) => [
    id,
    inlineText(title),
    [
      status,
      ...(archived ? ['archived'] : []),
      ...(replacedBy.length === 0 ? [] : [`by ${inlineText(replacedBy.join(', '))}`]),
    ].join(', '),
    inlineText(coders.join(', ')),
    String(priority),
    String(figures.iterations),
    String(figures.review_cycles),
    inlineText(reason ?? ''),
  ]);
  return markdownTable(['Task', 'What', 'State', 'Coders', 'Priority', 'Iterations', 'Rejections', 'Why'], rows);
}
