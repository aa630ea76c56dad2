// The whole board as lines: a pure function of what the crew shows, what the person looks at and how large
// the terminal is. Never more lines than its height, never a line wider than its width. Where room is short
// the most urgent stays and what is cut is counted.

import { isUrgent } from '../../protocol/messages/discoveries.ts';
import { type StatusView, statusView } from '../../report/status-view.ts';
import type { CrewView } from '../../supervisor/crew-view.ts';
import { type Line, type Page, pageFor, squeeze } from '../render/layout.ts';
import { columns } from '../render/terminal.ts';
import { byInterest, type MemberRow, memberLines, memberRows } from './agents.ts';
import { detailLines } from './detail.ts';
import { alarmLines, discoveryLines, happeningLine } from './events.ts';
import { header } from './header.ts';
import { heading, shown, windowOf } from './lines.ts';
import { helpLines, type LogView, logLines } from './pages.ts';
import { answerable, answerPage, questionPage, questionRows } from './questions.ts';
import type { Ground, LiveLook, Screen } from './screen.ts';
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
}

export function frame(view: CrewView, screen: Screen, look: LiveLook, log: LogView = { lines: [] }): Frame {
  const p = bounded(pageFor(look));
  const status = statusView(view.board, view.now, view.alarms);
  const room = Math.max(2, look.height) - 1;
  const scene = { view, status, screen, look, p, room };
  const foot = footer(screen, p).slice(-room - 1);
  const pane = openPane(scene, log);
  const agents = agentSection(scene);
  const body = pane === undefined ? boardLines(scene, agents.lines) : pane.lines.slice(pane.from, pane.from + room);
  const left = Math.max(0, room + 1 - foot.length);
  const filled = [...body.slice(0, left), ...Array.from({ length: Math.max(0, left - body.length) }, (): Line => [])];
  return {
    lines: [...filled, ...foot].map((line) => squeeze(line, look.width, p.more)),
    ground: ground(scene, agents.order, pane),
  };
}

/** Cuts what could not be shown anyway, so that a megabyte on one line is not measured at every frame. */
const bounded = (p: Page, longest = 4000): Page => ({
  ...p,
  say: (text) => p.say(text.slice(0, 1000)),
  lines: (text, width) => p.lines(text.slice(0, longest), width),
});

/** As much as a question or an answer on the board may have, and a little for what is said around it. */
const TEXT_LIMIT = 17_000;

interface OpenPane {
  readonly lines: readonly Line[];
  readonly from: number;
  readonly most: number;
  /** Of the page of questions. */
  readonly marked?: string | undefined;
}

function openPane({ view, status, screen, look, p, room }: Scene, log: LogView): OpenPane | undefined {
  const { pane, scroll } = screen;
  if (pane.kind === 'board') return undefined;
  if (pane.kind === 'log') {
    const most = Math.max(0, log.lines.length - room + 1);
    const back = Math.min(scroll, most);
    return { lines: logLines({ view, agent: pane.agent, log, back, room }, p), from: 0, most };
  }
  // A question and its answer are never cut.
  const asked = { state: view.board.state, status };
  const long = bounded(pageFor(look), TEXT_LIMIT);
  if (pane.kind === 'questions') return { ...questionPage(asked, { scroll, room }, long), from: 0 };
  const lines =
    pane.kind === 'help'
      ? helpLines(p)
      : pane.kind === 'answer'
        ? answerPage(asked, screen, long)
        : detailLines(view, pane.id, p, look);
  const most = Math.max(0, lines.length - room);
  return { lines, from: Math.min(scroll, most), most };
}

/** Tasks and events share what the rest leaves. */
function boardLines(scene: Scene, agents: readonly Line[]): readonly Line[] {
  const { view, status, look, p, room } = scene;
  const head = header(scene);
  const top = [...head, ...questionRows(status, Math.max(1, Math.floor((room - head.length) * 0.3)), p)];
  const roomy = room >= ROOMY;
  const alarms = [...alarmSection(view, roomy ? 6 : 2, p), ...discoverySection(status, roomy ? 4 : 2, p)];
  const gap: readonly Line[] = roomy ? [[]] : [];
  const gaps = gap.length * (alarms.length > 0 ? 4 : 3);
  const free = room - top.length - alarms.length - agents.length - 2 - gaps;
  const tasks = taskSection(scene, free - Math.min(view.events.length, roomy ? 6 : 3));
  const happened = Math.max(0, free - tasks.length);
  return [
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
    ...(happened === 0 ? [] : view.events.slice(-happened)).map((one) => happeningLine(one, p, look.zone)),
  ];
}

/** Questions have a section of their own. */
function alarmSection(view: CrewView, most: number, p: Page): readonly Line[] {
  const alarms = view.alarms.filter(({ name }) => name !== 'QUESTION');
  const window = windowOf(alarms.length, most, 0);
  return shown(alarmLines(alarms, p).slice(window.from, window.to), window, p, 'alarms');
}

/** Those that are no alarm already. */
function discoverySection({ discoveries }: StatusView, most: number, p: Page): readonly Line[] {
  const others = discoveries.filter((found) => !isUrgent(found));
  const window = windowOf(others.length, most, 0);
  return shown(discoveryLines(others.slice(window.from, window.to), p), window, p, 'discoveries: liza discovery list');
}

interface AgentSection {
  readonly order: readonly MemberRow[];
  readonly lines: readonly Line[];
}

/** Depends on the height alone, so that agents do not change their form whenever a line comes above them. */
function agentSection({ view, status, screen, look, p, room: rows }: Scene): AgentSection {
  const members = memberRows(view, status, look);
  const marked = screen.chosen?.kind === 'agent' ? screen.chosen.id : undefined;
  const head = heading('Agents', [], p);
  const loose = memberLines(members, 'two-lines', marked, p).flat();
  if (loose.length <= (rows - 4) * 0.42) return { order: members, lines: [head, ...loose] };
  const room = Math.max(1, Math.floor((rows - 4) * 0.36));
  const order = members.length <= room ? members : byInterest(members);
  const at = order.findIndex(({ id }) => id === marked);
  const window = windowOf(order.length, room, at);
  const lines = memberLines(order.slice(window.from, window.to), 'one-line', marked, p).flat();
  return { order, lines: [head, ...shown(lines, window, p, 'agents')] };
}

function taskSection({ status, screen, p }: Scene, room: number): readonly Line[] {
  const tasks = taskRows(status);
  if (tasks.length === 0) return [[{ text: '  none yet', tone: 'faint' }]];
  const marked = screen.chosen?.kind === 'task' ? screen.chosen.id : undefined;
  const at = tasks.findIndex(({ id }) => id === marked);
  const window = windowOf(tasks.length, Math.max(1, room), at);
  return shown(taskLines(tasks.slice(window.from, window.to), marked, p), window, p, 'tasks');
}

/** With fewer columns, the help alone names the arrows: the way to it must not be cut. */
const NARROW = 72;

/** The keys, and the answer to the last one: beside them where it fits, else above them, never cut. */
function footer(screen: Screen, p: Page): readonly Line[] {
  const { pane, stops, said } = screen;
  const back = ['esc back', 'arrows scroll', 'p pause', 'r resume', 'Ctrl-C stop'];
  const quit = stops === 0 ? 'q quit' : 'q at once';
  const choose = p.width < NARROW ? [] : ['arrows choose'];
  const keys =
    pane.kind === 'board'
      ? ['p pause', 'r resume', ...choose, 'enter open', 'l log', '? help', quit]
      : pane.kind === 'questions'
        ? ['a answers the marked one', 'arrows scroll', 'esc back']
        : pane.kind === 'answer'
          ? ['enter sends', 'esc leaves, and keeps it', 'tab next question', 'Ctrl-C stop']
          : back;
  const named: Line = [{ text: keys.join(p.dot), tone: 'faint' }];
  if (said === undefined) return [named];
  const answer = p.say(said);
  if (columns(answer) <= p.width) return [[{ text: `${answer}  `, tone: 'strong' }, ...named]];
  return [...p.lines(answer, p.width).map((text): Line => [{ text, tone: 'strong' }]), named];
}

function ground({ view, status, room }: Scene, members: readonly MemberRow[], pane: OpenPane | undefined): Ground {
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
    questions: answerable(view.board.state, status),
    marked: pane?.marked,
    most: pane?.most ?? 0,
    page: Math.max(1, room - 2),
  };
}
