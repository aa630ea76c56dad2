// A large section that nobody has parsed yet: a stand-in goes in the place of its value. It may be handed on and compared
// by identity; whoever looks inside stops with Unread, and the transaction begins again with all of the board
// (transaction.ts: withEnough). So a note costs no more on a board of 10,000 tasks because there are 10,000 tasks.

import { type BoardDocument, boardDocument, type Plain, partsOf } from './yaml/document.ts';
import { withValue } from './yaml/layout.ts';

/** Somebody looked into a section that was not read. */
class Unread extends Error {
  override name = 'Unread';
}

const READ = new WeakMap<object, () => unknown>();
const TOUCHED = new WeakSet<object>();

export function unread(kind: 'list' | 'map', read: () => unknown): unknown {
  const refuse = () => {
    TOUCHED.add(standIn);
    throw new Unread();
  };
  // Whatever is done to it asks the handler for a trap.
  const standIn: object = new Proxy(kind === 'list' ? [] : {}, new Proxy({}, { get: () => refuse }));
  READ.set(standIn, read);
  return standIn;
}

export const isUnread = (value: unknown): boolean => typeof value === 'object' && value !== null && READ.has(value);

/** What the stand-in stands for, or the value itself. */
export const readIn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && READ.has(value) ? READ.get(value)?.() : value;

/** The same with every section read; the very same object when all were. */
export function allRead<T extends object>(sections: T): T {
  if (!Object.values(sections).some(isUnread)) return sections;
  return Object.fromEntries(Object.entries(sections).map(([key, value]) => [key, readIn(value)])) as T;
}

/** The same for a caller that may look at any section, or at none: each is read when it is asked for. */
export function readable<T extends object>(sections: T): T {
  const made = { ...sections };
  for (const [key, value] of Object.entries(sections)) {
    if (isUnread(value)) Object.defineProperty(made, key, { enumerable: true, get: () => readIn(value) });
  }
  return made;
}

export function wholeDocument(doc: BoardDocument): BoardDocument {
  const value = allRead(doc.value);
  if (value === doc.value) return doc;
  const sections = doc.sections.map((section) => withValue(section, readIn(section.value)));
  return boardDocument({ ...partsOf(doc), value, sections });
}

/** Whether anybody looked into one of them, even if nobody let that stop the work. */
export const isTouched = (sections: Plain): boolean =>
  Object.values(sections).some((value) => typeof value === 'object' && value !== null && TOUCHED.has(value));

export const isUnreadError = (error: unknown): boolean => error instanceof Unread;
