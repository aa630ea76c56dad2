// What a session finds itself in, from its prompt and the board: which task, and what happened to it last.
// The prompt says what is to be done; the task's history says how often it came to that. Pure.

import type { Task } from '../protocol/state.ts';
import { WAKE_TRIGGERS, type WakeTrigger } from '../supervisor/rules/wakes.ts';
import type { CODER_SITUATIONS, ScriptRole, Situation } from './script.ts';

export interface Assignment {
  readonly task?: string;
  readonly triggers: readonly WakeTrigger[];
}

const SECTION: Readonly<Record<ScriptRole, string>> = {
  planner: 'PLANNING CONTEXT',
  coder: 'ASSIGNED TASK',
  'code-reviewer': 'REVIEW TASK',
};

/** What the prompt's section for this role asks for; a sentence when it asks for nothing. */
export function assignment(prompt: string, role: ScriptRole): Assignment | string {
  const name = SECTION[role];
  const section = sectionOf(prompt, name);
  if (section === undefined) return `the prompt has no section "=== ${name} ===" for a ${role}`;
  if (role === 'planner') {
    const woken = new Set([...section.matchAll(/^WAKE TRIGGER:[ \t]*([A-Z_]+)/gm)].map(([, name = '']) => name));
    const triggers = WAKE_TRIGGERS.filter((trigger) => woken.has(trigger));
    return triggers.length === 0 ? 'the prompt names no WAKE TRIGGER' : { triggers };
  }
  const task = /^TASK ID:[ \t]*(\S+)/m.exec(section)?.[1];
  return task === undefined ? `"=== ${name} ===" has no TASK ID` : { task, triggers: [] };
}

function sectionOf(prompt: string, name: string): string | undefined {
  const heading = `=== ${name} ===`;
  const start = prompt.indexOf(heading);
  if (start === -1) return undefined;
  const rest = prompt.slice(start + heading.length);
  const end = rest.search(/^=== .+ ===\s*$/m);
  return end === -1 ? rest : rest.slice(0, end);
}

type CoderSituation = (typeof CODER_SITUATIONS)[number];

/** The events after which a coder comes to a task in another way than before. */
const TURNS: Readonly<Record<string, CoderSituation>> = {
  pre_execution_checkpoint: 'interrupted',
  handoff: 'handoff',
  rejected: 'rejected',
  integration_failed: 'integration-failed',
  unblocked: 'unblocked',
};

export function coderSituation(task: Task): Situation {
  const turns = eventsOf(task).flatMap((event) => TURNS[event] ?? []);
  const when = turns.at(-1) ?? 'start';
  const nth = when === 'start' ? 1 : turns.filter((turn) => turn === when).length;
  return { role: 'coder', task: task.id, when, nth };
}

/** One review round per submission. */
export const reviewSituation = (task: Task): Situation => ({
  role: 'code-reviewer',
  task: task.id,
  when: 'review',
  nth: Math.max(1, eventsOf(task).filter((event) => event === 'submitted').length),
});

/** Which state a trigger is about, where it is about tasks. */
export const STATUS_OF: Partial<Readonly<Record<WakeTrigger, string>>> = {
  BLOCKED_TASKS: 'BLOCKED',
  INTEGRATION_FAILED: 'INTEGRATION_FAILED',
};

/** For each trigger its tasks as they are now; none, when another agent was faster. */
export function plannerSituations(triggers: readonly WakeTrigger[], tasks: readonly Task[]): readonly Situation[] {
  return triggers.flatMap((when): readonly Situation[] => {
    const status = STATUS_OF[when];
    if (status === undefined) return [{ role: 'planner', when, nth: 1 }];
    const about = tasks.filter((task) => task.status === status);
    return about.map((task) => ({ role: 'planner', task: task.id, when, nth: timesIn(task, when) }));
  });
}

const timesIn = (task: Task, trigger: WakeTrigger): number => {
  const events = trigger === 'INTEGRATION_FAILED' ? ['integration_failed'] : ['blocked', 'limit'];
  return Math.max(1, eventsOf(task).filter((event) => events.includes(event)).length);
};

const eventsOf = (task: Task): readonly string[] => (task.history ?? []).map(({ event }) => event);
