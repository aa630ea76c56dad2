#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { tally } from '../src/tally.mjs';

try {
  process.stdout.write(tally(process.argv.slice(2), (file) => readFileSync(file, 'utf8')));
} catch (error) {
  console.error(`tally: ${error.message}`);
  process.exitCode = 1;
}
