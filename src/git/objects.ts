// What the object database holds, asked of the git that stays (ports/git-objects.ts): ids, sizes, small contents, and
// trees and commits read as git writes them. Names are ids; what a ref or a short name means is read in refs.ts.

import type { GitObject } from '../ports/git-objects.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { cannotRead } from './run.ts';

type Objects = Pick<PrivateGitDir, 'ask'>;

/** Whatever else a board or an agent says is no object. */
const isId = (name: string): boolean => /^[0-9a-f]{4,64}$/.test(name);

export const isFullId = (name: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(name);

/** Their ids as objects of that type, behind tags and commits, in the order of the names; undefined: there is none. */
export async function idsOf(
  gitDir: Objects,
  names: readonly string[],
  type: 'commit' | 'tree',
): Promise<readonly (string | undefined)[]> {
  const asked = await gitDir.ask(names.filter(isId).map((name) => ({ name: `${name}^{${type}}` })));
  const found = asked.values();
  return names.map((name) => {
    const one = isId(name) ? found.next().value : undefined;
    return one?.type === type ? one.id : undefined;
  });
}

/** Types and sizes, in the order of the ids. */
export const aboutObjects = (gitDir: Objects, ids: readonly string[]): Promise<readonly (GitObject | undefined)[]> =>
  gitDir.ask(ids.map((name) => ({ name })));

/** Bytes of a tree or a commit that is read here; nobody writes a larger one in earnest. */
const MOST_READ = 16 * 1024 * 1024;

/** undefined: it is not there, or larger than that. */
async function contentOf(gitDir: Objects, name: string, most = MOST_READ): Promise<GitObject | undefined> {
  const [about] = isId(name.replace('^{tree}', '')) ? await gitDir.ask([{ name }]) : [];
  return about === undefined || about.size > most
    ? undefined
    : (await gitDir.ask([{ name: about.id, content: true }]))[0];
}

/** Bytes of a file: a text has no room for much more. */
const MOST_TEXT = 256_000_000;

/** undefined: no such blob. One that is too large is an error: what it holds must not count as nothing. */
export async function blobText(gitDir: Objects, id: string): Promise<string | undefined> {
  const [about] = isId(id) ? await aboutObjects(gitDir, [id]) : [];
  if ((about?.size ?? 0) > MOST_TEXT) cannotRead(new Error(`${id} is larger than ${MOST_TEXT} bytes`));
  const [found] = about === undefined ? [] : await gitDir.ask([{ name: about.id, content: true }]);
  return found?.type === 'blob' ? found.bytes.toString('utf8') : undefined;
}

export interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly id: string;
}

/** No link, no folder, no submodule. */
export const isFile = ({ mode }: TreeEntry): boolean => /^100/.test(mode);
export const isFolder = ({ mode }: TreeEntry): boolean => mode === '40000';

/** The entries of a tree, or of a commit's; undefined: it is not there, or too large. */
export async function treeEntries(
  gitDir: Objects,
  name: string,
  most = MOST_READ,
): Promise<readonly TreeEntry[] | undefined> {
  const found = await contentOf(gitDir, `${name}^{tree}`, most);
  return found?.type === 'tree' ? parseTree(found) : undefined;
}

/** `<mode> <name>\0<id in bytes>`, again and again. */
function parseTree({ id, bytes }: GitObject): readonly TreeEntry[] {
  const length = id.length / 2;
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0, at);
    const space = bytes.indexOf(0x20, at);
    if (end === -1 || space === -1) break;
    entries.push({
      mode: bytes.toString('latin1', at, space),
      name: bytes.toString('utf8', space + 1, end),
      id: bytes.toString('hex', end + 1, end + 1 + length),
    });
    at = end + 1 + length;
  }
  return entries;
}

/** What a commit or tree has at a path from its root. */
export async function entryAt(gitDir: Objects, name: string, path: string): Promise<TreeEntry | undefined> {
  const [first = '', ...rest] = path.split('/');
  const entry = (await treeEntries(gitDir, name))?.find((one) => one.name === first);
  if (entry === undefined || rest.length === 0) return entry;
  return isFolder(entry) ? entryAt(gitDir, entry.id, rest.join('/')) : undefined;
}

export interface Commit {
  readonly id: string;
  readonly parents: readonly string[];
  /** `Name <address>`. */
  readonly author: string;
  readonly committer: string;
  /** When, in seconds, as it says itself. */
  readonly committed: number;
}

/** The parents of a commit; undefined: it is not there, or no commit. */
export async function parentsOf(gitDir: Objects, commit: string): Promise<readonly string[] | undefined> {
  const head = await headerOf(gitDir, commit);
  return head === undefined ? undefined : parentsIn(head);
}

/** undefined: it is not there, no commit, or written otherwise than git writes one in UTF-8. */
export async function readCommit(gitDir: Objects, id: string): Promise<Commit | undefined> {
  const head = isFullId(id) ? await headerOf(gitDir, id) : undefined;
  const [, author, by, seconds] = (head === undefined ? null : WHO.exec(head)) ?? [];
  if (head === undefined || author === undefined || by === undefined || /^encoding |\ufffd/m.test(head))
    return undefined;
  return { id, parents: parentsIn(head), author, committer: by, committed: Number(seconds) };
}

const WHO =
  /^author ((?:[^<>\s](?:[^<>\n]*[^<>\s])? )?<[^<>\n]*>) \d{1,12} [+-]\d{4}\ncommitter ((?:[^<>\s](?:[^<>\n]*[^<>\s])? )?<[^<>\n]*>) (\d{1,12}) [+-]\d{4}$/m;

/** What a commit says; undefined: it is not there, or no commit. */
export async function readMessage(gitDir: Objects, commit: string): Promise<string | undefined> {
  const found = isFullId(commit) ? await contentOf(gitDir, commit) : undefined;
  const end = found?.type === 'commit' ? found.bytes.indexOf('\n\n') : -1;
  return found === undefined || end === -1 ? undefined : found.bytes.toString('utf8', end + 2);
}

async function headerOf(gitDir: Objects, commit: string): Promise<string | undefined> {
  const found = await contentOf(gitDir, commit);
  if (found?.type !== 'commit') return undefined;
  const end = found.bytes.indexOf('\n\n');
  return found.bytes.toString('utf8', 0, end === -1 ? undefined : end + 1);
}

const parentsIn = (head: string): readonly string[] =>
  [...head.matchAll(/^parent ([0-9a-f]{40,64})$/gm)].map(([, id = '']) => id);
