// The password that a person keeps for PostgreSQL's own programs in ~/.pgpass, or where PGPASSFILE says: for an address that
// names none. As they do, Liza takes no notice of a file that others may read.

import { join } from 'node:path';
import type { DatabaseAddress } from '../../ports/database.ts';
import { errorCode } from '../../ports/files.ts';
import type { Host } from '../../ports/host.ts';

export function withPassword(address: DatabaseAddress, { env, disk }: Pick<Host, 'disk' | 'env'>): DatabaseAddress {
  if (address.password !== undefined) return address;
  const file = env['PGPASSFILE'] ?? join(env['HOME'] ?? '/', '.pgpass');
  const { host, port, database, user } = address;
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
  for (const line of textOf(disk, file).split('\n')) {
    const fields = fieldsOf(line);
    const password = fields[wanted.length];
    if (password !== undefined && wanted.every((one, at) => fields[at] === '*' || fields[at] === one))
      return { ...address, password };
  }
  return address;
}

/** A colon or a backslash in a field has a backslash before it. */
function fieldsOf(line: string): readonly string[] {
  if (line.startsWith('#')) return [];
  return (line.match(/(?:\\.|[^:\\])+/g) ?? []).map((field) => field.replace(/\\(.)/g, '$1'));
}

function textOf(disk: Host['disk'], file: string): string {
  try {
    return (disk.statSync(file).mode & 0o077) === 0 ? disk.readFileSync(file, 'utf8') : '';
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return '';
  }
}
