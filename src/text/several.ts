// Several names in one text, with commas between them; in braces a comma is part of a pattern (`src/{a,b}.ts`).

/** The names, as they stand there. Linear in the text. */
export function severalIn(text: string): readonly string[] {
  const found: string[] = [];
  let end = text.length;
  /** The next one behind. */
  let brace = '';
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const char = text[at];
    if (char === '{' || char === '}') brace = char;
    if (char !== ',' || brace === '}') continue;
    found.push(text.slice(at + 1, end));
    end = at;
  }
  return [...found, text.slice(0, end)].reverse();
}
