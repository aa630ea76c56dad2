// `npm test` and `npm run <script>` for projects of tests, in a fifth of npm's own time: what it prints and how it ends
// are npm's, of which Liza reads no more. What npm itself does is the matter of setup-results, stories and registries.

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import { inFull } from '../runs.ts';
import { keptFolder } from './temporary-folder.ts';

const PROGRAM = `
const [command, named, ...more] = process.argv.slice(2);
const name = command === 'test' ? 'test' : named;
const script = JSON.parse(require('node:fs').readFileSync('package.json', 'utf8')).scripts?.[name];
if (script === undefined) {
  console.error('npm error Missing script: "' + name + '"');
  process.exit(1);
}
const line = [script, ...more.filter((word) => word !== '--')].join(' ');
console.log('\\n> ' + name + '\\n> ' + line + '\\n');
const { status } = require('node:child_process').spawnSync('sh', ['-c', line], {
  stdio: 'inherit',
  env: { ...process.env, npm_lifecycle_event: name, PATH: process.cwd() + '/node_modules/.bin:' + process.env.PATH },
});
process.exit(status ?? 1);
`;

/** For the projects of the file that calls this. `npm run test:all` takes npm itself. */
export function quickNpm(): void {
  if (inFull) return;
  beforeAll(() => {
    const folder = keptFolder();
    fs.writeFileSync(path.join(folder, 'npm'), `#!${process.execPath}${PROGRAM}`, { mode: 0o755 });
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
  });
}
