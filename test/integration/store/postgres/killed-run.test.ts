// A run of tests that is killed leaves no database server behind, and no folder.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SUPPORT = pathToFileURL(path.join(import.meta.dirname, '../../../support/postgres.mjs')).href;

test('killed -9, a run takes its server and its folder along', async () => {
  const folder = path.join(temporaryFolder(), 'run');
  const data = path.join(folder, 'deeper', 'postgres', 'data');
  fs.mkdirSync(data, { recursive: true });
  // In the place of the server, as it names itself.
  const server = spawn('sleep', ['600'], { stdio: 'ignore' });
  fs.writeFileSync(path.join(data, 'postmaster.pid'), `${server.pid}\n${data}\n`);
  const ended = once(server, 'exit');
  const script = `
    const { stopPostgresWhenKilled } = await import(${JSON.stringify(SUPPORT)});
    stopPostgresWhenKilled([${JSON.stringify(folder)}]);
    console.log('watched');
    setTimeout(() => {}, 600_000);`;
  const run = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(run.stdout, 'data');
  expect(server.exitCode).toBe(null);
  run.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGQUIT']);
  await expect.poll(() => fs.existsSync(folder)).toBe(false);
});
