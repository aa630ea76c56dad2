// Runs one program for a step and waits for it: liza itself, git, or what the script names. Its output is
// kept within bounds, and it ends when its time is over. Whoever ends the session's tree ends it too.

import { spawn } from 'node:child_process';
import { defined } from '../protocol/values.ts';

export interface Child {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  readonly seconds?: number;
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
const PATIENCE = 120;

export function runChild({ argv, cwd, env, input = '', seconds = PATIENCE }: Child): Promise<Ran> {
  return new Promise((done) => {
    const [program = '', ...rest] = argv;
    const child = spawn(program, rest, { cwd, env });
    let stdout = '';
    let output = '';
    let why: string | undefined;
    const late = setTimeout(() => {
      why = `not ended after ${seconds} s`;
      child.kill('SIGKILL');
    }, seconds * 1000);
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
    child.on('close', (status, signal) => {
      clearTimeout(late);
      const reason = why ?? (status === null || status < 0 ? `ended by ${signal}` : undefined);
      const answered = reason === undefined ? status : null;
      done({ status: answered, stdout, output, ...defined({ why: reason }) });
    });
    // A program that does not read what it is told is judged by its status.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** The end of what it printed, for a reason. */
export const lastLines = (text: string, count = 12): string => text.trimEnd().split('\n').slice(-count).join('\n');
