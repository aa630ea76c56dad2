// Loaded before the program: counts its steps (a git that is about to start, has just started, or has ended; the board
// about to be replaced, or replaced) and kills it at the one that KILL_AT names. With STEPS it writes them all there.

const fs = require('node:fs');
const child = require('node:child_process');
const { syncBuiltinESMExports } = require('node:module');

const at = Number(process.env['KILL_AT']);
const list = process.env['STEPS'];
let steps = 0;

function step(what) {
  steps += 1;
  if (list) fs.appendFileSync(list, `${what}\n`);
  if (steps === at) process.kill(process.pid, 'SIGKILL');
}

const { renameSync } = fs;
fs.renameSync = (from, to) => {
  const isBoard = String(to).endsWith('state.yaml');
  if (isBoard) step('before the board');
  renameSync(from, to);
  if (isBoard) step('after the board');
};

const { spawn } = child;
child.spawn = (program, args, options) => {
  const mark = args.lastIndexOf('advice.graftFileDeprecated=false');
  const name =
    mark === -1
      ? undefined
      : args.slice(mark + 1).find((word, n, all) => !word.startsWith('-') && !/^-[cC]$/.test(all[n - 1] ?? ''));
  const counted = ['push', 'ls-remote', 'update-ref', 'commit-tree', 'merge-tree', 'read-tree'].includes(name);
  if (counted) step(`before ${name}`);
  const one = spawn(program, args, options);
  if (counted) {
    step(`while ${name}`);
    one.once('exit', () => step(`after ${name}`));
  }
  return one;
};
syncBuiltinESMExports();
