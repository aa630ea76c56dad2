// Makes a new checkout ready for work: the project's declared untracked files (`.env`) are copied into
// it, then the human's own command (`npm ci`) runs there, without credentials and within a time limit.
// Fails closed: the first thing that goes wrong is refused with the end of what was printed. Safe to
// repeat. Never reads from outside the project, and never writes through a link that a commit planted.

import { isAbsolute, join, posix, relative } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { type Ended, LIVED_ON } from '../process/run.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { SetupPart } from '../protocol/records/setup-records.ts';
import type { Settings } from '../protocol/state.ts';
import { type Rules, runConfined, type SandboxContext } from '../sandbox/mode.ts';
import { secretsOf } from '../text/redact.ts';
import { tellingLines } from '../text/telling-lines.ts';
import type { TaskContext } from './context.ts';
import { setupMend } from './rules/setup-mend.ts';
import { loginSecrets } from './setup-login.ts';
import type { SetupRuns } from './setup-runs.ts';

type PrepareContext = SandboxContext & Pick<TaskContext, 'say' | 'stop'>;

export interface PrepareRequest {
  /** The checkout. */
  readonly folder: string;
  readonly settings: Rules &
    Pick<Settings, 'worktree_files' | 'post_worktree_cmd' | 'post_worktree_timeout'> &
    Partial<Pick<Settings, 'setup_reuse' | 'setup_inputs' | 'setup_read' | 'min_free_mb'>>;
  readonly logFile?: string | undefined;
  /** Where the command sees the checkout, if that is not its own place (sandbox/mode.ts). */
  readonly at?: string | undefined;
  /** Why it runs without the files of `setup_read`, where there are some. */
  readonly withheld?: string | undefined;
  /** What the checkout is for. */
  readonly part?: SetupPart;
  /** Told of each run of the command. */
  readonly runs?: SetupRuns;
}

/** `lines`: the end of what the command printed, ready to print. */
export type Unprepared = Refusal & { readonly lines?: readonly string[] };

const SHOWN_LINES = 20;

export async function prepareFolder(context: PrepareContext, request: PrepareRequest): Promise<Unprepared | undefined> {
  const failed = bringFiles(context, request);
  if (failed !== undefined) return failed;
  const command = request.settings.post_worktree_cmd?.trim();
  return command ? runCommand(context, request, command) : undefined;
}

/** The declared files alone. */
export function bringFiles(context: PrepareContext, request: PrepareRequest): Unprepared | undefined {
  const files = request.settings.worktree_files ?? [];
  for (const step of [refuseName, (name: string) => bringFile(context, request.folder, name)]) {
    for (const name of files) {
      const refused = step(name);
      if (refused !== undefined) return refused;
    }
  }
  return undefined;
}

async function runCommand(
  context: PrepareContext,
  request: PrepareRequest,
  command: string,
): Promise<Unprepared | undefined> {
  const { env, paths } = context;
  const { folder, settings, logFile, at } = request;
  const shown = command.replace(/\s+/g, ' ');
  const run = request.runs?.begin(shown);
  context.say(`preparing ${below(paths.root, folder)}: ${shown}${run?.text ?? ''}`);
  const program = {
    argv: ['sh', '-c', command],
    cwd: folder,
    env,
    timeoutMs: settings.post_worktree_timeout * 1000,
    logFile,
    signal: context.stop?.(),
    // A script beside a login may print it.
    secrets: [...secretsOf(env), ...loginSecrets(context, settings)],
  } as const;
  const ended = await runConfined(context, settings, { folder, part: 'setup', at }, program).finally(() => run?.end());
  const { withheld } = request;
  if (withheld !== undefined && ended.confined) context.say(`it ran without the files of setup_read: ${withheld}`);
  if (ended.how === 'exited' && ended.code === 0) return undefined;
  const lines = tellingLines(ended.tail, SHOWN_LINES);
  return {
    ...refuse(
      `post_worktree_cmd "${shown}" ${ending(ended, settings)}`,
      hint(context, request, ended),
      3,
      'post-worktree-cmd',
    ),
    ...(lines.length === 0 ? {} : { lines: lines.map((line) => `  ${line}`) }),
  };
}

function ending(ended: Ended, { post_worktree_timeout }: PrepareRequest['settings']): string {
  switch (ended.how) {
    case 'exited':
      return `ended with ${ended.code}`;
    case 'signalled':
      return `was ended by ${ended.signal}`;
    case 'timed-out':
      return `was ended after ${post_worktree_timeout} s, its time limit`;
    case 'over-limit':
      return `was ended: ${ended.why}`;
    case 'lived-on':
      return `is not believed: ${LIVED_ON}`;
    case 'stopped':
      return 'was stopped';
    case 'not-started':
      return `did not start: ${ended.reason}`;
    default:
      return ended satisfies never;
  }
}

function hint({ env, paths }: PrepareContext, request: PrepareRequest, ended: Ended): string {
  const { settings, logFile, withheld, part } = request;
  const log = logFile === undefined || ended.outputBytes === 0 ? '' : `; whole output: ${below(paths.root, logFile)}`;
  if (ended.how === 'stopped') return `run it again${log}`;
  if (ended.how === 'timed-out')
    return `give it more time: liza config set post_worktree_timeout ${settings.post_worktree_timeout * 2}${log}`;
  const mend = setupMend({
    ...settings,
    command: settings.post_worktree_cmd ?? '',
    output: ended.tail,
    code: ended.how === 'exited' ? ended.code : 1,
    confined: ended.confined === true,
    home: env['HOME'],
    isTasks: part !== undefined && OF_A_TASK.has(part),
    withheld,
  });
  return `${mend}${log}`;
}

/** The parts whose checkout is of a task's commit. */
const OF_A_TASK: ReadonlySet<SetupPart> = new Set(['proof', 'review', 'merge']);

/** As a person would name it: from the root, if it is below it. */
function below(root: string, path: string): string {
  const name = relative(root, path);
  return name === '' || isOutside(name) ? path : name;
}

const isOutside = (name: string): boolean => isAbsolute(name) || name.split('/').includes('..');

const refuseFile = (message: string, hint: string): Refusal => refuse(message, hint, 3, 'worktree-files');
const CHANGE = 'liza config set worktree_files \'[".env"]\'';

/** Only names that mean one place, below the project, that is neither git's nor Liza's. */
function refuseName(name: string): Refusal | undefined {
  const problem = problemOf(name);
  if (problem === undefined) return undefined;
  return refuseFile(
    `worktree_files names ${JSON.stringify(name)}, which ${problem}`,
    `name files, as seen from the project's root: ${CHANGE}`,
  );
}

function problemOf(name: string): string | undefined {
  if (isOutside(name)) return 'points outside the project';
  if (name.endsWith('/')) return 'is a folder';
  if (name === '' || name.includes('\0') || name === '.' || posix.normalize(name) !== name)
    return 'is not a plain name';
  if (isReserved(name)) return "belongs to git or to Liza, not to the project's files";
  return undefined;
}

/** Without case, as macOS compares names. */
function isReserved(name: string): boolean {
  const parts = name.toLowerCase().split('/');
  return parts.includes('.git') || ['.liza', '.worktrees'].includes(parts[0] ?? '');
}

function bringFile({ disk, paths }: PrepareContext, folder: string, name: string): Refusal | undefined {
  const { root } = paths;
  try {
    const source = sourceOf(disk, root, name);
    if (typeof source !== 'string') return source;
    const refused = refuseDestination(disk, folder, name);
    if (refused !== undefined) return refused;
    const bring = (at: string): true => replace(disk, source, `${at}/${posix.basename(name)}`);
    if (disk.inHeld(folder, posix.dirname(name), bring, 'make') === true) return undefined;
    throw new Error('a folder on the way was exchanged');
  } catch (error) {
    return refuseFile(
      `${name} of worktree_files could not be copied to ${below(root, folder)}: ${(error as Error).message}`,
      `look at ${join(root, name)}`,
    );
  }
}

/** The regular file behind a name, links followed as long as they stay in the project. */
function sourceOf(disk: Disk, root: string, name: string): string | Refusal {
  const file = join(root, name);
  const source = realPath(disk, file);
  if (source === undefined) {
    return refuseFile(
      `worktree_files names ${name}, but ${file} is not there`,
      `create it, or remove it from the list: ${CHANGE}`,
    );
  }
  const inside = relative(disk.realpathSync(root), source);
  if (isOutside(inside) || isReserved(inside)) {
    return refuseFile(
      `${name} of worktree_files is a link that points to ${source}`,
      'put a regular file there: only files of the project are copied',
    );
  }
  const stat = disk.lstatSync(source);
  if (stat.isFile()) return source;
  return refuseFile(
    `${name} of worktree_files is ${stat.isDirectory() ? 'a folder' : 'not a regular file'}`,
    `name each file: ${CHANGE}`,
  );
}

function realPath(disk: Disk, file: string): string | undefined {
  try {
    return disk.realpathSync(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** None of the folders on the way is a link: the checkout may come with `sub -> /etc`. */
function refuseDestination(disk: Disk, folder: string, name: string): Refusal | undefined {
  const parts = name.split('/');
  for (const count of parts.keys()) {
    const path = join(folder, ...parts.slice(0, count));
    const there = disk.lstatSync(path, { throwIfNoEntry: false });
    if (there === undefined && count > 0) return undefined;
    if (there?.isDirectory() !== true) return inTheWay(disk, path, name);
  }
  const there = disk.lstatSync(join(folder, name), { throwIfNoEntry: false });
  return there === undefined || there.isFile() ? undefined : inTheWay(disk, join(folder, name), name);
}

function inTheWay(disk: Disk, path: string, name: string): Refusal {
  const stat = disk.lstatSync(path);
  const what = stat.isSymbolicLink() ? 'a symbolic link' : stat.isDirectory() ? 'a folder' : 'not a folder';
  return refuseFile(
    `${name} of worktree_files cannot be copied: ${path} is ${what}`,
    `remove it from the branch, or take ${name} off the list: ${CHANGE}`,
  );
}

/** What a crash in the middle of the copying leaves. */
export const temporaryOf = (name: string): string => `${name}.liza-new`;

/** Whole or not at all, with its mode; the name is fixed so that what a crash leaves is replaced. */
function replace(disk: Disk, source: string, destination: string): true {
  const temporary = temporaryOf(destination);
  try {
    disk.rmSync(temporary, { force: true });
    disk.copyFileSync(source, temporary, disk.constants.COPYFILE_EXCL);
    disk.renameSync(temporary, destination);
    return true;
  } finally {
    disk.rmSync(temporary, { force: true });
  }
}
