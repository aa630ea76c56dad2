// Builds the program into dist/ (how: bundle.mjs), and runs it once. `npm run build` then says how to install it here.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleInto } from './bundle.mjs';
import { installLinesHere } from './install-line.mjs';

// It takes some seconds: whoever watches is told what they wait for.
if (process.stderr.isTTY) process.stderr.write('building Liza ...\n');

const dist = process.env.LIZA_DIST ?? join(import.meta.dirname, '..', 'dist');
await bundleInto(dist);

// The caches of compiled code that this leaves behind (src/cli/code-cache.ts) are not shipped: an installed program makes
// its own, for each command when it first succeeds.
const trial = mkdtempSync(join(tmpdir(), 'liza-build-'));
try {
  const { LIZA_AGENT_ID: _, ...env } = process.env;
  const run = (program, ...args) => execFileSync(program, args, { cwd: trial, env, stdio: 'ignore' });
  const liza = (...args) => run(process.execPath, join(dist, 'liza.cjs'), ...args);
  mkdirSync(join(trial, 'specs'));
  writeFileSync(join(trial, 'specs', 'vision.md'), '# Vision\n');
  run('git', 'init', '-q');
  run(
    'git',
    '-c',
    'user.name=build',
    '-c',
    'user.email=build@localhost',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'start',
  );
  liza('init', 'Try it');
  liza('note', 'a first transaction');
} catch (error) {
  console.warn(`no code cache was made (${error.message.split('\n')[0]}); starting is only slower`);
} finally {
  rmSync(trial, { recursive: true, force: true });
}

// Other scripts build too, silently: there the line would be in the way.
const { npm_lifecycle_event: script, npm_config_loglevel: level } = process.env;
if (script === 'build' && level !== 'silent') console.log(installLinesHere(process.env).join('\n'));
