// Repositories in temporary folders, made with real git: each is a copy of a template that is made once per worker.
// Nothing of the user's environment or git settings has a say in them.

import fs from 'node:fs';
import path from 'node:path';
import { type OpenOptions, openPrivateGitDir, type PrivateGitDir } from '../../src/git/private-git-dir.ts';
import type { Environment } from '../../src/ports/host.ts';
import { hostAt } from '../host.ts';
import { type Contents, cleanEnvironment, gitIn, startRepository, write } from './core.mjs';
import { branchAt, headOf } from './plain-ref.ts';
import { keptFolder, temporaryFolder } from './temporary-folder.ts';

export const INTEGRATION = 'refs/heads/integration';

export interface Repository {
  /** Everything of the test is below: the repository, and HOME. */
  readonly base: string;
  readonly root: string;
  readonly env: Environment;
  /** A path in the root. */
  file(...parts: readonly string[]): string;
  read(...parts: readonly string[]): string;
  /** In the root. */
  write(files: Contents): void;
  /** Git as a person calls it, in the root or in another folder; what it printed, without the last line end. */
  git(...args: readonly string[]): string;
  gitIn(folder: string, ...args: readonly string[]): string;
  /** The bytes of `commit:path`. */
  blob(object: string): string;
  /** Writes files, commits everything in the root or in another folder, and returns the commit. */
  commit(files: Contents, message?: string, folder?: string): string;
  /** A commit on a branch that is checked out nowhere. */
  commitTo(branch: string, files: Contents, message?: string): string;
  refs(below?: string): Readonly<Record<string, string>>;
  /** The full id of a commit; without a name, where the integration branch is. */
  head(rev?: string): string;
  gitDir(options?: OpenOptions): Promise<PrivateGitDir>;
}

export interface RepositoryOptions {
  /** Checked out in the root, with one commit. */
  readonly branch?: string;
  readonly files?: Contents;
  readonly format?: 'sha1' | 'sha256';
  /** The name of the root. */
  readonly name?: string;
}

const SETTINGS = '.gitconfig';
const FILES: Contents = { 'README.md': 'hello\n', 'specs/vision.md': '# Vision\n' };

export function repository(options: RepositoryOptions = {}): Repository {
  const { branch = 'main', files = FILES, format = 'sha1', name = 'project' } = options;
  return fromTemplate(keyOf([branch, files, format]), name, (made) => start(made, branch, files, format));
}

/** Equal for equal files, however they are made. */
export const keyOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'function' ? `${part}` : part));

export const start = (made: Repository, branch: string, files: Contents, format?: string): void =>
  startRepository(made.root, made.env, { files, branch, ...(format && { format }) });

const templates = new Map<string, Repository>();

/** A copy of what `make` makes of an empty root the first time. Not for one with linked worktrees, which know their place. */
export function fromTemplate(key: string, name: string, make: (empty: Repository) => void): Repository {
  let template = templates.get(key);
  if (template === undefined) {
    template = repositoryIn(keptFolder(), name);
    make(template);
    templates.set(key, template);
  }
  const copy = repositoryIn(temporaryFolder(), name);
  fs.cpSync(path.join(template.base, SETTINGS), path.join(copy.base, SETTINGS));
  fs.cpSync(template.root, copy.root, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** Where the base may have a repository, or a folder of that name none yet. */
export function repositoryIn(base: string, name = 'project'): Repository {
  const root = path.join(base, name);
  const env = cleanEnvironment(base);
  // A person who means it when they move the integration branch.
  const asPerson = { ...env, LIZA_INTEGRATION: 'mine' };
  const run = (folder: string, args: readonly string[], input?: Buffer): string =>
    gitIn(folder, args, asPerson, input).trimEnd();
  const self: Repository = {
    base,
    root,
    env,
    file: (...parts) => path.join(root, ...parts),
    read: (...parts) => fs.readFileSync(path.join(root, ...parts), 'utf8'),
    write: (files) => write(root, files),
    git: (...args) => run(root, args),
    gitIn: (folder, ...args) => run(folder, args),
    blob: (object) => gitIn(root, ['cat-file', 'blob', object], env),
    commit: (files, message = 'work', folder = root) => {
      write(folder, files);
      run(folder, ['add', '-A']);
      run(folder, [...nameIn(folder, root), 'commit', '-q', '--allow-empty', '-m', message]);
      return headOf(folder) ?? run(folder, ['rev-parse', 'HEAD']);
    },
    commitTo: (branch, files, message = 'work') => {
      run(root, ['fast-import', '--quiet'], fastImport(branch, files, message));
      return self.head(branch);
    },
    refs: (below = 'refs') => {
      const lines = self.git('for-each-ref', '--format=%(refname) %(objectname)', below).split('\n');
      return Object.fromEntries(lines.filter((line) => line !== '').map((line) => line.split(' ')));
    },
    head: (rev = 'integration') => branchAt(root, rev) ?? self.git('rev-parse', '--verify', '--end-of-options', rev),
    gitDir: async (options) => {
      const gitDir = await openPrivateGitDir(hostAt(Date.now, env), root, options);
      if ('ok' in gitDir) throw new Error(gitDir.message);
      return gitDir;
    },
  };
  return self;
}

/** Only plain files, which is all that the tests need there. */
function fastImport(branch: string, files: Contents, message: string): Buffer {
  const data = (content: string | Buffer): Buffer =>
    Buffer.concat([Buffer.from(`data ${Buffer.byteLength(content)}\n`), Buffer.from(content), Buffer.from('\n')]);
  const changes = Object.entries(files).map(([name, content]) => {
    if (content === null) return Buffer.from(`D ${name}\n`);
    if (typeof content === 'function') throw new Error(`${name}: no plain file`);
    return Buffer.concat([Buffer.from(`M 100644 inline ${name}\n`), data(content)]);
  });
  return Buffer.concat([
    Buffer.from(`commit refs/heads/${branch}\ncommitter Person <person@example.org> 1700000000 +0000\n`),
    data(message),
    Buffer.from(`from refs/heads/${branch}^0\n`),
    ...changes,
  ]);
}

/** A session gives git its agent's name; the root is a person's. */
function nameIn(folder: string, root: string): readonly string[] {
  if (folder === root) return [];
  const coder = coderOf(path.basename(folder), path.join(root, '.liza', 'state.yaml')) ?? 'coder-1';
  return ['-c', `user.name=${coder}`, '-c', `user.email=${coder}@liza.invalid`];
}

/** By the text of the board: a task's record goes on until the next one begins. */
function coderOf(task: string, board: string): string | undefined {
  if (!fs.existsSync(board)) return undefined;
  const [, record = ''] = fs.readFileSync(board, 'utf8').split(new RegExp(`^ *- id: ${task}$`, 'm'));
  return /^ +assigned_to: (coder-\d+)$/m.exec(record.split(/^ *- id: /m)[0] ?? '')?.[1];
}
