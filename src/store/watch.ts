// Tells when anybody committed (the journal grew), turned a kill switch by hand, or saved state.yaml in an
// editor. Events first, a slow look at the files as fallback, because some file systems (network mounts,
// containers) deliver none.

import { statSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { SWITCHES } from '../protocol/board.ts';
import type { Paths } from './paths.ts';

const FALLBACK_MS = 2000;
const SETTLE_MS = 4;

export function watchJournal(paths: Paths, changed: () => void): () => void {
  const files = [paths.journal, paths.state, ...SWITCHES.map((name) => join(paths.liza, name))];
  const names = new Set(files.map((file) => basename(file)));
  const look = (): string => files.map(stampOf).join();
  let last = look();
  const compare = () => {
    const now = look();
    if (now === last) return;
    last = now;
    changed();
  };
  // A commit touches several files within milliseconds; read in the middle of it, a board costs more than after it.
  let settling: NodeJS.Timeout | undefined;
  const watcher = watch(paths.liza, (_event, file) => {
    if (settling !== undefined || (file !== null && !names.has(file))) return;
    settling = setTimeout(() => {
      settling = undefined;
      compare();
    }, SETTLE_MS);
  });
  watcher.on('error', () => watcher.close());
  const timer = setInterval(compare, FALLBACK_MS);
  return () => {
    watcher.close();
    clearTimeout(settling);
    clearInterval(timer);
  };
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino}.${stat.size}.${stat.mtimeMs}`;
}
