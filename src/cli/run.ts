// From argv to exit code: find the verb, read its arguments, run it, print what it answers.
// No exception leaves here: every failure is one sentence, a hint and a code.

import { roleOfId } from '../protocol/board.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { quoted } from '../protocol/ids.ts';
import type { RefusalName } from '../protocol/refusal-names.ts';
import { meantHint } from '../protocol/unknown-id.ts';
import { isBrokered, onlyLooks, refuseBrokered } from '../sandbox/mailbox-commands.ts';
import { nearest } from '../text/nearest.ts';
import { COMMON_OPTIONS, readArgs } from './args.ts';
import { explain } from './explain.ts';
import type { Io } from './io.ts';
import { type Entry, REGISTRY } from './registry.ts';
import { printErr } from './render/print.ts';
import { emit } from './render/result.ts';
import { withStdin } from './stdin-text.ts';
import { helpText } from './usage.ts';
import type { LoadedVerb, Result } from './verb.ts';

export async function run(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === '__complete') return completed(argv.slice(1), io);
  const json = endsOptions(argv).includes('--json');
  const result = await answer(argv, io);
  // A person's command pays nothing for this.
  if (!io.env['LIZA_SESSION']) return emit(result, io, json);
  const shown = await (await import('./without-secrets.ts')).withoutSecrets(io, result);
  return isHalf(argv, io) ? emit(shown, io, json) : emitInSession(argv, io, shown, json);
}

/** The sandbox's own client asks twice for this (sandbox/mailbox-client.ts), and shows the second answer. */
const isHalf = (argv: readonly string[], io: Io): boolean => isBrokered(io.env) && argv.includes('--set-aside');

async function emitInSession(argv: readonly string[], io: Io, result: Result, json: boolean): Promise<number> {
  const { openDelivery, newsLines } = await import('./session-answer.ts');
  const delivery = await openDelivery(io, nameIn(argv), result);
  const news = { list: delivery.news, lines: delivery.news.flatMap(newsLines) };
  try {
    const code = emit(result, io, json, news);
    delivery.delivered();
    return code;
  } finally {
    delivery.close();
  }
}

/** The command as typed, without what it was given. */
function nameIn(argv: readonly string[]): string {
  const found = findVerb(argv);
  return 'ok' in found ? (argv[firstWord(argv)] ?? '').slice(0, 40) : found.name;
}

/** Asked by completion scripts at every press of a key, and by nobody else: no help lists it, and it never fails. */
async function completed(words: readonly string[], io: Io): Promise<number> {
  await (await import('./complete.ts')).complete(words, io);
  return 0;
}

async function answer(argv: readonly string[], io: Io): Promise<Result> {
  try {
    const found = findVerb(argv);
    if ('ok' in found) return io.env['LIZA_AGENT_ID'] ? await forRole(found, argv, io) : found;
    return await runVerb(found, io);
  } catch (error) {
    if (io.env.LIZA_DEBUG === '1' && error instanceof Error) printErr(io, `${error.stack}\n`);
    return explain(error);
  }
}

/** An agent that typed half of a name is shown what its role may run. */
async function forRole(refused: Refusal, argv: readonly string[], io: Io): Promise<Refusal> {
  const { familyOf } = await import('./role-first.ts');
  const word = argv[firstWord(argv)] ?? '';
  if (word === 'merge') return { ...refused, hint: MERGED_FOR_AGENTS };
  const other = NO_VERDICT[roleOfId(io.env['LIZA_AGENT_ID'] ?? '') ?? ''];
  if (GIVEN_BY_REVIEWERS.has(word) && other !== undefined) return { ...refused, hint: other };
  const names = familyOf(word, io.env['LIZA_AGENT_ID'] ?? '', Object.keys(REGISTRY));
  return names.length === 0 ? refused : { ...refused, hint: `one of: ${names.join(', ')}` };
}

interface Found {
  readonly name: string;
  readonly entry: Entry;
  readonly rest: readonly string[];
}

async function runVerb({ name, entry, rest }: Found, io: Io): Promise<Result> {
  if (entry.load === undefined) {
    return refuse(
      `liza ${name} is not in this version`,
      'liza help --all lists the commands of this version',
      1,
      'planned',
    );
  }
  const verb = await entry.load();
  const beforeWords = verb.passthrough ? rest.slice(0, firstWord(rest)) : endsOptions(rest);
  if (beforeWords.some((word) => word === '--help' || word === '-h')) {
    const lines = helpText(verb, entry.summary, COMMON_OPTIONS, io);
    return { ok: true, lines, data: { help: lines.join('\n') } };
  }
  const kept = isBrokered(io.env) ? refuseBrokered(name) : undefined;
  if (kept !== undefined) {
    if (!onlyLooks(name, rest)) await (await import('../identity/record-violation.ts')).recordAgentAttempt(io, name);
    return kept;
  }
  return recorded(name, io, await roleFirst(verb, rest, io));
}

/** The answer; where an agent is refused what its role may never run, that is what it hears of, not its arguments. */
async function roleFirst(verb: LoadedVerb, rest: readonly string[], io: Io): Promise<Result> {
  const result = await typedVerb(verb, rest, io);
  if (result.ok || !io.env['LIZA_AGENT_ID'] || WHO.has(result.guard)) return result;
  return (await (await import('./role-first.ts')).refusedToRole(verb, rest, io)) ?? result;
}

async function typedVerb(verb: LoadedVerb, rest: readonly string[], io: Io): Promise<Result> {
  const typed = readArgs(verb, rest);
  if ('ok' in typed) return typed;
  const agent = verb.operatorOnly
    ? await (await import('../identity/identify.ts')).humanOnly(io, verb.name)
    : undefined;
  if (agent !== undefined) return agent;
  const args = await withStdin(verb, typed, io);
  return 'ok' in args ? args : verb.run(args, io);
}

/** A refusal because of who asks is recorded. */
async function recorded(name: string, io: Io, result: Result): Promise<Result> {
  if (result.ok || !WHO.has(result.guard)) return result;
  return (await import('../identity/record-violation.ts')).recordViolation(io, name, result);
}

/** Guards that refuse because of who asks. */
const WHO: ReadonlySet<RefusalName | undefined> = new Set(['identity', 'credential', 'role']);

/** `plan done` before `plan`: the longer name wins. Options that come first are moved behind the verb. */
function findVerb(argv: readonly string[]): Found | Refusal {
  const at = firstWord(argv);
  const [first, second] = argv.slice(at, at + 2);
  const leading = argv.slice(0, at);
  if (first === undefined) return withoutVerb(leading);
  const double = second === undefined ? undefined : `${first} ${second}`;
  if (double !== undefined && Object.hasOwn(REGISTRY, double))
    return named(double, [...leading, ...argv.slice(at + 2)]);
  if (Object.hasOwn(REGISTRY, first)) return named(first, [...leading, ...argv.slice(at + 1)]);
  const isFamily = Object.keys(REGISTRY).some((name) => name.startsWith(`${first} `));
  if (isFamily && (second === '--help' || second === '-h')) return named('help', [first]);
  // What there is comes before what can be changed.
  if (first === 'config' && (second === undefined || second === '--json'))
    return named('config get', argv.slice(at + 1));
  return unknownVerb(first, second);
}

const ALONE: Readonly<Record<string, 'version' | 'help'>> = {
  '--version': 'version',
  '-V': 'version',
  '-v': 'version',
  '--help': 'help',
  '-h': 'help',
  '--json': 'help',
};

/** `liza`, `liza --version`: options that need no command. */
function withoutVerb(options: readonly string[]): Found | Refusal {
  const unknown = options.find((word) => !Object.hasOwn(ALONE, word));
  if (unknown !== undefined) {
    const hint = `${meantHint(unknown, Object.keys(ALONE))}usage: liza <command> [arguments]; see the commands: liza help`;
    return refuse(`liza has no option ${quoted(unknown)}`, hint, 1, 'usage');
  }
  const name = options.some((word) => ALONE[word] === 'version') ? 'version' : 'help';
  return named(name, options.includes('--json') ? ['--json'] : []);
}

function named(name: string, rest: readonly string[]): Found {
  const entry = REGISTRY[name];
  if (entry === undefined) throw new Error(`no verb ${name}`);
  return { name, entry, rest };
}

function unknownVerb(first: string, second: string | undefined): Refusal {
  const names = Object.keys(REGISTRY);
  const family = names.filter((name) => name.startsWith(`${first} `));
  if (family.length > 0) {
    const said = second === undefined || second.startsWith('-') ? 'alone' : `with ${quoted(second)}`;
    return refuse(`liza ${first} ${said} is not a command`, `one of: ${family.join(', ')}`, 1, 'unknown-verb');
  }
  const known = [...names, ...names.map((name) => name.split(' ')[0] ?? name)];
  const words = Object.hasOwn(LISTED, first) ? LISTED[first] : undefined;
  if (words !== undefined) return refuse(`there is no command ${quoted(first)}`, words, 1, 'unknown-verb');
  const meant = (second === undefined ? undefined : nearest(`${first} ${second}`, names)) ?? nearest(first, known);
  const hint = meant === undefined ? 'see all commands: liza help --all' : `did you mean: liza ${whole(meant, names)}`;
  return refuse(`there is no command ${quoted(first)}`, hint, 1, 'unknown-verb');
}

const COST = 'what was spent: liza status; by task and session: liza report; of each goal: liza goals';
const BUDGET = 'see it: liza status; set it: liza config set budgets.goal.usd 5';

const OFF =
  'out of this project: liza deinit, which says what goes and what stays; off this machine: liza help install';

/** What people look for under a name of its own, and where it is. */
const LISTED: Readonly<Record<string, string>> = {
  uninstall: OFF,
  remove: OFF,
  uninit: OFF,
  delete: OFF,
  cost: COST,
  costs: COST,
  usage: COST,
  spent: COST,
  budget: BUDGET,
  budgets: BUDGET,
  diff: 'all that is merged so far: git diff HEAD...refs/heads/integration; of one task: d on the live board (liza attach), or git diff between the two commits that liza show <task> names',
  approve: 'a reviewer gives it: liza submit-verdict <task> APPROVED',
  reject: 'a reviewer gives it: liza submit-verdict <task> REJECTED',
  verdict: 'a reviewer gives it: liza submit-verdict <task> APPROVED, or REJECTED',
  cancel: 'one task: liza abandon <task> --reason "…"; the agents: liza stop; the whole goal: liza abort',
  merge: 'supervisors merge what is approved; a person does it by: liza wt merge <task>',
  submit: 'did you mean: liza submit-for-review <task> <commit>',
  notes:
    'notes are listed in the log: liza log -n 60; one of them: liza show note-1; take one back: liza note done note-1; write one: liza note "…"',
};

const MERGED_FOR_AGENTS = 'the supervisor merges a commit once a reviewer has approved it; no agent does';

const GIVEN_BY_REVIEWERS: ReadonlySet<string> = new Set(['approve', 'reject', 'verdict']);
/** What the other roles do instead. */
const NO_VERDICT: Readonly<Record<string, string>> = {
  coder:
    'a reviewer gives it, not you: submit the work (liza submit-for-review <task> HEAD), then stop; its verdict comes to your next session',
  planner: 'a reviewer gives it, not you: you plan, and answer what is blocked; liza status shows what waits for you',
};

/** `question` alone is no command: the one that shows what there is. */
function whole(meant: string, names: readonly string[]): string {
  if (names.includes(meant)) return meant;
  const family = names.filter((name) => name.startsWith(`${meant} `));
  return family.find((name) => name.endsWith(' list')) ?? family.join(', liza ');
}

const firstWord = (argv: readonly string[]): number => {
  const at = argv.findIndex((word) => !word.startsWith('-'));
  return at === -1 ? argv.length : at;
};

/** The words before `--`. */
const endsOptions = (argv: readonly string[]): readonly string[] => {
  const at = argv.indexOf('--');
  return at === -1 ? argv : argv.slice(0, at);
};
