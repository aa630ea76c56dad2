// Brings single commits of the exchange into the project. They are fetched into a folder of Liza's own, and from there
// they are taken exactly as those of an agent's clone are: checked object by object, whole, or not at all. Nothing else
// of the exchange comes along, no ref, tag or setting.

import { join } from 'node:path';
import { idsOf } from '../git/objects.ts';
import { configText, type PrivateGitDir } from '../git/private-git-dir.ts';
import { readRefs } from '../git/refs.ts';
import { git } from '../git/run.ts';
import { entries, inScratch } from '../git/scratch-folders.ts';
import { takeFetched } from '../git/take-objects.ts';
import { otherSide, remoteOf, timed } from './call.ts';
import type { Exchange } from './open.ts';
import { type Failed, readFailure } from './rules/outcome.ts';
import { nameThere } from './rules/refs.ts';

export interface Wanted {
  /** Its name here, and where it is at the exchange. */
  readonly ref: string;
  readonly commit: string;
}

export type Brought = { readonly how: 'done' } | Failed;

/** Afterwards the project has all of them. */
export async function bringCommits(exchange: Exchange, wanted: readonly Wanted[]): Promise<Brought> {
  const there = await idsOf(
    exchange.gitDir,
    wanted.map(({ commit }) => commit),
    'commit',
  );
  const missing = wanted.filter(({ commit }, at) => there[at] !== commit);
  if (missing.length === 0) return { how: 'done' };
  return inScratch(exchange.gitDir, (own) => fetchInto(exchange, own, missing));
}

async function fetchInto(exchange: Exchange, own: string, wanted: readonly Wanted[]): Promise<Brought> {
  const { gitDir, limits } = exchange;
  const has = await completeTips(gitDir);
  const objects = join(own, 'objects');
  const directory = layOutDirectory(gitDir, own, has);
  const at = {
    GIT_DIR: directory,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(gitDir.common, 'objects'),
  };
  const call = { at, longest: limits.fetch, remote: { ...remoteOf(exchange), largest: limits.largest } };
  const said = await timed(() => git(gitDir.host, own, fetchArguments(exchange, wanted), call));
  if ('how' in said) return said;
  if (said.status !== 0) return isFull(gitDir, objects, limits.largest) ? tooLarge(limits.largest) : readFailure(said);
  for (const { ref, commit } of wanted) {
    const taken = await takeFetched({ gitDir, own, objects, has }, commit, limits.fetch);
    if (taken.how === 'taken') continue;
    // Somebody moved that ref since it was listed: it is asked for again.
    if (taken.how === 'missing') return { how: 'unreachable', why: `${ref} is not at ${commit.slice(0, 12)} any more` };
    return { how: 'refused', why: `git does not accept ${ref}: ${taken.fault}`, mend: 'look at it: git fsck, there' };
  }
  return { how: 'done' };
}

function fetchArguments(exchange: Exchange, wanted: readonly Wanted[]): readonly string[] {
  const { address, naming } = exchange;
  const refs = [...new Set(wanted.map(({ ref }) => nameThere(ref, naming)))];
  return [
    // Whose refs are known already is laid out here: nobody has to be asked.
    '-c',
    'core.alternateRefsCommand=true',
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-auto-maintenance',
    '--no-recurse-submodules',
    ...otherSide(exchange, 'upload-pack'),
    '--',
    address.url,
    ...refs.map((ref, n) => `+${ref}:refs/fetched/${n}`),
  ];
}

/** Git says no more than that it could not go on: whether the pack came up to the limit tells why. */
const isFull = ({ host }: PrivateGitDir, objects: string, largest: number): boolean =>
  entries(host.disk, join(objects, 'pack')).some(
    (name) => (host.disk.statSync(join(objects, 'pack', name), { throwIfNoEntry: false })?.size ?? 0) >= largest - 512,
  );

const tooLarge = (largest: number): Failed => ({
  how: 'refused',
  why: `there is more than ${Math.ceil(largest / 1024 ** 2)} MB to take at once`,
  mend: 'look at what it is, and take it yourself if it is right: git fetch <address> <ref>',
});

/** A git directory for this call: what the project has are its refs, so that only what is missing comes. */
function layOutDirectory({ host, traits, common }: PrivateGitDir, own: string, has: readonly string[]): string {
  const directory = join(own, 'git');
  for (const folder of [join(directory, 'refs'), join(directory, 'objects'), join(own, 'objects', 'pack')])
    host.disk.mkdirSync(folder, { recursive: true });
  host.disk.writeFileSync(join(directory, 'HEAD'), 'ref: refs/heads/none\n');
  host.disk.writeFileSync(join(directory, 'config'), configText(traits.filter(([key]) => key !== 'user.name')));
  const lines = has.map((commit, n) => `${commit} refs/has/${String(n).padStart(4, '0')}\n`);
  host.disk.writeFileSync(join(directory, 'packed-refs'), lines.join(''));
  const shallow = join(common, 'shallow');
  if (host.disk.existsSync(shallow)) host.disk.copyFileSync(shallow, join(directory, 'shallow'));
  return directory;
}

/** More tell git nothing new. */
const MOST_TIPS = 200;

async function completeTips(gitDir: PrivateGitDir): Promise<readonly string[]> {
  const { integration } = gitDir;
  const branches = integration === undefined ? [] : [integration];
  const refs = await readRefs(gitDir, ...branches, 'refs/liza/review', 'refs/liza/seen', 'refs/liza/attempts');
  const first = integration === undefined ? undefined : refs.get(integration);
  const ids = [...new Set([...(first === undefined ? [] : [first]), ...[...refs.values()].reverse()])];
  const found = await idsOf(gitDir, ids.slice(0, MOST_TIPS), 'commit');
  return [...new Set(found)].filter((id) => id !== undefined);
}
