// Where tests make their folders: in memory where the machine has such a place. What a disk does to a
// store is the matter of the sweeps and benches; here its slow syncs would only cost time.

import fs from 'node:fs';
import os from 'node:os';

export const TEMPORARY = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir();
