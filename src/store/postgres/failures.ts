// What a database that says no, or nothing, means for the one who asked: one sentence and the next step. The address, the
// user and the password never stand in it; what the server said is quoted only where nothing else can explain it.

import { DatabaseError } from '../../ports/database.ts';
import { type Refusal, refuse } from '../../protocol/decision.ts';
import { SCHEMA_VERSION } from './schema.ts';

const CERTIFICATE = /^(?:SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_|CERT_|ERR_TLS_CERT|HOSTNAME_MISMATCH|ERR_SSL|ERR_OSSL)/;

const GRANTS_HINT = 'let the owner of its tables run what this prints: liza store role <the role that this host uses>';
const ADDRESS_HINT = 'look at LIZA_STORE_URL or PGSERVICE, or give the address again: liza store address';

export function explain(error: DatabaseError, secrets: readonly string[]): Refusal {
  const { code, failure } = error;
  if (code === '55P03')
    return refuse('the blackboard is locked by another writer; waited 10 s', 'try again', 2, 'lock');
  if (code === '42501') return denied('its role has no right to do this there', GRANTS_HINT);
  if (code === '3F000' || code === '42P01' || code === '42883')
    return denied(
      'it has no tables of Liza',
      'is it the right database? The owner makes them: liza store move postgres',
    );
  if (code === '3D000') return denied('there is no database of that name on the server', ADDRESS_HINT);
  if (code === '28P01' || code === '28000')
    return denied('the server refused the login: user or password', ADDRESS_HINT);
  if (code === '25006')
    return away('the server takes no writes now (read-only, or a standby)', 'try again when it does');
  if (code === '53100') return away('the server’s disk is full', 'make room there, then try again');
  if (code === '53300')
    return away(
      'the server has no connection left',
      'raise max_connections there, or put pgbouncer in session mode before it',
    );
  if (CERTIFICATE.test(code))
    return denied(
      `its certificate is not accepted (${code})`,
      'name its root certificate: sslrootcert=<whole path of the file> in the address',
    );
  if (/does not support SSL/.test(error.message))
    return denied(
      'the server offers no encryption, and the address demands it',
      'let the server use TLS, or say sslmode=disable',
    );
  if (failure === 'refused')
    return denied(`PostgreSQL said: ${hidden(error.message, secrets)} (${code})`, 'run: liza doctor');
  return refuse(
    `the database of this board cannot be reached${code === '' ? '' : ` (${code})`}`,
    'nothing was changed; try again when it is back: liza doctor',
    2,
    'store-unreachable',
  );
}

const denied = (fact: string, hint: string): Refusal =>
  refuse(`the database of this board cannot be used: ${fact}`, hint, 4, 'store-refused');

/** It ends by itself, or by what somebody does there: crews wait for it. */
const away = (fact: string, hint: string): Refusal => ({ ...denied(fact, hint), code: 2, guard: 'store-unreachable' });

const hidden = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((shown, secret) => (secret.length < 3 ? shown : shown.replaceAll(secret, '…')), text);

/** A commit whose answer was lost, and the database does not come back to be asked. */
export const inDoubt = (commit: string): Refusal =>
  refuse(
    'the connection to the database broke while this was being committed, and the database cannot be asked yet',
    `whether it took effect is not known: look before you repeat it: liza log (commit ${commit})`,
    2,
    'in-doubt',
  );

export const newerSchema = (version: number): Refusal =>
  refuse(
    `the tables of this board have version ${version}, this liza understands version ${SCHEMA_VERSION}; nothing was changed`,
    'update Liza on this host: liza help install',
    4,
    'newer-version',
  );

export const olderSchema = (version: number): Refusal =>
  refuse(
    `the tables of this board have version ${version}, this liza needs version ${SCHEMA_VERSION}; nothing was changed`,
    'update Liza on every host, and let the owner of the tables bring them up to date: liza store upgrade',
    4,
    'older-tables',
  );

export const notHere = (stage: string | undefined): Refusal =>
  stage === 'moved'
    ? refuse(
        'this board has moved out of the database, back to a state.yaml',
        'work on the host that holds it, or move it here again there: liza store move postgres',
        4,
        'store-moved',
      )
    : refuse(
        stage === undefined
          ? 'the database does not have this board'
          : 'this board is still being moved into the database',
        'is it the right database? On the host that has the board: liza store move postgres',
        4,
        'store-moved',
      );

/** The database knows less than this host has seen, or something else. */
export const setBack = (seen: number, head: number): Refusal =>
  refuse(
    `the database was set back: this host has seen entry ${seen}, and the database ${head < seen ? `ends with entry ${head}` : 'has another one there'}`,
    'nothing starts until a person decides: bring the newer database back, or accept this one: liza store accept',
    4,
    'store-set-back',
  );

/** `by`: whoever wrote it; undefined where it is not there. */
export const damaged = (seq: number, by: string | undefined): Refusal =>
  refuse(
    `entry ${seq} of the journal in the database ${by === undefined ? 'is missing' : `(written by ${by}) cannot be followed`}: no host gets past it`,
    'let the owner of the tables bring back a backup of before it, then on each host: liza store accept',
    4,
    'damaged-journal',
  );

export const isLost = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && error.failure !== 'refused';
