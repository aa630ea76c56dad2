// A project of the built program whose agents are rehearsals. The tests play the supervisors' part with the real
// commands; only the agents' words come from a script.

import type { BuiltProject, Ran } from '../../support/program.ts';

export interface SessionOptions {
  readonly cwd?: string;
  readonly script: string;
  readonly resume?: string;
}

/** One session of an agent: what `rehearse` printed, and how it ended. */
export function session(p: BuiltProject, agent: string, prompt: string, options: SessionOptions): Promise<Ran> {
  const { cwd = p.root, script, resume } = options;
  const argv = [`--script=${script}`, '--pace=0', ...(resume === undefined ? [] : [`--resume=${resume}`])];
  return p.start(['rehearse', ...argv], { as: agent, cwd, input: prompt }).ended;
}

/** The sections of a prompt that a rehearsal reads. */
export const coderPrompt = (task: string): string =>
  `=== BOOTSTRAP CONTEXT ===\nMode: Liza Coder\n\n=== ASSIGNED TASK ===\nTASK ID: ${task}\nDESCRIPTION: …\n`;
export const reviewerPrompt = (task: string): string => `=== REVIEW TASK ===\nTASK ID: ${task}\nAUTHOR: coder-1\n`;
export const plannerPrompt = (...triggers: string[]): string =>
  `=== PLANNING CONTEXT ===\n${triggers.map((trigger) => `WAKE TRIGGER: ${trigger}\n`).join('')}SPRINT STATE: …\n`;

export const events = (ran: Ran): readonly Record<string, unknown>[] =>
  ran.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
