// A board's text as the pieces it was made of: most of a large one is the file that was read, as bytes, and a change adds
// a few lines to it. Nothing is decoded, joined or encoded that nobody asks for. Positions count characters, as in a string.

import { isAscii } from 'node:buffer';

/** A part of a text: bytes that are all ASCII, so that they count as characters do, or a string. */
type Piece = Buffer | string;

/** Characters that take the place of others. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

export class Text {
  readonly length: number;
  #pieces: readonly Piece[];

  private constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces.filter(({ length }) => length > 0);
    this.length = this.#pieces.reduce((sum, { length }) => sum + length, 0);
  }

  static of(text: string): Text {
    return new Text([text]);
  }

  /** undefined: it is not UTF-8. */
  static decode(bytes: Buffer): Text | undefined {
    if (isAscii(bytes)) return new Text([bytes]);
    const text = bytes.toString('utf8');
    // A replacement character means: not UTF-8, or someone wrote that very character.
    return text.includes('\uFFFD') && !Buffer.from(text).equals(bytes) ? undefined : new Text([text]);
  }

  toString(): string {
    const [only, second] = this.#pieces;
    if (typeof only === 'string' && second === undefined) return only;
    const whole = this.#pieces.map(stringOf).join('');
    this.#pieces = whole === '' ? [] : [whole];
    return whole;
  }

  /** How many parts it has; `toString` makes one of them. */
  get pieces(): number {
    return this.#pieces.length;
  }

  slice(start: number, end = this.length): string {
    return this.#cut(start, end).map(stringOf).join('');
  }

  bytes(): readonly Buffer[] {
    return this.#pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  }

  equals(other: Text): boolean {
    return this === other || (this.length === other.length && this.toString() === other.toString());
  }

  /** Ascending replacements, in terms of this text. */
  replaced(replacements: readonly Replacement[]): Text {
    const pieces: Piece[] = [];
    let at = 0;
    for (const { start, end, by } of replacements) {
      pieces.push(...this.#cut(at, start), by);
      at = end;
    }
    return new Text([...pieces, ...this.#cut(at, this.length)]);
  }

  #cut(start: number, end: number): readonly Piece[] {
    const found: Piece[] = [];
    let at = 0;
    for (const piece of this.#pieces) {
      const [from, to] = [Math.max(start - at, 0), Math.min(end - at, piece.length)];
      if (from < to) found.push(typeof piece === 'string' ? piece.slice(from, to) : piece.subarray(from, to));
      at += piece.length;
    }
    return found;
  }
}

const stringOf = (piece: Piece): string => (typeof piece === 'string' ? piece : piece.toString('latin1'));
