// Refs of a repository that an agent writes, read as plain text. No git runs there, so nothing that is configured in it
// has a say, and a pipe, a device or a link in place of a file is no ref. Bounded in depth, number and size.

import type { Disk } from '../ports/disk.ts';
import { isPlainWay, plainText } from '../process/plain-file.ts';
import { entries } from './scratch-folders.ts';
import { statOf } from './tree-changes.ts';

/** HEAD of one checkout; its branches may be in another directory. */
export interface HeadPlace {
  readonly gitDirectory: string;
  /** Where the branches are. */
  readonly refs: string;
}

export interface PlainHead {
  readonly commit: string;
  /** Full name of the branch; absent when HEAD is detached. */
  readonly branch?: string;
}

/** undefined when HEAD, or the branch that it names, is not a regular file with an id. */
export function readPlainHead(disk: Disk, { gitDirectory, refs }: HeadPlace): PlainHead | undefined {
  const head = lineOf(disk, `${gitDirectory}/HEAD`);
  const branch = head === undefined ? undefined : named(head);
  if (head === undefined || branch === undefined) return isId(head) ? { commit: head } : undefined;
  const commit = readPlainRef(disk, refs, branch);
  return commit === undefined ? undefined : { commit, branch };
}

/** The id that a ref leads to, over at most a few symbolic ones. */
export function readPlainRef(disk: Disk, directory: string, ref: string): string | undefined {
  let name = ref;
  for (let step = 0; step < MOST_STEPS && isName(name); step++) {
    const found = looseRef(disk, directory, name) ?? packedRef(disk, directory, name);
    const next = found === undefined ? undefined : named(found);
    if (next === undefined) return isId(found) ? found : undefined;
    name = next;
  }
  return undefined;
}

/** All of a repository, the ids that they lead to by their full names. */
export function listPlainRefs(disk: Disk, directory: string): ReadonlyMap<string, string> {
  const found = packedRefs(disk, directory);
  const folders = ['refs'];
  let left = MOST_REFS;
  for (const folder of folders) {
    if (folder.split('/').length > MOST_DEPTH || !isPlainWay(disk, directory, folder.split('/'))) continue;
    for (const name of entries(disk, `${directory}/${folder}`)) {
      left -= 1;
      if (left < 0) return found;
      const path = `${folder}/${name}`;
      const stat = disk.lstatSync(`${directory}/${path}`, { throwIfNoEntry: false });
      if (stat?.isDirectory()) folders.push(path);
      const id = stat?.isFile() ? lineOf(disk, `${directory}/${path}`) : undefined;
      if (isId(id) && isName(path)) found.set(path, id);
    }
  }
  return found;
}

/**
 * Those at or below the given names, as git lists them; undefined: there are too many, or something else than a file with
 * an id, and git has to be asked. Single files first: packing takes them away last.
 */
export function plainRefsAt(
  disk: Disk,
  directory: string,
  names: readonly string[],
): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>();
  const paths = [...names];
  for (const path of paths) {
    if (paths.length > MOST_REFS || !isName(path)) return undefined;
    const stat = statOf(disk, `${directory}/${path}`);
    if (stat === undefined) continue;
    if (!isPlainWay(disk, directory, path.split('/').slice(0, -1))) return undefined;
    if (!stat.isDirectory()) {
      const id = stat.isFile() ? readPlainRef(disk, directory, path) : undefined;
      if (id === undefined) return undefined;
      found.set(path, id);
    } else {
      const inside = entries(disk, `${directory}/${path}`).filter((name) => !name.endsWith('.lock'));
      paths.push(...inside.map((name) => `${path}/${name}`));
    }
  }
  const packed = packedText(disk, directory, MOST_LISTED_BYTES);
  if (packed === '' && disk.existsSync(`${directory}/packed-refs`)) return undefined;
  const isWanted = (ref: string): boolean => names.some((name) => ref === name || ref.startsWith(`${name}/`));
  for (const [, id = '', ref = ''] of packed.matchAll(PACKED)) if (isWanted(ref) && !found.has(ref)) found.set(ref, id);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const PACKED = /^([0-9a-f]{40}|[0-9a-f]{64}) (refs\/\S+)$/gm;
const MOST_STEPS = 5;
const MOST_REFS = 2000;
const MOST_DEPTH = 12;
/** Of a file with one line. */
const MOST_BYTES = 4096;
const MOST_PACKED_BYTES = 16 * 1024 * 1024;
/** Of more, git makes a list sooner. */
const MOST_LISTED_BYTES = 1024 * 1024;

const isId = (text: string | undefined): text is string =>
  text !== undefined && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
const named = (line: string): string | undefined => /^ref:\s*(\S+)$/.exec(line)?.[1];

/** A path below `refs` that leads nowhere else, and a name that git takes. */
const isName = (ref: string): boolean =>
  /^refs\/[^\s~^:?*[\\]+$/.test(ref) &&
  !/\p{Cc}/u.test(ref) &&
  ref
    .split('/')
    .every((part) => part !== '' && !part.startsWith('.') && !part.includes('..') && !part.endsWith('.lock'));

function looseRef(disk: Disk, directory: string, ref: string): string | undefined {
  return isPlainWay(disk, directory, ref.split('/').slice(0, -1)) ? lineOf(disk, `${directory}/${ref}`) : undefined;
}

const packedText = (disk: Disk, directory: string, most = MOST_PACKED_BYTES): string =>
  plainText(disk, `${directory}/packed-refs`, most) ?? '';

function packedRef(disk: Disk, directory: string, ref: string): string | undefined {
  const text = packedText(disk, directory);
  const at = text.indexOf(` ${ref}\n`);
  return at === -1 ? undefined : text.slice(text.lastIndexOf('\n', at) + 1, at);
}

function packedRefs(disk: Disk, directory: string): Map<string, string> {
  const lines = packedText(disk, directory).matchAll(PACKED);
  return new Map(
    [...lines].flatMap(([, id = '', ref = '']) => (isName(ref) ? [[ref, id] as const] : [])).slice(0, MOST_REFS),
  );
}

const lineOf = (disk: Disk, file: string): string | undefined =>
  plainText(disk, file, MOST_BYTES)?.split('\n', 1)[0]?.trimEnd();
