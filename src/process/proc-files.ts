// Small files of /proc. Every command reads several, and this is the way of Node's that costs least: one call.

import { readFileSync } from 'node:fs';

/** Empty: it is gone, or not ours to read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
