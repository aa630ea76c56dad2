// What the terminal sends, one key at a time. ink takes a piece with several keys for its first one and drops the rest: of
// four presses of an arrow that arrive together three were lost. Text stays whole, with its line breaks: whether they send
// is for typing.ts and paste.ts to say.

/** An escape sequence, Alt with a character, another control character, or text. */
const TOKEN =
  /\x1b?\x1b(?:\[[\d;?]*[@-~]|O[A-Za-z])|\x1b(?![\x1b[O])[\s\S]|\x1b|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+/g;
/** The rest of it comes with the next piece. */
const HALF = /\x1b\[[\d;?]+$/;

/** Takes pieces apart; keeps the beginning of a sequence until its end comes. */
export function openSplitter(): (piece: string) => readonly string[] {
  let half = '';
  return (piece) => {
    const text = half + piece;
    half = HALF.exec(text)?.[0] ?? '';
    return text.slice(0, text.length - half.length).match(TOKEN) ?? [];
  };
}

/** The same terminal; each read gives one key. */
export function keyByKey(stdin: NodeJS.ReadStream): NodeJS.ReadStream {
  const split = openSplitter();
  const keys: string[] = [];
  const read = (): string | null => {
    for (;;) {
      const key = keys.shift();
      if (key !== undefined) return key;
      const piece: unknown = stdin.read();
      if (piece === null) return null;
      keys.push(...split(String(piece)));
    }
  };
  return new Proxy(stdin, {
    get: (target, name) => {
      if (name === 'read') return read;
      const found: unknown = Reflect.get(target, name);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}
