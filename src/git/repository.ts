// Facts about the user's repository, and two of the things init does to it (the hook is in identity/ref-hook.ts): a branch where
// there was none, and lines in .git/info/exclude. The working tree, the index and .gitignore are never touched.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Environment } from '../ports/host.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { refuseVersion } from './private-git-dir.ts';
import { isRunning } from './process-alive.ts';
import { git } from './run.ts';

export interface Repository {
  readonly root: string;
  /** The git directory of this checkout; a linked worktree has its own. */
  readonly gitDirectory: string;
  readonly head: string;
}

export async function openRepository(env: Environment, folder: string): Promise<Repository | Refusal> {
  const old = refuseVersion((await git(env, folder, ['version'])).stdout);
  if (old !== undefined) return old;
  const asked = await git(env, folder, [
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
  const top = await git(env, folder, ['rev-parse', '--show-toplevel']);
  const root = top.stdout.replace(/\n$/, '');
  const head = await git(env, root, ['rev-parse', '--verify', '--quiet', '--end-of-options', 'HEAD^{commit}']);
  if (head.status !== 0) {
    return refuse(
      `${root} has no commit yet, so there is nothing to branch from`,
      'make a first commit: git add -A && git commit -m "start"',
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
    'start one: git init && git commit --allow-empty -m "start"',
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
  env: Environment,
  root: string,
  branch: string,
  commit: string,
): Promise<Branch | Refusal> {
  const named = await git(env, root, ['check-ref-format', '--branch', branch]);
  if (named.status !== 0 || branch.startsWith('-')) {
    return refuse(
      `${JSON.stringify(branch)} cannot be a branch name`,
      'choose another: --branch integration',
      1,
      'branch',
    );
  }
  const ref = `refs/heads/${branch}`;
  const there = await git(env, root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]);
  if (there.status === 0) return { how: 'there', head: there.stdout.trim() };
  const made = await git(env, root, ['update-ref', '--end-of-options', ref, commit, '']);
  if (made.status === 0) return { how: 'made', head: commit };
  return refuse(`git could not make the branch ${branch}: ${made.stderr.trim()}`, `git -C ${root} status`, 3, 'git');
}

/** Adds what is missing to info/exclude, through a temporary file; returns the lines added. */
export async function exclude(env: Environment, root: string, lines: readonly string[]): Promise<readonly string[]> {
  const asked = await git(env, root, ['rev-parse', '--git-path', 'info/exclude']);
  const file = resolve(root, asked.stdout.trim());
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const have = new Set(text.split('\n').map((line) => line.trim()));
  const missing = lines.filter((line) => !have.has(line));
  if (missing.length === 0) return [];
  mkdirSync(dirname(file), { recursive: true });
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  removeLeftovers(file);
  const temporary = `${file}.liza-${process.pid}`;
  try {
    writeFileSync(temporary, `${text}${gap}${missing.join('\n')}\n`);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return missing;
}

/** Temporary files of an init that was killed; another one may be at work, so only those of dead processes. */
function removeLeftovers(file: string): void {
  for (const name of readdirSync(dirname(file))) {
    const pid = name.startsWith(basename(file)) ? /\.liza-(\d+)$/.exec(name)?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(dirname(file), name), { force: true });
  }
}
