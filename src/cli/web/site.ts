// What this server shows and does, by address. Before anything of the board is told there is a session; before anything is
// done there is a session that may act, the form's own word, and no agent behind the connection.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Acting } from './act.ts';
import { beginStream, seeOther, sendFile, sendJson, sendPage, sendText } from './answers.ts';
import type { Assets } from './assets.ts';
import { change } from './changes.ts';
import { addressOf, isLive, textOf } from './pages.ts';
import type { FindAgent, NotLetIn } from './peer.ts';
import type { Rate } from './rate.ts';
import type { TellRefused } from './refused-requests.ts';
import type { Listening, Request } from './server.ts';
import { SESSION_MS, type Session, type Sessions } from './sessions.ts';
import { show } from './showing.ts';
import type { Streams } from './streams.ts';
import { comeInPage, loginPage, problemPage } from './views/doors.ts';
import { commonParts } from './views/page.ts';

export interface Site extends Acting {
  readonly base: string;
  readonly sessions: Sessions;
  readonly streams: Streams;
  readonly assets: Assets;
  readonly findAgent: FindAgent;
  /** What it found, by connection. */
  readonly agents: WeakMap<Socket, Promise<NotLetIn | undefined>>;
  readonly tellRefused: TellRefused;
  /** Hides what nobody may read. */
  readonly outgoing: (text: string) => string;
  /** What the last form of a session came to, until its next page. */
  readonly told: WeakMap<Session, string>;
  /** Requests without a session that are answered. */
  readonly strangers: Rate;
  /** Bad codes for which the process behind is looked for. */
  readonly searches: Rate;
  /** Commands that run now. */
  readonly running: { count: number };
  /** Browsers send the cookie back over TLS alone. */
  readonly isSecure: boolean;
}

const MOST_STREAMS = 200;

export async function answer(site: Site, request: Request, listening: Listening): Promise<void> {
  const { path, method, response } = request;
  const [first = '', ...rest] = path;
  const secret = first === site.base ? secretIn(request, listening) : undefined;
  const session = secret === undefined ? undefined : site.sessions.find(secret);
  // A crew may be at work in this process: strangers must not keep it from that.
  if (session === undefined && !site.strangers.take()) {
    site.tellRefused(429, 'more requests without a session than are answered');
    return void response.destroy();
  }
  const file = site.assets.find(first);
  if (file !== undefined && rest.length === 0) {
    const isZipped = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
    return sendFile(response, file.type, isZipped ? file.zipped : file.bytes, isZipped);
  }
  if (path.length === 0 || (first === 'login' && rest.length === 0))
    return method === 'POST' ? login(site, request, listening) : sendPage(response, loginPage(site.assets.files));
  if (request.isForeign) {
    site.tellRefused(403, `${method} /…/${rest.join('/')}: led here by another site`);
    return sendPage(response, comeInPage(site.assets.files, `/${path.join('/')}`), 403);
  }
  if (session === undefined || secret === undefined) {
    site.tellRefused(401, `${method} /…/${rest.join('/')}: without a session`);
    return sendPage(
      response,
      loginPage(site.assets.files, 'This browser is not signed in at this address, or no longer.'),
      401,
    );
  }
  const agent = await agentBehind(site, request);
  if (agent !== undefined) {
    // Its cookie is in other hands: nobody goes on with it. A browser that has closed the connection is no such case.
    if (agent.isAgent) site.sessions.close(secret);
    site.tellRefused(403, `${method} /…/${rest.join('/')}: ${agent.why}`);
    return sendText(response, 403, `Refused: only people look here and act: ${agent.why}`);
  }
  request.known();
  const known: Known = { session, rest, isOpen: () => site.sessions.find(secret) !== undefined };
  if (method !== 'POST') return read(site, request, known);
  return change(site, request, { ...known, origin: listening.origin, close: () => site.sessions.close(secret) });
}

async function login(site: Site, request: Request, listening: Listening): Promise<void> {
  const { response } = request;
  const wantsJson = /\bjson\b/.test(request.headers.get('accept') ?? '');
  const no = (status: number, problem: string): void => {
    site.tellRefused(status, `POST /login: ${problem}`);
    if (wantsJson) sendJson(response, { ok: false, said: problem }, status);
    else sendPage(response, loginPage(site.assets.files, problem), status);
  };
  const form = await request.form();
  if (form === undefined) return no(400, 'the form did not come whole');
  const code = form.get('code') ?? '';
  // To look for the process behind a connection takes time: where the code is no good, now and then is enough.
  const isGood = site.sessions.isGood(code);
  const agent = isGood || site.searches.take() ? await agentBehind(site, request) : undefined;
  if (agent !== undefined) return no(403, `a session is for people: ${agent.why}`);
  const opened = site.sessions.open(code);
  if (opened === undefined)
    return no(
      403,
      'This code is not good, or was used, or is older than an hour: ask whoever runs liza dashboard for a new link.',
    );
  // As long as the session: a browser that was closed goes on with it.
  const age = `Max-Age=${SESSION_MS / 1000}`;
  const cookie = `${cookieName(listening)}=${opened.secret}; Path=/${site.base}; ${age}; HttpOnly; SameSite=Strict${site.isSecure ? '; Secure' : ''}`;
  const to = `/${site.base}/now`;
  if (!wantsJson) return seeOther(response, to, { 'set-cookie': cookie });
  response.setHeader('set-cookie', cookie);
  sendJson(response, { ok: true, to });
}

/** Cookies know no ports: another server of this machine has a name of its own, and a path that only this one knows. */
const cookieName = ({ port }: Listening): string => `liza-${port}`;

function secretIn({ headers }: Request, listening: Listening): string | undefined {
  const start = `${cookieName(listening)}=`;
  const found = (headers.get('cookie') ?? '').split(/; */).filter((one) => one.startsWith(start));
  // Somebody else has set one, too: neither is believed.
  return found.length === 1 ? found[0]?.slice(start.length) : undefined;
}

/** Asked once for each connection: it stays that of its process. */
function agentBehind({ findAgent, agents }: Site, { message: { socket } }: Request): Promise<NotLetIn | undefined> {
  const local = { address: socket.localAddress ?? '', port: socket.localPort ?? 0 };
  const remote = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 };
  const known = agents.get(socket) ?? findAgent({ local, remote });
  agents.set(socket, known);
  return known.then((found) => {
    if (found?.isAgent === false) agents.delete(socket);
    return found;
  });
}

export interface Known {
  readonly session: Session;
  /** The path below the base. */
  readonly rest: readonly string[];
  /** It has not been closed, and has not ended by itself. */
  isOpen(): boolean;
}

async function read(site: Site, request: Request, { session, rest, isOpen }: Known): Promise<void> {
  const { response, query } = request;
  const { feed, pages, streams } = site;
  if (rest.length === 0) return seeOther(response, `/${site.base}/now`);
  if (rest.length === 1 && (rest[0] === 'events' || rest[0] === 'parts')) {
    const address = addressOf(query.get('view') ?? '');
    if (rest[0] === 'parts')
      return sendParts(site, response, { address, session, ids: (query.get('ids') ?? '').split(',') });
    if (streams.count() >= MOST_STREAMS) return sendText(response, 503, 'Too many pages are open.');
    const last = Number(request.headers.get('last-event-id') ?? query.get('after') ?? 0);
    beginStream(response);
    request.message.socket.setTimeout(0);
    return streams.open({
      address,
      role: session.role,
      after: Number.isSafeInteger(last) ? Math.max(0, last) : 0,
      response,
      isOpen,
    });
  }
  const address = { path: rest, query };
  const seen = pages.seen(await feed.look(), session.role);
  const view = await pages.view(address, seen);
  if (view === undefined) return notFound(site, response, rest);
  show(site, response, { view, seen, session, address: textOf(address) });
}

const notFound = (site: Site, response: ServerResponse, rest: readonly string[]): void =>
  sendPage(
    response,
    problemPage(site.assets.files, `/${site.base}`, 'Not found', `There is nothing at ${rest.join('/')}.`),
    404,
  );

interface PartsAsked {
  readonly address: ReturnType<typeof addressOf>;
  readonly session: Session;
  readonly ids: readonly string[];
}

const MOST_PARTS = 60;

async function sendParts(site: Site, response: ServerResponse, { address, session, ids }: PartsAsked): Promise<void> {
  const seen = site.pages.seen(await site.feed.look(), session.role);
  const view = isLive(address) ? await site.pages.view(address, seen) : undefined;
  const wanted = new Set(ids.slice(0, MOST_PARTS));
  const found = [...commonParts(seen), ...(view?.parts ?? [])].filter(({ id }) => wanted.has(id));
  sendJson(response, {
    parts: found.map((part) => [part.id, part.version, part.className, part.rows ?? 0]),
    html: Object.fromEntries(found.map((part) => [part.id, site.outgoing(part.html().markup)])),
  });
}
