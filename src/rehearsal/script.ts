// A script: what each agent does in which situation, as plain data. Scenes are tried in order and the first
// that fits is played. There is no code in a script and no branch: what happens is what is written.

import { WAKE_TRIGGERS } from '../supervisor/rules/wakes.ts';

export const SCRIPT_ROLES = ['planner', 'coder', 'code-reviewer'] as const;
export type ScriptRole = (typeof SCRIPT_ROLES)[number];

/** How a coder comes to a task: by what happened to it last. */
export const CODER_SITUATIONS = [
  'start',
  'interrupted',
  'handoff',
  'rejected',
  'integration-failed',
  'unblocked',
] as const;

export const SITUATIONS: Readonly<Record<ScriptRole, readonly string[]>> = {
  planner: WAKE_TRIGGERS,
  coder: CODER_SITUATIONS,
  'code-reviewer': ['review'],
};

export interface Script {
  readonly title?: string;
  readonly scenes: readonly Scene[];
}

export interface Scene {
  readonly role: ScriptRole;
  /** Absent: any task. */
  readonly task?: string;
  /** Absent: any situation. */
  readonly when?: string;
  /** Only this time that the task comes to it, counted by its history; absent: every time. */
  readonly nth?: number;
  readonly steps: readonly Step[];
}

/** Exactly one key names what is done; see STEPS in steps.ts for all of them. */
export type Step = Readonly<Record<string, unknown>>;

/** What a session finds itself in. */
export interface Situation {
  readonly role: ScriptRole;
  readonly task?: string;
  readonly when: string;
  readonly nth: number;
}

export const fits = (scene: Scene, found: Situation): boolean =>
  scene.role === found.role &&
  (scene.task === undefined || scene.task === found.task) &&
  (scene.when === undefined || scene.when === found.when) &&
  (scene.nth === undefined || scene.nth === found.nth);

export const sceneFor = (script: Script, found: Situation): Scene | undefined =>
  script.scenes.find((scene) => fits(scene, found));

/** `coder, task parse, rejected, time 2`. */
export const named = ({ role, task, when, nth }: Partial<Situation>): string =>
  [role, task === undefined ? undefined : `task ${task}`, when, nth === undefined ? undefined : `time ${nth}`]
    .filter((part) => part !== undefined)
    .join(', ');
