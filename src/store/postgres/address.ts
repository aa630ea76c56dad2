// Where the board's database is. Told by LIZA_STORE_URL, or kept in a file that only its owner can read, in the git directory's
// `liza/` which no sandbox shows; before there is one, PGSERVICE or the usual variables of PostgreSQL. Never an argument,
// which every process list shows, and never printed.

import { dirname, isAbsolute, join } from 'node:path';
import type { DatabaseAddress } from '../../ports/database.ts';
import { errorCode } from '../../ports/files.ts';
import type { Environment, Host } from '../../ports/host.ts';
import { type Refusal, refuse } from '../../protocol/decision.ts';
import type { BoardContext } from '../context.ts';
import { withPassword } from './password-file.ts';

type Place = Pick<BoardContext, 'disk' | 'env' | 'paths'>;

export const URL_VARIABLE = 'LIZA_STORE_URL';

export function addressOf(context: Place & Pick<BoardContext, 'shared'>): DatabaseAddress | Refusal {
  if (context.shared?.address !== undefined) return context.shared.address;
  const url = context.env[URL_VARIABLE] ?? kept(context);
  const address = url === undefined ? addressAround(context) : parseAddress(url.trim(), context.disk);
  return 'ok' in address ? address : withPassword(address, context);
}

/** The address as it is to be kept for later commands: what a person said now, or what is kept already. */
export function addressToKeep(context: Place): string | Refusal {
  const url = context.env[URL_VARIABLE] ?? kept(context);
  if (url !== undefined) {
    const address = parseAddress(url.trim(), context.disk);
    return 'ok' in address ? address : url.trim();
  }
  const field = fieldsAround(context);
  if (typeof field !== 'function') return field;
  const address = complete(field, context.disk);
  return 'ok' in address ? address : formatAddress(address, field);
}

/** As the variables of PostgreSQL say. */
function addressAround(context: Pick<Host, 'env' | 'disk'>): DatabaseAddress | Refusal {
  const field = fieldsAround(context);
  return typeof field === 'function' ? complete(field, context.disk) : field;
}

type Field = (name: string) => string | undefined;

function fieldsAround({ env, disk }: Pick<Host, 'env' | 'disk'>): Field | Refusal {
  const service = env['PGSERVICE'];
  const said = service === undefined ? {} : serviceIn({ env, disk }, service);
  if (said === undefined)
    return refuse(
      'PGSERVICE names a service that no service file has',
      'look at ~/.pg_service.conf',
      1,
      'store-address',
    );
  const field: Field = (name) => said[name] ?? env[VARIABLES[name] ?? ''];
  return field('host') === undefined && field('dbname') === undefined ? noAddress() : field;
}

/** As one text; certificates by their files. */
function formatAddress({ host, port, database, user, password, tls }: DatabaseAddress, field: Field): string {
  const settings = new URLSearchParams({ host, port: String(port), user, sslmode: tls });
  if (password !== undefined) settings.set('password', password);
  for (const name of Object.values(CERTIFICATES)) {
    const path = field(name);
    if (path !== undefined) settings.set(name, path);
  }
  return `postgres:///${encodeURIComponent(database)}?${settings}`;
}

export function keepAddress(context: Pick<BoardContext, 'disk' | 'paths'>, url: string): void {
  const file = context.paths.address;
  const temporary = `${file}.new`;
  context.disk.mkdirSync(dirname(file), { recursive: true });
  context.disk.rmSync(temporary, { force: true });
  context.disk.writeFileSync(temporary, `${url.trim()}\n`, { mode: 0o600, flag: 'wx' });
  context.disk.renameSync(temporary, file);
}

export function forgetAddress({ disk, paths }: Pick<BoardContext, 'disk' | 'paths'>): void {
  disk.rmSync(paths.address, { force: true });
}

/** What is kept, as it was given. */
export function kept({ disk, paths }: Pick<Place, 'disk' | 'paths'>): string | undefined {
  return textOf(disk, paths.address)?.trim();
}

function textOf(disk: Place['disk'], file: string): string | undefined {
  try {
    return disk.readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** `postgres://user:password@host:port/database?sslmode=verify-full`, as every tool of PostgreSQL takes it. */
export function parseAddress(text: string, disk: Place['disk']): DatabaseAddress | Refusal {
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text)) return unreadable();
  const url = new URL(text);
  const query = url.searchParams;
  const decoded = {
    host: decode(url.hostname.replace(/^\[(.*)\]$/, '$1')),
    port: url.port,
    user: decode(url.username),
    password: decode(url.password),
    dbname: decode(url.pathname.slice(1)),
  };
  const field = (name: string): string | undefined =>
    query.get(name) || ((decoded as Readonly<Record<string, string>>)[name] ?? '') || undefined;
  return complete(field, disk);
}

const MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

function complete(field: Field, disk: Place['disk']): DatabaseAddress | Refusal {
  const user = field('user');
  const database = field('dbname') ?? user;
  const port = Number(field('port') ?? 5432);
  const mode = field('sslmode') ?? 'prefer';
  const tls = MODES.find((one) => one === mode);
  if (user === undefined || database === undefined) return unreadable('it names no user');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return unreadable('its port is no number');
  if (tls === undefined) return unreadable(`sslmode is one of ${MODES.join(', ')}`);
  const files: Record<string, string> = {};
  for (const [name, setting] of Object.entries(CERTIFICATES)) {
    const path = field(setting);
    const found = path === undefined || path === 'system' ? undefined : textOf(disk, path);
    if (path !== undefined && path !== 'system' && found === undefined)
      return unreadable(`${setting} names a file that cannot be read`);
    if (path !== undefined && path !== 'system' && !isAbsolute(path))
      return unreadable(`${setting} needs a whole path`);
    if (found !== undefined) files[name] = found;
  }
  const password = field('password');
  return {
    ...{ host: field('host') ?? 'localhost', port, database, user, tls },
    ...(password === undefined ? {} : { password }),
    ...files,
  };
}

const CERTIFICATES = { rootCertificate: 'sslrootcert', certificate: 'sslcert', key: 'sslkey' };

const VARIABLES: Readonly<Record<string, string>> = {
  host: 'PGHOST',
  port: 'PGPORT',
  dbname: 'PGDATABASE',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
};

/** Variables that may hold a part of the address: no agent gets them. */
export const ADDRESS_VARIABLES: readonly string[] = [
  URL_VARIABLE,
  ...Object.values(VARIABLES),
  ...['PGHOSTADDR', 'PGSERVICE', 'PGSERVICEFILE', 'PGPASSFILE', 'PGOPTIONS'],
];

function serviceIn(
  { env, disk }: { env: Environment; disk: Place['disk'] },
  name: string,
): Record<string, string> | undefined {
  const file = env['PGSERVICEFILE'] ?? join(env['HOME'] ?? '/', '.pg_service.conf');
  let inside = false;
  let found: Record<string, string> | undefined;
  for (const line of textOf(disk, file)?.split('\n') ?? []) {
    const head = /^\s*\[(.+)\]\s*$/.exec(line)?.[1];
    if (head !== undefined) inside = head === name;
    if (head === name) found = {};
    const [, key, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (inside && found !== undefined && key !== undefined && value !== undefined) found[key] = value;
  }
  return found;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const unreadable = (why = 'it begins with postgres:// and names user, host and database'): Refusal =>
  refuse(
    `the address of the database cannot be read: ${why}`,
    'set LIZA_STORE_URL, or give it on stdin: liza store address',
    1,
    'store-address',
  );

const noAddress = (): Refusal =>
  refuse(
    'this host does not know the address of the board’s database',
    'give it on stdin: liza store address; or set LIZA_STORE_URL or PGSERVICE',
    1,
    'store-address',
  );
