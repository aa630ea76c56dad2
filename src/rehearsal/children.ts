// Runs one program and waits for it: liza itself, git, or what a script names. Its output is kept within bounds, and it
// is killed when its time is over. It stays in the session's process tree and ends with it.

import type { Host } from '../ports/host.ts';
import { defined } from '../protocol/values.ts';

export interface Child {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  readonly seconds?: number;
  readonly signal?: AbortSignal;
}

export interface Ran {
  /** Null: it did not start, or was ended. */
  readonly status: number | null;
  readonly stdout: string;
  /** Both streams, the last part of them. */
  readonly output: string;
  /** Why there is no status. */
  readonly why?: string;
}

const KEPT = 256 * 1024;
const TIMEOUT_SECONDS = 120;

export function runChild(
  { processes, clock }: Pick<Host, 'processes' | 'clock'>,
  { argv, cwd, env, input = '', seconds = TIMEOUT_SECONDS, signal }: Child,
): Promise<Ran> {
  return new Promise((done) => {
    const [program = '', ...rest] = argv;
    const child = processes.spawn(program, rest, { cwd, env, ...defined({ signal }) });
    let stdout = '';
    let output = '';
    let why: string | undefined;
    const cancel = clock.after(seconds * 1000, () => {
      why = `not ended after ${seconds} s`;
      child.kill('SIGKILL');
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout = (stdout + text).slice(-KEPT);
      output = (output + text).slice(-KEPT);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT);
    });
    child.on('error', (error) => {
      why = `not started: ${error.message}`;
    });
    child.on('close', (status, by) => {
      cancel();
      const reason = why ?? (status === null || status < 0 ? `ended by ${by}` : undefined);
      const answered = reason === undefined ? status : null;
      done({ status: answered, stdout, output, ...defined({ why: reason }) });
    });
    // A program that does not read what it is told is judged by its status.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** The end of what a program printed. */
export const lastLines = (text: string, count = 12): string => text.trimEnd().split('\n').slice(-count).join('\n');
