// The report as Markdown, for a pull request, a wiki or a terminal: tables, and bars of letters where the page has
// drawings.

import { REWRITTEN_STEP } from '../protocol/goal/base-distance.ts';
import { BY_HAND, byCriterion } from '../protocol/review/approval-record.ts';
import { shownText } from '../protocol/review/shown-text.ts';
import { parseRejection } from '../protocol/review/verdict.ts';
import { isTerminal, type TaskStatus } from '../protocol/state.ts';
import { counted } from '../text/format.ts';
import { inlineText, document as markdown, markdownTable, wholeText } from '../text/markdown.ts';
import { duration } from '../text/time.ts';
import { thinned } from './axis.ts';
import {
  approvalRate,
  clock,
  confinedNote,
  discoveriesTitle,
  headline,
  seconds,
  stateWord,
  unknownNote,
  usedTotal,
  when,
} from './format.ts';
import type { DiscoveryTold, QuestionTold, Report, TaskStory } from './model.ts';
import { markdownLines } from './table.ts';
import { crew, drift, everyTask, usage } from './tables.ts';

/** The first line marks the file as a report that Liza wrote. */
export const MARKDOWN_MARK = '<!-- liza report -->';

export function markdownReport(report: Report): string {
  const { goal, sprint, totals, from, to, over, outOfOrder, rewritten } = report;
  const text = markdown(
    inlineText(goal.description, 300),
    [
      `**${goal.status}**: ${headline(report)}`,
      '',
      `- Time: ${when(from)} to ${over ? when(to) : 'now'} UTC, ${duration(to - from)}`,
      `- Goal: ${inlineText(goal.id)}`,
      ...(goal.spec === undefined ? [] : [`- Spec: ${inlineText(goal.spec)}`]),
      `- Sprint: ${sprint.id} ${sprint.status}${sprint.deadline === undefined ? '' : `, deadline ${when(sprint.deadline)}`}`,
      `- Reviews: ${totals.first_pass_rate_percent === null ? 'no verdict yet' : `${approvalRate(report)} approved, ${totals.first_pass_rate_percent} % of the tasks at first`}`,
      `- Used: ${usedTotal(report)}`,
      ...(rewritten === undefined ? [] : [`- Branch: ${inlineText(rewritten)}; ${REWRITTEN_STEP}`]),
      ...(outOfOrder === 0 ? [] : [`- ${counted(outOfOrder, 'event')} had an earlier time than the event before them`]),
    ],
    [
      ...(report.waits.length === 0
        ? []
        : [['What waits for a person', report.waits.map((line, at) => `${at + 1}. ${line}`)] as const]),
      ['Timeline', timeline(report)],
      ['Merged over time', burnUp(report)],
      ['Approval rate over time', approvals(report)],
      ['Time in each state', timeInState(report)],
      ['Who did what', markdownLines(crew(report))],
      ['Review rounds', report.tasks.flatMap(reviews)],
      ['Tokens and cost', usageLines(report)],
      ['Questions', report.questions.map(question)],
      [discoveriesTitle(report), report.discoveries.map(discovery)],
      ['Anomalies', report.anomalies.map(anomaly)],
      ['Course', report.planChanges.map(planChange)],
      ...(report.queue.length === 0 ? [] : ([['Merge queue', report.queue.map((line) => `- ${line}`)]] as const)),
      [
        'Drift',
        drift(report).rows.map(({ id, figures }) => `- ${id}: ${counted(figures.drift_commits ?? 0, 'commit')}`),
      ],
      ['Tasks', markdownLines(everyTask(report))],
    ],
  );
  return `${MARKDOWN_MARK}\n${text}\nMade by \`liza report\`, ${when(report.made)} UTC. All times are UTC.\n`;
}

function timeline(report: Report): readonly string[] {
  if (report.tasks.length === 0) return [];
  const rows = report.tasks.map(({ id, status, intervals }) => [
    id,
    status,
    intervals
      .map(({ state, from, to }) =>
        isTerminal(state)
          ? `${stateWord(state)} at ${clock(from, report)}`
          : `${stateWord(state)} ${duration(to - from)}`,
      )
      .join(' → ') || 'no history',
  ]);
  return markdownTable(['Task', 'State', 'How it got there'], rows);
}

const WIDTH = 30;
const bar = (part: number, whole: number): string =>
  '█'.repeat(part <= 0 || whole <= 0 ? 0 : Math.max(1, Math.round((WIDTH * part) / whole)));

/** At most a page of rows. */
const MOST = 25;

function burnUp(report: Report): readonly string[] {
  const whole = Math.max(1, ...report.burnUp.map(({ wanted }) => wanted));
  const rows = thinned(report.burnUp, MOST).map(({ time, wanted, merged }) => [
    clock(time, report),
    String(merged),
    String(wanted),
    bar(merged, whole),
  ]);
  return rows.length === 0 ? [] : markdownTable(['Time', 'Merged', 'Wanted', ''], rows);
}

function approvals(report: Report): readonly string[] {
  const rows = thinned(report.verdicts, MOST).map(({ time, task, approved, percent, by }) => [
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

const REASON = 500;

function reviews({ id, status, rounds }: TaskStory): readonly string[] {
  if (rounds.length === 0) return [];
  return [
    `### ${id}: ${counted(rounds.length, 'round')}, ${status}`,
    '',
    ...rounds.flatMap(({ commit, by, time, verdicts, merged, undeclared }, at) => [
      `${at + 1}. \`${commit?.slice(0, 10) ?? 'a commit'}\`${by === undefined ? '' : ` by ${inlineText(by)}`}${time === undefined ? '' : `, ${when(time)}`}${undeclared === 0 ? '' : `, ${counted(undeclared, 'file')} not declared before`}${merged ? ', this was merged' : ''}`,
      ...verdicts.flatMap(({ verdict, by: judge, time: when_, reason, shown = [], byHand, outside }) => [
        `   - **${verdict.replace('_', ' ')}**${judge === undefined ? '' : ` by ${inlineText(judge)}`}${byHand ? `, ${BY_HAND}` : ''}, ${when(when_)}${reason === undefined ? '' : `: ${why(reason)}`}`,
        ...byCriterion(shown).flatMap(([{ n, criterion }, all]) => [
          `     - ${n}. ${wholeText(criterion)}`,
          ...all.map((one) => `       - → ${wholeText(shownText(one))}`),
        ]),
        ...(outside === undefined
          ? []
          : [`     - flagged: the change does not touch ${inlineText(outside.join('; nor '))}`]),
      ]),
    ]),
    '',
  ];
}

/** The blockers of a rejection, where it names some; else all of it. */
function why(reason: string): string {
  const { blockers } = parseRejection(reason, false);
  const text = blockers.map(({ file, line, text: said }) => `${file}:${line} ${said}`).join('; ');
  return inlineText(text || reason, REASON);
}

function usageLines(report: Report): readonly string[] {
  const lines = markdownLines(usage(report));
  return lines.length === 0 ? [] : [`${unknownNote(report)} ${confinedNote(report)}`.trim(), '', ...lines];
}

function question({ id, by, task, from, text, state, answer }: QuestionTold): string {
  const where = [state, `asked by ${by}`, task, from && `from ${from}`].filter((one) => one !== undefined).join(', ');
  const said = answer === undefined ? '' : ` → ${state === 'open' ? 'meanwhile: ' : ''}${wholeText(answer)}`;
  return `- **${inlineText(id)}** (${inlineText(where)}): ${wholeText(text)}${said}`;
}

function discovery({ id, severity, urgent, by, during, from, text, recommends }: DiscoveryTold): string {
  const where = [severity, urgent ? 'immediate' : undefined, `by ${by}`, during, from && `from ${from}`];
  const told = where.filter((one) => one !== undefined).join(', ');
  const next = recommends === undefined ? '' : `; recommends: ${inlineText(recommends, WHOLE)}`;
  return `- **${inlineText(id)}** (${inlineText(told)}): ${inlineText(text, WHOLE)}${next}`;
}
const WHOLE = 2000;

function anomaly({ id, type, time, task, by, text, processedBy }: Report['anomalies'][number]): string {
  const where = [time === undefined ? undefined : when(time), task, by].filter((one) => one !== undefined).join(', ');
  const state = processedBy === undefined ? 'open' : `handled by ${inlineText(processedBy)}`;
  return `- ${id === undefined ? '' : `${inlineText(id)} `}**${inlineText(type)}** (${inlineText(where)}; ${state}): ${inlineText(text, REASON)}`;
}

const planChange = ({ timestamp, kind, by, text }: Report['planChanges'][number]): string =>
  `- ${when(timestamp)} **${inlineText(kind)}**${by === undefined ? '' : ` by ${inlineText(by)}`}: ${inlineText(text, REASON)}`;
