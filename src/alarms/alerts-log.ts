// alerts.log: one line per alarm that began or is over. Bounded: when it is full, the last one is kept beside it
// as alerts.log.1. Lines of one look are written at once, so that they lie together.

import { join } from 'node:path';
import { appendBounded } from '../ports/files.ts';
import type { BoardContext } from '../store/context.ts';
import { type Instant, iso } from '../text/time.ts';

export const LOG_LIMIT = 2 * 1024 * 1024;

export interface AlertsLog {
  append(now: Instant, lines: readonly string[]): void;
  size(): number;
  /** Lines from that place on, without their time; none for a place that is not known. */
  since(place: number | undefined): readonly string[];
}

export function openAlertsLog({ files, paths }: BoardContext): AlertsLog {
  const path = join(paths.liza, 'alerts.log');
  const size = (): number => {
    try {
      return Number(files.stat(path)?.size ?? 0);
    } catch {
      return 0; // writing to it will say why
    }
  };
  return {
    size,
    append: (now, lines) => {
      if (lines.length === 0) return;
      const time = iso(now);
      const bytes = Buffer.from(lines.map((line) => `${time} ${line}\n`).join(''));
      appendBounded(files, path, bytes, LOG_LIMIT);
    },
    since: (place) => {
      if (place === undefined) return [];
      const full = size();
      // Smaller than it was: it began anew since.
      const from = place > full ? 0 : place;
      const text = full === 0 ? '' : files.readRange(path, from, full - from).toString('utf8');
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => line.slice(line.indexOf(' ') + 1));
    },
  };
}
