// A terminal of its own in tmux, on a server of its own that ends with the test. What is on the screen is read as text.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Environment } from '../../src/ports/host.ts';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

export interface Tmux {
  /** Starts a program on a new screen. */
  open(argv: readonly string[], size?: readonly [columns: number, rows: number]): void;
  /** Keys as tmux names them; they arrive in one piece. */
  keys(...names: readonly string[]): void;
  /** Types a text as it is. */
  type(text: string): void;
  /** As a terminal pastes: marked, where the program asked for that. */
  paste(text: string): void;
  screen(): string;
  /** Resolves when the screen has that text. */
  shows(text: string | RegExp): Promise<void>;
  /** Closes the window: what runs there is hung up. */
  close(): void;
}

const LIMIT_MS = 30_000;
/** A server that is just ending would take the next screen down with it: each has its own. */
let opened = 0;

export function tmux(cwd: string, env: Environment): Tmux {
  opened += 1;
  const socket = path.join(cwd, '..', `tmux-${opened}`);
  const call = (args: readonly string[], input?: string): string => {
    const ran = spawnSync('tmux', ['-f', '/dev/null', '-S', socket, ...args], { cwd, env, input, encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(`tmux ${args.join(' ')}: ${ran.stderr}`);
    return ran.stdout;
  };
  onTestFinished(() => void spawnSync('tmux', ['-S', socket, 'kill-server']));
  const screen = (): string => call(['capture-pane', '-p', '-t', 'board']);
  return {
    open: (argv, [columns, rows] = [100, 40]) => {
      const size = ['-x', String(columns), '-y', String(rows)];
      call(['new-session', '-d', '-s', 'board', ...size, ...argv]);
      call(['set', '-g', 'remain-on-exit', 'on']);
      call(['set', '-sg', 'escape-time', '0']);
    },
    keys: (...names) => void call(['send-keys', '-t', 'board', ...names]),
    type: (text) => void call(['send-keys', '-t', 'board', '-l', text]),
    paste: (text) => {
      call(['load-buffer', '-'], text);
      call(['paste-buffer', '-p', '-t', 'board']);
    },
    screen,
    shows: async (text) => {
      const has = (): boolean => (typeof text === 'string' ? screen().includes(text) : text.test(screen()));
      const limit = performance.now() + LIMIT_MS;
      while (!has()) {
        if (performance.now() > limit) throw new Error(`the screen does not show ${text}:\n${screen()}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    close: () => void call(['kill-session', '-t', 'board']),
  };
}
