// A session of an agent that lends its process to a player: it does what it is asked, in the agent's folder, with the
// agent's identity and sandbox, and shows it to its supervisor like any agent CLI. It decides nothing by itself.

import type { Host } from '../ports/host.ts';
import { runChild } from './children.ts';
import { eventLine, type RehearsalEvent } from './events.ts';
import { type Answered, type Asked, announce, beat, nextAsked, type PlayedSession, reply } from './player-folder.ts';

export interface Lent extends Host {
  readonly folder: string;
  readonly played: PlayedSession;
  print(text: string): void;
}

const LOOK_MS = 100;
const BEAT_MS = 1000;
/** A player who thinks is no agent that hangs. */
const THINKING_MS = 60_000;

/** Answers the status with which the player ended the session. */
export async function lendSession(lent: Lent): Promise<number> {
  const emit = (event: RehearsalEvent): void => lent.print(eventLine(event));
  announce(lent, lent.folder, lent.played);
  const stopBeating = lent.clock.every(BEAT_MS, () => beat(lent, lent.folder));
  emit({ kind: 'session', id: lent.played.session });
  emit({ kind: 'activity', text: `waits to be played: liza play next ${lent.played.agent}` });
  try {
    return await answerAll(lent, emit);
  } finally {
    stopBeating();
  }
}

async function answerAll(lent: Lent, emit: (event: RehearsalEvent) => void): Promise<number> {
  let shown = lent.clock.now();
  for (;;) {
    const next = nextAsked(lent.disk, lent.folder);
    if (next === undefined) {
      if (lent.clock.now() - shown > THINKING_MS) {
        shown = lent.clock.now();
        emit({ kind: 'activity', text: 'thinks' });
      }
      await lent.clock.sleep(LOOK_MS);
      continue;
    }
    shown = lent.clock.now();
    const answered = await answer(lent, next.asked, emit);
    reply(lent, lent.folder, next.name, answered);
    if (next.asked.kind === 'end') return next.asked.status;
  }
}

async function answer(lent: Lent, asked: Asked, emit: (event: RehearsalEvent) => void): Promise<Answered> {
  switch (asked.kind) {
    case 'say':
      emit({ kind: 'activity', text: asked.text });
      return { output: '', status: 0 };
    case 'end':
      emit({ kind: 'result', ok: asked.status === 0, text: 'the player ended the session' });
      return { output: '', status: asked.status };
    case 'sh': {
      emit({ kind: 'activity', text: `$ ${asked.text.trim().split('\n')[0] ?? ''}` });
      const { seconds, text } = asked;
      const { status, output, why } = await runChild(lent, {
        argv: ['sh', '-c', text],
        cwd: lent.played.cwd,
        env: lent.env,
        seconds,
      });
      return { output, status, ...(why === undefined ? {} : { why }) };
    }
    default:
      return { output: '', status: null, why: 'that cannot be asked' };
  }
}
