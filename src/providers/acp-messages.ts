// What an ACP agent says, before the SDK looks at it: that checks every element against every variant of the protocol, in
// one piece, and an agent may send as many as it likes. Of all that, Liza reads a few short fields. No more of a message is
// passed on than takes a moment to check; lists go on where they are cut, but nobody here reads them to the end.

/** A longer line is not even parsed. */
export const LONGEST_LINE = 1_000_000;
/** Of one list or object; of all lists and objects of a message; and how deep they may be in each other. */
const MOST = 100;
const MOST_IN_ALL = 1000;
const DEEPEST = 16;

export const shortMessages = <T extends object>(): TransformStream<T, T> =>
  new TransformStream<T, T>({ transform: (message, out) => out.enqueue(shortMessage(message)) });

export const shortMessage = <T extends object>(message: T): T => short(message, { left: MOST_IN_ALL }, 0) as T;

function short(value: unknown, room: { left: number }, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST || room.left-- <= 0) return null;
  if (Array.isArray(value)) return value.slice(0, MOST).map((one) => short(one, room, depth + 1));
  const kept: [string, unknown][] = [];
  for (const key in value) {
    if (kept.length >= MOST) break;
    kept.push([key, short((value as Readonly<Record<string, unknown>>)[key], room, depth + 1)]);
  }
  // Also for a key that is called __proto__.
  return Object.fromEntries(kept);
}
