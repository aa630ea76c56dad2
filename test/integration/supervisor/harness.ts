// A crew on a real repository whose agents are tiny programs and whose clock is in the test's hand. What an
// agent does on the blackboard is done by the test, while its process waits; then it ends as it is told.

import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/ports/host.ts';
import { realClock } from '../../../src/ports/real-host.ts';
import { isRefusal } from '../../../src/protocol/decision.ts';
import type { AgentEvent, Provider, SessionRequest } from '../../../src/providers/provider.ts';
import { makeChangeSignal } from '../../../src/supervisor/change-signal.ts';
import { type CrewOptions, startCrew } from '../../../src/supervisor/crew.ts';
import type { CrewControl } from '../../../src/supervisor/crew-view.ts';
import { newMergeTurn } from '../../../src/supervisor/merge-turn.ts';
import { makeStartGate } from '../../../src/supervisor/start-gate.ts';
import { type Project, type ProjectOptions, project, START } from '../../support/project.ts';

export { UNCHANGED } from '../../unit/protocol/world.ts';

export interface FakeClock extends Clock {
  /** Everyone who waits for less than this is woken. */
  advance(ms: number): void;
  /** Somebody sets it; what it measures goes on as before. */
  setBy(ms: number): void;
  /** How long the sleepers have still to sleep. */
  sleeping(): readonly number[];
}

const LONGEST_LOOK_MS = 200;

export function fakeClock(p: { pass(seconds: number): void }, start: number): FakeClock {
  let now = start;
  let set = 0;
  const sleepers = new Set<{ readonly until: number; wake(): void }>();
  return {
    ...realClock,
    now: () => now,
    steady: () => now - set,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true || ms <= 0) return resolve();
        // Looks at real processes, which take real time.
        if (ms <= LONGEST_LOOK_MS) return void realClock.sleep(ms, signal).then(resolve);
        const sleeper = {
          until: now + ms,
          wake: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake);
      }),
    advance: (ms) => {
      now += ms;
      p.pass(ms / 1000);
      for (const sleeper of [...sleepers]) if (sleeper.until <= now) sleeper.wake();
    },
    setBy: (ms) => {
      now += ms;
      set += ms;
    },
    sleeping: () => [...sleepers].map(({ until }) => until - now).sort((a, b) => a - b),
  };
}

/** What one session does: acts, then says something, then ends. */
export interface Part {
  readonly act?: (request: SessionRequest) => Promise<unknown>;
  readonly events?: readonly AgentEvent[];
  /** A shell line that ends it; without one it goes on until it is ended. */
  readonly end?: string;
}

export interface Room {
  readonly p: Project;
  readonly clock: FakeClock;
  readonly crew: CrewControl;
  /** Sessions that were started so far. */
  readonly started: readonly SessionRequest[];
  /** Waits for what must come; fails after a time, saying what was asked for. */
  until(what: string, holds: () => boolean | Promise<boolean>): Promise<void>;
  said(): readonly string[];
  close(): Promise<void>;
}

export interface RoomOptions extends ProjectOptions {
  readonly agents?: readonly string[];
  /** By agent and order; the last one is repeated. */
  readonly parts?: Readonly<Record<string, readonly Part[]>>;
  readonly provider?: Partial<Provider>;
  readonly crew?: Partial<CrewOptions>;
  /** What is there before the crew comes. */
  readonly furnish?: (project: Project) => void | Promise<void>;
}

const LONG_AGO = 3600;

async function openRoom(options: RoomOptions): Promise<Room> {
  const p = project(options);
  // The board comes with registered agents: by now their supervisors are long gone.
  p.pass(LONG_AGO);
  await options.furnish?.(p);
  const clock = fakeClock(p, START + LONG_AGO * 1000);
  const started: SessionRequest[] = [];
  const folder = path.join(p.base, 'parts');
  fs.mkdirSync(folder);
  const provider = fakeProvider(options, folder, started);
  const agents = options.agents ?? ['coder-1'];
  const crew = await startCrew({
    untilIdle: false,
    watcher: false,
    members: agents.map((agent) => ({ agent, role: roleOf(agent), chosen: { provider } })),
    context: {
      ...p.context,
      env: p.env,
      store: p.store,
      clock,
      changeSignal: makeChangeSignal(clock),
      mergeTurn: newMergeTurn(),
      startGate: makeStartGate({ clock: realClock, processors: 2, isMerging: () => false }),
      pid: process.pid,
      isRoot: false,
      places: { project: p.root, blackboard: p.file('.liza/state.yaml'), specs: p.file('specs'), scripts: '/scripts' },
      bin: folder,
      contract: () => 'contract',
    },
    ...options.crew,
  });
  if (isRefusal(crew)) throw new Error(crew.message);
  const control = crew as CrewControl;
  return {
    p,
    clock,
    crew: control,
    started,
    said: () => control.view().events.map(({ text }) => text),
    until: async (what, holds) => {
      const members = () => control.view().members.map(({ agent, state, why }) => `${agent} ${state} ${why ?? ''}`);
      await eventually(what, holds, () => [...members(), ...control.view().events.map(({ text }) => text)].join('\n'));
    },
    close: async () => {
      control.stop();
      control.stop();
      await control.ended.catch(() => {}); // an accident is the test's own matter
    },
  };
}

/** The one room of the test that runs, closed after it. */
let room: Room | undefined;

export const r = (): Room => {
  if (room === undefined) throw new Error('no room');
  return room;
};

export async function open(options: RoomOptions): Promise<void> {
  const opened = await openRoom(options);
  room = opened;
  onTestFinished(async () => {
    await opened.close();
    room = undefined;
  });
}

const roleOf = (agent: string) =>
  agent.startsWith('coder') ? 'coder' : agent.startsWith('planner') ? 'planner' : ('code_reviewer' as const);

function fakeProvider({ parts = {}, provider = {} }: RoomOptions, folder: string, started: SessionRequest[]): Provider {
  const counts = new Map<string, number>();
  return {
    name: 'fake',
    title: 'a fake',
    resumes: true,
    hints: { install: '', login: '' },
    launch: (request) => {
      const nth = counts.get(request.agent) ?? 0;
      counts.set(request.agent, nth + 1);
      const mine = parts[request.agent] ?? [];
      const part = mine[Math.min(nth, mine.length - 1)] ?? {};
      const go = path.join(folder, `${request.agent}-${nth}`);
      started.push(request);
      void (async () => {
        await part.act?.(request);
        fs.writeFileSync(go, '');
      })().catch((error: unknown) => fs.writeFileSync(`${go}.failed`, String(error)));
      const lines = (part.events ?? []).map((event) => `echo '${JSON.stringify(event)}'`);
      const script = `while [ ! -e '${go}' ]; do [ -e '${go}.failed' ] && { cat '${go}.failed'; exit 97; }; sleep 0.02; done
${lines.join('\n')}
${part.end ?? 'exec sleep 1000'}`;
      return { argv: ['sh', '-c', script], session: request.resume ?? request.sessionId };
    },
    parser: () => ({ stdout: (line) => (line.startsWith('{') ? [JSON.parse(line)] : []), stderr: () => [] }),
    ...provider,
  };
}

/** Less than a test may take, and more than a busy machine needs. */
const PATIENCE_MS = 45_000;

export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  about = () => '',
): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    if (await holds()) return;
    if (performance.now() > until) throw new Error(`never came: ${what}\n${about()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
