// `liza run` in a process of its own: it has its own session and no terminal, so that a closed window does not end it.
// What it prints goes to .liza/crew.log, which stays bounded. The starter shows what it says until it is at work.

import { spawn } from 'node:child_process';
import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import { type CrewRecord, crewAtWork, readCrew } from '../supervisor/crew-record.ts';
import { BACKGROUND } from './background-variable.ts';
import type { Io } from './io.ts';
import { plain } from './render/terminal.ts';

const MOST_BYTES = 4_000_000;
const LOOK_MS = 100;

export const crewLog = ({ paths }: Pick<BoardContext, 'paths'>): string => join(paths.liza, 'crew.log');

/** Refuses a second crew on the same board. */
export function refuseSecond(context: BoardContext): Refusal | undefined {
  const crew = crewAtWork(context);
  if (crew === undefined) return undefined;
  return refuse(
    `a crew is at work here already (process ${crew.pid})`,
    'see it: liza attach; end it: liza stop; add one agent to it: liza agent coder',
    1,
    'no-live-lease',
  );
}

/** What Ctrl-C and SIGTERM call now. */
export interface Interrupt {
  call: () => void;
}

/** Starts `liza run <options>` and waits until its crew is at work. */
export async function startInBackground(
  io: Io,
  context: BoardContext,
  { options, interrupt }: { readonly options: readonly string[]; readonly interrupt: Interrupt },
): Promise<CrewRecord | Refusal> {
  const log = crewLog(context);
  const out = openSync(log, 'a', 0o600);
  const from = fstatSync(out).size;
  const [program, ...first] = io.self.argv;
  const child = spawn(program, [...first, 'run', '--plain', ...options], {
    cwd: context.paths.root,
    env: { ...io.env, [BACKGROUND]: '1' },
    stdio: ['ignore', out, out],
    detached: true,
  });
  closeSync(out);
  let over: number | undefined;
  child.on('exit', (code) => {
    over = code ?? 1;
  });
  child.on('error', () => {
    over = 5;
  });
  interrupt.call = () => void child.kill('SIGTERM');
  const relay = relayFrom(log, from, io);
  for (;;) {
    await context.clock.sleep(LOOK_MS);
    const crew = readCrew(context);
    if (over === undefined && (crew === undefined || crew.pid !== child.pid || !crew.isAlive)) {
      relay();
      continue;
    }
    child.unref();
    const said = relay();
    if (over === undefined && crew !== undefined) return crew;
    // It said why on its own, and that is on the screen already.
    const why = said.trim().split('\n').slice(-2).join(' ') || `it ended with ${over}`;
    return refuse(`the crew did not start: ${plain(why)}`, `all it said: ${log}`, (over || 1) as 1, 'ended');
  }
}

/** Prints what was added to the log; returns all of it. */
function relayFrom(log: string, from: number, io: Io): () => string {
  let at = from;
  let all = '';
  return () => {
    const text = readFrom(log, at);
    at += Buffer.byteLength(text);
    all += text;
    if (text !== '') io.stderr(text);
    return all;
  };
}

function readFrom(log: string, at: number): string {
  const size = statSync(log).size;
  if (size <= at) return '';
  const file = openSync(log, 'r');
  try {
    const bytes = Buffer.alloc(size - at);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, at)).toString('utf8');
  } finally {
    closeSync(file);
  }
}

/** Writes lines, and keeps the file that stdout is within bounds: its older half is in crew.log.1. */
export function boundedLines(write: (text: string) => void, log: string): (text: string) => void {
  return (text) => {
    write(text);
    if (fstatSync(1).size <= MOST_BYTES) return;
    copyFileSync(log, `${log}.1`);
    ftruncateSync(1, 0);
  };
}
