// A file's bytes as text, within bounds.

import { errorCode, type Files } from '../ports/files.ts';
import { Text } from './yaml/text.ts';

export const SIZE_LIMIT = 64 * 1024 * 1024;

/** undefined: it is not UTF-8. */
export const decode = (bytes: Buffer): string | undefined => Text.decode(bytes)?.toString();

/** Undefined: it is not there, or a pipe or a device is in its place, which the next writer replaces. */
export function readIfFile(files: Files, path: string): Buffer | undefined {
  try {
    return files.read(path);
  } catch (error) {
    if (errorCode(error) === 'ENOTREG' || errorCode(error) === 'EFBIG') return undefined;
    throw error;
  }
}
