// The real network: one POST to one address. Goes straight there: no proxy, no redirect, no connection that is kept.

import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';

export interface Network {
  /** Resolves with the head of the answer, without its body. Rejects when there is none, or when the signal aborts. */
  post(url: URL, request: PostRequest): Promise<PostAnswer>;
}

export interface PostRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  /** The header `retry-after`. */
  readonly retryAfter: string | undefined;
}

export function post(url: URL, { headers, body, signal }: PostRequest): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const call = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal,
    });
    call.on('error', reject);
    call.on('response', (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      call.destroy();
    });
    call.end(body);
  });
}
