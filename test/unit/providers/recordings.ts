// Plays a recorded session to its parser. The recordings are what the real CLIs printed against a scripted
// model, cut to what a reader needs; see test/clis/README.md for how they are made.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Configured, providersOf } from '../../../src/providers/configured.ts';
import type { AgentEvent, Counting, SessionRequest } from '../../../src/providers/provider.ts';
import type { Instant } from '../../../src/text/time.ts';

/** When the limits were recorded. */
export const RECORDED: Instant = Date.parse('2026-11-15T11:39:30Z');

export function provider(name: string, config: Record<string, unknown> = {}) {
  const table = providersOf(config);
  if ('ok' in table) throw new Error(table.message);
  return (table.get(name) as Configured).provider;
}

export function play(name: string, recording: string, counting?: Counting): readonly AgentEvent[] {
  const parser = provider(name).parser(counting);
  const lines = (ending: string) => {
    const file = join(import.meta.dirname, 'fixtures', name, `${recording}${ending}`);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  };
  return [
    ...lines('.stderr.txt').flatMap((line) => parser.stderr(line, RECORDED)),
    ...lines('.jsonl').flatMap((line) => parser.stdout(line, RECORDED)),
  ];
}

export const last = <K extends AgentEvent['kind']>(events: readonly AgentEvent[], kind: K) =>
  events.findLast((event): event is Extract<AgentEvent, { kind: K }> => event.kind === kind);

export const activities = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === 'activity' ? [event.text] : []));

export const request = (changes: Partial<SessionRequest> = {}): SessionRequest => ({
  agent: 'coder-1',
  role: 'coder',
  cwd: '/home/dev/project/.worktrees/greet',
  contract: 'CONTRACT: be honest.\n',
  prompt: 'PROMPT: greet the world.\n',
  sessionId: '11111111-2222-4333-8444-555555555555',
  scratch: '/home/dev/scratch/coder-1',
  env: { PATH: '/usr/bin' },
  root: false,
  ...changes,
});
