// What can be opened besides a task: the help, and an agent's log as it grows.

import type { CrewMember, CrewView } from '../../supervisor/crew-view.ts';
import { counted } from '../../text/format.ts';
import type { Line, Page } from '../render/layout.ts';
import { pad } from '../render/terminal.ts';
import { dollars, tokens } from './format.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['up, down, k, j', 'choose an agent or a task; in a page: scroll'],
  ['enter', 'open the task (the chosen agent’s, or the chosen one); again: close it'],
  ['l', 'follow the log of the chosen agent, or of the agent that has the chosen task'],
  ['a', 'answer a question: the chosen task’s, or the first; tab goes to the next one'],
  ['o', 'all open questions, each whole; a answers the marked one'],
  ['p', 'pause: no new work starts, agents save and wait'],
  ['r', 'resume'],
  ['q, Ctrl-C', 'stop in order; again: at once. In a page q closes it'],
  ['esc', 'close the page, or choose nothing'],
];

const SIGNS: readonly (readonly [string, string])[] = [
  ['first bar', 'how much of the agent’s lease is left; its supervisor renews it'],
  ['second bar', 'how full the agent’s context is; near 90% it hands over'],
  ['12.3k+4.5k', 'tokens in and out of the session, then its cost where the provider tells it'],
  ['it 2/10', 'second of at most ten iterations'],
  ['rev 1/5', 'first of at most five review rounds'],
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

interface LogPane {
  readonly view: CrewView;
  readonly agent: string;
  readonly log: LogView;
  /** Lines up from the end. */
  readonly back: number;
  readonly room: number;
}

export function logLines({ view, agent, log, back, room }: LogPane, p: Page): readonly Line[] {
  const member = view.members.find((one) => one.agent === agent);
  const facts = [member?.task, member?.provider, ...spent(member?.session), log.path ?? 'no log yet'].flatMap((fact) =>
    fact === undefined ? [] : [p.say(fact)],
  );
  const place = back === 0 ? 'following' : `${counted(back, 'line')} back`;
  const top = p.spread(
    [
      { text: p.say(agent), tone: 'strong' },
      { text: facts.map((fact) => `${p.dot}${fact}`).join(''), tone: 'faint' },
    ],
    [{ text: place, tone: back === 0 ? 'good' : 'warn' }],
  );
  const none: Line = [
    { text: `${p.say(agent)} has no session now; its log shows here when one starts`, tone: 'faint' },
  ];
  const end = log.lines.length - back;
  const tail = log.lines.slice(Math.max(0, end - room + 1), end).map((text): Line => [{ text: p.say(readable(text)) }]);
  return [top, ...(log.lines.length === 0 ? [none] : tail)];
}

/** `12.3k+4.5k` and `$0.61`, as far as they are known. */
export const spent = (session: CrewMember['session'] | undefined): readonly string[] =>
  session === undefined || session.input + session.output === 0
    ? []
    : [
        `${tokens(session.input)}+${tokens(session.output)}`,
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
 * what is likely meant for a reader. A line that is no JSON, or has no text, stays as it is.
 */
export function readable(line: string): string {
  if (!line.startsWith('{')) return line;
  const event = parsed(line);
  if (event === undefined) return line;
  const words = told(event, DEPTH).slice(0, MOST);
  const kind = [event['type'], event['kind'], event['event']].find((value) => typeof value === 'string');
  if (words.length > 0) return `${kind === undefined ? '' : `[${kind}] `}${words.join(' ')}`;
  return line;
}

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
