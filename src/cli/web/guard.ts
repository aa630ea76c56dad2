// What is decided about a request from its head alone, before anything is looked up: to whom it is addressed, from where
// it comes, which path it names. Pure. A browser carries the cookie of this server along wherever a page sends it, so a
// request counts only if it was meant for this server (Host) and, where it changes something, began here (Origin).

export interface Head {
  readonly method: string;
  readonly url: string;
  /** Names and values in turn, as they came: a header that is sent twice is seen twice. */
  readonly rawHeaders: readonly string[];
}

interface Doors {
  /** The origins under which browsers reach this server: `http://127.0.0.1:4711`. */
  readonly origins: ReadonlySet<string>;
}

export interface Denial {
  readonly status: 400 | 403 | 405 | 411 | 413 | 415 | 421;
  readonly why: string;
}

export interface Admitted {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Parts of the path, without the slashes between them. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: ReadonlyMap<string, string>;
  /** The browser says that another site, or another port of this one, sent it here: its cookie counts for nothing. */
  readonly isForeign: boolean;
}

export const LIMITS = { url: 2048, body: 64 * 1024, headers: 8192 } as const;

/** Headers of which a second one would be read differently by different programs. */
const ONCE: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'cookie',
  'content-length',
  'content-type',
  'sec-fetch-site',
]);

/** Letters that need no escape: ids, commits, names of logs. */
const PLAIN_PATH = /^\/(?:[A-Za-z0-9][A-Za-z0-9._~-]*(?:\/[A-Za-z0-9][A-Za-z0-9._~-]*)*)?$/;

export const isDenied = (judged: Admitted | Denial): judged is Denial => 'status' in judged;

export function judge({ method, url, rawHeaders }: Head, { origins }: Doors): Admitted | Denial {
  const headers = readHeaders(rawHeaders);
  if (!(headers instanceof Map)) return deny(400, `the header ${headers} was sent twice`);
  const host = headers.get('host')?.toLowerCase() ?? '';
  const own = [...origins].find((origin) => new URL(origin).host === host || origin === `https://${host}`);
  if (own === undefined) return deny(421, `this server is not ${host === '' ? 'without a name' : host.slice(0, 80)}`);
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') return deny(405, `the method ${method.slice(0, 20)}`);
  const target = readTarget(url);
  if (target === undefined) return deny(400, 'the path is not one of this server');
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const foreign = foreignText(site, origin, origins);
  if (method === 'POST') {
    const body = bodyDenial(headers);
    if (body !== undefined) return body;
    if (foreign !== undefined) return deny(403, foreign);
    if (site === undefined && origin === undefined) return deny(403, 'it does not say from which page it comes');
  } else if (foreign !== undefined && headers.get('sec-fetch-mode') !== 'navigate') return deny(403, foreign);
  return { method, ...target, headers, isForeign: foreign !== undefined };
}

const deny = (status: Denial['status'], why: string): Denial => ({ status, why });

function readHeaders(raw: readonly string[]): Map<string, string> | string {
  const found = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    if (found.has(name) && ONCE.has(name)) return name;
    found.set(name, raw[at + 1] ?? '');
  }
  return found;
}

/** Undefined: not a plain path. Nothing is decoded or tidied up: what is not plain leads nowhere. */
function readTarget(url: string): Pick<Admitted, 'path' | 'query'> | undefined {
  if (url.length > LIMITS.url) return undefined;
  const [path = '', query = ''] = splitOnce(url, '?');
  if (!PLAIN_PATH.test(path) || path.split('/').some((part) => part === '.' || part === '..')) return undefined;
  return { path: path.split('/').filter((part) => part !== ''), query: new URLSearchParams(query) };
}

function splitOnce(text: string, sign: string): readonly [string, string] {
  const at = text.indexOf(sign);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** `none`: a person typed the address or opened a bookmark. */
function foreignText(
  site: string | undefined,
  origin: string | undefined,
  origins: ReadonlySet<string>,
): string | undefined {
  if (origin !== undefined && !origins.has(origin.toLowerCase())) return `it comes from ${origin.slice(0, 80)}`;
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return `it comes from another place (${site.slice(0, 20)})`;
  return undefined;
}

function bodyDenial(headers: ReadonlyMap<string, string>): Denial | undefined {
  const type = headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return deny(415, 'the body is no form');
  const length = headers.get('content-length');
  if (headers.has('transfer-encoding') || length === undefined || !/^\d{1,9}$/.test(length))
    return deny(411, 'the length of the body is not told');
  return Number(length) > LIMITS.body ? deny(413, 'the body is too long') : undefined;
}
