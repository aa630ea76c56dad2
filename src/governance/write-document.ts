// What Liza writes for people beside the board: summaries, reports, drafts. Derived from the board, whole or not
// there, and never over something that a person may have written into.

import { join } from 'node:path';
import { replaceFile } from '../ports/files.ts';
import type { BoardContext } from '../store/context.ts';
import { REPORT } from './rules/breaker.ts';

export const checkpointsFolder = ({ paths }: BoardContext): string => join(paths.liza, 'checkpoints');

export const reportFile = ({ paths }: BoardContext): string => join(paths.root, REPORT);

export function writePaper({ files }: BoardContext, path: string, text: string): void {
  replaceFile(files, path, Buffer.from(text), true);
}

export function makeCheckpointsFolder(context: BoardContext): string {
  const folder = checkpointsFolder(context);
  context.files.makeDirectory(folder);
  return folder;
}
