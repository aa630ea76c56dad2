// Times, tokens and money in as few columns as a live board has for them. Coarse on purpose: a text that
// changes every second would be drawn every second.

import type { Instant } from '../../text/time.ts';

const MINUTE = 60_000;

/** `14:02:11` where the reader is: `zone` is minutes east of UTC. */
export const clock = (at: Instant, zone: number): string => new Date(at + zone * MINUTE).toISOString().slice(11, 19);

/** Where the reader is. */
export const zoneAt = (at: Instant): number => -new Date(at).getTimezoneOffset();

/** `45s` in steps of five, `4m`, `2h 5m`. */
export function coarse(milliseconds: number): string {
  const left = Math.max(0, milliseconds);
  if (left < MINUTE) return `${Math.floor(left / 5000) * 5}s`;
  const minutes = Math.floor(left / MINUTE);
  if (minutes < 60) return `${minutes}m`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** `950`, `12.3k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_950 ? `${tenth(count / 1000)}k` : `${tenth(count / 1_000_000)}M`;
}

const tenth = (value: number): string => (value >= 100 ? String(Math.round(value)) : value.toFixed(1));

export const dollars = (amount: number): string => `$${amount.toFixed(2)}`;
