// A program that disappears, for a Liza process: `node --import` of this file, by NODE_OPTIONS. As long as the file
// GAUNTLET_VANISHED is there, no program of the name that it holds can be found or started. Nothing in src knows of it.

import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';

const { accessSync, readFileSync, statSync } = fs;
const { spawn } = childProcess;

function isGone(file) {
  try {
    return path.basename(String(file)) === readFileSync(process.env['GAUNTLET_VANISHED'], 'utf8').trim();
  } catch {
    return false;
  }
}

function missing(file) {
  throw Object.assign(new Error(`ENOENT: no such file or directory, access '${file}'`), { code: 'ENOENT', errno: -2 });
}

fs.accessSync = (file, ...rest) => (isGone(file) ? missing(file) : accessSync(file, ...rest));
fs.statSync = (file, ...rest) => (isGone(file) ? missing(file) : statSync(file, ...rest));
childProcess.spawn = (program, ...rest) => spawn(isGone(program) ? `${program}.gone` : program, ...rest);
syncBuiltinESMExports();
