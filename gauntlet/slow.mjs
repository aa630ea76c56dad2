// A slow disk, for a Liza process: `node --import` of this file, by NODE_OPTIONS. Every fsync takes a third of a second,
// as on a network's disk under load, and the whole process waits for it.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { fsyncSync, fdatasyncSync } = fs;
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 330);
fs.fsyncSync = (descriptor) => {
  pause();
  return fsyncSync(descriptor);
};
fs.fdatasyncSync = (descriptor) => {
  pause();
  return fdatasyncSync(descriptor);
};
syncBuiltinESMExports();
