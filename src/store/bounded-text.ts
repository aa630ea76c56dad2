// A file's bytes as text, within bounds.

import { errorCode, type Files } from '../ports/files.ts';

export const SIZE_LIMIT = 64 * 1024 * 1024;

/** undefined: it is not UTF-8. */
export function decode(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  // A replacement character means: not UTF-8, or someone wrote that very character.
  return text.includes('\uFFFD') && !Buffer.from(text).equals(bytes) ? undefined : text;
}

/** Undefined: it is not there, or a pipe or a device is in its place, which the next writer replaces. */
export function readIfFile(files: Files, path: string): Buffer | undefined {
  try {
    return files.read(path);
  } catch (error) {
    if (errorCode(error) === 'ENOTREG' || errorCode(error) === 'EFBIG') return undefined;
    throw error;
  }
}
