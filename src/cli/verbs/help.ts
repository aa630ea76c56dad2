// `liza help [verb|topic]`: the list of commands by who uses them, one command, or one topic.

import { refuse } from '../../protocol/decision.ts';
import { quoted } from '../../protocol/ids.ts';
import { nearest } from '../../text/nearest.ts';
import { COMMON_OPTIONS } from '../args.ts';
import { REGISTRY } from '../registry.ts';
import { TOPICS } from '../topics.ts';
import { helpText, type Reader, table } from '../usage.ts';
import { GROUPS, type Result, type Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'topic', optional: true, rest: true, kind: 'verb', description: 'A command, a topic or a setting.' },
  ],
  options: { all: { description: 'Every command.' } },
  examples: ['liza help', 'liza help --all', 'liza help add-task', 'liza help states'],
  run: async (args, io) => {
    const name = args.all('topic').join(' ');
    if (name === '' && !args.flag('all') && !io.env['LIZA_AGENT_ID']) return everyday(io);
    if (name === '') return overview(io);
    const called = OFF.has(name) ? 'install' : name;
    const topic = Object.hasOwn(TOPICS, called) ? TOPICS[called] : undefined;
    if (topic !== undefined) {
      const told = typeof topic.lines === 'function' ? await topic.lines(io.asset) : topic.lines;
      // The reader's project has no such page: it is where Liza is installed.
      const lines = told.map((line) => line.replace(/\bdocs\/[\w-]+\.md\b/g, io.asset));
      return { ok: true, lines: [topic.summary, '', ...lines], data: { topic: name, lines } };
    }
    return about(MONEY.has(name) ? 'budgets' : name, io);
  },
};

/** Its page says how it is removed, too. */
const OFF: ReadonlySet<string> = new Set(['uninstall', 'remove', 'uninit', 'delete']);

/** Its limits are what a person sets. */
const MONEY: ReadonlySet<string> = new Set(['cost', 'costs', 'money', 'budget', 'price', 'spending']);

async function about(name: string, reader: Reader): Promise<Result> {
  const entry = Object.hasOwn(REGISTRY, name) ? REGISTRY[name] : undefined;
  if (entry?.load !== undefined) {
    const lines = helpText(await entry.load(), entry.summary, COMMON_OPTIONS, reader);
    return { ok: true, lines, data: { help: lines.join('\n') } };
  }
  if (entry !== undefined) return { ok: true, lines: [`liza ${name}: ${entry.summary}`, '', 'Not in this version.'] };
  const family = Object.entries(REGISTRY).filter(([other]) => other.startsWith(`${name} `));
  if (family.length > 0) return { ok: true, lines: family.map(([other, { summary }]) => `liza ${other}: ${summary}`) };
  const { settingText } = await import('../../protocol/config.ts');
  const setting = settingText(name);
  if (setting !== undefined) {
    const lines = [
      ...table([[name, setting.replaceAll('`', '')]], reader),
      '',
      `What it is now: liza config get ${name}`,
      `Change it:      liza config set ${name} <value>`,
    ];
    return { ok: true, lines, data: { setting: name, about: setting } };
  }
  const meant = nearest(name, [...Object.keys(REGISTRY), ...Object.keys(TOPICS)]);
  const hint =
    meant === undefined ? 'see all commands and topics: liza help --all' : `did you mean: liza help ${meant}`;
  return refuse(`there is no command or topic ${quoted(name)}`, hint, 1, 'unknown-topic');
}

/** What a person needs from the first goal to the last merge, in that order. */
export const EVERYDAY: readonly (readonly [verb: string, typed: string, about: string])[] = [
  [
    'demo',
    'liza demo',
    'Watch a whole run, about a minute (longer on a busy machine): no account, no cost, nothing of yours is touched.',
  ],
  ['init', 'liza init "<your goal>"', 'Start a goal in the repository you are in.'],
  ['run', 'liza run', 'Let a planner, coders and a reviewer work on it. Ctrl-C stops, liza run continues.'],
  ['status', 'liza status', 'Who works on what, what waits for you, and why nothing moves.'],
  ['show', 'liza show <task>', 'One task: its plan, its reviews, its history.'],
  ['answer', 'liza answer <question> "…"', 'Answer what an agent asked; liza status lists the questions.'],
  ['finish', 'liza finish', 'Look at the result, test it and merge it into your branch.'],
  ['doctor', 'liza doctor', 'Check the machine, the agent CLIs and the board, and say how to fix them.'],
];

function everyday(reader: Reader): Result {
  const lines = [
    'Liza makes AI coding agents accountable.',
    '',
    ...table(
      EVERYDAY.map(([, typed, about]) => [typed, about]),
      reader,
    ),
    '',
    'To stop: liza stop. To take Liza out of a project: liza deinit.',
    'More: liza help <command>, liza help getting-started; every command: liza help --all',
  ];
  return { ok: true, lines, data: { commands: EVERYDAY.map(([name, typed, summary]) => ({ name, typed, summary })) } };
}

function overview(reader: Reader): Result {
  const entries = Object.entries(REGISTRY).filter(([, { load }]) => load !== undefined);
  const names = [...entries.map(([name]) => name), ...Object.keys(TOPICS)];
  const width = Math.max(...names.map((name) => name.length));
  const row = (name: string, summary: string) => table([[name.padEnd(width), summary]], reader);
  const lines = ['Liza makes AI coding agents accountable.', '', 'Usage: liza <command> [arguments] [--json] [--help]'];
  for (const group of GROUPS) {
    const mine = entries.filter(([, { groups }]) => groups[0] === group);
    if (mine.length === 0) continue;
    const shown = ([name, { summary }]: (typeof mine)[number]) => row(name, summary);
    lines.push('', `${group}:`, ...mine.flatMap(shown));
  }
  lines.push(
    '',
    'Topics (liza help <topic>):',
    ...Object.entries(TOPICS).flatMap(([name, { summary }]) => row(name, summary)),
  );
  const commands = entries.map(([name, { summary, groups, load }]) => ({
    name,
    summary,
    groups,
    planned: load === undefined,
  }));
  return { ok: true, lines, data: { commands } };
}
