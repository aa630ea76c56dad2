// Liza's own git directory inside the project's: it borrows the project's objects and has a
// configuration that only Liza wrote. Whatever touches files (checkout, snapshot, merge, diff) runs
// there, so that no filter, hook, driver, monitor or alias planted in the project or by an agent can
// run in, or steer, Liza's calls. Only refs are read and written in the project's repository itself.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { type GitAnswer, MINIMUM_GIT } from '../ports/git-program.ts';
import type { Host } from '../ports/host.ts';
import { EnvironmentError, type Refusal, refuse } from '../protocol/decision.ts';
import { defined } from '../protocol/values.ts';
import { boardElsewhere, ownedElsewhere } from './board-owner.ts';
import { commonDirectoryOf, gitDirectoryOf } from './directory.ts';
import { faultIn, git } from './run.ts';

export interface PrivateGitDir {
  readonly host: Host;
  /** The project's root. */
  readonly root: string;
  /** The repository's git directory, shared by all its worktrees. */
  readonly common: string;
  /** Folders of tasks. */
  readonly worktrees: string;
  /** Settings of the repository that describe its files and authors, for clones made of it. */
  readonly traits: readonly Trait[];
  readonly refStorage: string;
  /** Filters of the repository's configuration: off, unless `allow_filters`. */
  readonly filters: readonly string[];
  /** On the project's refs. */
  project(args: readonly string[], input?: string): Promise<GitAnswer>;
  /** On objects alone. */
  objects(args: readonly string[], input?: string): Promise<GitAnswer>;
  /** On a folder of files, with the index that belongs to it. */
  files(place: Files, args: readonly string[], input?: string): Promise<GitAnswer>;
  /** Copies a commit and what it builds on from another git directory, whose configuration has no say. */
  fetchFrom(gitDirectory: string, commit: string): Promise<GitAnswer>;
}

export interface Files {
  readonly folder: string;
  readonly index: string;
  /** Commits that are not in the project yet: the object folder of a task's clone. */
  readonly also?: string | undefined;
}

type Trait = readonly [key: string, value: string];

export interface OpenOptions {
  readonly allowFilters?: boolean;
  /** Inherited by every git started here; see GitCall. */
  readonly hold?: number | undefined;
  /** Also where another checkout has the repository's board; only to take a second one away. */
  readonly anyBoard?: boolean | undefined;
}

export async function openPrivateGitDir(
  host: Host,
  root: string,
  { allowFilters = false, hold, anyBoard = false }: OpenOptions = {},
): Promise<PrivateGitDir | Refusal> {
  const own = gitDirectoryOf(host.disk, root);
  if (own === undefined) return refuse(`${root} is not in a git repository`, 'restore its .git', 3, 'no-git');
  const elsewhere = anyBoard ? undefined : boardElsewhere(host.disk, root);
  if (elsewhere !== undefined) return ownedElsewhere(root, elsewhere);
  const common = commonDirectoryOf(host.disk, own);
  const settings = await readConfig(host, { root, common, hold });
  if ('ok' in settings) return settings;
  const partial = settings.find(
    ([key, value]) => key === 'extensions.partialclone' || (/^remote\..+\.promisor$/.test(key) && value !== 'false'),
  );
  if (partial !== undefined) {
    return refuse(
      'this is a partial clone: git would fetch missing files in the middle of a merge',
      `make it whole first: git fetch --refetch --no-filter && git config --unset ${partial[0]}`,
      3,
      'partial-clone',
    );
  }
  const filters = [...new Set(settings.flatMap(([key]) => /^filter\.(.+)\.[^.]+$/.exec(key)?.[1] ?? []))];
  const granted = allowFilters ? await userFilters(host, root, settings) : [];
  const traits = settings.filter(([key]) => TRAITS.includes(key));
  const gitDir = writeOwnDirectory(host, common, [...traits, ...granted]);
  const at = (place?: Files) => ({
    GIT_DIR: gitDir,
    GIT_OBJECT_DIRECTORY: join(common, 'objects'),
    ...(place === undefined
      ? { GIT_WORK_TREE: gitDir, GIT_INDEX_FILE: join(gitDir, 'no-index') }
      : {
          GIT_WORK_TREE: place.folder,
          GIT_INDEX_FILE: place.index,
          ...defined({ GIT_ALTERNATE_OBJECT_DIRECTORIES: place.also }),
        }),
  });
  return {
    host,
    root,
    common,
    worktrees: join(root, '.worktrees'),
    traits,
    filters: allowFilters ? [] : filters,
    refStorage: settings.findLast(([key]) => key === 'extensions.refstorage')?.[1] ?? 'files',
    project: (args, input = '') => git(host, root, args, { input, hold }),
    objects: (args, input = '') => git(host, gitDir, args, { at: at(), input, hold }),
    files: (place, args, input = '') => git(host, place.folder, args, { at: at(place), input, hold, in: place.folder }),
    fetchFrom: (gitDirectory, commit) =>
      git(host, gitDir, [...FETCH, gitDirectory, commit], {
        at: { ...at(), GIT_ALLOW_PROTOCOL: 'file' },
        hold,
        in: gitDirectory,
      }),
  };
}

/**
 * The other side runs in that repository and is not told of our settings, so it is told again: for an
 * object that is missing there it would start the upload-pack that a remote of its configuration names.
 */
const UPLOAD_PACK =
  'GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 GIT_NO_REPLACE_OBJECTS=1 GIT_GRAFT_FILE=/dev/null git upload-pack';
const FETCH: readonly string[] = [
  ...['-c', 'fetch.fsckObjects=true', 'fetch', '--quiet', '--no-tags', '--no-write-fetch-head'],
  ...['--no-recurse-submodules', '--upload-pack', UPLOAD_PACK],
];

/** What describes the repository's files and how they are compared; none of it starts a program. */
const TRAITS: readonly string[] = [
  'extensions.objectformat',
  'core.autocrlf',
  'core.eol',
  'core.filemode',
  'core.symlinks',
  'core.ignorecase',
  'core.precomposeunicode',
  'core.trustctime',
  'core.checkstat',
  'core.bigfilethreshold',
  'user.name',
  'user.email',
];

export function refuseVersion(said: string): Refusal | undefined {
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(said)?.slice(1) ?? []).map(Number);
  if (major > MINIMUM_GIT[0] || (major === MINIMUM_GIT[0] && minor >= MINIMUM_GIT[1])) return undefined;
  const needed = MINIMUM_GIT.join('.');
  return refuse(
    `${said.trim() || 'this git'} is too old: Liza merges with git merge-tree, which needs ${needed}`,
    `install git ${needed} or newer`,
    5,
    'git-version',
  );
}

interface Known {
  readonly stamp: string;
  readonly settings: readonly Trait[];
}
/** A supervisor asks for the same repository again and again. */
const known = new Map<string, Known>();

async function readConfig(
  host: Host,
  { root, common, hold }: { readonly root: string; readonly common: string; readonly hold: number | undefined },
): Promise<readonly Trait[] | Refusal> {
  const stamp = stampOf(host.disk, join(common, 'config'));
  const before = known.get(root);
  if (before !== undefined && before.stamp === stamp) return before.settings;
  const { status, stdout, stderr } = await git(host, root, ['config', '--list', '-z'], { hold });
  if (status !== 0) {
    return refuse(`git cannot read the settings of ${root}: ${stderr.trim()}`, 'mend .git/config', 3, 'git-config');
  }
  const settings = parseConfig(stdout);
  known.set(root, { stamp, settings });
  return settings;
}

function stampOf(disk: Disk, file: string): string {
  const stat = disk.statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? '' : [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join();
}

/** `key\nvalue\0`; keys are lower-case but for the part in the middle. */
function parseConfig(text: string): readonly Trait[] {
  return text
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const newline = entry.indexOf('\n');
      return newline === -1 ? [entry, 'true'] : [entry.slice(0, newline), entry.slice(newline + 1)];
    });
}

/** With allow_filters: the repository's and the user's own, who may have put LFS into ~/.gitconfig. */
async function userFilters(host: Host, root: string, settings: readonly Trait[]): Promise<readonly Trait[]> {
  const isFilter = ([key]: Trait) => key.startsWith('filter.');
  const at = { GIT_CONFIG_NOSYSTEM: '0', GIT_CONFIG_GLOBAL: join(host.env.HOME ?? '/nowhere', '.gitconfig') };
  const asked = await git(host, root, ['config', '--global', '--list', '-z'], { at });
  return [...parseConfig(asked.status === 0 ? asked.stdout : '').filter(isFilter), ...settings.filter(isFilter)];
}

/** Written again by every process: what somebody may have put there meanwhile does not last. */
function writeOwnDirectory(host: Host, common: string, traits: readonly Trait[]): string {
  const { disk } = host;
  const gitDir = join(common, 'liza', 'git');
  try {
    for (const folder of ['refs', 'objects', 'info']) disk.mkdirSync(join(gitDir, folder), { recursive: true });
    replace(host, join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
    replace(host, join(gitDir, 'config'), configText(traits));
    for (const name of ['info/exclude', 'shallow']) {
      const theirs = join(common, name);
      if (disk.existsSync(theirs)) replace(host, join(gitDir, name), disk.readFileSync(theirs, 'utf8'));
      else disk.rmSync(join(gitDir, name), { force: true });
    }
  } catch (cause) {
    throw new EnvironmentError(
      `${gitDir} could not be written: ${(cause as Error).message}`,
      'make room, or mend its rights',
      1,
      { cause, fault: faultIn((cause as Error).message) },
    );
  }
  return gitDir;
}

function replace({ disk, processes }: Host, file: string, text: string): void {
  if (disk.existsSync(file) && disk.readFileSync(file, 'utf8') === text) return;
  const temporary = `${file}.${processes.pid}`;
  disk.writeFileSync(temporary, text);
  disk.renameSync(temporary, file);
}

/** A configuration file with every value quoted. */
export function configText(traits: readonly Trait[]): string {
  const format = traits.findLast(([key]) => key === 'extensions.objectformat')?.[1];
  const fixed: Trait[] = [
    ['core.repositoryformatversion', format === undefined || format === 'sha1' ? '0' : '1'],
    ['core.bare', 'false'],
  ];
  const known = [...fixed, ...traits.filter(([key]) => key !== 'extensions.objectformat' || format !== 'sha1')];
  return known
    .map(([key, value]) => `${section(key)}\n\t${key.slice(key.lastIndexOf('.') + 1)} = ${quoted(value)}\n`)
    .join('');
}

function section(key: string): string {
  const [first = '', ...rest] = key.slice(0, key.lastIndexOf('.')).split('.');
  return rest.length === 0 ? `[${first}]` : `[${first} ${quoted(rest.join('.'))}]`;
}

const quoted = (value: string): string =>
  `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
