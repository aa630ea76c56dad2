// What the terminal sends, one key at a time: of several presses of an arrow that arrive together none is lost. Text stays
// whole, with its line breaks: whether they send is for typing.ts and paste.ts to say.

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

/** Listens to the keys, unless nobody can press any; returns how to stop. */
export function onKeys(stdin: NodeJS.ReadStream, pressed: (sent: string) => void): () => void {
  if (!stdin.isTTY) return () => {};
  const split = openSplitter();
  const read = (): void => {
    for (let piece = stdin.read(); piece !== null; piece = stdin.read()) split(String(piece)).forEach(pressed);
  };
  stdin.setEncoding('utf8');
  stdin.ref();
  stdin.setRawMode(true);
  stdin.on('readable', read);
  return () => {
    stdin.setRawMode(false);
    stdin.off('readable', read);
    stdin.unref();
  };
}
