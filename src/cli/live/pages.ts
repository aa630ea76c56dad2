// What can be opened besides a task: the help, a session's log as it grows, the list of logs, and a diff.

import type { CrewMember, CrewView } from '../../supervisor/crew-view.ts';
import { counted } from '../../text/format.ts';
import type { Line, Page, Tone } from '../render/layout.ts';
import { pad } from '../render/terminal.ts';
import type { DiffText, SessionLog } from './access.ts';
import { dollars, tokens } from './format.ts';
import { heading } from './lines.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['up, down, k, j', 'choose a row: an agent, a task, an alarm, a discovery; in a page: scroll'],
  ['enter', 'open the row: the task (an agent’s own), the whole alarm; again: close it'],
  ['x', 'what can be done with the row, or with the whole board'],
  ['a', 'answer a question: the chosen task’s, or the first; tab moves to the next one'],
  ['o', 'all open questions, each whole; a answers the marked one'],
  ['n', 'leave a note: for the chosen task or agent, or for everyone'],
  ['u', 'unblock the chosen task'],
  ['d', 'what the chosen task changes: its commit against its base'],
  ['l', 'the log of the chosen agent, or of the agent that has the chosen task'],
  ['[ and ]', 'in a log: the agent’s session before, and the next one'],
  ['L', 'the logs of all sessions, also of agents that are gone'],
  ['/', 'show only rows with these words; esc shows all again'],
  ['p', 'pause: no new work starts, running agents finish or save'],
  ['r', 'resume'],
  ['S', 'stop the crew: agents save their work and end; asks first'],
  ['q', 'in a page: close it. On the board: leave or stop, as the last line says'],
  ['Ctrl-C', 'stop in order; again: at once. At a question: cancel it. On an attached board: leave it'],
  ['esc', 'close the page, choose nothing, show all'],
];

const SIGNS: readonly (readonly [string, string])[] = [
  ['first bar', 'of an agent: how much of the agent’s lease is left; its supervisor renews it'],
  ['second bar', 'how full the agent’s context is; near 90% it hands over'],
  ['3k+4k tokens', 'in and out of the session, then its cost where the provider tells it'],
  ['at least $0.12', 'some sessions told no figures'],
  ['it 2/10', 'second of at most ten iterations'],
  ['rej 1/5', 'rejected once; after five rejections it is blocked'],
];

export function helpLines(p: Page): readonly Line[] {
  const rows = (all: typeof KEYS): readonly Line[] =>
    all.flatMap(([sign, means]) =>
      p
        .lines(means, p.width - 20)
        .map((text, at): Line => [{ text: `  ${pad(at === 0 ? sign : '', 16)}`, tone: 'busy' }, { text: p.say(text) }]),
    );
  return [[{ text: 'Keys', tone: 'strong' }], ...rows(KEYS), [], [{ text: 'Signs', tone: 'strong' }], ...rows(SIGNS)];
}

/** What is known of a log: the end of its file, cut into lines. */
export interface LogView {
  readonly path?: string | undefined;
  readonly lines: readonly string[];
}

const wrapped = new WeakMap<readonly string[], { readonly width: number; readonly lines: readonly string[] }>();

/** The log for reading, wrapped; kept, because a frame is drawn more often than a log grows. */
export function readableLines({ lines }: LogView, p: Page): readonly string[] {
  const known = wrapped.get(lines);
  if (known?.width === p.width) return known.lines;
  const all = lines.flatMap((line) => p.lines(bounded(readable(line), p), p.width));
  wrapped.set(lines, { width: p.width, lines: all });
  return all;
}

/** Of one event: a whole file that an agent read is no news. */
const LONGEST = 1000;
const bounded = (text: string, p: Page): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)} ${p.more}` : text;

interface LogPane {
  readonly view: CrewView;
  readonly pane: { readonly agent: string; readonly back?: number };
  readonly path: string | undefined;
  readonly lines: readonly string[];
  /** Lines up from the end. */
  readonly back: number;
  readonly room: number;
}

/** The log of the session that runs: an earlier one may be chosen from all logs. */
const isOf = (member: CrewMember | undefined, path: string | undefined): boolean =>
  path === undefined || member?.session === undefined || nameOf(member.session.log) === nameOf(path);
const nameOf = (path: string): string | undefined => path.split('/').at(-1);

export function logLines({ view, pane, path, lines, back, room }: LogPane, p: Page): readonly Line[] {
  const { agent } = pane;
  const member = view.members.find((one) => one.agent === agent);
  const isNow = (pane.back ?? 0) === 0;
  const facts = [
    ...(isNow && isOf(member, path) ? [member?.task, member?.provider, ...spent(member?.session)] : []),
    path?.split('/').at(-1) ?? 'no log yet',
  ].flatMap((fact) => (fact === undefined ? [] : [p.say(fact)]));
  const place = back === 0 ? (isNow ? 'following' : 'its end') : `${counted(back, 'line')} back`;
  const top = p.spread(
    [
      { text: p.say(agent), tone: 'strong' },
      { text: facts.map((fact) => `${p.dot}${fact}`).join(''), tone: 'faint' },
    ],
    [{ text: place, tone: back === 0 ? 'good' : 'warn' }],
  );
  const none: Line = [
    {
      text: isNow
        ? `${p.say(agent)} has no log yet; it shows here when a session starts`
        : `${p.say(agent)} has no earlier session`,
      tone: 'faint',
    },
  ];
  const end = lines.length - back;
  const tail = lines.slice(Math.max(0, end - room + 1), end).map((text): Line => [{ text }]);
  return [top, ...(lines.length === 0 ? [none] : tail)];
}

/** One line for each session, so that the chosen one is found by its place. */
export const logListLines = (logs: readonly SessionLog[], at: number, p: Page): readonly Line[] => [
  heading('Logs', [{ text: `  ${counted(logs.length, 'session')}, newest first`, tone: 'faint' }], p),
  ...logs.map(
    ({ agent, task, began, bytes }, nth): Line => [
      { text: nth === at ? p.mark : '  ', tone: 'strong' },
      { text: `${dated(began)}  `, tone: 'faint' },
      { text: `${pad(p.say(agent), 18)}  `, tone: nth === at ? 'strong' : 'busy' },
      { text: p.say(task ?? '') },
      { text: `${task === undefined ? '' : '  '}${Math.max(1, Math.round(bytes / 1000))} kB`, tone: 'faint' },
    ],
  ),
];

/** `20260131T140211-120Z` → `2026-01-31 14:02:11Z`. */
const dated = (began: string): string =>
  began.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d).*$/, '$1-$2-$3 $4:$5:$6Z');

/** Within a line of a diff these would look like the next line. */
const BREAKS = /[\r\u0085\u2028\u2029]/g;

export function diffLines(task: string, diff: DiffText | undefined, p: Page): readonly Line[] {
  const title = heading('Diff', [{ text: `  ${p.say(diff?.title ?? `${task}: git is asked`)}`, tone: 'faint' }], p);
  if (diff === undefined) return [title];
  return [
    title,
    ...diff.lines.flatMap((line) =>
      p.code(line.replace(BREAKS, '^M'), p.width).map((text): Line => [{ text, tone: diffTone(line) }]),
    ),
  ];
}

function diffTone(line: string): Tone | undefined {
  if (/^(diff |\+\+\+ |--- )/.test(line)) return 'strong';
  if (line.startsWith('@@')) return 'busy';
  return line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : undefined;
}

/** `12.3k+4.5k tokens` and `$0.61`, as far as they are known. */
export const spent = (session: CrewMember['session'] | undefined): readonly string[] =>
  session === undefined || session.input + session.output === 0
    ? []
    : [
        `${tokens(session.input)}+${tokens(session.output)} tokens`,
        ...(session.cost_usd === undefined ? [] : [dollars(session.cost_usd)]),
      ];

/** Fields that hold text, or what a tool was called with. */
const TELLING = new Set([
  ...['text', 'message', 'thinking', 'reasoning', 'result', 'error', 'output', 'content', 'summary', 'title'],
  ...['name', 'tool', 'command', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description'],
]);
const DEPTH = 6;
const MOST = 4;

/**
 * A line of a session's log for people. Most agents write JSON, one event a line, each in its own shape: this picks out
 * what is likely meant for a reader; without any text, its short facts. A line that is no JSON stays as it is.
 */
export function readable(line: string): string {
  if (!line.startsWith('{')) return line;
  const event = parsed(line);
  if (event === undefined) return line;
  // Settings of the CLI, tools and commands: who reads the log needs the model alone.
  if (event['subtype'] === 'init') return `[session begins]${brief(modelOf(event))}`;
  const words = told(event, DEPTH).slice(0, MOST);
  const kind = isToolResult(event)
    ? 'tool result'
    : [event['type'], event['kind'], event['event']].find((value) => typeof value === 'string');
  const head = kind === undefined ? '' : `[${kind}] `;
  return words.length > 0
    ? `${head}${words.join(' ')}`
    : `${head}${facts(event, DEPTH).slice(0, MOST_FACTS).join(', ')}`.trim();
}

/** Told as the user's turn, though no person spoke. */
function isToolResult({ message }: Readonly<Record<string, unknown>>): boolean {
  const content = (message as { readonly content?: unknown } | null | undefined)?.content;
  return Array.isArray(content) && content.some((item) => item?.type === 'tool_result');
}

const modelOf = ({ model }: Readonly<Record<string, unknown>>): string =>
  typeof model === 'string' ? ` model ${model}` : '';

const MOST_FACTS = 8;
const KINDS = new Set(['type', 'kind', 'event']);

/** `subtype init, model opus`: numbers and short texts of an event and of what it holds; ids tell a reader nothing. */
const facts = (event: Readonly<Record<string, unknown>>, depth: number): readonly string[] =>
  Object.entries(event).flatMap(([key, held]) => {
    if (depth === 0 || KINDS.has(key) || /id$/i.test(key) || held === null || held === '') return [];
    if (Array.isArray(held)) {
      const listed = held.filter((item) => typeof item === 'string').join(', ');
      return listed === '' ? [] : [`${key} ${brief(listed)}`];
    }
    if (typeof held === 'object') return facts(held as Readonly<Record<string, unknown>>, depth - 1);
    return [`${key} ${brief(String(held))}`];
  });

const brief = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function told(value: unknown, depth: number): readonly string[] {
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => told(item, depth - 1));
  return Object.entries(value).flatMap(([key, held]) => {
    if (typeof held === 'object') return told(held, depth - 1);
    const said = TELLING.has(key) && typeof held === 'string' && held.trim() !== '';
    return said ? [held] : [];
  });
}
