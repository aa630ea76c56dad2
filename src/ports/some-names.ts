// The names in a folder that somebody else fills: no more are read than somebody wants to look at.

import type { Disk } from './disk.ts';

export function someNames(
  disk: Pick<Disk, 'opendirSync'>,
  folder: string,
  most: number,
  encoding: BufferEncoding = 'utf8',
): readonly string[] {
  const names: string[] = [];
  const open = disk.opendirSync(folder, { encoding });
  try {
    for (let entry = open.readSync(); entry !== null && names.length < most; entry = open.readSync())
      names.push(entry.name);
  } finally {
    open.closeSync();
  }
  return names;
}
