// Facts about the user's repository, and two of the things that init does to it (the hook is in identity/ref-hook.ts):
// a branch where there was none, and lines in .git/info/exclude, which deinit removes. The working tree, the index and
// .gitignore are never touched.

import { basename, dirname, join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Host } from '../ports/host.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { refuseVersion } from './private-git-dir.ts';
import { git } from './run.ts';
import { isRunning } from './scratch-folders.ts';

export interface Repository {
  readonly root: string;
  /** The git directory of this checkout; a linked worktree has its own. */
  readonly gitDirectory: string;
  readonly head: string;
}

export async function openRepository(host: Host, folder: string): Promise<Repository | Refusal> {
  const old = refuseVersion((await git(host, folder, ['version'])).stdout);
  if (old !== undefined) return old;
  const asked = await git(host, folder, [
    'rev-parse',
    '--is-bare-repository',
    '--is-inside-work-tree',
    '--absolute-git-dir',
  ]);
  if (asked.status !== 0) return notARepository(folder, asked.stderr);
  const [bare, inside, gitDirectory = ''] = asked.stdout.split('\n');
  if (bare === 'true' || inside !== 'true') {
    return refuse(
      `${folder} is in a bare repository, or inside its git directory: there is no working tree for tasks`,
      'run liza init in a clone of it',
      1,
      'bare',
    );
  }
  const top = await git(host, folder, ['rev-parse', '--show-toplevel']);
  const root = top.stdout.replace(/\n$/, '');
  const head = await git(host, root, ['rev-parse', '--verify', '--quiet', '--end-of-options', 'HEAD^{commit}']);
  if (head.status !== 0) {
    const named = (await git(host, root, ['var', 'GIT_AUTHOR_IDENT'])).status === 0;
    const who = named ? '' : 'git config user.name "Your Name" && git config user.email you@example.org && ';
    return refuse(
      `${root} has no commit yet, so there is nothing to branch from`,
      `make a first commit: ${who}git add -A && git commit -m "start"`,
      1,
      'no-commit',
    );
  }
  return { root, gitDirectory, head: head.stdout.trim() };
}

function notARepository(folder: string, stderr: string): Refusal {
  if (stderr.includes('dubious ownership')) {
    return refuse(
      `git refuses ${folder}: it belongs to another user`,
      'run liza as the user who owns it, or change its owner',
      1,
      'ownership',
    );
  }
  return refuse(
    `${folder} is not in a git repository`,
    'go to your project first; if this is it: git init && git commit --allow-empty -m "start"',
    1,
    'no-git',
  );
}

export interface Branch {
  /** 'there': it existed and was left as it is. */
  readonly how: 'made' | 'there';
  readonly head: string;
}

export async function ensureBranch(
  host: Host,
  root: string,
  branch: string,
  commit: string,
): Promise<Branch | Refusal> {
  const named = await git(host, root, ['check-ref-format', '--branch', branch]);
  if (named.status !== 0 || branch.startsWith('-')) {
    return refuse(
      `${JSON.stringify(branch)} cannot be a branch name`,
      'choose another: --branch integration',
      1,
      'branch',
    );
  }
  const ref = `refs/heads/${branch}`;
  const there = await git(host, root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]);
  if (there.status === 0) return { how: 'there', head: there.stdout.trim() };
  const made = await git(host, root, ['update-ref', '--end-of-options', ref, commit, '']);
  if (made.status === 0) return { how: 'made', head: commit };
  return refuse(`git could not make the branch ${branch}: ${made.stderr.trim()}`, `git -C ${root} status`, 3, 'git');
}

type ExcludeHost = Pick<Host, 'disk' | 'processes'>;

/** Adds the lines that info/exclude does not have. `common`: the git directory that all checkouts share. */
export function exclude(host: ExcludeHost, common: string, lines: readonly string[]): void {
  const text = excludeText(host.disk, common);
  const have = new Set(text.split('\n').map((line) => line.trim()));
  const missing = lines.map(bytesOf).filter((line) => !have.has(line));
  if (missing.length === 0) return;
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  replaceExclude(host, common, `${text}${gap}${missing.join('\n')}\n`);
}

export function unexclude(host: ExcludeHost, common: string, isOurs: (line: string) => boolean): void {
  if (!isExcluding(host.disk, common, isOurs)) return;
  const others = excludeText(host.disk, common)
    .split('\n')
    .filter((line) => !isOurs(line));
  replaceExclude(host, common, others.join('\n'));
}

/** Whether info/exclude has a line of Liza's. */
export const isExcluding = (disk: Disk, common: string, isOurs: (line: string) => boolean): boolean =>
  excludeText(disk, common).split('\n').some(isOurs);

const excludeFile = (common: string): string => join(common, 'info', 'exclude');

/** One character per byte: the file may be in any encoding, and stays so. */
const excludeText = (disk: Disk, common: string): string =>
  disk.existsSync(excludeFile(common)) ? disk.readFileSync(excludeFile(common), 'latin1') : '';
const bytesOf = (line: string): string => Buffer.from(line).toString('latin1');

/** Whole or not at all. A link stays a link: the file it leads to is replaced. */
function replaceExclude(host: ExcludeHost, common: string, text: string): void {
  const { disk, processes } = host;
  const named = excludeFile(common);
  disk.mkdirSync(dirname(named), { recursive: true });
  const file = disk.existsSync(named) ? disk.realpathSync(named) : named;
  removeLeftovers(host, file);
  const temporary = `${file}.liza-${processes.pid}`;
  try {
    disk.writeFileSync(temporary, text, {
      encoding: 'latin1',
      mode: disk.statSync(file, { throwIfNoEntry: false })?.mode,
    });
    disk.renameSync(temporary, file);
  } catch (error) {
    disk.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Temporary files of a command that was killed; another one may be at work, so only those of dead processes. */
function removeLeftovers(host: ExcludeHost, file: string): void {
  for (const name of host.disk.readdirSync(dirname(file))) {
    const pid = name.startsWith(basename(file)) ? /\.liza-(\d+)$/.exec(name)?.[1] : undefined;
    if (pid !== undefined && !isRunning(host, Number(pid)))
      host.disk.rmSync(join(dirname(file), name), { force: true });
  }
}
