// Where the tests of one run make their folders, in memory where the machine has such a place: what a disk does to a
// store is the matter of the sweeps and benches. The folder goes when the run is over, with whatever a test left in it,
// and so does the database server that tests may have started there; also when the run is killed.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stopPostgres, stopPostgresWhenKilled } from './support/postgres.mjs';

const own = (place: string): string => path.join(place, `liza-tests-${process.pid}`);

export const ON_DISK = own(os.tmpdir());
export const IN_MEMORY = fs.existsSync('/dev/shm') ? own('/dev/shm') : ON_DISK;

export default function setup(): () => void {
  for (const folder of [ON_DISK, IN_MEMORY]) fs.mkdirSync(folder, { recursive: true });
  stopPostgresWhenKilled([ON_DISK, IN_MEMORY]);
  return () => {
    for (const folder of [ON_DISK, IN_MEMORY]) stopPostgres(folder);
    for (const folder of [ON_DISK, IN_MEMORY]) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
