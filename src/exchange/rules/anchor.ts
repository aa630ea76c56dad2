// The anchor: how far the board's journal was when somebody last looked, kept where a database that is set back in time
// does not reach. Text of a commit at the exchange. A board that is behind its anchor, or has another entry under that
// number, is not the one that wrote it: everything stops until a person has decided. Pure.

export interface Anchor {
  /** The board's own id. */
  readonly board: string;
  /** Number of a journal entry. */
  readonly seq: number;
  /** Hash of that entry. */
  readonly hash: string;
}

const TITLE = 'liza: anchor';
const TEXT = /^liza: anchor\n\nboard: (\S{1,200})\nseq: (\d{1,15})\nhash: ([0-9a-f]{16,128})\n$/;

export const anchorText = ({ board, seq, hash }: Anchor): string =>
  `${TITLE}\n\nboard: ${board}\nseq: ${seq}\nhash: ${hash}\n`;

/** undefined: it is not what Liza writes. */
export function readAnchor(text: string): Anchor | undefined {
  const [, board, seq, hash] = TEXT.exec(text) ?? [];
  return board === undefined || hash === undefined ? undefined : { board, seq: Number(seq), hash };
}

export type Compared =
  | { readonly how: 'same' | 'ahead' }
  /** The board has lost entries. */
  | { readonly how: 'behind'; readonly anchored: number; readonly here: number }
  /** It has another entry under that number: it went on from an older state. */
  | { readonly how: 'apart'; readonly anchored: number }
  | { readonly how: 'another-board'; readonly board: string };

/** `hashAt`: what the board's journal has under the anchor's number; undefined: it has none, or keeps none that old. */
export function compareAnchor(there: Anchor, here: Anchor, hashAt: string | undefined): Compared {
  if (there.board !== here.board) return { how: 'another-board', board: there.board };
  if (there.seq > here.seq) return { how: 'behind', anchored: there.seq, here: here.seq };
  if (hashAt !== undefined && hashAt !== there.hash) return { how: 'apart', anchored: there.seq };
  return { how: there.seq === here.seq ? 'same' : 'ahead' };
}
