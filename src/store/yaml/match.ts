// Pairs the items of a changed list with those it was made from, so that each can be edited where it stands.
// Same reference first, then same `id`, then, among items without an id, same position between their neighbours.
// Promises ascending pairs: an item that moved upwards counts as removed and new, because lines never change places.
import { isMap } from './equal.ts';

/** For each new item the index of its old one, or -1. */
export function matchItems(before: readonly unknown[], after: readonly unknown[]): number[] {
  const match = new Array<number>(after.length).fill(-1);
  const shared = Math.min(before.length, after.length);
  let head = 0;
  while (head < shared && before[head] === after[head]) match[head] = head++;
  let tail = 0;
  while (tail < shared - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  for (let i = 1; i <= tail; i++) match[after.length - i] = before.length - i;

  const byReference = new Map<unknown, number>();
  const byId = new Map<string, number>();
  for (let i = before.length - tail - 1; i >= head; i--) {
    byReference.set(before[i], i);
    const id = idOf(before[i]);
    if (id !== undefined) byId.set(id, i);
  }
  let last = head - 1;
  for (let i = head; i < after.length - tail; i++) {
    const id = idOf(after[i]);
    const at = byReference.get(after[i]) ?? (id === undefined ? undefined : byId.get(id));
    if (at !== undefined && at > last) match[i] = last = at;
  }
  pairNameless(match, before, after, { from: head, to: after.length - tail });
  return match;
}

/** Fills gaps between pairs position by position, as long as neither side has an id of its own. */
function pairNameless(
  match: number[],
  before: readonly unknown[],
  after: readonly unknown[],
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const limits: number[] = [];
  let limit = match[to] ?? before.length;
  for (let i = to - 1; i >= from; i--) {
    limits[i] = limit;
    if (match[i] !== -1) limit = match[i] ?? limit;
  }
  let next = from;
  for (let i = from; i < to; i++) {
    if (match[i] !== -1) next = (match[i] ?? 0) + 1;
    else if (next < (limits[i] ?? 0) && idOf(after[i]) === undefined && idOf(before[next]) === undefined)
      match[i] = next++;
  }
}

function idOf(value: unknown): string | undefined {
  return isMap(value) && typeof value.id === 'string' ? value.id : undefined;
}
