// One session of an agent, played from a script: finds out what it is asked to do, picks the scene, does its
// steps through the real commands, and stops at the first that does not go as written. It decides nothing by
// itself and hides nothing: a refused command, a failing test or a missing scene is the session's end.

import type { Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { lastLines, type Ran, runChild } from './children.ts';
import { line, type Told } from './events.ts';
import { takeStep } from './play-step.ts';
import { named, type Scene, type Script, type ScriptRole, type Situation, sceneFor } from './script.ts';
import { assignment, coderSituation, plannerSituations, reviewSituation, STATUS_OF } from './situation.ts';

export interface Stage {
  readonly script: Script;
  /** The folder of the script: what `copy` copies from. */
  readonly beside: string;
  readonly agent: string;
  readonly role: ScriptRole;
  readonly prompt: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How liza is started: node and the bundle. */
  readonly program: readonly string[];
  /** Waiting is multiplied by it; 0: none. */
  readonly pace: number;
  readonly session: string;
  readonly resumed: boolean;
  print(text: string): void;
  /** kill -9 to this process. */
  die(): void;
  /** Ends this process with a status, declaring nothing. */
  leave(status: number): void;
}

/** What a session has come to; steps change it. */
export interface SandboxMode {
  readonly stage: Stage;
  readonly task: Task | undefined;
  readonly situation: Situation;
  readonly used: { input: number; output: number };
  commit: string | undefined;
}

export interface Exit {
  readonly code: number;
  readonly reason?: string;
}

/** The reason it did not go as written. */
export class Stumble extends Error {
  override name = 'Stumble';
}

export async function play(stage: Stage): Promise<{ readonly ok: boolean; readonly text: string }> {
  const tell = (told: Told): void => stage.print(line(told));
  tell({ kind: 'session', id: stage.session });
  if (stage.resumed) tell({ kind: 'activity', text: 'goes on with its former session' });
  try {
    const text = await playScenes(stage, tell);
    tell({ kind: 'result', ok: true, text });
    return { ok: true, text };
  } catch (error) {
    if (!(error instanceof Stumble)) throw error;
    tell({ kind: 'failure', failure: 'other', text: error.message });
    tell({ kind: 'result', ok: false, text: error.message });
    return { ok: false, text: error.message };
  }
}

async function playScenes(stage: Stage, tell: (told: Told) => void): Promise<string> {
  const found = await lookAround(stage);
  const scenes = found.map(({ situation, task }) => ({ situation, task, scene: chosen(stage.script, situation) }));
  const used = { input: 0, output: 0 };
  let exit: Exit | undefined;
  for (const { scene, situation, task } of scenes) {
    const declared = await playScene(scene, { stage, task, situation, used, commit: undefined }, tell);
    if (declared !== undefined) exit = exit?.code === 42 ? exit : declared;
  }
  if (scenes.length === 0) exit = { code: 0, reason: 'somebody was faster' };
  if (exit === undefined) return 'the scene is over';
  const reason = exit.reason === undefined ? [] : ['--reason', exit.reason];
  const ran = await liza(stage, ['exit', String(exit.code), ...reason]);
  if (ran.status !== 0) throw new Stumble(`liza exit ${exit.code} was refused: ${lastLines(ran.output, 3)}`);
  return exit.reason ?? `declared ${exit.code}`;
}

async function playScene(scene: Scene, standing: SandboxMode, tell: (told: Told) => void): Promise<Exit | undefined> {
  for (const [at, step] of scene.steps.entries()) {
    try {
      const exit = await takeStep(step, standing, tell);
      if (exit !== undefined) return exit;
    } catch (error) {
      const place = `${named(standing.situation)}: step ${at + 1}`;
      throw new Stumble(`${place}: ${(error as Error).message}`, { cause: error });
    }
  }
  return undefined;
}

function chosen(script: Script, situation: Situation): Scene {
  const scene = sceneFor(script, situation);
  if (scene !== undefined) return scene;
  throw new Stumble(`the script has no scene for ${named(situation)}`);
}

interface Found {
  readonly situation: Situation;
  readonly task?: Task;
}

async function lookAround(stage: Stage): Promise<readonly Found[]> {
  const asked = assignment(stage.prompt, stage.role);
  if (typeof asked === 'string') throw new Stumble(asked);
  if (asked.task !== undefined) {
    const task = await readTask(stage, asked.task);
    return [{ task, situation: stage.role === 'coder' ? coderSituation(task) : reviewSituation(task) }];
  }
  const aboutTasks = asked.triggers.some((trigger) => STATUS_OF[trigger] !== undefined);
  const tasks = aboutTasks ? await troubledTasks(stage) : [];
  return plannerSituations(asked.triggers, tasks).map((situation) => {
    const task = tasks.find(({ id }) => id === situation.task);
    return { situation, ...defined({ task }) };
  });
}

export async function readTask(stage: Stage, id: string): Promise<Task> {
  return (await asJson<{ task: Task }>(stage, ['show', id])).task;
}

interface Status {
  readonly groups: readonly { readonly status: string; readonly tasks: readonly { readonly id: string }[] }[];
}

async function troubledTasks(stage: Stage): Promise<readonly Task[]> {
  const { groups } = await asJson<Status>(stage, ['status']);
  const ids = groups
    .filter(({ status }) => Object.values(STATUS_OF).includes(status))
    .flatMap(({ tasks }) => tasks.map(({ id }) => id));
  return Promise.all(ids.map((id) => readTask(stage, id)));
}

async function asJson<T>(stage: Stage, argv: readonly string[]): Promise<T> {
  const ran = await liza(stage, [...argv, '--json']);
  if (ran.status !== 0) throw new Stumble(`liza ${argv.join(' ')} failed: ${ran.why ?? lastLines(ran.output, 3)}`);
  return JSON.parse(ran.stdout) as T;
}

export const liza = ({ program, cwd, env }: Stage, argv: readonly string[], input?: string): Promise<Ran> =>
  runChild({ argv: [...program, ...argv], cwd, env, ...defined({ input }) });
