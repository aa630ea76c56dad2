// What this host's crew last found out about an exchange that cannot be used: a small file, for the watcher and `status`,
// which may run in another process. Written again at every try, so one that nobody writes any more says nothing.

import { join } from 'node:path';
import { type Files, replaceFile } from '../ports/files.ts';
import type { Instant } from '../text/time.ts';

interface Place {
  readonly files: Files;
  readonly paths: { readonly liza: string };
}

/** Longer than the longest pause between two tries, with the tries. */
const KEPT_MS = 180_000;

const fileOf = ({ paths }: Place): string => join(paths.liza, 'cache', 'exchange-outage.json');

/** undefined: it was reached, or there is none. */
export function tellOutage(place: Place, text: string | undefined, now: Instant): void {
  const { files, paths } = place;
  if (text === undefined) {
    files.remove(fileOf(place));
    return;
  }
  files.makeDirectory(join(paths.liza, 'cache'));
  replaceFile(files, fileOf(place), Buffer.from(JSON.stringify({ at: now, text })), false);
}

export function readOutage(place: Place, now: Instant): string | undefined {
  const told = place.files.read(fileOf(place))?.toString('utf8');
  if (told === undefined) return undefined;
  try {
    const { at, text } = JSON.parse(told) as { readonly at?: unknown; readonly text?: unknown };
    return typeof at === 'number' && typeof text === 'string' && Math.abs(now - at) < KEPT_MS ? text : undefined;
  } catch {
    return undefined;
  }
}
