// The dashboard's server: plain node:http on one address. It decides who is heard (guard.ts, sessions.ts, peer.ts), bounds
// what anybody can make it do, and hands what is left to the site (site.ts). Whatever it refuses is on record.

import { X509Certificate } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Refusal, refuse } from '../../protocol/decision.ts';
import { sendText } from './answers.ts';
import { type Admitted, type Denial, isDenied, judge, LIMITS } from './guard.ts';
import type { Rate } from './rate.ts';
import type { TellRefused } from './refused-requests.ts';

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Binding {
  readonly address: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly certificate?: Certificate | undefined;
  /** Under which browsers reach it through a tunnel: `https://liza.example.org`. */
  readonly tunnel?: string | undefined;
}

export interface Request extends Admitted {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** From now on the connection is one of somebody who is known: the unknown cannot crowd it out. */
  known(): void;
  /** The form that was sent; undefined: it did not come whole. */
  form(): Promise<URLSearchParams | undefined>;
}

export interface Listening {
  readonly port: number;
  /** The first of its origins: for links. */
  readonly origin: string;
  close(): Promise<void>;
}

/** Whoever is not known yet may hold that many connections; then the oldest goes. */
const MOST_UNKNOWN = 64;
const MOST_CONNECTIONS = 512;
const TIMES = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 2000,
};

export async function listen(
  { address, port, certificate, tunnel }: Binding,
  handle: (request: Request, listening: Listening) => Promise<void>,
  { tellRefused, strangers }: { readonly tellRefused: TellRefused; readonly strangers: Rate },
): Promise<Listening | Refusal> {
  const options = { ...TIMES, maxHeaderSize: LIMITS.headers, keepAlive: false };
  const server: Server =
    certificate === undefined ? createServer(options) : createSecureServer({ ...options, ...certificate });
  server.maxConnections = MOST_CONNECTIONS;
  server.maxRequestsPerSocket = 1000;
  const sockets = boundConnections(server, tellRefused);
  const failed = await new Promise<Error | undefined>((resolve) => {
    server.once('error', resolve);
    server.listen({ host: address, port }, () => resolve(undefined));
  });
  if (failed !== undefined) return notListening(failed, address, port);
  server.on('error', () => {});
  const bound = (server.address() as AddressInfo).port;
  const origins = originsOf({ address, certificate, tunnel }, bound);
  const doors = { origins: new Set(origins) };
  const listening: Listening = {
    port: bound,
    origin: tunnel ?? origins[0] ?? '',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        sockets.end();
      }),
  };
  server.on('request', (message, response) => {
    const judged = judge(
      { method: message.method ?? '', url: message.url ?? '', rawHeaders: message.rawHeaders },
      doors,
    );
    if (isDenied(judged))
      return strangers.take() ? deny(judged, message, response, tellRefused) : void response.destroy();
    const request: Request = {
      ...judged,
      message,
      response,
      known: () => sockets.known(message.socket),
      form: () => readForm(message),
    };
    handle(request, listening).catch((error: Error) => {
      tellRefused(500, `${message.method} ${message.url?.split('?')[0]}: ${error.message}`);
      if (response.headersSent) response.destroy();
      else sendText(response, 500, 'It did not work; .liza/dashboard.log says why.');
    });
  });
  return listening;
}

/** A name that only this machine knows by itself is one of its own; every other has to be told. */
function originsOf({ address, certificate, tunnel }: Omit<Binding, 'port'>, port: number): readonly string[] {
  const scheme = certificate === undefined ? 'http' : 'https';
  const isLoopback = LOOPBACK.has(address);
  const literal = address.includes(':') ? `[${address}]` : address;
  const names = isLoopback ? [literal, 'localhost'] : ANY.has(address) ? [] : [literal];
  const certified = certificate === undefined ? [] : namesIn(certificate.cert);
  const own = [...certified, ...names].map((name) => new URL(`${scheme}://${name}:${port}`).origin);
  return [...own, ...(tunnel === undefined ? [] : [tunnel])];
}

/** What the certificate is for, is what browsers may call this server. */
function namesIn(cert: string): readonly string[] {
  const names = new X509Certificate(cert).subjectAltName ?? '';
  return [...names.matchAll(/(?:DNS|IP Address):([A-Za-z0-9.:-]+)/g)]
    .map(([, name = '']) => (name.includes(':') ? `[${name}]` : name))
    .filter((name) => !name.startsWith('*'));
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1']);
const ANY: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function notListening(error: NodeJS.ErrnoException, address: string, port: number): Refusal {
  if (error.code === 'EADDRINUSE')
    return refuse(
      `port ${port} is taken: another program listens there`,
      'take a free one: leave --port out; or another: liza dashboard --port 4712',
      1,
      'usage',
    );
  return refuse(
    `the dashboard cannot listen on ${address}:${port}: ${error.message}`,
    'take another address or port',
    1,
    'usage',
  );
}

function deny(
  { status, why }: Denial,
  message: IncomingMessage,
  response: ServerResponse,
  tellRefused: TellRefused,
): void {
  tellRefused(status, `${message.method} ${message.url?.split('?')[0]}: ${why}`);
  sendText(response, status, `Refused: ${why}`, { connection: 'close' });
  // What else it may send is not read.
  message.resume();
}

function boundConnections(server: Server, tellRefused: TellRefused) {
  const all = new Set<Socket>();
  const unknown = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    all.add(socket);
    unknown.add(socket);
    socket.on('close', () => {
      all.delete(socket);
      unknown.delete(socket);
    });
    socket.on('error', () => {});
    const [oldest] = unknown;
    if (unknown.size <= MOST_UNKNOWN || oldest === undefined) return;
    unknown.delete(oldest);
    oldest.destroy();
    tellRefused(429, `more than ${MOST_UNKNOWN} connections without a session`);
  });
  // Nothing here is spoken but plain requests.
  for (const event of ['upgrade', 'connect'] as const)
    server.on(event, (message: IncomingMessage, socket: Duplex) => {
      tellRefused(400, `${message.method}: another protocol was asked for`);
      socket.destroy();
    });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
    if (error.code !== 'ECONNRESET') tellRefused(status, `no request: ${error.code ?? error.message}`);
    if (socket.writable) socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    else socket.destroy();
  });
  return {
    known: (socket: Socket): void => void unknown.delete(socket),
    end: (): void => {
      for (const socket of all) socket.destroy();
    },
  };
}

/** Its length was told and is within bounds (guard.ts); a slow sender is ended by the server's own clock. */
async function readForm(message: IncomingMessage): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > LIMITS.body) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined; // the sender went away
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
