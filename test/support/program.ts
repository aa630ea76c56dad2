// The built program, run as processes of its own in a project, and the board as others see it. A process that a test
// leaves behind fails that test.

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { Environment } from '../../src/ports/host.ts';
import { built } from './build.ts';
import type { Contents } from './core.mjs';
import { inProcess, type Liza, succeeding } from './in-process.ts';
import { type Repository, repository } from './repository.ts';
import { template } from './temporary-folder.ts';

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  readonly child: ChildProcessWithoutNullStreams;
  /** The next line of stdout that starts with `start`. */
  line(start: string): Promise<string>;
  say(text: string): void;
  readonly ended: Promise<Ran>;
}

export interface RunOptions {
  /** Acts as that agent; without it the operator acts. */
  readonly as?: string | undefined;
  readonly env?: Environment;
  readonly cwd?: string;
  readonly input?: string;
}

export interface TaskRecord extends Record<string, unknown> {
  readonly id: string;
  readonly status: string;
}

/** state.yaml as the `yaml` package reads it: a judge that is not our own parser. */
export interface Board extends Record<string, unknown> {
  readonly tasks: TaskRecord[];
  readonly human_notes: { message: string }[];
  readonly config: Record<string, unknown>;
  readonly agents: Record<string, Record<string, unknown>>;
}

export interface BuiltProject extends Repository {
  liza(argv: readonly string[], options?: RunOptions): Ran;
  /** The same; throws unless it succeeds. */
  ok(argv: readonly string[], options?: RunOptions): Ran;
  start(argv: readonly string[], options?: RunOptions): Running;
  /** A long-lived process that calls the store (test/e2e/worker.ts). */
  worker(...argv: string[]): Running;
  shell(script: string): Running;
  board(): Board;
  task(id: string): TaskRecord;
  journal(): Record<string, unknown>[];
  config(changes: Readonly<Record<string, unknown>>): void;
  /** A path in the folder of a task. */
  folder(task: string, ...parts: readonly string[]): string;
}

/** A file of the package as it is installed. */
export const shipped = (...parts: readonly string[]): string => path.join(built(), ...parts);
export const program = (): string => shipped('dist', 'liza.cjs');

/** With a board; `state`: hand-written, as `liza` finds it before its first write. */
export function builtProject(state?: string, files?: Contents): BuiltProject {
  const made = builtIn(repository(files && { files }));
  if (state === undefined) begin(made, JSON.stringify(files));
  else writeBoard(made, state);
  return made;
}

/** The same board, with `liza` in this process: for rows of rules, of which the built program needs to show a few. */
export interface BoardInProcess extends Omit<BuiltProject, 'liza' | 'ok' | 'config'> {
  readonly liza: Liza;
  /** The same; throws unless it succeeds. */
  readonly ok: Liza;
}

export async function boardInProcess(state?: string): Promise<BoardInProcess> {
  const made = inProcessIn(repository());
  if (state === undefined) await made.ok(['init', 'Retry all API calls']);
  else writeBoard(made, state);
  return made;
}

export function inProcessIn(repo: Repository): BoardInProcess {
  const { config: _, ...made } = builtIn(repo);
  const liza = inProcess({ ...repo, now: Date.now });
  return { ...made, liza, ok: succeeding(liza) };
}

function writeBoard(made: Repository, state: string): void {
  made.write({ '.liza/state.yaml': state });
  fs.mkdirSync(made.file('.liza/rejected'));
}

const begun = new Map<string | undefined, (place: string) => void>();

/** By `init`, the first time; then by a copy of what it made. */
function begin(made: BuiltProject, files: string | undefined): void {
  const copy = begun.get(files);
  if (copy !== undefined) return copy(made.base);
  made.ok(['init', 'Retry all API calls']);
  begun.set(files, template(made.base));
}

export function builtIn(repo: Repository): BuiltProject {
  const { root, read, file } = repo;
  const options = ({ as, env = {}, cwd = root }: RunOptions = {}) => ({
    cwd,
    env: { ...repo.env, ...(as === undefined ? {} : { LIZA_AGENT_ID: as }), ...env },
  });
  const node = (argv: readonly string[], run: RunOptions = {}): Running =>
    launch(process.execPath, argv, options(run), run.input);
  /** A test that waits for something looks many times at the same board. */
  let parsed: { readonly text: string; readonly board: Board } | undefined;
  const self: BuiltProject = {
    ...repo,
    liza: (argv, run = {}) => {
      const ran = spawnSync(process.execPath, [program(), ...argv], {
        ...options(run),
        encoding: 'utf8',
        input: run.input ?? '',
        timeout: 50_000,
        maxBuffer: 64 * 1024 * 1024,
      });
      if (ran.error !== undefined) throw ran.error;
      return { code: ran.status, signal: ran.signal, stdout: ran.stdout, stderr: ran.stderr };
    },
    ok: (argv, run) => {
      const ran = self.liza(argv, run);
      if (ran.code !== 0) throw new Error(`liza ${argv.join(' ')} ended with ${ran.code}\n${ran.stdout}${ran.stderr}`);
      return ran;
    },
    start: (argv, run) => node([program(), ...argv], run),
    worker: (mode = '', ...rest) => node([shipped('worker.cjs'), mode, root, ...rest]),
    shell: (script) => launch('bash', ['-c', script], options()),
    board: () => {
      const text = read('.liza/state.yaml');
      if (text !== parsed?.text) parsed = { text, board: parse(text, { maxAliasCount: 0 }) as Board };
      return parsed.board;
    },
    task: (id) => {
      const found = self.board().tasks.find((task) => task.id === id);
      if (found === undefined) throw new Error(`no task ${id}`);
      return found;
    },
    journal: () =>
      read('.liza/journal.jsonl')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    config: (changes) => {
      for (const [key, value] of Object.entries(changes))
        self.ok(['config', 'set', key, typeof value === 'string' ? value : JSON.stringify(value)]);
    },
    folder: (task, ...parts) => file('.worktrees', task, ...parts),
  };
  return self;
}

function launch(
  command: string,
  argv: readonly string[],
  options: { readonly cwd: string; readonly env: Environment },
  input?: string,
): Running {
  const child = spawn(command, argv, options);
  onTestFinished(() => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    throw new Error(`a process was left behind: ${child.spawnargs.join(' ')}`);
  });
  let stderr = '';
  const seen: string[] = [];
  const waiting: { start: string; found: (line: string) => void }[] = [];
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const at = waiting.findIndex(({ start }) => line.startsWith(start));
    if (at === -1) seen.push(line);
    else waiting.splice(at, 1)[0]?.found(line);
  });
  child.stdin.on('error', () => {}); // one that ended before it was spoken to is judged by its exit
  if (input !== undefined) child.stdin.end(input);
  return {
    pid: child.pid ?? 0,
    child,
    line: (start) =>
      new Promise((found, fail) => {
        const at = seen.findIndex((line) => line.startsWith(start));
        if (at !== -1) return found(seen.splice(at, 1)[0] ?? '');
        waiting.push({ start, found });
        child.once('close', () => fail(new Error(`ended without saying ${start}: ${stderr}`)));
      }),
    say: (text) => void child.stdin.write(`${text}\n`),
    ended: new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal, stdout: seen.join('\n'), stderr }));
    }),
  };
}

/** What all processes of an agent carry, computed without Liza's own code (docs/decisions/0017). */
export function tagOf(root: string, agent: string): string {
  const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${short(path.join(root, '.git'))}${short(root)}${Buffer.from(agent).toString('hex')}`;
}

/** Resolves when the kernel says that the process is stopped. */
export async function untilStopped(pid: number): Promise<void> {
  await until(() => / T /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/\(.*\)/, '')));
}

/** Looks again until it holds; the test's own time limit ends a condition that never does. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}
