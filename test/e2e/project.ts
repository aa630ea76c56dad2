// A real project in a temporary folder and the built program run in it as a process of its own.
// Everything started here is accounted for: `cleanUp` removes the folders and fails when a process is left.

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';

export interface Ran {
  readonly code: number | null;
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
  readonly env?: Readonly<Record<string, string | undefined>>;
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
}

export interface Project {
  readonly root: string;
  file(name: string): string;
  read(name: string): string;
  write(name: string, text: string): void;
  liza(argv: readonly string[], options?: RunOptions): Ran;
  /** As `liza`, and throws unless it succeeds. */
  ok(argv: readonly string[], options?: RunOptions): Ran;
  start(argv: readonly string[], options?: RunOptions): Running;
  worker(...argv: string[]): Running;
  shell(script: string): Running;
  board(): Board;
  task(id: string): TaskRecord;
  journal(): Record<string, unknown>[];
}

const folder = (): string => {
  const found = process.env['LIZA_E2E'];
  if (found === undefined) throw new Error("test/e2e/setup.ts did not run: npx vitest run --project 'e2e*'");
  return found;
};

export const program = (): string => path.join(folder(), 'dist', 'liza.cjs');

const folders: string[] = [];
const children: ChildProcessWithoutNullStreams[] = [];

/** A git repository with one commit and a spec; no blackboard yet. */
export function repository(): Project {
  const root = emptyFolder();
  fs.cpSync(template(), root, { recursive: true });
  return projectIn(root);
}

/** Made once and copied: git itself is not what is tested here. Test files share it and run at once: it appears whole. */
function template(): string {
  const root = path.join(folder(), 'template');
  if (fs.existsSync(root)) return root;
  const made = fs.mkdtempSync(path.join(folder(), 'template-'));
  fs.mkdirSync(path.join(made, 'specs'));
  git(made, 'init', '-q', '-b', 'main');
  fs.writeFileSync(path.join(made, 'specs', 'vision.md'), '# Vision\n');
  git(made, 'add', '-A');
  git(made, 'commit', '-q', '-m', 'start');
  try {
    fs.renameSync(made, root);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    fs.rmSync(made, { recursive: true });
  }
  return root;
}

export function emptyFolder(): string {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'liza-e2e-')));
  folders.push(root);
  return root;
}

/** With a blackboard; `state`: hand-written, as `liza` finds it before its first write. */
export function project(state?: string): Project {
  const made = repository();
  if (state === undefined) {
    made.ok(['init', 'Retry all API calls']);
    return made;
  }
  fs.mkdirSync(made.file('rejected'), { recursive: true });
  made.write('state.yaml', state);
  return made;
}

export function projectIn(root: string): Project {
  const file = (name: string): string => path.join(root, '.liza', name);
  const liza = (argv: readonly string[], options: RunOptions = {}): Ran => run(root, [program(), ...argv], options);
  const board = (): Board => parse(fs.readFileSync(file('state.yaml'), 'utf8'), { maxAliasCount: 0 }) as Board;
  return {
    root,
    file,
    read: (name) => fs.readFileSync(file(name), 'utf8'),
    write: (name, text) => fs.writeFileSync(file(name), text),
    liza,
    ok: (argv, options) => {
      const ran = liza(argv, options);
      if (ran.code !== 0) throw new Error(`liza ${argv.join(' ')} ended with ${ran.code}: ${ran.stderr}`);
      return ran;
    },
    start: (argv, options = {}) => launch(root, process.execPath, [program(), ...argv], options),
    worker: (mode, ...rest) =>
      launch(root, process.execPath, [path.join(folder(), 'worker.cjs'), mode ?? '', root, ...rest], {}),
    shell: (script) => launch(root, 'bash', ['-c', script], {}),
    board,
    task: (id) => {
      const found = board().tasks.find((task) => task.id === id);
      if (found === undefined) throw new Error(`no task ${id}`);
      return found;
    },
    journal: () =>
      fs
        .readFileSync(file('journal.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

export function cleanUp(): void {
  const left = children.splice(0).filter((child) => child.exitCode === null && child.signalCode === null);
  for (const child of left) child.kill('SIGKILL');
  for (const name of folders.splice(0)) {
    spawnSync('chmod', ['-R', 'u+rwX', name]);
    fs.rmSync(name, { recursive: true, force: true });
  }
  if (left.length > 0)
    throw new Error(`${left.length} process(es) left behind: ${left.map((child) => child.spawnargs)}`);
}

export function git(root: string, ...args: string[]): string {
  const ran = spawnSync('git', ['-C', root, '-c', 'user.name=e2e', '-c', 'user.email=e2e@example.org', ...args], {
    encoding: 'utf8',
    env: environment(root, {}),
  });
  if (ran.status !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`);
  return ran.stdout;
}

/** Nothing of the caller's environment but PATH; a folder without git settings as HOME. */
export function environment(root: string, extra: RunOptions['env']): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: root, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1', ...extra };
}

function run(root: string, argv: readonly string[], { env, cwd, input }: RunOptions): Ran {
  const ran = spawnSync(process.execPath, argv, {
    cwd: cwd ?? root,
    env: environment(root, env),
    encoding: 'utf8',
    input: input ?? '',
    timeout: 50_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (ran.error !== undefined) throw ran.error;
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

function launch(root: string, command: string, argv: readonly string[], { env, cwd, input }: RunOptions): Running {
  const child = spawn(command, argv, { cwd: cwd ?? root, env: environment(root, env) });
  children.push(child);
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
  child.stdin.on('error', () => {}); // whoever ended before it was spoken to is judged by its exit
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
      child.once('close', (code) => resolve({ code, stdout: seen.join('\n'), stderr }));
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
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Every byte below a folder, the named entries left out; equal hashes mean nothing changed. */
export function fingerprint(directory: string, without: readonly string[] = ['cache']): string {
  const hash = createHash('sha256');
  const walk = (at: string): void => {
    for (const entry of fs.readdirSync(at, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const full = path.join(at, entry.name);
      const relative = path.relative(directory, full);
      if (without.includes(relative)) continue;
      hash.update(`${relative}\0${entry.isDirectory() ? 'd' : entry.isSymbolicLink() ? 'l' : 'f'}\0`);
      if (entry.isDirectory()) walk(full);
      else if (entry.isSymbolicLink()) hash.update(fs.readlinkSync(full));
      else hash.update(fs.readFileSync(full));
    }
  };
  if (fs.existsSync(directory)) walk(directory);
  return hash.digest('hex');
}
