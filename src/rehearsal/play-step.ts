// One step. It either went as written, or an Error says in one sentence what happened instead.

import { lastLines } from './children.ts';
import { filled, type TypedCommand, textOf, typed } from './commands.ts';
import { MODEL, type RehearsalEvent } from './events.ts';
import { changeFiles, FILE_STEPS, type FileStep } from './files.ts';
import type { Step } from './script.ts';
import { liza, readTask, runIn, type SceneState } from './stage.ts';
import { verbOf } from './steps.ts';

/** What the session declares when its scene is over. */
export interface Exit {
  readonly code: number;
  readonly reason?: string;
}

type Emit = (event: RehearsalEvent) => void;

/** An exit ends the scene. */
export async function takeStep(raw: Step, state: SceneState, emit: Emit): Promise<Exit | undefined> {
  const { stage } = state;
  const verb = verbOf(raw) ?? '';
  const say = (text: string): void => emit({ kind: 'activity', text });
  if (isFileStep(verb)) {
    say(changeFiles(stage.disk, raw, verb, stage));
    return undefined;
  }
  const step = filled(raw, wordsOf(state));
  const value = step[verb];
  const command = typed(step, verb, state.task?.id ?? '');
  if (command !== undefined) {
    await giveCommand(step, command, state, say);
    return undefined;
  }
  switch (verb) {
    case 'say':
      say(textOf(value));
      return undefined;
    case 'think':
      say(textOf(value));
      await stage.clock.sleep(Number(step.seconds) * stage.pace * 1000);
      return undefined;
    case 'wait':
      await stage.clock.sleep(Number(value) * stage.pace * 1000);
      return undefined;
    case 'until':
      return untilTask(textOf(value), step, state, say);
    case 'run':
      return runProgram(step, value as readonly string[], state, say);
    case 'commit':
      return commit(textOf(value), state, say);
    case 'usage': {
      const more = value as { readonly input: number; readonly output: number };
      state.used.input += more.input;
      state.used.output += more.output;
      emit({ kind: 'usage', ...state.used, model: MODEL });
      return undefined;
    }
    case 'context':
      emit({ kind: 'context', percent: Number(value) });
      return undefined;
    case 'exit':
      return { code: Number(value), ...(step.reason === undefined ? {} : { reason: textOf(step.reason) }) };
    case 'fail': {
      const seconds = step.seconds === undefined ? {} : { seconds: Number(step.seconds) };
      emit({ kind: 'failure', failure: textOf(value), text: textOf(step.text), ...seconds });
      return ends(() => stage.leave(1));
    }
    case 'quit':
      return ends(() => stage.leave(Number(value)));
    case 'die':
      return ends(() => stage.die());
    default:
      // `hang`: a timer far away keeps the process there, and it says nothing any more.
      return ends(() => stage.clock.every(2 ** 30, () => {}));
  }
}

const isFileStep = (verb: string): verb is FileStep => (FILE_STEPS as readonly string[]).includes(verb);

/** Nothing comes after it. */
function ends(how: () => unknown): Promise<never> {
  how();
  return new Promise(() => {});
}

const wordsOf = ({ stage, task, situation, commit: made }: SceneState): Readonly<Record<string, string>> => ({
  agent: stage.agent,
  worktree: stage.cwd,
  round: String(situation.nth),
  ...(task === undefined ? {} : { task: task.id, iteration: String(task.iteration ?? 1) }),
  commit: made ?? task?.review_commit ?? 'HEAD',
});

async function giveCommand(
  step: Step,
  { argv, input }: TypedCommand,
  { stage }: SceneState,
  say: (text: string) => void,
): Promise<void> {
  const shown = `liza ${argv.slice(0, 3).join(' ')}`.slice(0, 80);
  say(shown);
  const ran = await liza(stage, argv, input);
  if (ran.status === null) throw new Error(`${shown}: ${ran.why}`);
  const said = lastLines(ran.output, 20);
  if (step.expect !== 'refused') {
    if (ran.status !== 0) throw new Error(`${shown} was refused (exit ${ran.status}): ${said}`);
    return;
  }
  if (ran.status === 0) throw new Error(`${shown} should have been refused, but it succeeded`);
  const because = step.because === undefined ? '' : textOf(step.because);
  if (!ran.output.includes(because)) {
    throw new Error(`${shown} was refused, but not because of "${because}": ${said}`);
  }
  say(`refused, as it should be: ${lastLines(ran.output.split('\n')[0] ?? '', 1)}`);
}

async function runProgram(
  step: Step,
  argv: readonly string[],
  { stage }: SceneState,
  say: (text: string) => void,
): Promise<undefined> {
  const shown = argv.join(' ').slice(0, 100);
  say(`$ ${shown}`);
  const limit = step.seconds === undefined ? {} : { seconds: Number(step.seconds) };
  const ran = await runIn(stage, { argv, ...limit });
  if (ran.status === null) throw new Error(`${shown}: ${ran.why}`);
  const expected = step.expect === undefined ? 0 : Number(step.expect);
  if (ran.status !== expected) {
    throw new Error(`${shown} ended with ${ran.status}, not ${expected}:\n${lastLines(ran.output)}`);
  }
  if (step.prints !== undefined && !ran.output.includes(textOf(step.prints))) {
    throw new Error(`${shown} did not print "${textOf(step.prints)}":\n${lastLines(ran.output)}`);
  }
  return undefined;
}

async function commit(message: string, state: SceneState, say: (text: string) => void): Promise<undefined> {
  const { stage } = state;
  const who = ['-c', `user.name=${stage.agent}`, '-c', `user.email=${stage.agent}@rehearsal.invalid`];
  say(`git commit: ${message.split('\n')[0]}`);
  const git = async (...argv: string[]): Promise<string> => {
    const ran = await runIn(stage, { argv: ['git', ...argv] });
    if (ran.status !== 0) throw new Error(`git ${argv.at(-1)} failed: ${ran.why ?? lastLines(ran.output, 3)}`);
    return ran.stdout.trim();
  };
  await git('add', '-A');
  await git(...who, 'commit', '-q', '-m', message);
  state.commit = await git('rev-parse', 'HEAD');
  return undefined;
}

const LOOK_MS = 300;

async function untilTask(
  id: string,
  step: Step,
  { stage }: SceneState,
  say: (text: string) => void,
): Promise<undefined> {
  const states = step.is as readonly string[];
  const seconds = Number(step.seconds);
  let status = '';
  for (let left = (seconds * 1000) / LOOK_MS; left > 0; left--) {
    const task = await readTask(stage, id);
    if (states.includes(task.status)) return undefined;
    if (status === '') say(`waits for the task "${id}"`);
    status = task.status;
    await stage.clock.sleep(LOOK_MS);
  }
  throw new Error(`${id} is ${status} after ${seconds} s, not ${states.join(' or ')}`);
}
