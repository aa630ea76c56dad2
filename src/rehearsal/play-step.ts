// One step. It either went as written, or an Error says in one sentence what happened instead.

import { setTimeout as pass } from 'node:timers/promises';
import { lastLines, runChild } from './children.ts';
import { filled, textOf, typed } from './commands.ts';
import { MODEL, type Told } from './events.ts';
import { changeFiles, FILE_STEPS } from './files.ts';
import { type Exit, liza, readTask, type SandboxMode } from './play.ts';
import type { Step } from './script.ts';
import { verbOf } from './steps.ts';

type Tell = (told: Told) => void;

/** An exit ends the scene. */
export async function takeStep(raw: Step, standing: SandboxMode, tell: Tell): Promise<Exit | undefined> {
  const { stage } = standing;
  const verb = verbOf(raw) ?? '';
  const say = (text: string): void => tell({ kind: 'activity', text });
  if (isFileStep(verb)) {
    say(changeFiles(raw, verb, stage.cwd, stage.beside));
    return undefined;
  }
  const step = filled(raw, wordsOf(standing));
  const value = step[verb];
  const command = typed(step, verb, standing.task?.id ?? '');
  if (command !== undefined) {
    await giveCommand(step, command.argv, command.input, standing, say);
    return undefined;
  }
  switch (verb) {
    case 'say':
      say(textOf(value));
      return undefined;
    case 'think':
      say(textOf(value));
      await pass(Number(step.seconds) * stage.pace * 1000);
      return undefined;
    case 'wait':
      await pass(Number(value) * stage.pace * 1000);
      return undefined;
    case 'until':
      return untilTask(textOf(value), step.is as readonly string[], Number(step.seconds), standing, say);
    case 'run':
      return runProgram(step, value as readonly string[], standing, say);
    case 'commit':
      return commit(textOf(value), standing, say);
    case 'usage': {
      const more = value as { readonly input: number; readonly output: number };
      standing.used.input += more.input;
      standing.used.output += more.output;
      tell({ kind: 'usage', ...standing.used, model: MODEL });
      return undefined;
    }
    case 'context':
      tell({ kind: 'context', percent: Number(value) });
      return undefined;
    case 'exit':
      return { code: Number(value), ...(step.reason === undefined ? {} : { reason: textOf(step.reason) }) };
    case 'fail': {
      const seconds = step.seconds === undefined ? {} : { seconds: Number(step.seconds) };
      tell({ kind: 'failure', failure: textOf(value), text: textOf(step.text), ...seconds });
      return ends(() => stage.leave(1));
    }
    case 'quit':
      return ends(() => stage.leave(Number(value)));
    case 'die':
      return ends(() => stage.die());
    default:
      // `hang`: a timer far away keeps the process there, and it says nothing any more.
      return ends(() => setInterval(() => {}, 2 ** 30));
  }
}

const isFileStep = (verb: string): verb is (typeof FILE_STEPS)[number] =>
  (FILE_STEPS as readonly string[]).includes(verb);

/** Nothing comes after it. */
function ends(how: () => unknown): Promise<never> {
  how();
  return new Promise(() => {});
}

const wordsOf = ({ stage, task, situation, commit: made }: SandboxMode): Readonly<Record<string, string>> => ({
  agent: stage.agent,
  worktree: stage.cwd,
  round: String(situation.nth),
  ...(task === undefined ? {} : { task: task.id, iteration: String(task.iteration ?? 1) }),
  commit: made ?? task?.review_commit ?? 'HEAD',
});

async function giveCommand(
  step: Step,
  argv: readonly string[],
  input: string | undefined,
  { stage }: SandboxMode,
  say: (text: string) => void,
): Promise<void> {
  const shown = `liza ${argv.slice(0, 3).join(' ')}`.slice(0, 80);
  say(shown);
  const ran = await liza(stage, argv, input);
  if (ran.status === null) throw new Error(`${shown}: ${ran.why}`);
  const said = lastLines(ran.output, 6);
  if (step.expect !== 'refused') {
    if (ran.status !== 0) throw new Error(`${shown} was refused (exit ${ran.status}): ${said}`);
    return;
  }
  if (ran.status === 0) throw new Error(`${shown} was to be refused, but it was done`);
  const because = step.because === undefined ? '' : textOf(step.because);
  if (!ran.output.includes(because)) {
    throw new Error(`${shown} was refused, but not because of "${because}": ${said}`);
  }
  say(`refused, as it should be: ${lastLines(ran.output.split('\n')[0] ?? '', 1)}`);
}

async function runProgram(
  step: Step,
  argv: readonly string[],
  { stage }: SandboxMode,
  say: (text: string) => void,
): Promise<undefined> {
  const shown = argv.join(' ').slice(0, 100);
  say(`$ ${shown}`);
  const limit = step.seconds === undefined ? {} : { seconds: Number(step.seconds) };
  const ran = await runChild({ argv, cwd: stage.cwd, env: stage.env, ...limit });
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

async function commit(message: string, standing: SandboxMode, say: (text: string) => void): Promise<undefined> {
  const { cwd, env, agent } = standing.stage;
  const who = ['-c', `user.name=${agent}`, '-c', `user.email=${agent}@rehearsal.invalid`];
  say(`git commit: ${message.split('\n')[0]}`);
  const git = async (...argv: string[]): Promise<string> => {
    const ran = await runChild({ argv: ['git', ...argv], cwd, env });
    if (ran.status !== 0) throw new Error(`git ${argv.at(-1)} failed: ${ran.why ?? lastLines(ran.output, 3)}`);
    return ran.stdout.trim();
  };
  await git('add', '-A');
  await git(...who, 'commit', '-q', '-m', message);
  standing.commit = await git('rev-parse', 'HEAD');
  return undefined;
}

const LOOK_MS = 300;

async function untilTask(
  id: string,
  states: readonly string[],
  seconds: number,
  { stage }: SandboxMode,
  say: (text: string) => void,
): Promise<undefined> {
  let status = '';
  for (let left = (seconds * 1000) / LOOK_MS; left > 0; left--) {
    const task = await readTask(stage, id);
    if (states.includes(task.status)) return undefined;
    if (status === '') say(`waits for ${id}`);
    status = task.status;
    await pass(LOOK_MS);
  }
  throw new Error(`${id} is ${status} after ${seconds} s, not ${states.join(' or ')}`);
}
