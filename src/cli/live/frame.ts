// The whole board as lines: a pure function of what the crew shows, what the person looks at and how large
// the terminal is. Never more lines than its height, never a line wider than its width. Where room is short
// the most urgent stays and what is cut is counted.

import type { Alarm } from '../../alarms/rules/alarm.ts';
import { isUrgent } from '../../protocol/messages/discoveries.ts';
import type { Discovery } from '../../protocol/state.ts';
import { type StatusView, statusView, type TaskView } from '../../report/status-view.ts';
import type { CrewEvent, CrewView } from '../../supervisor/crew-view.ts';
import { type Line, type Page, pageFor, squeeze } from '../render/layout.ts';
import { columns } from '../render/terminal.ts';
import { type Choice, offersFor } from './actions.ts';
import { byInterest, type MemberRow, memberLines, memberRows } from './agents.ts';
import { alarmLines, byUrgency, discoveryLines, eventId, happenedLines } from './events.ts';
import { footer } from './footer.ts';
import { header } from './header.ts';
import { bounded, heading, shown, windowOf } from './lines.ts';
import { type Loaded, NOTHING_LOADED, openPane, type PaneView } from './panes.ts';
import { answerable, questionRows } from './questions.ts';
import type { Ground, LiveLook, OnQuit, Screen } from './screen.ts';
import { countSpans, taskLines, taskRows } from './tasks.ts';

/** From so many rows on, sections are set apart by blank lines. */
const ROOMY = 36;

export interface Frame {
  readonly lines: readonly Line[];
  /** What the keys move about in. */
  readonly ground: Ground;
}

/** One drawing of the board: what is shown, to whom, and on what. */
export interface Scene {
  readonly view: CrewView;
  readonly status: StatusView;
  readonly screen: Screen;
  readonly look: LiveLook;
  readonly p: Page;
  /** Rows above the footer. */
  readonly room: number;
  readonly loaded: Loaded;
  readonly onQuit: OnQuit;
  readonly taskOf: Ground['taskOf'];
  readonly offersOf: Ground['offersOf'];
}

/** What a frame needs besides the crew, the screen and the terminal. */
interface Aside {
  readonly loaded?: Loaded;
  readonly onQuit?: OnQuit;
}

export function frame(
  view: CrewView,
  screen: Screen,
  look: LiveLook,
  { loaded = NOTHING_LOADED, onQuit = 'ask' }: Aside = {},
): Frame {
  const p = bounded(pageFor(look));
  const status = statusView(view.board, view.now, view.alarms);
  const room = Math.max(2, look.height) - 1;
  const taskOf = tasksOf(view, status);
  const offersOf: Ground['offersOf'] = (target) => offersFor(view.board, view.now, target, target && taskOf(target));
  const scene: Scene = { view, status, screen, look, p, room, loaded, onQuit, taskOf, offersOf };
  const foot = footer(scene).slice(-room - 1);
  // A page ends above the footer, however many lines that has: when the crew has ended, for example.
  const page = { ...scene, room: Math.max(1, room + 1 - foot.length) };
  const pane = openPane(page);
  const agents = agentSection(scene);
  const { lines: body, events } =
    pane === undefined ? boardLines(scene, agents.lines) : { lines: pageRows(pane, page.room, p), events: [] };
  const left = Math.max(0, room + 1 - foot.length);
  const filled = [...body.slice(0, left), ...Array.from({ length: Math.max(0, left - body.length) }, (): Line => [])];
  return {
    lines: [...filled, ...foot].map((line) => squeeze(line, look.width, p.more)),
    ground: ground(page, agents.order, events, pane),
  };
}

/** The task of a row: itself, or the one that the agent works on. */
const tasksOf =
  ({ members }: CrewView, { agents }: StatusView): Ground['taskOf'] =>
  ({ kind, id }) => {
    if (kind === 'task') return id;
    if (kind !== 'agent') return undefined;
    return members.find(({ agent }) => agent === id)?.task ?? agents.find((agent) => agent.id === id)?.task;
  };

/** The rows of an open page; where more follows, the last row says so. */
function pageRows({ lines, from }: PaneView, room: number, p: Page): readonly Line[] {
  const below = lines.length - from - room;
  if (below <= 0) return lines.slice(from, from + room);
  const more = `  ${p.more} ${below + 1} more lines: arrow down`;
  return [...lines.slice(from, from + room - 1), [{ text: more, tone: 'faint' }]];
}

interface BoardPage {
  readonly lines: readonly Line[];
  /** Those of which a row is shown. */
  readonly events: readonly CrewEvent[];
}

/** Tasks and events share what the rest leaves. */
function boardLines(scene: Scene, agents: readonly Line[]): BoardPage {
  const { view, status, look, p, room } = scene;
  const head = header(scene);
  const top = [...head, ...questionRows(status, Math.max(1, Math.floor((room - head.length) * 0.3)), p)];
  const roomy = room >= ROOMY;
  const alarms = [
    ...alarmSection(scene, roomy ? 8 : Math.max(2, Math.floor(room / 8))),
    ...discoverySection(scene, roomy ? 4 : 2),
  ];
  const gap: readonly Line[] = roomy ? [[]] : [];
  const gaps = gap.length * (alarms.length > 0 ? 4 : 3);
  const free = room - top.length - alarms.length - agents.length - 2 - gaps;
  const tasks = taskSection(scene, free - Math.min(view.events.length, roomy ? 6 : 3));
  const rows = Math.max(0, free - tasks.length);
  const events = rows === 0 ? [] : view.events.slice(-rows);
  const marked = chosenOf(scene.screen, 'event');
  const lines = [
    ...top,
    ...gap,
    ...agents,
    ...gap,
    heading('Tasks', countSpans(status, p), p),
    ...tasks,
    ...(alarms.length > 0 ? gap : []),
    ...alarms,
    ...gap,
    heading('Happened', [], p),
    ...happenedLines(events, { rows, marked }, p, look.zone),
  ];
  return { lines, events };
}

/** Questions have a section of their own. */
const shownAlarms = (view: CrewView): readonly Alarm[] =>
  byUrgency(view.alarms.filter(({ name }) => name !== 'QUESTION'));

/** As many alarms as fit whole, the most urgent or the chosen one in any case; of one that is longer, its beginning. */
function alarmSection({ view, screen, p }: Scene, most: number): readonly Line[] {
  const alarms = shownAlarms(view);
  const marked = chosenOf(screen, 'alarm');
  const at = alarms.findIndex(({ key }) => key === marked);
  for (let fits = Math.min(alarms.length, most); fits > 0; fits -= 1) {
    const window = windowOf(alarms.length, fits, at);
    const rows = alarmLines(alarms.slice(window.from, window.to), marked, p).flat();
    const lines = shown(rows, window, p, 'alarms');
    if (lines.length <= most) return lines;
    if (fits === 1)
      return shown(cutTo(rows, Math.max(1, most - lines.length + rows.length), at >= 0, p), window, p, 'alarms');
  }
  return [];
}

/** The last line that is shown says that more follows, and how to read it. */
function cutTo(rows: readonly Line[], most: number, isMarked: boolean, p: Page): readonly Line[] {
  if (rows.length <= most) return rows;
  const how = ` ${p.more} ${isMarked ? '' : 'arrows, '}enter: all of it`;
  const last = squeeze(rows[most - 1] ?? [], Math.max(1, p.width - columns(how)), '');
  return [...rows.slice(0, most - 1), [...last, { text: how, tone: 'faint' }]];
}

/** Those that are no alarm already. */
const shownDiscoveries = ({ discoveries }: StatusView): readonly Discovery[] =>
  discoveries.filter((found) => !isUrgent(found));

function discoverySection({ status, screen, p }: Scene, most: number): readonly Line[] {
  const others = shownDiscoveries(status);
  const marked = chosenOf(screen, 'discovery');
  const at = others.findIndex(({ id }) => id === marked);
  const window = windowOf(others.length, most, at);
  const rows = discoveryLines(others.slice(window.from, window.to), marked, p);
  return shown(rows, window, p, 'discoveries: liza discovery list');
}

const chosenOf = ({ chosen }: Screen, kind: Choice['kind']): string | undefined =>
  chosen?.kind === kind ? chosen.id : undefined;

/** Every word of the filter is somewhere in the row. */
function passes({ filter = '' }: Screen, ...texts: readonly (string | undefined)[]): boolean {
  const row = texts.join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => row.includes(word));
}

const filteredTasks = ({ status, screen }: Scene): readonly TaskView[] =>
  taskRows(status).filter((task) =>
    passes(screen, task.id, task.status, task.owner, task.reviewer, task.description, task.blockedReason),
  );

interface AgentSection {
  readonly order: readonly MemberRow[];
  readonly lines: readonly Line[];
}

/** Depends on the height alone, so that agents do not change their form whenever a line comes above them. */
function agentSection({ view, status, screen, look, p, room: rows }: Scene): AgentSection {
  const members = memberRows(view, status, look).filter(({ id, task, state, provider, now }) =>
    passes(screen, id, task, state, provider, now),
  );
  const marked = chosenOf(screen, 'agent');
  const means = { text: '  bars: lease left, context used', tone: 'faint' } as const;
  const head = heading('Agents', members.some(({ lease }) => lease !== undefined) ? [means] : [], p);
  const loose = memberLines(members, 'two-lines', marked, p).flat();
  if (loose.length <= (rows - 4) * 0.42) return { order: members, lines: [head, ...loose] };
  const room = Math.max(1, Math.floor((rows - 4) * 0.36));
  const order = members.length <= room ? members : byInterest(members);
  const at = order.findIndex(({ id }) => id === marked);
  const window = windowOf(order.length, room, at);
  const lines = memberLines(order.slice(window.from, window.to), 'one-line', marked, p).flat();
  return { order, lines: [head, ...shown(lines, window, p, 'agents')] };
}

function taskSection(scene: Scene, room: number): readonly Line[] {
  const { screen, p } = scene;
  const tasks = filteredTasks(scene);
  if (tasks.length === 0)
    return [[{ text: taskRows(scene.status).length === 0 ? '  none yet' : '  none of them', tone: 'faint' }]];
  const marked = chosenOf(screen, 'task');
  const at = tasks.findIndex(({ id }) => id === marked);
  const window = windowOf(tasks.length, Math.max(1, room), at);
  return shown(taskLines(tasks.slice(window.from, window.to), marked, p), window, p, 'tasks');
}

function ground(
  scene: Scene,
  members: readonly MemberRow[],
  events: readonly CrewEvent[],
  pane: PaneView | undefined,
): Ground {
  const { view, status, room, onQuit, taskOf, offersOf } = scene;
  const tasks = filteredTasks(scene);
  const withLog = new Set(view.members.filter(({ session }) => session !== undefined).map(({ agent }) => agent));
  return {
    choices: [
      ...members.map(({ id }) => ({ kind: 'agent', id }) as const),
      ...tasks.map(({ id }) => ({ kind: 'task', id }) as const),
      ...shownAlarms(view).map(({ key }) => ({ kind: 'alarm', id: key }) as const),
      ...shownDiscoveries(status).map(({ id }) => ({ kind: 'discovery', id }) as const),
      ...events.map((event) => ({ kind: 'event', id: eventId(event) }) as const),
    ],
    taskOf,
    agentOf: ({ kind, id }) => {
      if (kind === 'agent') return id;
      const task = tasks.find((one) => one.id === id);
      const had = [task?.reviewer, task?.owner].filter((agent) => agent !== undefined);
      return had.find((agent) => withLog.has(agent)) ?? had[0];
    },
    logAgent: members.find(({ id }) => withLog.has(id))?.id ?? members[0]?.id,
    questions: answerable(view.board.state, status),
    marked: pane?.marked,
    offersOf,
    logs: scene.loaded.logs.map(({ agent, path }) => ({
      agent,
      back: scene.loaded.logs.filter((one) => one.agent === agent).findIndex((one) => one.path === path),
    })),
    most: pane?.most ?? 0,
    page: Math.max(1, room - 2),
    onQuit,
    atWork: view.members.some(({ state }) => state !== 'stopped'),
  };
}
