// The text about a session's sandbox, and what it means to have none. `liza show` uses it, so it must load nothing.

import type { TaskSession } from '../../protocol/state.ts';

export const OFF_MEANS = 'agents run as you: they can read and write everything you can';

export function sandboxText(sandbox: TaskSession['sandbox']): string {
  if (sandbox === 'not-started') return 'never started';
  return sandbox === 'off' ? 'not confined' : `confined (${sandbox})`;
}

/** Who worked on it without a sandbox; empty: nobody, as far as it is known. */
export const unconfinedAgents = (sessions: readonly Pick<TaskSession, 'agent' | 'sandbox'>[]): readonly string[] => [
  ...new Set(sessions.flatMap(({ agent, sandbox }) => (sandbox === 'off' ? [agent] : []))),
];

/** Several sessions in one phrase: `3 confined, 1 not confined, 2 unknown`. `all` includes those of unknown sandbox. */
export function confinement(sessions: readonly Pick<TaskSession, 'sandbox'>[], all: number): string {
  const count = (of: (sandbox: TaskSession['sandbox']) => boolean): number =>
    sessions.filter(({ sandbox }) => of(sandbox)).length;
  const parts: readonly [number, string][] = [
    [count((one) => one === 'bubblewrap' || one === 'seatbelt'), 'confined'],
    [count((one) => one === 'off'), 'not confined'],
    [count((one) => one === 'not-started'), 'never started'],
    [Math.max(0, all - sessions.length), 'unknown'],
  ];
  return parts.flatMap(([n, word]) => (n === 0 ? [] : [`${n} ${word}`])).join(', ');
}
