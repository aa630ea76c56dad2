// The built program in a folder of its own, a project with a board, and agents that are rehearsals. The tests
// play the supervisors' part with the real commands; only the agents' words come from a script.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { gitDirectoryOf } from '../../../src/git/directory.ts';
import { realDisk } from '../../../src/ports/disk.ts';
import type { State } from '../../../src/protocol/state.ts';
import { contextOf, openYamlStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { hostAt } from '../../host.ts';

export const ROOT = join(import.meta.dirname, '../../..');

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Built once a test file: a rebuild meanwhile breaks no test. */
export function buildProgram(): { readonly bundle: string; readonly folder: string; remove(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'liza-rehearsal-program-')));
  execFileSync(process.execPath, ['tools/build.mjs'], {
    cwd: ROOT,
    env: { ...process.env, LIZA_DIST: join(folder, 'dist') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const part of ['schema', 'demo', 'contracts', 'scripts', 'package.json']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  return {
    folder,
    bundle: join(folder, 'dist', 'liza.cjs'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface Stage {
  readonly root: string;
  readonly store: Store;
  liza(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  ok(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  git(...args: string[]): string;
  write(file: string, text: string): void;
  state(): State;
  /** One session of an agent: what `rehearse` printed, and how it ended. */
  session(agent: string, prompt: string, options?: SessionOptions): Promise<Ran>;
  remove(): void;
}

export interface RunOptions {
  readonly as?: string;
  readonly cwd?: string;
  readonly input?: string;
}

export interface SessionOptions {
  readonly cwd?: string;
  readonly script?: string;
  readonly resume?: string;
}

/** `content`: what the repository holds; `script`: what its agents play. */
export function openStage(bundle: string, content: string, script: string): Stage {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'liza-rehearsal-')));
  const root = join(home, 'project');
  cpSync(content, root, { recursive: true });
  const env = (as?: string): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: home,
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    ...(as === undefined ? {} : { LIZA_AGENT_ID: as }),
  });
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid', ...args], {
      cwd: root,
      env: env(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'start');
  const running = new Set<ChildProcess>();
  const liza = (argv: readonly string[], { as, cwd = root, input = '' }: RunOptions = {}): Promise<Ran> =>
    new Promise((done, fail) => {
      const child = spawn(process.execPath, [bundle, ...argv], { cwd, env: env(as) });
      running.add(child);
      let out = '';
      let err = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        err += text;
      });
      child.on('error', fail);
      child.on('close', (code, signal) => {
        running.delete(child);
        done({ code, signal, out, err });
      });
      child.stdin.on('error', () => {});
      child.stdin.end(input);
    });
  return {
    root,
    get store() {
      const gitDirectory = gitDirectoryOf(realDisk, root);
      return openYamlStore(
        contextOf({ root, gitDirectory, host: hostAt(() => Date.now()), specExists: () => true, nested: undefined }),
      );
    },
    liza,
    ok: async (argv, options) => {
      const ran = await liza(argv, options);
      if (ran.code !== 0) throw new Error(`liza ${argv.join(' ')} ended with ${ran.code}: ${ran.err}`);
      return ran;
    },
    git,
    write: (file, text) => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    },
    state: () => parse(readFileSync(join(root, '.liza', 'state.yaml'), 'utf8'), { maxAliasCount: 0 }) as State,
    session: (agent, prompt, options = {}) =>
      liza(
        [
          'rehearse',
          `--script=${options.script ?? script}`,
          '--pace=0',
          ...(options.resume === undefined ? [] : [`--resume=${options.resume}`]),
        ],
        { as: agent, cwd: options.cwd ?? root, input: prompt },
      ),
    remove: () => {
      for (const child of running) child.kill('SIGKILL');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The sections of a prompt that a rehearsal reads. */
export const coderPrompt = (task: string): string =>
  `=== BOOTSTRAP CONTEXT ===\nMode: Liza Coder\n\n=== ASSIGNED TASK ===\nTASK ID: ${task}\nDESCRIPTION: …\n`;
export const reviewerPrompt = (task: string): string => `=== REVIEW TASK ===\nTASK ID: ${task}\nAUTHOR: coder-1\n`;
export const plannerPrompt = (...triggers: string[]): string =>
  `=== PLANNING CONTEXT ===\n${triggers.map((trigger) => `WAKE TRIGGER: ${trigger}\n`).join('')}SPRINT STATE: …\n`;

export const events = (ran: Ran): readonly Record<string, unknown>[] =>
  ran.out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
