// A time axis in parts of a hundred, so that a drawing fits any width without its letters being stretched.

import type { Instant } from '../text/time.ts';

export interface Axis {
  readonly from: Instant;
  readonly to: Instant;
  /** 0 … 100, two digits; beyond the ends it stays at the end. */
  at(time: Instant): number;
  readonly ticks: readonly Tick[];
}

interface Tick {
  readonly at: number;
  /** Absent where it would run into the one before. */
  readonly label?: string;
  /** How the label is aligned to its tick: centred, it would stick out at the ends. */
  readonly place: 'first' | 'mid' | 'last';
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 20, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 60, 120, 365, 730, 1825, 3650].map((n) => n * DAY),
];
/** As many labels as a phone has room for. */
const MOST_TICKS = 5;

export function axisOf(from: Instant, to: Instant): Axis {
  const length = Math.max(SECOND, to - from);
  const at = (time: Instant): number => round((100 * Math.max(0, Math.min(length, time - from))) / length);
  const step = STEPS.find((one) => length / one <= MOST_TICKS) ?? length;
  const first = Math.ceil(from / step) * step;
  const count = Math.max(0, Math.floor((from + length - first) / step) + 1);
  const times = Array.from({ length: count }, (_, n) => first + n * step);
  const ticks = apart(times.map((time) => ({ at: at(time), label: tick(time, step) })));
  return { from, to: from + length, at, ticks };
}

/** On a phone a letter takes about two hundredths. */
const LETTER = 2.2;

function apart(ticks: readonly { readonly at: number; readonly label: string }[]): readonly Tick[] {
  let free = 0;
  return ticks.map(({ at, label }) => {
    const width = label.length * LETTER;
    const place = at < width / 2 ? 'first' : at > 100 - width / 2 ? 'last' : 'mid';
    const start = at - (place === 'first' ? 0 : place === 'mid' ? width / 2 : width);
    if (start < free) return { at, place };
    free = start + width + LETTER;
    return { at, place, label };
  });
}

export const round = (value: number): number => Math.round(value * 100) / 100;

function tick(time: Instant, step: number): string {
  const text = new Date(time).toISOString();
  if (step >= DAY) return `${Number(text.slice(8, 10))} ${MONTHS[Number(text.slice(5, 7)) - 1]}`;
  return step >= MINUTE ? text.slice(11, 16) : text.slice(11, 19);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Round numbers from 0 up to the first that is not below `most`. */
export function levels(most: number): readonly number[] {
  const rough = Math.max(1, most) / 4;
  const size = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * size).find((one) => one >= rough) ?? rough);
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, n) => n * step);
}

/** Every n-th item, so that about `most` remain, and the last one. */
export function thinned<T>(items: readonly T[], most: number): readonly T[] {
  const every = Math.ceil(items.length / most);
  return items.filter((_, at) => at % every === 0 || at === items.length - 1);
}
