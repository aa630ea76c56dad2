// What `liza init` asks a person at a terminal: goal, document, branch, agent CLI, tests, set-up. Each has a default,
// and none is asked for that was said on the command line. Only asks: a person who leaves halfway leaves nothing behind.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { realDisk } from '../ports/disk.ts';
import { type BaseDistance, lagText } from '../protocol/goal/base-distance.ts';
import type { Provider } from '../providers/provider.ts';
import { mistypedTest } from '../tasks/rules/mistyped-test.ts';
import { setupCommand } from '../tasks/rules/setup-command.ts';
import { loginQuestion, type PrivateRegistry } from './init-registries.ts';
import type { Dialogue } from './io.ts';

export interface Wishes {
  readonly goal: string;
  readonly spec: string;
  /** Write the document from the template when it is not there. */
  readonly fromTemplate: boolean;
  readonly branch: string;
  readonly provider?: string | undefined;
  readonly test?: string | undefined;
  /** Prepares a fresh checkout (post_worktree_cmd). */
  readonly setup?: string | undefined;
  /** Bring the person's branch into the integration branch before agents build on it. */
  readonly sync?: boolean | undefined;
  /** Settings of package managers that agents get with their logins. */
  readonly shown?: readonly string[] | undefined;
}

/** What is known before the first question. */
export interface Known {
  readonly said: Partial<Wishes>;
  readonly specExists: (path: string) => boolean;
  /** What is wrong with an answer; undefined: nothing. */
  readonly problem?: (what: 'spec' | 'branch', answer: string) => string | undefined;
  readonly installed: readonly Provider[];
  readonly guesses: Guesses;
  /** An earlier goal is finished: branch and settings are the project's already. */
  readonly settled: boolean;
  /** How far the person's branch is from integration. */
  readonly base?: BaseDistance | undefined;
  /** The last goal's document, where nobody has changed it since. */
  readonly former?: string | undefined;
  readonly registries?: readonly PrivateRegistry[];
}

/** What the project's files suggest; absent: nothing, or the board has that setting already. */
export interface Guesses {
  readonly test?: string | undefined;
  /** By its lock file. */
  readonly setup?: string | undefined;
}

export const DEFAULTS = { spec: 'specs/vision.md', branch: 'integration' } as const;

/** For a new document: who types `git commit` or `ls` thinks of the shell. */
export const isDocumentName = (answer: string): boolean =>
  /\.(?:adoc|md|mdx|markdown|org|rst|txt)(?:#.*)?$/i.test(answer);

/** Undefined: the person left. */
export async function guide(dialogue: Dialogue, known: Known): Promise<Wishes | undefined> {
  try {
    return await questions(dialogue, known);
  } catch (error) {
    if (error instanceof Left) return undefined;
    throw error;
  } finally {
    dialogue.close();
  }
}

class Left extends Error {}

/** Somebody who presses Enter at every question: the defaults, exactly as they are shown. */
export const takesDefaults: Dialogue = { say: () => {}, ask: async () => '', close: () => {} };

/** What was taken without being asked for. */
export function takenLines(
  { spec, fromTemplate, branch, provider, test, setup }: Wishes,
  settled: boolean,
): readonly string[] {
  const taken = [
    `document ${spec}${fromTemplate ? ' from the template' : ''}`,
    ...(settled ? [] : [`branch ${branch}`]),
    ...(provider === undefined ? [] : [`agents ${provider}`]),
    ...(settled && test === undefined ? [] : [`tests ${test === undefined ? 'none' : test}`]),
    ...(setup === undefined ? [] : [`set-up ${setup}`]),
  ];
  return [`defaults used: ${taken.join('; ')}`];
}

async function questions(dialogue: Dialogue, { said, settled, ...known }: Known): Promise<Wishes> {
  dialogue.say('Enter accepts the default in brackets; Ctrl-C cancels.');
  const goal = said.goal ?? (await insist(dialogue, 'What is the goal, in one sentence? '));
  const valid = async (what: 'spec' | 'branch', question: string): Promise<string> => {
    for (;;) {
      const answer = await ask(dialogue, question, DEFAULTS[what]);
      const wrong = known.problem?.(what, answer);
      if (wrong === undefined) return answer;
      dialogue.say(`  ${wrong}`);
    }
  };
  if (said.spec === undefined && known.former !== undefined)
    dialogue.say(
      `${known.former} describes the last goal: name another document here, or take ${known.former} (Enter, if it is the default) and change it before liza run.`,
    );
  const spec = said.spec ?? (await valid('spec', 'The document that describes it'));
  const fromTemplate = said.fromTemplate === true || (!known.specExists(spec) && (await wantsTemplate(dialogue, spec)));
  if (settled) {
    const lag = lagText(known.base);
    const them = known.base?.lacks === 1 ? 'it' : 'them';
    const { test: guess, setup: wanted } = known.guesses;
    const test = said.test ?? (guess === undefined ? undefined : await askTest(dialogue, guess));
    const setup = said.setup ?? (await askSetup(dialogue, wanted));
    const sync = lag === undefined ? {} : { sync: await agrees(dialogue, `${lag}. Merge ${them} in now? yes or no`) };
    return { branch: DEFAULTS.branch, ...said, goal, spec, fromTemplate, test, setup, ...sync };
  }
  const branch = said.branch ?? (await valid('branch', 'Branch for approved work'));
  const provider = said.provider ?? (await chooseProvider(dialogue, known.installed));
  const test = said.test ?? (await askTest(dialogue, known.guesses.test));
  const setup = said.setup ?? (await askSetup(dialogue, known.guesses.setup));
  const shown = setup ? await askRegistries(dialogue, known.registries ?? [], setup) : [];
  const optional = { ...(setup === undefined ? {} : { setup }), ...(shown.length === 0 ? {} : { shown }) };
  return { goal, spec, fromTemplate, branch, provider, test, ...optional };
}

/** One question for each file; agents know the address either way. */
async function askRegistries(
  dialogue: Dialogue,
  registries: readonly PrivateRegistry[],
  setup: string,
): Promise<readonly string[]> {
  const shown: string[] = [];
  for (const file of new Set(registries.map((one) => one.file))) {
    const { fact, question } = loginQuestion(
      file,
      registries.filter((one) => one.file === file),
      setup,
    );
    dialogue.say(fact);
    if (await agrees(dialogue, question, 'no')) shown.push(file);
  }
  return shown;
}

const wantsTemplate = (dialogue: Dialogue, spec: string): Promise<boolean> =>
  agrees(dialogue, `${spec} does not exist yet. Create it from a template? yes or no`);

async function agrees(dialogue: Dialogue, question: string, usual: 'yes' | 'no' = 'yes'): Promise<boolean> {
  for (;;) {
    const answer = await ask(dialogue, question, usual);
    if (/^y(es)?$/i.test(answer)) return true;
    if (/^no?$/i.test(answer)) return false;
    dialogue.say('  answer yes or no');
  }
}

/** A single provider needs no choice: `liza run` finds it by itself. */
async function chooseProvider(dialogue: Dialogue, installed: readonly Provider[]): Promise<string | undefined> {
  const [only] = installed;
  if (only === undefined || installed.length === 1) {
    dialogue.say(only === undefined ? 'No agent CLI is installed yet.' : `Agents: ${only.title}.`);
    return undefined;
  }
  dialogue.say('Installed agent CLIs:');
  for (const [at, { title }] of installed.entries()) dialogue.say(`  ${at + 1}  ${title}`);
  for (;;) {
    const answer = await ask(dialogue, 'Which one is used for all roles', '1');
    const found = installed.find(({ name }, at) => answer === String(at + 1) || answer === name);
    if (found !== undefined) return found.name;
    dialogue.say(`  answer with a number from 1 to ${installed.length}`);
  }
}

async function askTest(dialogue: Dialogue, guess: string | undefined): Promise<string | undefined> {
  const answer = await ask(
    dialogue,
    `Command that runs the tests${guess === undefined ? ', for example npm test, or: for t in tests/*.sh; do sh "$t" || exit 1; done' : ''} (- for none: merges are then not tested)`,
    guess ?? '-',
  );
  return answer === '-' ? undefined : answer;
}

/** Only where a lock file tells: most people have no other. */
async function askSetup(dialogue: Dialogue, guess: string | undefined): Promise<string | undefined> {
  if (guess === undefined) return undefined;
  const answer = await ask(dialogue, 'Command that sets up a fresh checkout (- for none)', guess);
  return answer === '-' ? undefined : answer;
}

async function insist(dialogue: Dialogue, question: string): Promise<string> {
  for (;;) {
    const answer = (await heard(dialogue, question)).trim();
    if (answer !== '') return answer;
    dialogue.say('  a goal is needed: say what the agents should achieve');
  }
}

const ask = async (dialogue: Dialogue, question: string, usual: string): Promise<string> =>
  (await heard(dialogue, `${question} [${usual}]: `)).trim() || usual;

async function heard(dialogue: Dialogue, question: string): Promise<string> {
  const answer = await dialogue.ask(question);
  if (answer === undefined) throw new Left();
  return answer;
}

/**
 * Questions to the person at the terminal, one line each, with node's own line editor. An answer of undefined means that
 * they left (Ctrl-C, Ctrl-D). `shown`: a text as this terminal can show it.
 */
export function openDialogue(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  shown: (text: string) => string = (text) => text,
): Dialogue {
  const lines: string[] = [];
  let left = false;
  let waiting: ((answer: string | undefined) => void) | undefined;
  const editor = createInterface({ input, output, terminal: true, historySize: 0 });
  const answer = (line: string | undefined): void => {
    const asked = waiting;
    waiting = undefined;
    if (asked !== undefined) asked(line);
    else if (line !== undefined) lines.push(line);
  };
  // A line that was typed ahead is kept for the next question.
  editor.on('line', answer);
  editor.on('SIGINT', () => editor.close());
  editor.on('close', () => {
    if (!left) output.write('\n');
    left = true;
    answer(undefined);
  });
  return {
    say: (text) => void output.write(`${shown(text)}\n`),
    ask: (question) => {
      if (left) return Promise.resolve(undefined);
      editor.setPrompt(shown(question));
      editor.prompt();
      if (lines.length > 0) return Promise.resolve(lines.shift());
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    close: () => {
      left = true;
      editor.close();
    },
  };
}

/** How the project's tests are run, by the files at its root. Only offered to a person, never set by itself: it will be executed. */
export function guessTestCommand(root: string): string | undefined {
  const has = (name: string): boolean => statSync(join(root, name), { throwIfNoEntry: false })?.isFile() === true;
  if (has('package.json') && hasTestScript(textOf(root, 'package.json')))
    return `${has('pnpm-lock.yaml') ? 'pnpm' : has('yarn.lock') ? 'yarn' : 'npm'} test`;
  if (has('Cargo.toml')) return 'cargo test';
  if (has('go.mod')) return 'go test ./...';
  if (has('Makefile') && /^test\s*:/m.test(textOf(root, 'Makefile'))) return 'make test';
  const settings = ['pytest.ini', 'pyproject.toml', 'tox.ini', 'setup.cfg'].filter(has);
  const isNamed = settings.some((name) => name === 'pytest.ini' || /\bpytest\b/.test(textOf(root, name)));
  if (isNamed) return 'pytest';
  return unittestCommand(root) ?? (settings.length > 0 ? 'pytest' : shellCommand(root));
}

/** Python's own test runner, where its tests are there and no settings of another one. */
function unittestCommand(root: string): string | undefined {
  const isTest = (folder: string, file: string): boolean =>
    /^test_\w*\.py$/.test(file) && /\bunittest\b/.test(textOf(root, join(folder, file)));
  const folder = ['tests', 'test', '.'].find((name) => namesIn(join(root, name)).some((file) => isTest(name, file)));
  if (folder === undefined) return undefined;
  return folder === '.' ? 'python3 -m unittest discover' : `python3 -m unittest discover -s ${folder}`;
}

/** Scripts that are named as tests, each by itself. */
function shellCommand(root: string): string | undefined {
  const folder = ['tests', 'test'].find((name) => namesIn(join(root, name)).some((file) => file.endsWith('.test.sh')));
  return folder && `for t in ${folder}/*.test.sh; do sh "$t" || exit 1; done`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** How a fresh checkout is set up, by the lock file that is in git at the project's root. Also only offered. */
export const guessSetupCommand = (root: string, committed: readonly string[]): string | undefined =>
  setupCommand((name) => (committed.includes(name) ? textOf(root, name) : undefined));

/** npm writes a test script into every new package that only says there is none. */
function hasTestScript(text: string): boolean {
  try {
    const test: unknown = JSON.parse(text)?.scripts?.test;
    return typeof test === 'string' && test !== '' && !test.includes('no test specified');
  } catch {
    return false;
  }
}

/** What can be seen to be wrong with a test command; undefined: nothing, which only running it would show. */
export function wrongTestCommand(root: string, command: string): string | undefined {
  let scripts: readonly string[] | undefined;
  try {
    scripts = Object.keys((JSON.parse(textOf(root, 'package.json')) as { scripts?: object }).scripts ?? {});
  } catch {
    // There is none, or none that can be read.
  }
  return mistypedTest(command, scripts);
}

function textOf(root: string, name: string): string {
  try {
    return realDisk.readFileSync(join(root, name), 'utf8');
  } catch {
    return '';
  }
}
