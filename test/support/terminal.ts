// A shell on a terminal of its own, typed into as a person does. Needs script(1) of util-linux, which is where flock is.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import type { Environment } from '../../src/ports/host.ts';

export interface Terminal {
  /** Types a line; resolves with its exit status and what was on the screen meanwhile when the shell asks for the next. */
  line(text: string, react?: Reaction): Promise<{ readonly code: number; readonly screen: string }>;
  /** Ends the shell. */
  close(): Promise<void>;
}

/** Called again and again while a line runs: what to type now, if anything. */
export type Reaction = (screen: string) => string | undefined | Promise<string | undefined>;

/** A line that takes longer hangs, on a busy machine too. */
const LIMIT_MS = 60_000;

const PROMPT = /\[exit (\d+)\] \$ $/;

export async function terminal(cwd: string, env: Environment): Promise<Terminal> {
  const shell = `stty cols 100 rows 40 -echo; PS1='[exit $?] $ ' exec bash --norc --noprofile --noediting -i`;
  const child = spawn('script', ['-qefc', shell, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh', HISTFILE: '' },
    detached: true,
  });
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL');
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const screen = reader(child);
  await screen.until(() => PROMPT.test(screen.text()));
  return {
    line: async (text, react = () => undefined) => {
      screen.clear();
      child.stdin.write(`${text}\n`);
      await screen.until(async () => {
        if (PROMPT.test(screen.text())) return true;
        const typed = await react(screen.text());
        if (typed !== undefined) child.stdin.write(typed);
        return false;
      });
      const shown = screen.text();
      return { code: Number(PROMPT.exec(shown)?.[1]), screen: shown.replace(PROMPT, '') };
    },
    close: async () => {
      child.stdin.write('exit 0\n');
      await ended;
    },
  };
}

function reader(child: ChildProcessWithoutNullStreams) {
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return {
    text: () => stripVTControlCharacters(text),
    clear: () => {
      text = '';
    },
    until: async (holds: () => boolean | Promise<boolean>): Promise<void> => {
      const limit = performance.now() + LIMIT_MS;
      while (!(await holds())) {
        if (child.exitCode !== null) throw new Error(`the shell ended: ${text}`);
        if (performance.now() > limit) throw new Error(`the shell asks for no further line; on the screen:\n${text}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}
