// `liza show <task>` on a terminal: every field of one task, sorted by what a reader asks (what is it,
// who has it, how is the review, why is it stuck, what happened), and nothing the file says left out.

import { usageText } from '../../budget/rules/format.ts';
import { criteriaOf } from '../../protocol/definition/criteria.ts';
import { historyOf } from '../../protocol/leases.ts';
import { discoveryHead } from '../../protocol/messages/discoveries.ts';
import { outcomeOf } from '../../protocol/messages/question-scope.ts';
import {
  BY_HAND,
  besideTheChange,
  byCriterion,
  concernsOf,
  concernText,
  shownIn,
} from '../../protocol/review/approval-record.ts';
import { shownText } from '../../protocol/review/shown-text.ts';
import { changedText, notThere, ranNothing, trialOf } from '../../protocol/review/trial.ts';
import type {
  Discovery,
  Handoff,
  HistoryEvent,
  Note,
  Question,
  SetupFailure,
  Task,
  Usage,
} from '../../protocol/state.ts';
import { setupFailureText } from '../../protocol/work/setup-failures.ts';
import { type SetupRun, setupRunText } from '../../protocol/work/setup-runs.ts';
import type { TaskView } from '../../report/status-view.ts';
import { confinement } from '../../sandbox/rules/session-label.ts';
import { asStored, counted } from '../../text/format.ts';
import { tellingLines } from '../../text/telling-lines.ts';
import { duration, type Instant, iso } from '../../text/time.ts';
import { diffText, lastDiff, proofText } from './diff-facts.ts';
import { type Line, leaseWords, type Page, pageFor, STATUS_TONE } from './layout.ts';
import { columns, type Look, pad } from './terminal.ts';
import { moment, timeline, UNDER_REVIEWS } from './timeline.ts';

export interface TaskExtras {
  readonly now: Instant;
  /** The same task seen on its board. */
  readonly view: TaskView;
  readonly archived?: boolean;
  readonly handoff?: Handoff | undefined;
  /** The human's notes for this task. */
  readonly notes?: readonly Note[];
  /** Every command that is run when it is submitted, the project's own with the task's. */
  readonly validation?: readonly string[];
  /** What was asked about it, or about its spec. */
  readonly questions?: readonly Question[];
  /** What was found in it, what it takes up, and what names it. */
  readonly discoveries?: readonly Discovery[];
  /** The set-up that fails, and that it waits for. */
  readonly setup?: SetupFailure | undefined;
  /** Set-ups that run now, and that it waits for. */
  readonly setUp?: readonly SetupRun[];
}

const LABEL = 15;
const TIME = 'YYYY-MM-DD hh:mm:ss'.length;

export function renderTask(task: Task, extras: TaskExtras, look: Look): string {
  const p = pageFor(look);
  const sections = [
    heading(task, extras, p),
    ...taskSections(task, extras).map(({ title, fields: all }) => fields(title, all, p)),
    timeline(task, extras.now, p),
  ];
  const lines = sections.filter((lines) => lines.length > 0).flatMap((lines, i) => (i === 0 ? lines : [[], ...lines]));
  return `${p.print(lines)}\n`;
}

export interface Section {
  readonly title: string;
  readonly fields: readonly Field[];
}

/** All that the record says besides its history; the dashboard shows the same. */
export const taskSections = (task: Task, extras: TaskExtras): readonly Section[] => [
  { title: 'Definition', fields: definition(task, extras) },
  { title: 'Blocked', fields: blocked(task, extras) },
  { title: 'Set-up', fields: unprepared(extras) },
  { title: 'Questions', fields: asked(extras) },
  { title: 'Discoveries', fields: found(task, extras) },
  { title: 'Ownership', fields: ownership(task, extras) },
  { title: 'Review', fields: review(task, extras) },
  { title: 'Reviews', fields: verdicts(task) },
  { title: 'Handoff', fields: handoff(extras.handoff) },
  { title: 'Notes', fields: (extras.notes ?? []).map(noteField) },
  { title: 'Other fields', fields: others(task) },
];

type Field = readonly [label: string, value: unknown];

function heading(task: Task, { archived }: TaskExtras, p: Page): readonly Line[] {
  const tags = [
    ...(task.paused ? ['paused'] : []),
    ...(archived ? ['archived'] : []),
    task.type ?? 'code',
    `P${task.priority}`,
  ];
  const title: Line = [
    { text: `${p.say(task.id)}  `, tone: 'strong' },
    { text: task.status, tone: STATUS_TONE[task.status] },
  ];
  const about = task.description === undefined ? [] : p.lines(task.description, p.width);
  return [p.spread(title, [{ text: tags.join(p.dot), tone: 'faint' }]), ...about.map((text): Line => [{ text }])];
}

function definition(task: Task, { view, validation }: TaskExtras): readonly Field[] {
  const waits = new Map<string, string>(view.waits.map((wait) => [wait.id, wait.status]));
  return [
    [
      'spec',
      task.spec_ref && `${task.spec_ref}${task.spec_seen === undefined ? '' : ' (changed since the task was created)'}`,
    ],
    ['done when', numberedCriteria(task.done_when)],
    ['scope', task.scope],
    ['depends on', task.depends_on?.map((id) => `${id} (${waits.get(id) ?? 'MERGED'})`).join(', ')],
    ['needs', task.needs?.join(', ')],
    ['validation', (validation ?? task.validation)?.map((command) => `$ ${command}`).join('\n')],
    ['on the base', trialText(task)],
    ['created', task.created],
    ['supersedes', task.supersedes?.join(', ')],
    ['superseded by', task.superseded_by?.join(', ')],
    ['rescope reason', task.rescope_reason],
    ['budget', task.budget],
    ['used', task.usage && sessionsText(task.usage)],
    ['sandbox', task.usage && confinement(task.sessions ?? [], task.usage.sessions)],
  ];
}

/** Numbered as approvals and `--replace-done` name them; one alone needs no number. */
function numberedCriteria(doneWhen: string | undefined): string | undefined {
  let number = 0;
  const numbered = doneWhen?.replace(/^- (?=[^\n]*\S)/gm, () => `${++number}. `);
  return number > 1 && number === criteriaOf(doneWhen).length ? numbered : doneWhen;
}

/** How the task's own commands came out before anything was changed. */
function trialText(task: Task): string | undefined {
  const trial = trialOf(task);
  const told = trial?.runs.map(({ is, command, how, output, ...run }) => {
    const end =
      is === 'green'
        ? `${ranNothing({ is, ...run })}${notThere(run)}`
        : ` (${how})${output === undefined ? '' : `\n  ${tellingLines(output, SHOWN_OUTPUT).join('\n  ')}`}`;
    return `${is.replace('_', ' ')}${changedText(run)}: ${command}${end}`;
  });
  return trial === undefined ? undefined : [`tried at ${trial.commit.slice(0, 12)}`, ...(told ?? [])].join('\n');
}

const SHOWN_OUTPUT = 5;

/** What it waits for, and why it cannot go on: with the end of what was printed. */
const unprepared = ({ setup, setUp = [], now }: TaskExtras): readonly Field[] => [
  ['runs now', setUp.map((run) => setupRunText(run, now)).join('\n')],
  ...(setup === undefined
    ? []
    : ([
        ['fails', `${setupFailureText(setup)} (${moment(setup.time)})`],
        ['output', setup.output],
        ['remedy', setup.remedy],
      ] as const)),
];

function blocked(task: Task, { view }: TaskExtras): readonly Field[] {
  return [
    ['reason', task.blocked_reason],
    ['questions', task.blocked_questions?.map((question, i) => `${i + 1}. ${question}`).join('\n')],
    ['attempted', task.attempted?.map((attempt) => `- ${attempt}`).join('\n')],
    ['what next', view.ways.map(({ line, says }) => `${line} (${says})`).join('\n')],
  ];
}

/** Each whole, with what became of it; those that hold the task are told with the block, until somebody answers. */
const asked = ({ questions = [] }: TaskExtras): readonly Field[] =>
  questions.map((one) => [one.id, `Q ${one.text}\n${outcomeOf(one)}`]);

/** Each whole, with what became of it. */
function noteField({ id, timestamp, message, processed_by: by, why }: Note): Field {
  const done = by === undefined ? [] : [`handled by ${by}${why === undefined ? '' : `: ${why}`}`];
  return [id ?? moment(timestamp), [message, ...done].join('\n')];
}

/** Each whole, and what becomes of it. */
const found = ({ id }: Task, { discoveries = [] }: TaskExtras): readonly Field[] =>
  discoveries.map((one) => [
    one.id,
    [
      `${discoveryHead(one).slice(one.id.length + 2)}: ${fateOf(one, id)}`,
      one.description,
      ...(one.recommendation === undefined ? [] : [`recommends: ${one.recommendation}`]),
    ].join('\n'),
  ]);

function fateOf({ converted_to_task: to, dismissed_reason: why }: Discovery, task: string): string {
  if (to) return to === task ? 'this task takes it up' : `${to} takes it up`;
  return why ? `dismissed: ${why}` : 'not decided yet';
}

function ownership(task: Task, extras: TaskExtras): readonly Field[] {
  const { view } = extras;
  const lease = task.status === 'CLAIMED' ? leaseOf(view) : '';
  return [
    ['coder', task.assigned_to && `${task.assigned_to}${lease}`],
    ['iteration', task.iteration === undefined ? undefined : `${task.iteration}/${view.maxIterations}`],
    ['worktree', task.worktree && `${task.worktree}${task.keep_worktree ? ' (kept)' : ''}`],
    ['base commit', task.base_commit],
    ['epoch', task.epoch],
    ['lease expires', view.leaseLeft === undefined ? task.lease_expires : undefined],
    ['claiming', task.claiming && `${task.claiming.by} until ${task.claiming.expires} (epoch ${task.claiming.epoch})`],
    ['reserved for', reservation(task, extras)],
    ['excluded', task.excluded_coders?.join(', ')],
    ['blocked with', task.failed_by?.join(', ')],
    ['failed so far', task.failures_current?.join(', ')],
    ['integration fix', task.integration_fix ? 'yes' : undefined],
    ['handoff pending', task.handoff_pending ? 'yes' : undefined],
  ];
}

function reservation({ reserved_for: coder }: Task, { view, now }: TaskExtras): string | undefined {
  const { reservedUntil: until } = view;
  if (coder === undefined || until === undefined) return coder;
  return until <= now
    ? `${coder}, until ${iso(until)}: it has ended, others may take the task`
    : `${coder} until ${iso(until)}`;
}

function sessionsText(usage: Usage): string {
  return `${counted(usage.sessions, 'session')}, ${duration(usage.seconds * 1000)}, ${usageText(usage)}`;
}

/** Nothing where the lease is unknown, because only the state was read. */
const leaseOf = ({ leaseLeft }: TaskView): string => (leaseLeft === undefined ? '' : `, ${leaseWords(leaseLeft)}`);

function review(task: Task, { view }: TaskExtras): readonly Field[] {
  const diff = lastDiff(task);
  const cycles = task.review_cycles_total ?? task.review_cycles_current;
  return [
    ['commit', task.review_commit],
    ['reviewer', task.reviewing_by && `${task.reviewing_by}${leaseOf(view)}`],
    ['lease expires', view.leaseLeft === undefined ? task.review_lease_expires : undefined],
    ['rejections', cycles ? `${view.reviewCycle}/${view.maxReviewCycles} now, ${cycles} in all` : undefined],
    ['rejection', rejectionText(task)],
    [
      'approvals',
      task.approvals
        ?.map((one) => `${reviewerText(task, one)} on ${one.commit.slice(0, 12)} at ${moment(one.time)}`)
        .join('\n'),
    ],
    ['approved by', approverText(task)],
    ['criteria', criteriaText(task)],
    ['concerns', concernsText(task)],
    ['flagged', flaggedText(task)],
    ['diff', diff === undefined ? undefined : diffText(diff)],
    ['run by Liza', proofText(task)],
    ['merging', task.merging && `${task.merging.candidate} onto ${task.merging.onto}, by ${task.merging.by}`],
    ['merge held', task.merge_held && `since ${moment(task.merge_held.since)}: ${task.merge_held.reason}`],
    ['merged as', task.merge_commit],
  ];
}

/** A verdict that is on record stands below, whole. */
function rejectionText(task: Task): string | undefined {
  const { rejection_reason: said } = task;
  const given = historyOf(task).findLast(({ event, reason }) => event === 'rejected' && reason === said);
  return said === undefined || given === undefined
    ? said
    : `by ${given.agent ?? 'somebody'} at ${moment(given.time)}: ${UNDER_REVIEWS}`;
}

/** Every verdict of the task, whole, oldest first. */
function verdicts(task: Task): readonly Field[] {
  const given = historyOf(task).filter(({ event }) => event === 'approved' || event === 'rejected');
  return given.map(({ time, event, agent, commit, reason }): Field => {
    const on = typeof commit === 'string' ? ` of ${commit.slice(0, 12)}` : '';
    const said = typeof reason === 'string' && reason !== '' ? `\n${reason}` : '';
    return [moment(time), `${event === 'approved' ? 'APPROVED' : 'REJECTED'}${on} by ${agent ?? 'somebody'}${said}`];
  });
}

/** What the approvals of the commit name for each criterion. */
function criteriaText(task: Task): string | undefined {
  const told = approvals(task).flatMap((entry) => [
    ...(entry.by_hand === true ? [`${BY_HAND} (${entry.agent}): it names no evidence for them`] : []),
    ...byCriterion(shownIn(entry)).flatMap(([{ n, criterion }, all]) => [
      `${n}. ${asStored(criterion)}`,
      ...all.map((one) => `   → ${asStored(shownText(one))}`),
    ]),
  ]);
  return told.length === 0 ? undefined : told.join('\n');
}

const concernsText = (task: Task): string | undefined =>
  approvals(task)
    .flatMap((entry) => concernsOf(entry).map((one) => `- ${concernText(one)} (${entry.agent})`))
    .join('\n');

function approvals(task: Task): readonly HistoryEvent[] {
  return historyOf(task).filter(({ event, commit }) => event === 'approved' && commit === task.review_commit);
}

/** Blockers of the last rejection in files that the rejected change does not touch. */
function flaggedText(task: Task): string | undefined {
  const rejected = historyOf(task).findLast(({ event }) => event === 'rejected');
  const outside = rejected === undefined || task.rejection_reason === undefined ? [] : besideTheChange(rejected);
  return outside.length === 0 ? undefined : outside.map((one) => `the change does not touch ${one}`).join('\n');
}

type Approval = NonNullable<Task['approvals']>[number];

/** With the agent CLI that was behind it, where that is on record. */
function reviewerText({ sessions = [] }: Task, { by, time, provider }: Approval): string {
  const cli =
    provider ?? sessions.find(({ agent, since, ended }) => agent === by && since <= time && time <= ended)?.provider;
  return `${by} (${cli ?? 'the CLI is unknown'})`;
}

function approverText(task: Task): string | undefined {
  const last = task.approvals?.findLast(({ by }) => by === task.approved_by);
  return last === undefined ? task.approved_by : reviewerText(task, last);
}

const handoff = (left: Handoff | undefined): readonly Field[] =>
  left === undefined
    ? []
    : [
        ['from', `${left.agent} at ${moment(left.timestamp)}`],
        ['summary', left.summary],
        ['next action', left.next_action],
        ['approach', left.approach],
        ['blockers', left.blockers],
        ['files', left.files_modified?.join('\n')],
        ['next steps', left.next_steps?.map((step) => `- ${step}`).join('\n')],
      ];

/** Fields that this version does not know are shown too. */
const others = (task: Task): readonly Field[] => Object.entries(task).filter(([key]) => !KNOWN.has(key));

const KNOWN: ReadonlySet<string> = new Set(
  (
    'id description type status priority spec_ref spec_hash spec_seen done_when scope depends_on needs validation created assigned_to worktree ' +
    'base_commit iteration epoch lease_expires claiming reserved_for excluded_coders keep_worktree review_commit ' +
    'rejection_reason reviewing_by review_lease_expires approvals approved_by merging merge_first merge_held merge_commit review_cycles_current ' +
    'review_cycles_total max_iterations max_review_cycles blocked_reason blocked_questions attempted failed_by ' +
    'failures_current integration_fix handoff_pending supersedes superseded_by rescope_reason paused budget usage sessions history'
  ).split(' '),
);

/** What people read to the letter or copy. */
const COPIED: ReadonlySet<string> = new Set([
  'spec',
  'done when',
  'scope',
  'validation',
  'on the base',
  'questions',
  'output',
  'remedy',
  'commit',
  'criteria',
]);

export const isTold = ([, value]: Field): boolean => value !== undefined && value !== null && value !== '';

function fields(title: string, all: readonly Field[], p: Page): readonly Line[] {
  const told = all.filter(isTold);
  // A time is wider than any other label.
  const wide = Math.max(LABEL, ...told.map(([label]) => Math.min(TIME, columns(p.say(label)))));
  const lines = told.flatMap(([label, value]): readonly Line[] => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const copied = COPIED.has(label);
    // A command that is wrapped cannot be copied.
    const room = label === 'validation' ? Number.MAX_SAFE_INTEGER : p.width - wide - 4;
    const parts = copied ? p.whole(text, room) : p.lines(text, room);
    return parts.map((part, i) => [
      { text: `  ${pad(i === 0 ? p.say(label) : '', wide)}  `, tone: 'faint' },
      { text: part, ...(copied ? { whole: true } : {}) },
    ]);
  });
  return lines.length === 0 ? [] : [[{ text: title, tone: 'strong' }], ...lines];
}
