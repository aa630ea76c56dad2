// What a rehearsed session works with: the machine, its script and prompt, and the commands it gives. Everything it
// knows of the board it asks through `liza`, as an agent would.

import type { Host } from '../ports/host.ts';
import type { Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { type Child, lastLines, type Ran, runChild } from './children.ts';
import type { Script, ScriptRole, Situation } from './script.ts';

export interface Stage extends Host {
  readonly script: Script;
  /** The folder of the script: what `copy` copies from. */
  readonly beside: string;
  readonly agent: string;
  readonly role: ScriptRole;
  readonly prompt: string;
  readonly cwd: string;
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

/** One scene while it is played; steps change it. */
export interface SceneState {
  readonly stage: Stage;
  readonly task: Task | undefined;
  readonly situation: Situation;
  readonly used: { input: number; output: number };
  commit: string | undefined;
}

/** Something did not go as written: which, and what happened instead. Ends the session. */
export class ScriptFailure extends Error {
  override name = 'ScriptFailure';
}

/** Runs a program in the session's folder, with its environment. */
export const runIn = (stage: Stage, child: Omit<Child, 'cwd' | 'env'>): Promise<Ran> =>
  runChild(stage, { ...child, cwd: stage.cwd, env: stage.env });

export const liza = (stage: Stage, argv: readonly string[], input?: string): Promise<Ran> =>
  runIn(stage, { argv: [...stage.program, ...argv], ...defined({ input }) });

export async function readTask(stage: Stage, id: string): Promise<Task> {
  return (await asJson<{ task: Task }>(stage, ['show', id])).task;
}

export async function asJson<T>(stage: Stage, argv: readonly string[]): Promise<T> {
  const ran = await liza(stage, [...argv, '--json']);
  if (ran.status !== 0) {
    throw new ScriptFailure(`liza ${argv.join(' ')} failed: ${ran.why ?? lastLines(ran.output, 3)}`);
  }
  return JSON.parse(ran.stdout) as T;
}
