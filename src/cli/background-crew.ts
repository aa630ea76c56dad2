// `liza run` in a process of its own: it has its own session and no terminal, so that a closed window does not end it.
// What it prints goes to .liza/crew.log, which stays bounded. The starter shows what it says until it is at work.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { replaceFile } from '../ports/files.ts';
import { guardedFlags } from '../process/plain-file.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import { type CrewRecord, crewAtWork, readCrew } from '../supervisor/crew-record.ts';
import { BACKGROUND } from './background-variable.ts';
import type { Io } from './io.ts';
import { printErr } from './render/print.ts';
import { plain } from './render/terminal.ts';

export const MOST_BYTES = 4_000_000;
const LOOK_MS = 100;

export const crewLog = ({ paths }: Pick<BoardContext, 'paths'>): string => join(paths.liza, 'crew.log');

/** Refuses a second crew on the same board. */
export function refuseSecond(context: BoardContext): Refusal | undefined {
  const crew = crewAtWork(context);
  if (crew === undefined) return undefined;
  return refuse(
    `a crew is already running here (process ${crew.pid})`,
    'see it: liza attach; stop it: liza stop; add one agent to it: liza agent coder',
    1,
    'no-live-lease',
  );
}

/** What Ctrl-C and SIGTERM call now. */
export interface Interrupt {
  call: () => void;
}

interface Starting {
  readonly options: readonly string[];
  readonly interrupt: Interrupt;
  /** What the crew says is part of the answer then, and not on the screen. */
  readonly json: boolean;
}

/** It refused to start, said why and what to do, and that is on the screen: the code that it ended with. */
interface ToldWhy {
  readonly told: number;
}

/** Starts `liza run <options>` and waits until its crew is at work. */
export async function startInBackground(
  io: Io,
  context: BoardContext,
  { options, interrupt, json }: Starting,
): Promise<CrewRecord | Refusal | ToldWhy> {
  const { disk } = context;
  const log = crewLog(context);
  const out = openLog(disk, log);
  const [program, ...first] = io.self.argv;
  const child = spawn(program, [...first, 'run', '--plain', ...options], {
    cwd: context.paths.root,
    env: { ...io.env, [BACKGROUND]: '1' },
    stdio: ['ignore', out, out],
    detached: true,
  });
  let over: number | undefined;
  child.on('exit', (code) => {
    over = code ?? 1;
  });
  child.on('error', () => {
    over = 5;
  });
  interrupt.call = () => void child.kill('SIGTERM');
  const relay = relayFrom(disk, out, json ? () => {} : (text) => printErr(io, text));
  for (;;) {
    await context.clock.sleep(LOOK_MS);
    const crew = readCrew(context);
    if (over === undefined && (crew === undefined || crew.pid !== child.pid || !crew.isAlive)) {
      relay();
      continue;
    }
    child.unref();
    const said = relay();
    disk.closeSync(out);
    if (over === undefined && crew !== undefined) return crew;
    const code = (over || 1) as 1;
    const last = said.trim().split('\n').slice(-2).join(' ');
    if (!json && /^liza: /m.test(said)) return { told: code };
    if (last !== '' && !json)
      return refuse('the crew did not start', `fix what is named above; its whole output: ${log}`, code, 'ended');
    return refuse(
      `the crew did not start: ${plain(last) || `it ended with ${over}`}`,
      `its whole output: ${log}`,
      code,
      'ended',
    );
  }
}

/** For reading, too: what follows goes through this one, wherever its name leads by then. */
function openLog(disk: Disk, log: string): number {
  const { O_RDWR, O_APPEND, O_CREAT } = disk.constants;
  return disk.openSync(log, O_RDWR | O_APPEND | O_CREAT | guardedFlags(disk), 0o600);
}

/** Tells what is added to the log; returns all of it. */
function relayFrom(disk: Disk, log: number, tell: (text: string) => void): () => string {
  let at = disk.fstatSync(log).size;
  let all = '';
  return () => {
    const bytes = readFrom(disk, log, at);
    at += bytes.length;
    const text = bytes.toString('utf8');
    all += text;
    if (text !== '') tell(text);
    return all;
  };
}

function readFrom(disk: Disk, file: number, at: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, disk.fstatSync(file).size - at));
  return bytes.subarray(0, bytes.length === 0 ? 0 : disk.readSync(file, bytes, 0, bytes.length, at));
}

/** Writes lines to the log, which is the open file `fd`, and keeps it within bounds: what was in it is in crew.log.1. */
export function boundedLines(
  { disk, files, paths }: BoardContext,
  write: (text: string) => void,
  fd = 1,
): (text: string) => void {
  return (text) => {
    write(text);
    if (disk.fstatSync(fd).size <= MOST_BYTES) return;
    replaceFile(files, `${crewLog({ paths })}.1`, readFrom(disk, fd, 0), false);
    disk.ftruncateSync(fd, 0);
  };
}
