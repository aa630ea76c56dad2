// How this server answers: every answer says that nothing may be kept, framed, guessed or loaded from elsewhere.

import type { ServerResponse } from 'node:http';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `same-origin`, not `no-referrer`: that would also take the origin from the forms, which is looked at. */
const ALWAYS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

export function sendPage(
  response: ServerResponse,
  page: string,
  status = 200,
  more: Record<string, string> = {},
): void {
  send(response, status, HTML, page, { 'cache-control': 'no-store', ...more });
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  send(response, status, JSON_TYPE, JSON.stringify(value), { 'cache-control': 'no-store' });
}

export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  more: Record<string, string> = {},
): void {
  send(response, status, 'text/plain; charset=utf-8', `${text}\n`, { 'cache-control': 'no-store', ...more });
}

/** The address changes with the bytes: they never grow old. */
export function sendFile(response: ServerResponse, type: string, bytes: Buffer, isZipped: boolean): void {
  send(response, 200, type, bytes, {
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
  });
}

export function seeOther(response: ServerResponse, location: string, more: Record<string, string> = {}): void {
  send(response, 303, 'text/plain; charset=utf-8', '', { location, 'cache-control': 'no-store', ...more });
}

export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { ...ALWAYS, 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Buffer,
  more: Record<string, string>,
): void {
  response.writeHead(status, { ...ALWAYS, 'content-type': type, 'content-length': Buffer.byteLength(body), ...more });
  response.end(body);
}
