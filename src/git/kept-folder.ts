// Where a removed Liza leaves its last blackboards: in the part of the git directory that no sandbox shows.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { entries } from './scratch-folders.ts';

export const KEPT = 'kept';

export const keptIn = (common: string): string => join(common, 'liza', KEPT);

/** The folders of boards that were kept, the oldest first. */
export const keptBoards = (disk: Disk, common: string): readonly string[] =>
  entries(disk, keptIn(common))
    .filter((name) => /^\d+$/.test(name))
    .sort((a, b) => Number(a) - Number(b))
    .map((name) => join(keptIn(common), name));
