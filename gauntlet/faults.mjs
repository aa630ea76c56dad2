// A disk that is full, for a Liza process: `node --import` of this file, by NODE_OPTIONS. As long as the file
// GAUNTLET_DISK is there, a write into a .liza folder or the journal's copy puts down half of its bytes and then fails
// as the kernel fails it (ENOSPC). Runs without rights or tools that a fresh machine lacks; nothing in src knows of it.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const full = () => fs.existsSync(process.env['GAUNTLET_DISK'] ?? '/nowhere');
const { openSync, writeSync } = fs;
const ours = new Set();

fs.openSync = (path, ...rest) => {
  const descriptor = openSync(path, ...rest);
  if (/\/\.liza\/|\/\.git\/liza\//.test(String(path))) ours.add(descriptor);
  else ours.delete(descriptor);
  return descriptor;
};
fs.writeSync = (descriptor, data, ...rest) => {
  if (!ours.has(descriptor) || !full()) return writeSync(descriptor, data, ...rest);
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  writeSync(descriptor, bytes.subarray(0, Math.floor(bytes.length / 2)));
  const error = new Error('ENOSPC: no space left on device, write');
  throw Object.assign(error, { code: 'ENOSPC', errno: -28, syscall: 'write' });
};
syncBuiltinESMExports();
