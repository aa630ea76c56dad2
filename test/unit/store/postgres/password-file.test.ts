// The password file of PostgreSQL's own programs.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { DatabaseAddress } from '../../../../src/ports/database.ts';
import { realDisk } from '../../../../src/ports/disk.ts';
import { withPassword } from '../../../../src/store/postgres/password-file.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const ADDRESS: DatabaseAddress = { host: 'db.example', port: 5432, database: 'liza', user: 'ann', tls: 'verify-full' };
const LINES = ['# comment', 'db.example:5433:liza:ann:other-port', 'db.example:*:liza:ann:s\\:cr\\\\t', '*:*:*:*:any'];

function passwordIn(
  lines: readonly string[],
  address: Partial<DatabaseAddress> = {},
  mode = 0o600,
): string | undefined {
  const home = temporaryFolder();
  fs.writeFileSync(path.join(home, '.pgpass'), `${lines.join('\n')}\n`, { mode });
  return withPassword({ ...ADDRESS, ...address }, { env: { HOME: home }, disk: realDisk }).password;
}

test('the first line that fits has it, with what it escapes', () => {
  expect(passwordIn(LINES)).toBe('s:cr\\t');
  expect(passwordIn(LINES, { port: 5433 })).toBe('other-port');
  expect(passwordIn(LINES, { user: 'bob' })).toBe('any');
  expect(passwordIn(LINES.slice(0, 3), { user: 'bob' })).toBeUndefined();
});

test('an address that names one needs no file, and one that others may read counts for nothing', () => {
  expect(passwordIn(LINES, { password: 'own' })).toBe('own');
  expect(passwordIn(LINES, {}, 0o644)).toBeUndefined();
});
