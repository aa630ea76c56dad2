// The kill switches PAUSE, ABORT and CHECKPOINT: files, so that `touch` and `rm` work as well.

import { join } from 'node:path';
import type { Files } from '../ports/files.ts';
import { type Board, SWITCHES, type Switch } from '../protocol/board.ts';
import type { Paths } from './paths.ts';

export function readSwitches(files: Files, paths: Paths): Board['switches'] {
  const on: Partial<Record<Switch, number>> = {};
  for (const name of SWITCHES) {
    const stat = files.stat(join(paths.liza, name));
    if (stat !== undefined) on[name] = Number(stat.mtimeNs / 1_000_000n);
  }
  return on;
}

export function applySwitches(files: Files, paths: Paths, wanted: Readonly<Partial<Record<Switch, boolean>>>): void {
  for (const name of SWITCHES) {
    const file = join(paths.liza, name);
    if (wanted[name] === false) files.remove(file);
    // An existing one keeps its age: the alarms count from when it was set.
    else if (wanted[name] === true && files.stat(file) === undefined) files.close(files.open(file, 'a'));
  }
}
