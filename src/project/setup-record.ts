// What a setup wrote below ~/.liza, as `.setup.json` remembers it: a file whose hash is on record is Liza's, one with another
// text is a person's. The file may be damaged or forged: no path in it leads out of what a setup writes.

import { hash as hashOf } from 'node:crypto';
import { join } from 'node:path';
import { isFields } from '../protocol/values.ts';
import { FOLDER, RECORD, SHIPPED } from './home-manifest.ts';
import { readText } from './setup-home.ts';

export interface Written {
  /** Path below ~/.liza → hash of the text that was written or offered there. */
  readonly files: Readonly<Record<string, string>>;
  /** Provider → the copy of its file from before. */
  readonly backups: Readonly<Record<string, string>>;
}

/** A damaged one counts as none: then nothing is ours unless it equals what we ship. */
export function readRecord(home: string): Written {
  try {
    const read: unknown = JSON.parse(readText(join(home, FOLDER, RECORD)) ?? '{}');
    const { files, backups } = isFields(read) ? read : {};
    return { files: texts(files), backups: texts(backups) };
  } catch {
    return { files: {}, backups: {} };
  }
}

const texts = (value: unknown): Readonly<Record<string, string>> =>
  isFields(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {};

/** Only paths that a setup can have written, whatever the record says. */
export const isOurs = (path: string): boolean =>
  Object.keys(SHIPPED).some((part) => path.startsWith(`${part}/`)) && !path.split('/').includes('..');

export const hash = (text: string): string => hashOf('sha256', text);
