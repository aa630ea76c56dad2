// Tells when anybody committed: the journal grew. Events first, a slow look at its size as fallback,
// because some file systems (network mounts, containers) deliver none.

import { statSync, watch } from 'node:fs';
import { basename } from 'node:path';
import type { Paths } from './paths.ts';

const FALLBACK_MS = 2000;

export function watchJournal(paths: Paths, changed: () => void): () => void {
  const size = () => statSync(paths.journal, { throwIfNoEntry: false })?.size;
  let last = size();
  const look = () => {
    const now = size();
    if (now === last) return;
    last = now;
    changed();
  };
  const name = basename(paths.journal);
  const watcher = watch(paths.liza, (_event, file) => {
    if (file === name || file === null) look();
  });
  watcher.on('error', () => watcher.close());
  const timer = setInterval(look, FALLBACK_MS);
  return () => {
    watcher.close();
    clearInterval(timer);
  };
}
