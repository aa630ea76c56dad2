// Tells when anybody committed: the journal grew. Events first, a slow look at its size as fallback,
// because some file systems (network mounts, containers) deliver none.

import fs from 'node:fs';
import path from 'node:path';
import type { Paths } from './paths.ts';

const FALLBACK_MS = 2000;

export function watchJournal(paths: Paths, changed: () => void): () => void {
  const size = () => fs.statSync(paths.journal, { throwIfNoEntry: false })?.size;
  let last = size();
  const look = () => {
    const now = size();
    if (now === last) return;
    last = now;
    changed();
  };
  const name = path.basename(paths.journal);
  const watcher = fs.watch(paths.liza, (_event, file) => {
    if (file === name || file === null) look();
  });
  watcher.on('error', () => watcher.close());
  const timer = setInterval(look, FALLBACK_MS);
  return () => {
    watcher.close();
    clearInterval(timer);
  };
}
