// The whole board as lines: a pure function of what the crew shows, what the person looks at and how large
// the terminal is. Never more lines than its height, never a line wider than its width. Where room is short
// the most urgent stays and what is cut is counted.

import { type StatusView, statusView } from '../../report/status-view.ts';
import type { CrewView } from '../../supervisor/crew-view.ts';
import { type Line, type Pen, pen, squeeze } from '../render/layout.ts';
import { byInterest, type MemberRow, memberLines, memberRows } from './agents.ts';
import { detailLines } from './detail.ts';
import { alarmLines, happeningLine } from './events.ts';
import { header } from './header.ts';
import { heading, shown, windowOf } from './lines.ts';
import { helpLines, type LogView, logLines } from './pages.ts';
import type { Ground, LiveLook, Screen } from './screen.ts';
import { countSpans, taskLines, taskRows } from './tasks.ts';

/** From so many rows on, sections are set apart by blank lines. */
const ROOMY = 36;

export interface Frame {
  readonly lines: readonly Line[];
  /** What the keys move about in. */
  readonly ground: Ground;
}

export function frame(view: CrewView, screen: Screen, look: LiveLook, log: LogView = { lines: [] }): Frame {
  const p = bounded(pen(look));
  const status = statusView(view.board, view.now, view.alarms);
  const members = memberRows(view, status, look);
  const height = Math.max(2, look.height);
  const foot = footer(screen, p);
  const room = height - 1;
  const page = pageLines(view, screen, log, room, p, look);
  const top = header(view, status, screen, p, look);
  const standing = alarmSection(view, room >= ROOMY ? 6 : 2, p);
  const { order, lines: agents } = agentSection(members, screen, height, p, look);
  const body =
    page === undefined
      ? boardLines(view, status, screen, { top, standing, agents }, room, p, look)
      : page.lines.slice(page.from, page.from + room);
  const filled = [...body.slice(0, room), ...Array.from({ length: Math.max(0, room - body.length) }, (): Line => [])];
  return {
    lines: [...filled, foot].map((line) => squeeze(line, look.width, p.more)),
    ground: ground(view, status, order, page?.most ?? 0, room),
  };
}

/** A megabyte that an agent wrote on one line shall not be measured at every frame: no more than could be shown. */
const bounded = (p: Pen): Pen => ({
  ...p,
  say: (text) => p.say(text.slice(0, 1000)),
  lines: (text, width) => p.lines(text.slice(0, 4000), width),
});

interface Page {
  readonly lines: readonly Line[];
  readonly from: number;
  readonly most: number;
}

function pageLines(
  view: CrewView,
  screen: Screen,
  log: LogView,
  room: number,
  p: Pen,
  look: LiveLook,
): Page | undefined {
  const { pane, scroll } = screen;
  if (pane.kind === 'board') return undefined;
  if (pane.kind === 'log') {
    const most = Math.max(0, log.lines.length - room + 1);
    return { lines: logLines(view, pane.agent, log, Math.min(scroll, most), room, p), from: 0, most };
  }
  const lines = pane.kind === 'help' ? helpLines(p) : detailLines(view, pane.id, p, look);
  const most = Math.max(0, lines.length - room);
  return { lines, from: Math.min(scroll, most), most };
}

interface Parts {
  readonly top: readonly Line[];
  readonly standing: readonly Line[];
  readonly agents: readonly Line[];
}

/** Tasks and events share what the rest leaves. */
function boardLines(
  view: CrewView,
  status: StatusView,
  screen: Screen,
  { top, standing, agents }: Parts,
  room: number,
  p: Pen,
  look: LiveLook,
): readonly Line[] {
  const roomy = room >= ROOMY;
  const gap: readonly Line[] = roomy ? [[]] : [];
  const gaps = gap.length * (standing.length > 0 ? 4 : 3);
  const free = room - top.length - standing.length - agents.length - 2 - gaps;
  const tasks = taskSection(status, screen, free - Math.min(view.events.length, roomy ? 6 : 3), p, look);
  const happened = Math.max(0, free - tasks.length);
  return [
    ...top,
    ...gap,
    ...agents,
    ...gap,
    heading('Tasks', countSpans(status, p), p, look.unicode),
    ...tasks,
    ...(standing.length > 0 ? gap : []),
    ...standing,
    ...gap,
    heading('Happened', [], p, look.unicode),
    ...(happened === 0 ? [] : view.events.slice(-happened)).map((one) => happeningLine(one, p, look.zone)),
  ];
}

function alarmSection({ alarms }: CrewView, most: number, p: Pen): readonly Line[] {
  const window = windowOf(alarms.length, most, 0);
  return shown(alarmLines(alarms, p).slice(window.from, window.to), window, alarms.length, p, 'alarms');
}

interface AgentSection {
  readonly order: readonly MemberRow[];
  readonly lines: readonly Line[];
}

/** By the height alone: agents shall not change their form whenever a line comes above them. */
function agentSection(
  members: readonly MemberRow[],
  screen: Screen,
  height: number,
  p: Pen,
  look: LiveLook,
): AgentSection {
  const marked = screen.chosen?.kind === 'agent' ? screen.chosen.id : undefined;
  const head = heading('Agents', [], p, look.unicode);
  const loose = memberLines(members, 'two-lines', marked, p, look).flat();
  if (loose.length <= (height - 5) * 0.42) return { order: members, lines: [head, ...loose] };
  const room = Math.max(1, Math.floor((height - 5) * 0.36));
  const order = members.length <= room ? members : byInterest(members);
  const at = order.findIndex(({ id }) => id === marked);
  const window = windowOf(order.length, room, at);
  const lines = memberLines(order.slice(window.from, window.to), 'one-line', marked, p, look).flat();
  return { order, lines: [head, ...shown(lines, window, order.length, p, 'agents')] };
}

function taskSection(status: StatusView, screen: Screen, room: number, p: Pen, look: LiveLook): readonly Line[] {
  const tasks = taskRows(status);
  if (tasks.length === 0) return [[{ text: '  none yet', tone: 'faint' }]];
  const marked = screen.chosen?.kind === 'task' ? screen.chosen.id : undefined;
  const window = windowOf(
    tasks.length,
    Math.max(1, room),
    tasks.findIndex(({ id }) => id === marked),
  );
  const lines = taskLines(tasks.slice(window.from, window.to), marked, p, look);
  return shown(lines, window, tasks.length, p, 'tasks');
}

function footer(screen: Screen, p: Pen): Line {
  const { pane, stops, said } = screen;
  const back = ['esc back', 'arrows scroll', 'p pause', 'r resume', 'Ctrl-C stop'];
  const quit = stops === 0 ? 'q quit' : 'q at once';
  const keys =
    pane.kind === 'board' ? ['p pause', 'r resume', 'arrows choose', 'enter open', 'l log', '? help', quit] : back;
  // In the keys' own line, so that nothing else moves for it.
  const answer: Line = said === undefined ? [] : [{ text: `${p.say(said)}  `, tone: 'strong' }];
  return [...answer, { text: keys.join(p.dot), tone: 'faint' }];
}

function ground(view: CrewView, status: StatusView, members: readonly MemberRow[], most: number, page: number): Ground {
  const tasks = taskRows(status);
  const withLog = new Set(view.members.filter(({ session }) => session !== undefined).map(({ agent }) => agent));
  return {
    choices: [
      ...members.map(({ id }) => ({ kind: 'agent', id }) as const),
      ...tasks.map(({ id }) => ({ kind: 'task', id }) as const),
    ],
    taskOf: ({ kind, id }) => (kind === 'task' ? id : members.find((member) => member.id === id)?.task),
    agentOf: ({ kind, id }) => {
      if (kind === 'agent') return withLog.has(id) ? id : undefined;
      const task = tasks.find((one) => one.id === id);
      return [task?.reviewer, task?.owner].find((agent) => agent !== undefined && withLog.has(agent));
    },
    most,
    page: Math.max(1, page - 2),
  };
}
