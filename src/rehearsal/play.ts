// One session of an agent, played from a script: finds out what it is asked to do, picks the scene, does its steps
// through the real commands, and stops at the first that does not go as written. It decides nothing by itself and hides
// nothing: a refused command, a failing test or a missing scene ends the session.

import type { Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { lastLines } from './children.ts';
import { eventLine, type RehearsalEvent } from './events.ts';
import { type Exit, takeStep } from './play-step.ts';
import { named, type Scene, type Script, type Situation, sceneFor } from './script.ts';
import { assignment, coderSituation, plannerSituations, reviewSituation, STATUS_OF } from './situation.ts';
import { asJson, liza, readTask, type SceneState, ScriptFailure, type Stage } from './stage.ts';

type Emit = (event: RehearsalEvent) => void;

export async function play(stage: Stage): Promise<{ readonly ok: boolean; readonly text: string }> {
  const emit: Emit = (event) => stage.print(eventLine(event));
  emit({ kind: 'session', id: stage.session });
  if (stage.resumed) emit({ kind: 'activity', text: 'continues its earlier session' });
  try {
    const text = await playScenes(stage, emit);
    emit({ kind: 'result', ok: true, text });
    return { ok: true, text };
  } catch (error) {
    if (!(error instanceof ScriptFailure)) throw error;
    emit({ kind: 'failure', failure: 'other', text: error.message });
    emit({ kind: 'result', ok: false, text: error.message });
    return { ok: false, text: error.message };
  }
}

async function playScenes(stage: Stage, emit: Emit): Promise<string> {
  const found = await findSituations(stage);
  const scenes = found.map(({ situation, task }) => ({ situation, task, scene: chosen(stage.script, situation) }));
  const used = { input: 0, output: 0 };
  let exit: Exit | undefined;
  for (const { scene, situation, task } of scenes) {
    const declared = await playScene(scene, { stage, task, situation, used, commit: undefined }, emit);
    if (declared !== undefined) exit = exit?.code === 42 ? exit : declared;
  }
  if (scenes.length === 0) exit = { code: 0, reason: 'its script has nothing for this' };
  if (exit === undefined) return 'the scene has ended';
  const reason = exit.reason === undefined ? [] : ['--reason', exit.reason];
  const ran = await liza(stage, ['exit', String(exit.code), ...reason]);
  if (ran.status !== 0) throw new ScriptFailure(`liza exit ${exit.code} was refused: ${lastLines(ran.output, 3)}`);
  return exit.reason ?? `declared ${exit.code}`;
}

async function playScene(scene: Scene, state: SceneState, emit: Emit): Promise<Exit | undefined> {
  for (const [at, step] of scene.steps.entries()) {
    try {
      const exit = await takeStep(step, state, emit);
      if (exit !== undefined) return exit;
    } catch (error) {
      const place = `${named(state.situation)}: step ${at + 1}`;
      throw new ScriptFailure(`${place}: ${(error as Error).message}`, { cause: error });
    }
  }
  return undefined;
}

function chosen(script: Script, situation: Situation): Scene {
  const scene = sceneFor(script, situation);
  if (scene !== undefined) return scene;
  throw new ScriptFailure(`the script has no scene for ${named(situation)}`);
}

interface Found {
  readonly situation: Situation;
  readonly task?: Task;
}

async function findSituations(stage: Stage): Promise<readonly Found[]> {
  const asked = assignment(stage.prompt, stage.role);
  if (typeof asked === 'string') throw new ScriptFailure(asked);
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
