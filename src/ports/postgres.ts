// The real PostgreSQL server, over `pg`. The driver is given every setting: it must not find an address in the environment.

import type { Client, ClientConfig, QueryResult } from 'pg';
import { type Connection, type DatabaseAddress, DatabaseError, type Row } from './database.ts';

const CONNECT_MS = 10_000;
/** An answer that takes longer is no answer: the connection is given up. Longer than a writer waits for its turn. */
const ANSWER_MS = 20_000;

export async function connect(
  address: DatabaseAddress,
  { application }: { readonly application: string },
): Promise<Connection> {
  if (address.tls !== 'prefer') return open(address, application, address.tls !== 'disable');
  // As libpq does: encrypted where the server can.
  try {
    return await open(address, application, true);
  } catch (error) {
    if (!(error instanceof DatabaseError) || !/does not support SSL/i.test(error.message)) throw error;
    return open(address, application, false);
  }
}

async function open(address: DatabaseAddress, application: string, encrypted: boolean): Promise<Connection> {
  const { Client } = await import('./postgres-library.ts');
  const client = new Client(configOf(address, application, encrypted));
  // Without a listener an error between statements would end the program.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    throw notConnected(error);
  }
  return connectionOf(client);
}

function configOf(address: DatabaseAddress, application: string, encrypted: boolean): ClientConfig {
  const { host, port, database, user, password, tls, rootCertificate, certificate, key } = address;
  const isSocket = host.startsWith('/');
  const checks = tls === 'verify-full' || tls === 'verify-ca' || rootCertificate !== undefined;
  return {
    host,
    port,
    database,
    user,
    // Without one the driver would look for a file of its own.
    password: password ?? '',
    application_name: application,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    ssl:
      !encrypted || isSocket
        ? false
        : {
            rejectUnauthorized: checks,
            servername: /^[\d.]+$|:/.test(host) ? '' : host,
            ...(rootCertificate === undefined ? {} : { ca: rootCertificate }),
            ...(certificate === undefined ? {} : { cert: certificate }),
            ...(key === undefined ? {} : { key }),
            ...(tls === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
          },
  };
}

function connectionOf(client: Client): Connection {
  let isOpen = true;
  const ended: (() => void)[] = [];
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    for (const call of ended.splice(0)) call();
  };
  client.on('error', end);
  client.on('end', end);
  const asked = async (
    question: Promise<QueryResult | QueryResult[]>,
    patience = ANSWER_MS,
  ): Promise<readonly Row[]> => {
    const timer = setTimeout(() => streamOf(client)?.destroy?.(), patience);
    try {
      const answer = await question;
      const last = Array.isArray(answer) ? answer.findLast(({ fields }) => fields.length > 0) : answer;
      return (last?.rows ?? []) as readonly Row[];
    } catch (error) {
      const failure = failed(error, 'lost');
      if (failure.failure === 'lost') end();
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    query: (text, patience) => asked(client.query(text), patience),
    run: (text, values, patience) => asked(client.query(text, [...values]), patience),
    onNotification: (heard) => {
      client.on('notification', ({ channel, payload }) => heard(channel, payload ?? ''));
    },
    onEnd: (call) => {
      if (isOpen) ended.push(call);
      else call();
    },
    get isOpen() {
      return isOpen;
    },
    process: (client as unknown as { readonly processID?: number | null }).processID ?? undefined,
    background: () => streamOf(client)?.unref?.(),
    close: async () => {
      isOpen = false;
      // A server that is gone must not be waited for.
      const waited = new Promise<void>((resolve) => {
        setTimeout(resolve, 1000).unref();
      });
      await Promise.race([client.end().catch(() => {}), waited]);
      streamOf(client)?.destroy?.();
    },
  };
}

interface Stream {
  readonly unref?: () => void;
  readonly destroy?: () => void;
}

const streamOf = (client: Client): Stream | undefined =>
  (client as unknown as { readonly connection?: { readonly stream?: Stream } }).connection?.stream;

/** A server that starts, stops or is full may take the next one; a login that it refuses stays refused. */
const LATER = /^(?:57P0|53)/;
const CERTIFICATE = /^(?:SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_|CERT_|ERR_TLS|HOSTNAME_MISMATCH|ERR_SSL|ERR_OSSL)/;

function notConnected(error: unknown): DatabaseError {
  const { code, message } = failed(error, 'unreachable');
  // The driver's own words where the server wants a password and there is none.
  if (/^SASL: .*password/i.test(message)) return new DatabaseError('refused', message, '28P01');
  const { severity } = error as { readonly severity?: string };
  const isFinal =
    (severity !== undefined && !LATER.test(code)) || CERTIFICATE.test(code) || /does not support SSL/i.test(message);
  return new DatabaseError(isFinal ? 'refused' : 'unreachable', message, code);
}

/** The classes of errors after which the session is gone, though the server could still say so. */
const ENDS_SESSION = /^(?:57P0[1-5]|08...|25P03|25P04)$/;

function failed(error: unknown, otherwise: 'lost' | 'unreachable'): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const {
    code,
    message = String(error),
    severity,
  } = error as {
    readonly code?: string;
    readonly message?: string;
    readonly severity?: string;
  };
  const isServers = severity !== undefined && code !== undefined;
  const isRefusal = isServers && severity !== 'FATAL' && severity !== 'PANIC' && !ENDS_SESSION.test(code);
  // The driver's error is not handed on as the cause: its fields may name the server.
  return new DatabaseError(isRefusal ? 'refused' : otherwise, message, code ?? '');
}
