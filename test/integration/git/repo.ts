// Repositories in temporary folders, made with real git, and what they look like from outside.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type OpenOptions, openPrivateGitDir, type PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { hostAt } from '../../host.ts';

export const INTEGRATION = 'refs/heads/integration';

/** null: the file goes. A function makes what is no plain file. */
export type Contents = Readonly<Record<string, string | Buffer | null | ((file: string) => void)>>;

export interface Repo {
  /** Everything of the test is below; the repository is not the only thing there. */
  readonly base: string;
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  git(...args: readonly string[]): string;
  gitIn(folder: string, ...args: readonly string[]): string;
  /** Writes files, commits everything in the root, and returns the commit. */
  commit(files: Contents, message?: string): string;
  gitDir(options?: OpenOptions): Promise<PrivateGitDir>;
}

export interface RepoOptions {
  readonly format?: 'sha1' | 'sha256';
  readonly files?: Contents;
}

/** On branch integration, with one commit. */
export function makeRepo({ format = 'sha1', files = { 'README.md': 'hello\n' } }: RepoOptions = {}): Repo {
  const repo = repoIn(temporary());
  fs.mkdirSync(repo.root);
  fs.writeFileSync(path.join(repo.base, '.gitconfig'), '[user]\n\tname = Person\n\temail = person@example.org\n');
  repo.git('init', '-q', '-b', 'integration', `--object-format=${format}`);
  repo.commit(files, 'start');
  return repo;
}

/** Quicker than making it again. Not for one with linked worktrees, which know their place. */
export function copyRepo({ base }: Repo): Repo {
  const repo = repoIn(temporary());
  fs.cpSync(base, repo.base, { recursive: true, verbatimSymlinks: true });
  repo.git('update-index', '-q', '--refresh');
  return repo;
}

const temporary = (): string => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'liza-git-')));

function repoIn(base: string): Repo {
  const root = path.join(base, 'project');
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
    HOME: base,
  };
  const gitIn: Repo['gitIn'] = (folder, ...args) =>
    execFileSync('git', ['-C', folder, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, GIT_CONFIG_NOSYSTEM: '1', GIT_EDITOR: 'true' },
    });
  const git: Repo['git'] = (...args) => gitIn(root, ...args);
  return {
    base,
    root,
    env,
    git,
    gitIn,
    commit: (changed, message = 'work') => {
      write(root, changed);
      git('add', '-A');
      git('commit', '-q', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD').trim();
    },
    gitDir: async (options) => {
      const gitDir = await openPrivateGitDir(hostAt(Date.now, env), root, options);
      if ('ok' in gitDir) throw new Error(gitDir.message);
      return gitDir;
    },
  };
}

export function removeRepo({ base }: Repo): void {
  fs.rmSync(base, { recursive: true, force: true });
}

export function write(folder: string, files: Contents): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.rmSync(file, { recursive: true, force: true });
    if (content === null) continue;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    if (typeof content === 'function') content(file);
    else fs.writeFileSync(file, content);
  }
}

/** A linked worktree beside the project, on the branch. */
export function addWorktree(repo: Repo, name: string, branch: string): { folder: string; gitDirectory: string } {
  const folder = path.join(repo.base, name);
  repo.git('worktree', 'add', '-q', folder, branch);
  return { folder, gitDirectory: repo.gitIn(folder, 'rev-parse', '--absolute-git-dir').trim() };
}

/** All that a person can see of a checkout: files, index, HEAD, refs, stash, and names in its git directory. */
export function outside(repo: Repo, folder: string, gitDirectory: string): unknown {
  return {
    files: filesIn(folder),
    index: fs.readFileSync(path.join(gitDirectory, 'index')).toString('base64'),
    indexTime: fs.statSync(path.join(gitDirectory, 'index'), { bigint: true }).mtimeNs,
    head: fs.readFileSync(path.join(gitDirectory, 'HEAD'), 'utf8'),
    refs: repo.git('for-each-ref'),
    stash: repo.git('stash', 'list'),
    names: fs.readdirSync(gitDirectory).sort(),
  };
}

/** Path → mode and content; links are not followed. */
export function filesIn(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file);
    if (name === '.git' || name.startsWith('.git/') || entry.isDirectory()) continue;
    const mode = (fs.lstatSync(file).mode & 0o777777).toString(8);
    const content = entry.isSymbolicLink() ? `-> ${fs.readlinkSync(file)}` : '';
    found[name] = `${mode} ${entry.isFile() ? fs.readFileSync(file, 'latin1') : content}`;
  }
  return found;
}
