// `rehearsal` plays a script through the real commands; `player` lends its process to whoever uses `liza play`
// (docs/rehearsal.md). Neither is a model. Both are started like any other agent CLI: the prompt on stdin, one JSON
// object a line on stdout. Token counts are the script's; a player has none.

import { join } from 'node:path';
import type { Environment } from '../ports/host.ts';
import { defined } from '../protocol/values.ts';
import type { Instant } from '../text/time.ts';
import type { AgentEvent, FailureKind, Parser, Provider } from './provider.ts';

export interface RehearsalOptions {
  /** How liza is started: node and the bundle. */
  readonly program: readonly [string, ...string[]];
  /** Absolute: sessions start in other folders. */
  readonly script: string;
  /** Waiting is multiplied by it; 0: none. */
  readonly pace?: number;
  /** What it plays costs nothing, and that is known. */
  readonly free?: true;
  /** Besides the inherited environment. */
  readonly env?: Environment;
}

export function rehearsalProvider({ program, script, pace, free, env }: RehearsalOptions): Provider {
  return {
    name: 'rehearsal',
    title: 'a rehearsal (scripted, no model)',
    resumes: true,
    resumesElsewhere: true,
    hints: { install: 'nothing to install: it is part of Liza', login: 'nothing to log in to' },
    launch: ({ prompt, sessionId, resume }) => ({
      argv: [
        ...program,
        'rehearse',
        `--script=${script}`,
        ...(pace === undefined ? [] : [`--pace=${pace}`]),
        ...(resume === undefined ? [`--session=${sessionId}`] : [`--resume=${resume}`]),
      ],
      stdin: prompt,
      ...defined({ env }),
      reads: [script],
      session: resume ?? sessionId,
    }),
    parser: () => rehearsalParser(free),
  };
}

/** The folder is made empty for each session (supervisor/session-start.ts). */
export function playerProvider(program: readonly [string, ...string[]]): Provider {
  return {
    name: 'player',
    title: 'a player (liza play)',
    tellsUse: false,
    resumes: false,
    hints: { install: 'nothing to install: it is part of Liza', login: 'nothing to log in to' },
    launch: ({ contract, prompt, sessionId, scratch }) => {
      const folder = join(scratch, 'play');
      return {
        argv: [...program, 'rehearse', `--player=${folder}`, `--session=${sessionId}`],
        stdin: `${contract.trimEnd()}\n\n${prompt}`,
        folders: [folder],
        session: sessionId,
      };
    },
    parser: () => rehearsalParser(),
  };
}

const rehearsalParser = (free?: true): Parser => ({
  stdout: (line, now) => {
    const event = read(line, now);
    if (event?.kind === 'usage' && free) return [{ ...event, usage: { ...event.usage, cost_usd: 0 } }];
    // Also where it is killed before it tells anything.
    if (event?.kind === 'session' && free)
      return [event, { kind: 'usage', usage: { input: 0, output: 0, cost_usd: 0 } }];
    return event === undefined ? [] : [event];
  },
  // What stops it is said on both; the event has it already.
  stderr: () => [],
});

const FAILURES: readonly FailureKind[] = ['quota', 'login', 'network', 'model', 'other'];

function read(line: string, now: Instant): AgentEvent | undefined {
  const told = objectIn(line);
  const text = typeof told?.text === 'string' ? told.text : '';
  switch (told?.kind) {
    case 'session':
      return typeof told.id === 'string' ? { kind: 'session', id: told.id } : undefined;
    case 'activity':
      return { kind: 'activity', text };
    case 'usage': {
      const { input, output, model } = told;
      if (typeof input !== 'number' || typeof output !== 'number') return undefined;
      return { kind: 'usage', usage: { input, output, ...(typeof model === 'string' ? { model } : {}) } };
    }
    case 'context':
      return typeof told.percent === 'number' ? { kind: 'context', percent: told.percent } : undefined;
    case 'failure': {
      const failure = FAILURES.find((kind) => kind === told.failure) ?? 'other';
      const until = typeof told.seconds === 'number' ? { until: now + told.seconds * 1000 } : {};
      return { kind: 'failure', failure, text, ...until };
    }
    case 'result':
      return { kind: 'result', ok: told.ok === true, text };
    default:
      return undefined;
  }
}

/** A line that is no object is no event: nothing else of ours prints there. */
function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
