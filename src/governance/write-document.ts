// Documents that Liza writes for people: summaries, reports, drafts. They are derived from the board, are written whole
// or not at all, and never replace a file that a person may have edited.

import { join } from 'node:path';
import { replaceFile } from '../ports/files.ts';
import type { BoardContext } from '../store/context.ts';
import { REPORT } from './rules/breaker.ts';

export const checkpointsFolder = ({ paths }: BoardContext): string => join(paths.liza, 'checkpoints');

export const reportFile = ({ paths }: BoardContext): string => join(paths.root, REPORT);

export function writeDocument({ files }: BoardContext, path: string, text: string): void {
  replaceFile(files, path, Buffer.from(text), true);
}

export function makeCheckpointsFolder(context: BoardContext): string {
  const folder = checkpointsFolder(context);
  context.files.makeDirectory(folder);
  return folder;
}
