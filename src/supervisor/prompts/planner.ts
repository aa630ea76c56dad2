// What a planner's session is told: what woke it, how the sprint stands, and what to do about each record.
// What a trigger asks for is in triggers.ts.

import { type Board, roleOfId } from '../../protocol/board.ts';
import { unique } from '../../protocol/change.ts';
import { endedOfGoal } from '../../protocol/goal/goal-tasks.ts';
import { sprintText } from '../../protocol/goal/sprint.ts';
import { discoveryHead, isUrgent, openDiscoveries } from '../../protocol/messages/discoveries.ts';
import { blockingQuestions, openQuestions } from '../../protocol/messages/questions.ts';
import { isAboutAgents } from '../../protocol/records/anomaly-types.ts';
import { type Discovery, isTerminal, settings, type Task } from '../../protocol/state.ts';
import { isExhausted } from '../../protocol/work/blocked.ts';
import { gist, whole } from '../../text/format.ts';
import { WAKE_TRIGGERS, type Wake } from '../rules/wakes.ts';
import { commandLines } from './commands.ts';
import { concernLines } from './concerns.ts';
import { handedOffPlan } from './handoff.ts';
import { lastPlanning } from './last-session.ts';
import type { PlanningWork, PromptContext } from './prompt.ts';
import { quoteList } from './quote.ts';
import { assemble, bootstrap, humanNotes, notesFor, type Section, section } from './sections.ts';
import { specChanged } from './spec-trigger.ts';
import { testRule } from './test-rule.ts';
import { trialWord } from './trial.ts';
import { triggerLines } from './triggers.ts';

export function plannerPrompt(context: PromptContext, work: PlanningWork): string {
  const fresh = work.resumed !== true;
  const incomplete = '`liza exit 1 --reason "bootstrap incomplete"`.';
  return assemble([
    ...(fresh ? [bootstrap(context, incomplete)] : []),
    lastPlanning(context),
    handedOffPlan(context),
    humanNotes(context, notesFor(context)),
    planningContext(context, work, fresh),
  ]);
}

function planningContext({ board }: PromptContext, { wakes, specs }: PlanningWork, fresh: boolean): Section {
  const triggers = WAKE_TRIGGERS.filter((trigger) => wakes.some((wake) => wake.trigger === trigger));
  const records = (trigger: Wake['trigger']) => wakes.filter((wake) => wake.trigger === trigger);
  return section('PLANNING CONTEXT', [
    ...triggers
      .filter((trigger) => records(trigger).some(({ quiet }) => quiet !== true))
      .map((trigger) => `WAKE TRIGGER: ${trigger} (${recordNames(records(trigger))})`),
    `SPRINT STATE: ${board.state.sprint.id} ${sprintText(board.state)}, goal ${board.state.goal.status}`,
    counts(board),
    ...liveTasks(board),
    ...discoveryLines(
      board,
      records('IMMEDIATE_DISCOVERY').map(({ record }) => record),
    ),
    ...stillOpen(board, new Set(wakes.map(({ record }) => record))),
    ...openAnomalies(board),
    ...concernLines(board.state),
    'INSTRUCTIONS:',
    ...triggers.flatMap((trigger) =>
      trigger === 'SPEC_CHANGED'
        ? specChanged(unique(records(trigger).map(({ record }) => record)), specs)
        : triggerLines(
            board,
            trigger,
            records(trigger).map(({ record }) => record),
          ),
    ),
    'Last: when everything above is decided or left to a person on purpose, `liza exit 0 --reason "nothing more to plan now"`, and stop; you are woken when something above changes.',
    ...(fresh ? testRule(board.state) : []),
    ...(fresh ? commandLines('planner', 'some-task', board.state) : []),
  ]);
}

function recordNames(wakes: readonly Wake[]): string {
  const names = unique(wakes.map(({ record }) => record));
  const shown = names.slice(0, 10).join(', ');
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown;
}

function counts(board: Board): string {
  const { state } = board;
  const ended = endedOfGoal(board);
  const inState = (...statuses: readonly Task['status'][]): number =>
    state.tasks.filter(({ status }) => statuses.includes(status)).length;
  const of: Readonly<Record<string, number>> = {
    'total tasks': state.tasks.length + ended.length,
    draft: inState('DRAFT'),
    unclaimed: inState('UNCLAIMED'),
    in_progress: inState('CLAIMED', 'READY_FOR_REVIEW', 'REJECTED', 'APPROVED'),
    blocked: inState('BLOCKED'),
    integration_failed: inState('INTEGRATION_FAILED'),
    hypothesis_exhausted: state.tasks.filter(isExhausted).length,
    immediate_discoveries: state.discovered.filter(isUrgent).length,
    [`merged to ${settings(state).integration_branch}`]:
      inState('MERGED') + ended.filter((status) => status === 'MERGED').length,
  };
  return Object.entries(of)
    .map(([name, count]) => `${name}: ${count}`)
    .join(' · ');
}

const MOST_TASKS = 40;

/** The plan at a glance: ids, states and what waits for what. */
function liveTasks({ state }: Board): readonly string[] {
  const live = state.tasks.filter(({ status }) => !isTerminal(status));
  if (live.length === 0) return [];
  const left = live.length - MOST_TASKS;
  return [
    'LIVE TASKS:',
    ...live.slice(0, MOST_TASKS).map(taskLine),
    ...(left > 0 ? [`(${left} more: \`liza status --all\`)`] : []),
  ];
}

const MOST_DISCOVERIES = 10;
const LONGEST = 2000;

/** What was found beside the tasks and nobody has decided yet, most severe first; `told`: those that the instructions tell. */
function discoveryLines({ state }: Board, told: readonly string[]): readonly string[] {
  const open = openDiscoveries(state).filter(({ id }) => !told.includes(id));
  if (open.length === 0) return [];
  const shown = open.slice(0, MOST_DISCOVERIES);
  const more = open.length - shown.length;
  const rest = 'liza discovery list';
  const first = open[0]?.id ?? '';
  return [
    `OPEN DISCOVERIES (${open.length}${told.length === 0 ? '' : `, and ${told.join(', ')} below`}; if a task solves it: \`liza discovery convert ${first} new-task\`; if it needs no task: \`liza discovery dismiss ${first} --reason "why"\`):`,
    ...quoteList(
      shown.map((found) => `${discoveryHead(found)}: ${gist(found.description, LONGEST)}${recommended(found)}`),
      rest,
    ),
    ...(more > 0 ? [`(${more} more, less severe: \`${rest}\`)`] : []),
  ];
}

const recommended = ({ recommendation }: Discovery): string =>
  recommendation === undefined ? '' : `\nrecommends: ${gist(recommendation, LONGEST)}`;

const MOST_QUESTIONS = 20;

/** Questions without an answer, so that nobody asks them twice or plans against what is assumed; `told`: those of wakes. */
function stillOpen({ state }: Board, told: ReadonlySet<string>): readonly string[] {
  const blocking = state.tasks.filter(({ id }) => told.has(id)).flatMap((task) => blockingQuestions(state, task));
  const isTold = new Set([...told, ...blocking.map(({ id }) => id)]);
  const open = openQuestions(state).filter(({ id }) => !isTold.has(id));
  if (open.length === 0) return [];
  const shown = open.slice(-MOST_QUESTIONS).map(({ id, asked_by, task, text, assume }) => {
    const about = task === undefined ? '' : ` on ${task}`;
    return `${id} of ${asked_by}${about}: ${text}${assume === undefined ? '' : `\nassumed: ${assume}`}`;
  });
  const more = open.length - shown.length;
  return [
    `OPEN QUESTIONS (a person answers yours; you answer coders and reviewers${more > 0 ? `; ${more} older: \`liza status\`` : ''}):`,
    ...quoteList(shown, 'liza status'),
  ];
}

const MOST_ANOMALIES = 8;

/** What agents reported and nobody has dealt with yet, newest last. */
function openAnomalies({ state }: Board): readonly string[] {
  const open = state.anomalies.filter((one) => one.processed_at === undefined && !isAboutAgents(one));
  if (open.length === 0) return [];
  const shown = open.slice(-MOST_ANOMALIES).map(({ id, type, task, details }) => {
    const said = Object.entries(details ?? {}).map(([key, value]) => `${key}: ${String(value)}`);
    return boundedAnomaly(`${id ?? type} ${type}${task === undefined ? '' : ` on ${task}`}: ${said.join('; ')}`, id);
  });
  const more = open.length - shown.length;
  return [
    `OPEN ANOMALIES (${open.length}${more > 0 ? `, the last ${shown.length}; all: \`liza anomaly list\`` : ''}; when handled: \`liza anomaly processed ${open.at(-1)?.id ?? 'anomaly-1'} --why "what became of it"\`):`,
    ...quoteList(shown, 'liza anomaly list'),
  ];
}

const LONGEST_ANOMALY = 600;

/** Cut only with the command that shows all of it. */
function boundedAnomaly(text: string, id: string | undefined): string {
  const line = whole(text);
  if (line.length <= LONGEST_ANOMALY) return line;
  return `${gist(line, LONGEST_ANOMALY)} (all of it: liza ${id === undefined ? 'anomaly list' : `show ${id}`})`;
}

function taskLine(task: Task): string {
  const after = task.depends_on?.length ? `, after ${task.depends_on.slice(0, 5).join(', ')}` : '';
  const by = roleOfId(task.assigned_to ?? '') === undefined ? '' : `, ${task.assigned_to}`;
  return `- ${task.id}: ${task.status}${by}${after}${trialWord(task)}`;
}
