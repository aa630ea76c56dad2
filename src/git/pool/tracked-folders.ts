// The folders of an index, each with what belongs into it. Names are one character per byte, as in the index.

import type { IndexEntry } from '../index-file.ts';

export interface TrackedFolder {
  readonly folders: Map<string, TrackedFolder>;
  readonly files: Map<string, IndexEntry>;
}

const emptyFolder = (): TrackedFolder => ({ folders: new Map(), files: new Map() });

export function trackedFolders(entries: readonly IndexEntry[]): TrackedFolder {
  const root = emptyFolder();
  const known = new Map<string, TrackedFolder>([['', root]]);
  const folderAt = (key: string): TrackedFolder => {
    const there = known.get(key);
    if (there !== undefined) return there;
    const slash = key.lastIndexOf('/');
    const made = emptyFolder();
    folderAt(slash === -1 ? '' : key.slice(0, slash)).folders.set(key.slice(slash + 1), made);
    known.set(key, made);
    return made;
  };
  for (const entry of entries) {
    const slash = entry.key.lastIndexOf('/');
    folderAt(slash === -1 ? '' : entry.key.slice(0, slash)).files.set(entry.key.slice(slash + 1), entry);
  }
  return root;
}

export function* filesBelow(folder: TrackedFolder): Generator<IndexEntry> {
  yield* folder.files.values();
  for (const one of folder.folders.values()) yield* filesBelow(one);
}

/** A path whose characters are bytes, as the disk takes it. */
export function onDisk(folder: string, name?: string): string {
  const path = name === undefined ? folder : `${folder}/${name}`;
  if (folder !== lastFolder) [lastFolder, isLastPlain] = [folder, isPlain(folder)];
  if (isLastPlain && (name === undefined || isPlain(name))) return path;
  return Buffer.from(path, 'latin1') as unknown as string;
}

/** Thousands of files are asked for, folder by folder. */
let lastFolder = '';
let isLastPlain = true;

const isPlain = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

export const inBytes = (path: string): string => Buffer.from(path).toString('latin1');
