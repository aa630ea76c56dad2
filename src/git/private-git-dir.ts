// Liza's own git directory inside the project's: it borrows the project's objects and has a
// configuration that only Liza wrote. Whatever touches files (checkout, snapshot, merge, diff) runs
// there, so that no filter, hook, driver, monitor or alias planted in the project or by an agent can
// run in, or steer, Liza's calls. Only refs are read and written in the project's repository itself.

import { dirname, join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { GitObject, ObjectQuestion } from '../ports/git-objects.ts';
import { type GitAnswer, type GitCall, MINIMUM_GIT } from '../ports/git-program.ts';
import type { Host } from '../ports/host.ts';
import { plainText } from '../process/plain-file.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { defined } from '../protocol/values.ts';
import { boardElsewhere, ownedElsewhere } from './board-owner.ts';
import { commonDirectoryOf, gitDirectoryOf } from './directory.ts';
import type { IdBytes } from './index-file.ts';
import { type OwnFiles, ownDirectory } from './own-directory.ts';
import { plainConfig } from './plain-config.ts';
import { cannotRead, git } from './run.ts';
import { inScratch } from './scratch-folders.ts';

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
  /** Full name of the branch that merges go to, where it is known. */
  readonly integration?: string | undefined;
  readonly keepsApart: KeepsApart;
  /** Filters of the repository's configuration: off, unless `allow_filters`. */
  readonly filters: readonly string[];
  /** On the project's refs. */
  project(args: readonly string[], input?: string): Promise<GitAnswer>;
  /** On objects alone. */
  objects(args: readonly string[], input?: string, streams?: ObjectStreams): Promise<GitAnswer>;
  /** About objects, by their ids (objects.ts). */
  ask(questions: readonly ObjectQuestion[]): Promise<readonly (GitObject | undefined)[]>;
  /** On a folder of files, with the index that belongs to it. */
  files(place: Files, args: readonly string[], input?: string, longest?: number): Promise<GitAnswer>;
}

export interface Files {
  readonly folder: string;
  readonly index: string;
  /** Liza has just made the folder, and nothing in it was ever anybody's. */
  readonly isNew?: true;
}

/** What git is to see, besides its folder. */
export interface GitReach {
  readonly root: string;
  readonly common: string;
  readonly folder: string;
  /** A folder of Liza's own, for this call. */
  readonly own: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** Undefined: there is no sandbox here (sandbox/confined-git.ts). */
export type ConfineGit = (reach: GitReach) => Promise<GitCall['wrap']>;

/** Whether nobody can keep such a folder open beyond its use: only then it is used again (sandbox/apart.ts). */
export type KeepsApart = (kind: 'task' | 'proof' | 'setup') => Promise<boolean>;

export interface ObjectStreams {
  /** A folder of objects of Liza's own that are not in the project. */
  readonly also?: string;
  /** Descriptors of files that it reads from and writes to. */
  readonly from?: number;
  readonly into?: number;
  /** Milliseconds that it may take. */
  readonly longest?: number | undefined;
  /** Bytes that it may print: what is read of an answer is read in one go, while nobody else is served. */
  readonly most?: number;
  /** It talks to another repository (exchange/). */
  readonly remote?: GitCall['remote'];
}

type Trait = readonly [key: string, value: string];

/** Of an object's id. */
export const idBytes = ({ traits }: PrivateGitDir): IdBytes =>
  traits.some(([key, value]) => key === 'extensions.objectformat' && value === 'sha256') ? 32 : 20;

export interface OpenOptions {
  readonly allowFilters?: boolean;
  /** Inherited by every git started here; see GitCall. */
  readonly hold?: number | undefined;
  /** Also where another checkout has the repository's board; only to take a second one away. */
  readonly anyBoard?: boolean | undefined;
  readonly integration?: string | undefined;
  readonly confineGit?: ConfineGit | undefined;
  readonly keepsApart?: KeepsApart | undefined;
}

export async function openPrivateGitDir(
  host: Host,
  root: string,
  { allowFilters = false, hold, anyBoard = false, integration, confineGit, keepsApart }: OpenOptions = {},
): Promise<PrivateGitDir | Refusal> {
  const project = gitDirectoryOf(host.disk, root);
  if (project === undefined) return refuse(`${root} is not in a git repository`, 'restore its .git', 3, 'no-git');
  const elsewhere = anyBoard ? undefined : boardElsewhere(host.disk, root);
  if (elsewhere !== undefined) return ownedElsewhere(root, elsewhere);
  const common = commonDirectoryOf(host.disk, project);
  const settings = await readConfig(host, { root, common, hold });
  if ('ok' in settings) return settings;
  const partial = settings.find(
    ([key, value]) => key === 'extensions.partialclone' || (/^remote\..+\.promisor$/.test(key) && value !== 'false'),
  );
  if (partial !== undefined) {
    return refuse(
      'this is a partial clone: git would fetch missing files in the middle of a merge',
      `make it complete first: git fetch --refetch --no-filter && git config --unset ${partial[0]}`,
      3,
      'partial-clone',
    );
  }
  const filters = [...new Set(settings.flatMap(([key]) => /^filter\.(.+)\.[^.]+$/.exec(key)?.[1] ?? []))];
  const granted = allowFilters ? await userFilters(host, { root, common }, settings) : [];
  const traits = settings.filter(([key]) => TRAITS.includes(key));
  const own = ownDirectory(host, common, ownFiles(host.disk, common, [...traits, ...granted]));
  own.ensure();
  const gitDir = own.path;
  const placeOf = ({ folder, index }: Files = { folder: gitDir, index: join(gitDir, 'no-index') }) => ({
    GIT_DIR: gitDir,
    GIT_OBJECT_DIRECTORY: join(common, 'objects'),
    GIT_WORK_TREE: folder,
    GIT_INDEX_FILE: index,
  });
  const at = (files?: Files) => {
    own.ensure();
    return placeOf(files);
  };
  const opened: PrivateGitDir = {
    host,
    root,
    common,
    worktrees: join(root, '.worktrees'),
    traits,
    integration,
    keepsApart: keepsApart ?? (async () => true),
    filters: allowFilters ? [] : filters,
    refStorage: settings.findLast(([key]) => key === 'extensions.refstorage')?.[1] ?? 'files',
    project: (args, input = '') => git(host, root, args, { input, hold }),
    objects: (args, input = '', { also, from, into, longest, most, remote } = {}) =>
      git(host, gitDir, args, {
        at: { ...at(), ...defined({ GIT_ALTERNATE_OBJECT_DIRECTORIES: also }) },
        input,
        hold,
        from,
        into,
        longest,
        ...defined({ most }),
        remote,
      }),
    ask: (questions) => host.git.ask(host.env, placeOf(), questions, own.ensure).catch(cannotRead),
    files: (place, args, input = '', longest?: number) => {
      const call = { at: at(place), input, hold, in: place.folder, longest };
      const run = (wrap?: GitCall['wrap']): Promise<GitAnswer> =>
        git(host, place.folder, args, { ...call, ...defined({ wrap }) });
      if (confineGit === undefined || !isShared(opened, place)) return run();
      if (granted.length > 0) host.disk.mkdirSync(join(common, 'lfs'), { recursive: true });
      // One in the folder is found in there, as its owner has it: from here a link of theirs would lead elsewhere.
      const isInside = place.index.startsWith(`${place.folder}/`);
      const write = [join(common, 'objects'), join(common, 'lfs'), ...(isInside ? [] : [dirname(place.index)])];
      return inScratch(opened, async (own) =>
        run(await confineGit({ root, common, folder: place.folder, own, read: [gitDir], write })),
      );
    },
  };
  return opened;
}

/**
 * A folder in which an agent or a program of the project may have worked, whatever it is for. Nobody can see whether one
 * of them still has it open: a descriptor may be on its way in a socket, and is then in no process.
 */
const isShared = ({ worktrees }: PrivateGitDir, { folder, isNew }: Files): boolean =>
  dirname(folder) === worktrees && isNew !== true;

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
  const plain = plainConfig(host, root, common);
  if (plain !== undefined) {
    known.set(root, { stamp, settings: plain });
    return plain;
  }
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

/** LFS looks below the git directory in use, which has none of the project's content; what is missing stays a pointer. */
const lfsIn = (common: string): readonly Trait[] => [
  ['lfs.storage', join(common, 'lfs')],
  ['lfs.skipdownloaderrors', 'true'],
];

/** With allow_filters: the repository's and the user's own, who may have put LFS into ~/.gitconfig. */
async function userFilters(
  host: Host,
  { root, common }: { readonly root: string; readonly common: string },
  settings: readonly Trait[],
): Promise<readonly Trait[]> {
  const isFilter = ([key]: Trait) => key.startsWith('filter.');
  const at = { GIT_CONFIG_NOSYSTEM: '0', GIT_CONFIG_GLOBAL: join(host.env.HOME ?? '/nowhere', '.gitconfig') };
  const asked = await git(host, root, ['config', '--global', '--list', '-z'], { at });
  const filters = [
    ...parseConfig(asked.status === 0 ? asked.stdout : '').filter(isFilter),
    ...settings.filter(isFilter),
  ];
  return filters.some(([key]) => key.startsWith('filter.lfs.')) ? [...filters, ...lfsIn(common)] : filters;
}

/** What Liza's own directory holds; the last two are the project's, which may change at any time. */
const ownFiles = (disk: Disk, common: string, traits: readonly Trait[]): OwnFiles => ({
  texts: {
    HEAD: 'ref: refs/heads/none\n',
    config: configText(traits),
    ...Object.fromEntries(
      ['info/exclude', 'shallow'].map((name) => [name, plainText(disk, join(common, name), MOST_COPIED)]),
    ),
  },
  isOurs: (name, text) => name !== 'HEAD' && (name !== 'config' || isConfigText(text)),
});

const MOST_COPIED = 16 * 1024 * 1024;

/** Of a directory that another version, or one with other filters, wrote: only with settings that Liza writes. */
function isConfigText(text: string): boolean {
  const line = /\[([a-z]+)(?: "(?:[^"\\\n]|\\.)*")?\]\n\t([a-z]+) = "(?:[^"\\\n]|\\.)*"\n/y;
  const known = [...TRAITS, 'core.repositoryformatversion', 'core.bare', 'lfs.storage', 'lfs.skipdownloaderrors'];
  for (line.lastIndex = 0; line.lastIndex < text.length; ) {
    const [, section = '', key = ''] = line.exec(text) ?? [];
    if (section !== 'filter' && !known.includes(`${section}.${key}`)) return false;
  }
  return true;
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
