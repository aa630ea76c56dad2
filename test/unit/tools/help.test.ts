// `--help` of the tools that are started by hand: their head comment, and nothing else happens.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const tools = path.join(import.meta.dirname, '../../../tools');

test.each(['--help', '-h'])('test-clis.mjs %s says what it does and installs nothing', (flag) => {
  const cache = path.join(temporaryFolder(), 'clis');
  const env = { PATH: process.env['PATH'], LIZA_CLI_CACHE: cache };
  const ran = spawnSync(process.execPath, [path.join(tools, 'test-clis.mjs'), flag], { env, encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  expect(ran.stdout).toMatch(/^The real agent CLIs[\s\S]*node tools\/test-clis\.mjs \[--sandbox\]/);
  expect(ran.stdout).not.toContain('import');
  expect(fs.existsSync(cache)).toBe(false);
});
