// The board as a report may show it. Every text of it, names of fields included, is made safe before anything is
// read from it, so that no part of the report can forget to.

import { safeText } from '../text/redact.ts';

/** `secrets`: values of the environment that must not leave it. */
export function cleaned<T>(value: T, secrets: readonly string[]): T {
  return clean(value, secrets) as T;
}

function clean(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return safe(value, secrets);
  if (Array.isArray(value)) return value.map((one) => clean(one, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [safe(key, secrets), clean(one, secrets)]));
}

/** Most texts are ids, times and states, which nothing can hide in. */
const safe = (text: string, secrets: readonly string[]): string =>
  PLAIN.test(text) && !secrets.some((secret) => text.includes(secret)) ? text : safeText(text, secrets);

const PLAIN = /^[A-Za-z0-9./ -]{0,14}$|^\d{4}-\d\d-\d\dT[\d:.]+Z$|^[A-Z_]{1,19}$|^[0-9a-f]{40,64}$/;
