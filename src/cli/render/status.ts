// `liza status` on a terminal: a page that stays a page however many tasks there are. Most urgent first,
// one line a task, what ended only counted. Lays out a StatusView and decides nothing.

import { amountText, scopeText, UNITS, type Unit } from '../../budget/rules/limits.ts';
import type { SpendingView } from '../../budget/rules/spending-view.ts';
import { roleOfId } from '../../protocol/board.ts';
import { distanceLines } from '../../protocol/goal/base-distance.ts';
import { discoveryHead, holdsGoal } from '../../protocol/messages/discoveries.ts';
import { needsPerson } from '../../protocol/messages/questions.ts';
import { type Discovery, isTerminal } from '../../protocol/state.ts';
import { isTriedAgain, type SetupRun, setupRunText } from '../../protocol/work/setup-runs.ts';
import type { Way } from '../../protocol/work/ways-on.ts';
import {
  type AgentView,
  type AnomalyView,
  doneText,
  isSprintTold,
  type QuestionView,
  type StatusView,
  type TaskView,
} from '../../report/status-view.ts';
import { nothingMovesText } from '../../supervisor/rules/why-idle.ts';
import { counted, gist, whole } from '../../text/format.ts';
import { duration, type Instant } from '../../text/time.ts';
import { grouped, type Line, leaseWords, type Page, pageFor, type Span, STATUS_TONE } from './layout.ts';
import { clip, columns, type Look, pad } from './terminal.ts';

interface StatusLook extends Look {
  /** The agent that asks; a person without it. */
  readonly reader?: string | undefined;
  readonly now?: Instant;
}

const MOST = 12;
/** Ended tasks are named only while there are so few. */
const FEW_ENDED = 3;

export function renderStatus(view: StatusView, look: StatusLook): string {
  const p = pageFor(look);
  const most = look.all ? Number.POSITIVE_INFINITY : MOST;
  const on = { p, most };
  const sections = [
    header(view, p),
    section('Open questions', view.questions, on, (all) => all.flatMap((one) => questionLines(one, p, look.reader))),
    look.reader === undefined ? crewLines(view.crew, p) : [],
    (view.setUp ?? []).flatMap((run) => setupLines(run, look.now ?? run.since, p)),
    counts(view, p),
    taskGroups(view, p, { most, reader: look.reader }),
    section('Agents', view.agents, on, (agents) => agentLines(agents, leaseholders(view), p)),
    section('Spent', view.spending, on, spendingLines),
    section('Alarms', urgentFirst(view.alarms.filter(isToldHere)), on, alarmLines),
    section('Open discoveries', view.discoveries, on, (found) =>
      found.flatMap((one) => hanging(discoveryText(one, p), p, holdsGoal(one) ? 'warn' : undefined)),
    ),
    section('Anomalies', view.anomalies, on, (anomalies) =>
      anomalies.flatMap((one) => hanging(anomalyText(one, p), p)),
    ),
    section('Notices', view.notices, on, (notices) => notices.flatMap(({ message }) => hanging(message, p))),
    view.queue === undefined ? [] : hanging(view.queue, p),
    view.why === undefined || isTriedAgain(view.setUp, view.why) ? [] : nothingMoves(view.why, p),
    isToldAlready(view) ? [] : distanceLines(view.base, view.goal).flatMap((line) => hanging(line, p, 'warn')),
    view.tests === undefined ? [] : hanging(view.tests, p, 'warn'),
    view.sandbox === undefined ? [] : confined(view.sandbox, p),
  ];
  const lines = sections.filter((lines) => lines.length > 0).flatMap((lines, i) => (i === 0 ? lines : [[], ...lines]));
  return `${p.print(lines)}\n`;
}

function header(view: StatusView, p: Page): readonly Line[] {
  const { goal, sprint } = view;
  const bar = p.bar(sprint.done, sprint.planned, p.width >= 60 ? 20 : 10);
  const progress = sprint.planned === 0 ? 'nothing planned yet' : doneText(sprint);
  const state = isSprintTold(view) ? `${p.dot}${sprint.text}` : '';
  const left = sprint.deadlineLeft;
  const deadline =
    left === undefined
      ? ''
      : p.dot + (left < 0 ? `deadline ${duration(-left)} ago` : `${duration(left)} to the deadline`);
  return [
    p.spread([{ text: p.say(goal.description), tone: 'strong' }], [{ text: goal.status }]),
    [
      { text: `${p.say(sprint.id)}  ` },
      { text: bar, tone: 'good' },
      { text: `  ${progress}${state}` },
      { text: deadline, tone: left !== undefined && left < 0 ? 'bad' : undefined },
    ],
    ...view.switches.map(({ name, age }): Line => [{ text: `${name} is on for ${duration(age)}`, tone: 'bad' }]),
  ];
}

function crewLines(crew: StatusView['crew'], p: Page): readonly Line[] {
  if (crew === undefined) return [];
  const age = crew.age === undefined ? '' : `, for ${duration(crew.age)}`;
  const text = `A crew runs here (process ${crew.pid}${age}), also without a terminal. See it: liza attach; stop it: liza stop`;
  return p.lines(text, p.width).map((line) => [{ text: line }]);
}

/** What everybody waits for, with its time. */
export const setupLines = (run: SetupRun, now: Instant, p: Page, told?: typeof duration): readonly Line[] =>
  p.lines(p.say(sentence(setupRunText(run, now, told))), p.width).map((text) => [{ text, tone: 'busy' }]);

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Whole: nobody can answer a question that is cut. */
export function questionLines(question: QuestionView, p: Page, reader?: string): readonly Line[] {
  const { id, askedBy, task, spec, text, assume, blocks, age } = question;
  const facts = [
    `${askedBy}${age === undefined ? '' : `, ${duration(age)} ago`}`,
    ...(task === undefined ? [] : [blocks ? `${task} is BLOCKED by it` : task]),
    ...(spec === undefined ? [] : [spec]),
  ];
  const indented = (said: string, tone?: Span['tone']): readonly Line[] =>
    p.whole(said, p.width - 6).map((line) => [{ text: '      ' }, { text: line, tone, whole: true }]);
  return [
    [
      { text: `  ${p.say(id)}  `, tone: 'strong' },
      { text: facts.map((fact) => p.say(fact)).join(p.dot), tone: 'faint' },
    ],
    ...indented(`? ${text}`, 'warn'),
    ...(assume === undefined ? [] : indented(`continues with: ${assume}`)),
    ...answering(question, reader).map((command): Line => [{ text: `      ${command} "${p.more}"`, tone: 'faint' }]),
  ];
}

/** What the reader can do about it: a person answers everybody, a planner coders and reviewers, the asker takes it back. */
function answering({ id, askedBy, blocks }: QuestionView, reader: string | undefined): readonly string[] {
  if (reader === undefined) return [`liza answer ${id}`];
  if (reader === askedBy) return blocks ? [] : [`liza ask --withdraw ${id} --reason`];
  return roleOfId(reader) === 'planner' && !needsPerson({ asked_by: askedBy }) ? [`liza answer ${id}`] : [];
}

function counts(view: StatusView, p: Page): readonly Line[] {
  if (view.counts.length === 0) return [[{ text: 'No tasks yet', tone: 'faint' }]];
  const items = view.counts.map(({ status, count }) => ({
    text: `${grouped(count)} ${status}`,
    tone: STATUS_TONE[status],
  }));
  return p.flow(items, '');
}

interface ListLook {
  readonly most: number;
  readonly reader: string | undefined;
}

interface TaskLook {
  readonly idWidth: number;
  readonly reader: string | undefined;
}

function taskGroups(view: StatusView, p: Page, { most, reader }: ListLook): readonly Line[] {
  const ended = view.groups
    .filter(({ status }) => isTerminal(status))
    .reduce((sum, { tasks }) => sum + tasks.length, 0);
  const groups = view.groups.filter(({ status }) => !isTerminal(status) || ended <= FEW_ENDED || most > MOST);
  const shown = groups.flatMap(({ tasks }) => tasks.slice(0, most));
  const idWidth = Math.min(Math.floor(p.width / 4), Math.max(0, ...shown.map(({ id }) => columns(id))));
  // What stands above as an open question is not said again.
  const told = new Set(view.questions.slice(0, most).map(({ task, text }) => `${task} ${text}`));
  const withoutTold = (task: TaskView): TaskView =>
    task.questions.length === 0
      ? task
      : { ...task, questions: task.questions.filter((text) => !told.has(`${task.id} ${text}`)) };
  return groups.flatMap(({ status, tasks }): readonly Line[] => [
    [{ text: status, tone: STATUS_TONE[status] ?? 'strong' }],
    ...tasks.slice(0, most).flatMap((task) => taskLines(withoutTold(task), p, { idWidth, reader })),
    ...overflow(tasks.length, p, most),
  ]);
}

function taskLines(task: TaskView, p: Page, { idWidth, reader }: TaskLook): readonly Line[] {
  // What a person must read to help is whole, below where there is no room.
  const { blockedReason: why } = task;
  const isLong = why !== undefined && columns(why) + idWidth > p.width / 2;
  const about = isLong ? '' : (why ?? task.description);
  const facts = taskFacts(task)
    .map((fact) => p.say(fact))
    .join(p.dot);
  const head: Span[] = [
    { text: `  ${pad(p.say(task.id), idWidth)}  ` },
    { text: `P${task.priority}  `, tone: 'faint' },
    { text: facts },
    { text: `${facts === '' || about === '' ? '' : p.dot}${p.say(about)}`, tone: 'faint' },
  ];
  const indent = ' '.repeat(idWidth + 8);
  const reason = isLong ? p.lines(p.say(why), p.width - indent.length) : [];
  const questions = task.questions.flatMap((question) =>
    p
      .whole(question, p.width - indent.length - 2)
      .map(
        (text, at): Line => [{ text: indent }, { text: `${at === 0 ? '? ' : '  '}${text}`, tone: 'warn', whole: true }],
      ),
  );
  const ways = reader === undefined ? task.ways.flatMap((way) => wayLines(way, indent, p)) : [];
  return [head, ...reason.map((text): Line => [{ text: indent }, { text, tone: 'faint' }]), ...questions, ...ways];
}

/** What follows stands beside the command where there is room, else below. */
export function wayLines({ line, says }: Way, indent: string, p: Page): readonly Line[] {
  const beside = `${line} (${says})`;
  if (indent.length + columns(beside) <= p.width) return [[{ text: indent }, { text: p.say(beside), tone: 'faint' }]];
  const below = p.lines(p.say(`(${says})`), p.width - indent.length - 2);
  return [
    [{ text: indent }, { text: p.say(line), tone: 'faint', whole: true }],
    ...below.map((text): Line => [{ text: `${indent}  ` }, { text, tone: 'faint' }]),
  ];
}

const STOPPED = 'stopped in order';
const heldWords = ({ holderStopped, holderGaveUp, leaseLeft }: TaskView): string =>
  holderGaveUp === true ? 'gave up' : holderStopped === true ? STOPPED : leaseWords(leaseLeft);

const endedWords = ({ ended, why, leaseLeft }: AgentView): string =>
  ended === 'gave-up' ? `gave up: ${why}` : ended === 'in-order' ? STOPPED : leaseWords(leaseLeft);

function taskFacts(task: TaskView): readonly string[] {
  const cycles = task.reviewCycle === 0 ? [] : [`rejected ${task.reviewCycle}/${task.maxReviewCycles}`];
  const iteration = task.iteration === 0 ? [] : [`iteration ${task.iteration}/${task.maxIterations}`];
  const owner = task.owner === undefined ? [] : [task.owner];
  const waits =
    task.waits.length === 0 ? [] : [`waits for ${task.waits.map((w) => `${w.id} (${w.status})`).join(', ')}`];
  const paused = task.paused ? ['paused'] : [];
  switch (task.status) {
    case 'CLAIMED':
      return [...paused, ...owner, heldWords(task), ...iteration, ...cycles];
    case 'READY_FOR_REVIEW': {
      const review = task.reviewer === undefined ? 'waits for a reviewer' : `${task.reviewer}, ${heldWords(task)}`;
      return [...paused, review, ...owner.map((id) => `by ${id}`), ...cycles];
    }
    case 'REJECTED':
      return [...paused, ...owner.map((id) => `back to ${id}`), ...iteration, ...cycles];
    case 'BLOCKED':
    case 'INTEGRATION_FAILED':
    case 'APPROVED':
      return [...paused, ...owner, ...cycles];
    case 'UNCLAIMED':
    case 'DRAFT':
      return [...paused, ...(task.reservedFor === undefined ? [] : [`reserved for ${task.reservedFor}`]), ...waits];
    case 'MERGED':
    case 'SUPERSEDED':
    case 'ABANDONED':
      return owner;
    default:
      return task.status satisfies never;
  }
}

/** Agents whose lease stands beside their task: it is not told twice. */
const leaseholders = ({ groups }: StatusView): ReadonlySet<string | undefined> =>
  new Set(
    groups.flatMap(({ tasks }) =>
      tasks.flatMap(({ status, leaseLeft, owner, reviewer }) =>
        leaseLeft === undefined ? [] : [status === 'CLAIMED' ? owner : reviewer],
      ),
    ),
  );

function agentLines(agents: readonly AgentView[], told: ReadonlySet<string | undefined>, p: Page): readonly Line[] {
  const idWidth = Math.max(...agents.map(({ id }) => columns(p.say(id))));
  const statusWidth = Math.max(...agents.map(({ status }) => status.length));
  return agents.map((agent) => {
    const context = agent.contextPercent === undefined ? [] : [`context ${Math.round(agent.contextPercent)} %`];
    const lease = told.has(agent.id) && agent.ended !== 'gave-up' ? [] : [endedWords(agent)];
    const facts = [...(agent.task === undefined ? [] : [agent.task]), ...lease, ...context];
    return [
      { text: `  ${pad(p.say(agent.id), idWidth)}  ` },
      { text: pad(agent.status, statusWidth), tone: agent.gone ? 'warn' : 'busy' },
      { text: `  ${facts.map((fact) => p.say(fact)).join(p.dot)}`, tone: agent.gone ? 'warn' : undefined },
    ];
  });
}

/** Questions have a section of their own. */
const isToldHere = ({ name }: StatusView['alarms'][number]): boolean => name !== 'QUESTION';

const urgentFirst = (alarms: StatusView['alarms']): StatusView['alarms'] => [
  ...alarms.filter(({ level }) => level === 'alarm'),
  ...alarms.filter(({ level }) => level !== 'alarm'),
];

const alarmLines = (alarms: StatusView['alarms'], p: Page): readonly Line[] =>
  alarms.flatMap(({ text, level }) => hanging(text, p, level === 'alarm' ? 'bad' : 'warn'));

/** `disc-1, high, by coder-1 during parse: no timeout; recommends: add one` */
function discoveryText(found: Discovery, { all }: Page): string {
  const told = (text: string): string => (all ? whole(text) : gist(text, LONGEST));
  const next = found.recommendation === undefined ? '' : `; recommends: ${told(found.recommendation)}`;
  return `${discoveryHead(found)}: ${told(found.description)}${next}`;
}
const LONGEST = 1000;

/** `anomaly-3 retry_loop, parse, coder-1: error_pattern: ECONNRESET; count: 3` */
function anomalyText({ id, type, task, reporter, details }: AnomalyView, { all }: Page): string {
  const who = [`${id === undefined ? '' : `${id} `}${type}`, task, reporter].filter((part) => part !== undefined);
  const said = Object.entries(details).map(
    ([key, value]) => `${key}: ${all ? whole(String(value)) : gist(String(value))}`,
  );
  const cut = !all && Object.values(details).some((value) => gist(String(value)) !== whole(String(value)));
  const rest = cut ? ` (all of it: liza ${id === undefined ? 'anomaly list' : `show ${id}`})` : '';
  return `${who.join(', ')}${said.length === 0 ? '' : `: ${said.join('; ')}`}${rest}`;
}

/** Why nothing moves after the goal's end is that same step, unless a switch comes first. */
const isToldAlready = ({ goal, switches }: StatusView): boolean => goal.status === 'COMPLETED' && switches.length === 0;

function nothingMoves(why: string, p: Page): readonly Line[] {
  return p.lines(p.say(nothingMovesText(why)), p.width).map((text) => [{ text, tone: 'strong' }]);
}

const confined = (text: string, p: Page): readonly Line[] =>
  p.lines(p.say(text), p.width).map((line) => [{ text: line, tone: 'faint' }]);

/** One message, wrapped, its further lines indented. */
function hanging(message: string, p: Page, tone?: Span['tone']): readonly Line[] {
  return p.lines(p.say(message), p.width - 5).map((text, i) => [{ text: i === 0 ? '  ' : '     ' }, { text, tone }]);
}

function section<T>(
  title: string,
  items: readonly T[],
  { p, most }: { readonly p: Page; readonly most: number },
  lines: (shown: readonly T[], p: Page) => readonly Line[],
): readonly Line[] {
  if (items.length === 0) return [];
  return [[{ text: title, tone: 'strong' }], ...lines(items.slice(0, most), p), ...overflow(items.length, p, most)];
}

function overflow(total: number, p: Page, most: number): readonly Line[] {
  return total <= most
    ? []
    : [[{ text: `  ${p.more} ${grouped(total - most)} more: liza status --all`, tone: 'faint' }]];
}

function spendingLines(all: readonly SpendingView[], p: Page): readonly Line[] {
  const name = (one: SpendingView): string => p.say(scopeText(one).replace(/^the /, ''));
  // A task's id may be long; `today (UTC)` always fits.
  const most = Math.max(11, Math.floor(p.width / 4));
  const width = Math.min(most, Math.max(0, ...all.map((one) => columns(name(one)))));
  const indent = ' '.repeat(width + 4);
  return all.flatMap((one): readonly Line[] => {
    const levels = Object.values(one.limits).map(({ level }) => level);
    const tone = levels.includes('hard') ? 'bad' : levels.includes('soft') ? 'warn' : undefined;
    const items = spendingFacts(one).flatMap((text) => p.lines(text, p.width - indent.length));
    const [[, ...first] = [], ...more] = p.flow(
      items.map((text) => ({ text, tone })),
      indent,
    );
    return [[{ text: `  ${pad(p.isWhole ? name(one) : clip(name(one), width, p.more), width)}  ` }, ...first], ...more];
  });
}

/** What is limited first. */
export function spendingFacts(one: SpendingView): readonly string[] {
  const percent = (unit: Unit): number => one.limits[unit]?.percent ?? -1;
  return UNITS.toSorted((a, b) => percent(b) - percent(a)).flatMap((unit) => fact(one, unit));
}

function unknownWords(one: SpendingView, unit: Unit): string | undefined {
  if (unit !== 'usd' && unit !== 'tokens') return undefined;
  const missing = unit === 'usd' ? one.unknown_cost_sessions : one.unknown_token_sessions;
  return missing === 0 ? undefined : `${unit === 'usd' ? 'cost' : 'tokens'} of ${counted(missing, 'session')} unknown`;
}

function fact(one: SpendingView, unit: Unit): readonly string[] {
  const limit = one.limits[unit];
  const unknown = unknownWords(one, unit);
  const spent = unit === 'tokens' && one.tokens === 0 && unknown !== undefined ? undefined : one[unit];
  if (spent === undefined && limit === undefined) return unknown === undefined ? [] : [unknown];
  const words = amountText(spent ?? 0, unit);
  const known =
    limit === undefined
      ? words
      : `${words} of ${amountText(limit.limit, unit)}, ${limit.level === 'hard' ? 'used up' : `${amountText(limit.left, unit)} left`}`;
  return [unknown === undefined ? known : `${known} (${unknown})`];
}
