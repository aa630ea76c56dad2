// Loaded before the program: kills it at its n-th change of the board (KILL_AT), right before or after the file is there.
// By then the change is journalled.

const fs = require('node:fs');

const { renameSync } = fs;
const at = Number(process.env['KILL_AT']);
let changes = 0;
fs.renameSync = (from, to) => {
  if (!String(to).endsWith('state.yaml')) return renameSync(from, to);
  changes += 1;
  if (changes === at && at % 2 === 1) process.kill(process.pid, 'SIGKILL');
  renameSync(from, to);
  if (changes === at) process.kill(process.pid, 'SIGKILL');
};
