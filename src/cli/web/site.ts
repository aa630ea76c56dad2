// What this server shows and does, by address. Before anything of the board is told there is a session; before anything is
// done there is a session that may act, the form's own word, and no agent behind the connection.

import type { ServerResponse } from 'node:http';
import { type Acting, act, type Outcome, readWanted } from './act.ts';
import { beginStream, seeOther, sendFile, sendJson, sendPage, sendText } from './answers.ts';
import type { Assets } from './assets.ts';
import { addressOf, isLive, textOf } from './pages.ts';
import type { FindAgent } from './peer.ts';
import type { TellRefused } from './refused-requests.ts';
import type { Listening, Request } from './server.ts';
import type { Session, Sessions, WebRole } from './sessions.ts';
import type { Streams } from './streams.ts';
import { comeInPage, confirmView, loginPage, newsView, problemPage, refusedView, shareView } from './views/doors.ts';
import { FORM_WORD } from './views/forms.ts';
import { commonParts, pageOf } from './views/page.ts';
import type { Seen, View } from './views/view.ts';

export interface Site extends Acting {
  readonly base: string;
  readonly sessions: Sessions;
  readonly streams: Streams;
  readonly assets: Assets;
  readonly findAgent: FindAgent;
  readonly tellRefused: TellRefused;
  /** Hides what nobody may read. */
  readonly outgoing: (text: string) => string;
  /** What the last form of a session came to, until its next page. */
  readonly told: Map<string, string>;
  /** Browsers send the cookie back over TLS alone. */
  readonly isSecure: boolean;
}

const MOST_STREAMS = 200;
/** Commands that run at one time, each a process. */
const MOST_RUNNING = 4;
let running = 0;

export async function answer(site: Site, request: Request, listening: Listening): Promise<void> {
  const { path, method, response } = request;
  const [first = '', ...rest] = path;
  const file = site.assets.find(first);
  if (file !== undefined && rest.length === 0) {
    const isZipped = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
    return sendFile(response, file.type, isZipped ? file.zipped : file.bytes, isZipped);
  }
  if (path.length === 0 || (first === 'login' && rest.length === 0))
    return method === 'POST' ? login(site, request, listening) : sendPage(response, loginPage(site.assets.files));
  const secret = first === site.base ? secretIn(request, listening) : undefined;
  const session = secret === undefined ? undefined : site.sessions.find(secret);
  if (request.isForeign) {
    site.tellRefused(403, `${method} /…/${rest.join('/')}: led here by another site`);
    return sendPage(response, comeInPage(site.assets.files, `/${path.join('/')}`), 403);
  }
  if (session === undefined || secret === undefined) {
    site.tellRefused(401, `${method} /…/${rest.join('/')}: without a session`);
    return sendPage(response, loginPage(site.assets.files, 'This browser is not signed in here, or no longer.'), 401);
  }
  request.known();
  return method === 'POST'
    ? change(site, request, { listening, secret, session, rest })
    : read(site, request, { secret, session, rest });
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
  const agent = await agentBehind(site, request, listening);
  if (agent !== undefined) return no(403, `a session is for people: ${agent}`);
  const opened = site.sessions.open(form.get('code') ?? '');
  if (opened === undefined)
    return no(403, 'This code is not good, or not any more: each is good once, and for an hour.');
  const cookie = `${cookieName(listening)}=${opened.secret}; Path=/${site.base}; HttpOnly; SameSite=Strict${site.isSecure ? '; Secure' : ''}`;
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

const agentBehind = ({ findAgent }: Site, { message }: Request, { port }: Listening): Promise<string | undefined> =>
  findAgent({ localPort: port, remotePort: message.socket.remotePort ?? 0 });

interface Known {
  readonly secret: string;
  readonly session: Session;
  /** Below the base. */
  readonly rest: readonly string[];
}

async function read(site: Site, request: Request, { secret, session, rest }: Known): Promise<void> {
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
    });
  }
  const address = { path: rest, query };
  const seen = pages.seen(await feed.look(), session.role);
  const view = await pages.view(address, seen);
  if (view === undefined) return notFound(site, response, rest);
  show(site, response, { view, seen, secret, session, address: textOf(address) });
}

const notFound = (site: Site, response: ServerResponse, rest: readonly string[]): void =>
  sendPage(
    response,
    problemPage(site.assets.files, `/${site.base}`, 'Not found', `There is nothing at ${rest.join('/')}.`),
    404,
  );

interface Showing {
  readonly view: View;
  readonly seen: Seen;
  readonly secret: string;
  readonly session: Session;
  readonly address: string;
  readonly status?: number;
}

function show(site: Site, response: ServerResponse, { view, seen, secret, session, address, status }: Showing): void {
  const said = site.told.get(secret);
  site.told.delete(secret);
  const page = pageOf(view, seen, { files: site.assets.files, address, ...(said === undefined ? {} : { said }) });
  sendPage(response, site.outgoing(page).replaceAll(FORM_WORD, session.form), status);
}

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

async function change(
  site: Site,
  request: Request,
  { listening, secret, session, rest }: Known & { readonly listening: Listening },
): Promise<void> {
  const { response } = request;
  const form = await request.form();
  if (form === undefined) return sendText(response, 400, 'The form did not come whole.', { connection: 'close' });
  const word = request.headers.get('x-liza-form') ?? form.get('form');
  const wantsJson = /\bjson\b/.test(request.headers.get('accept') ?? '');
  const no = (status: number, problem: string): void => {
    site.tellRefused(status, `POST /…/${rest.join('/')}: ${problem}`);
    if (wantsJson) sendJson(response, { kind: 'refused', said: problem }, status);
    else sendPage(response, problemPage(site.assets.files, `/${site.base}`, 'Refused', problem), status);
  };
  if (word !== session.form) return no(403, 'The form is not one of this session: load the page again.');
  const [what, ...more] = rest;
  if (more.length > 0) return no(404, 'There is no such form.');
  if (what === 'leave') {
    site.sessions.close(secret);
    return seeOther(response, '/');
  }
  if (session.role !== 'operator') return no(403, 'This link is for looking only.');
  const agent = await agentBehind(site, request, listening);
  if (agent !== undefined) return no(403, `only people act here: ${agent}`);
  if (what === 'share') return share(site, response, { listening, secret, session, role: form.get('role') });
  if (what !== 'act') return no(404, 'There is no such form.');
  const wanted = readWanted(form);
  if (wanted === undefined) return no(400, 'The form does not say what to do.');
  if (running >= MOST_RUNNING) return no(503, 'Other commands are still running: try again in a moment.');
  running += 1;
  const outcome = await act(site, wanted).finally(() => {
    running -= 1;
  });
  const back = backIn(request, form, site.base);
  if (wantsJson) return sendOutcome(site, response, outcome, wanted, session);
  if (outcome.kind === 'done') {
    site.told.set(secret, outcome.said);
    return seeOther(response, `/${site.base}/${back}`);
  }
  const seen = site.pages.seen(outcome.looked, session.role);
  const view =
    outcome.kind === 'ask'
      ? confirmView(seen, wanted, outcome.question, back)
      : outcome.kind === 'news'
        ? newsView(seen, wanted, outcome.entries)
        : refusedView(seen, wanted, outcome.said);
  const status = outcome.kind === 'ask' ? 200 : outcome.kind === 'news' ? 409 : 422;
  show(site, response, { view, seen, secret, session, address: 'share', status });
}

function sendOutcome(
  site: Site,
  response: ServerResponse,
  outcome: Outcome,
  wanted: NonNullable<ReturnType<typeof readWanted>>,
  { role, form }: Session,
): void {
  switch (outcome.kind) {
    case 'done':
      return sendJson(response, { kind: 'done', said: site.outgoing(outcome.said) });
    case 'ask':
      return sendJson(response, { kind: 'ask', question: outcome.question });
    case 'refused':
      return sendJson(response, { kind: 'refused', said: site.outgoing(outcome.said) }, 422);
    case 'news': {
      const seen = site.pages.seen(outcome.looked, role);
      const html = newsView(seen, wanted, outcome.entries)
        .parts.map((part) => part.html().markup)
        .join('');
      return sendJson(response, { kind: 'news', html: site.outgoing(html).replaceAll(FORM_WORD, form) }, 409);
    }
    default:
      return outcome satisfies never;
  }
}

/** The page that the form was on: back there, and nowhere else. */
function backIn({ headers }: Request, form: URLSearchParams, base: string): string {
  const named = form.get('back') ?? headers.get('referer')?.split(`/${base}/`)[1] ?? 'now';
  const isOfOurs =
    /^(?:now|board|queue|agents|account|cost|log|task\/[a-z0-9-]{1,63})(?:\?[A-Za-z0-9=&%+._-]{0,200})?$/.test(named);
  return isOfOurs ? named : 'now';
}

async function share(
  site: Site,
  response: ServerResponse,
  {
    listening,
    secret,
    session,
    role,
  }: {
    readonly listening: Listening;
    readonly secret: string;
    readonly session: Session;
    readonly role: string | null;
  },
): Promise<void> {
  const wanted: WebRole = role === 'operator' ? 'operator' : 'viewer';
  const link = `${listening.origin}/#${site.sessions.newCode(wanted)}`;
  const seen = site.pages.seen(await site.feed.look(), session.role);
  show(site, response, { view: shareView(seen, { link, role: wanted }), seen, secret, session, address: 'share' });
}
