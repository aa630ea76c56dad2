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
async function contentOf(gitDir: Objects, name: string): Promise<GitObject | undefined> {
  const [about] = isId(name.replace('^{tree}', '')) ? await gitDir.ask([{ name }]) : [];
  return about === undefined || about.size > MOST_READ
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
export async function treeEntries(gitDir: Objects, name: string): Promise<readonly TreeEntry[] | undefined> {
  const found = await contentOf(gitDir, `${name}^{tree}`);
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

/** The parents of a commit; undefined: it is not there, or no commit. */
export async function parentsOf(gitDir: Objects, commit: string): Promise<readonly string[] | undefined> {
  const found = await contentOf(gitDir, commit);
  if (found?.type !== 'commit') return undefined;
  const text = found.bytes.toString('latin1');
  const head = text.slice(0, text.indexOf('\n\n') + 1 || text.length);
  return [...head.matchAll(/^parent ([0-9a-f]{40,64})$/gm)].map(([, id = '']) => id);
}
