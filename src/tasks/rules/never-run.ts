// Code that never runs, whatever the machine: what the preprocessor leaves out (`#if 0`), and functions of a C program that
// nothing calls. Linear in the text.

const PREPROCESSED = /\.(?:c|h|cc|hh|cpp|hpp|cxx|hxx|m|mm|cs|swift)$/i;
const OPENS = /^[ \t]*#[ \t]*if/;
const NEVER = /^[ \t]*#[ \t]*if[ \t]+(?:0|false)[ \t]*(?:\/[/*].*)?$/;
const ELSE = /^[ \t]*#[ \t]*el(?:se|if|ifdef|ifndef)\b/;
const CLOSES = /^[ \t]*#[ \t]*endif\b/;

/** With blanks in the place of what `#if 0` leaves out; places stay as they were. */
export function withoutNever(text: string, path: string): string {
  if (!PREPROCESSED.test(path) || !/#[ \t]*if[ \t]+(?:0|false)\b/.test(text)) return text;
  /** How deep it is within what is left out; 0: it is not. */
  let depth = 0;
  return text
    .split('\n')
    .map((line) => {
      if (depth === 0) {
        if (NEVER.test(line)) depth = 1;
        return line;
      }
      if (CLOSES.test(line) || (depth === 1 && ELSE.test(line))) depth -= 1;
      else if (OPENS.test(line)) depth += 1;
      return depth === 0 ? line : line.replace(/[^\r]/g, ' ');
    })
    .join('\n');
}

/** Names of functions that a program of C with its own `main` defines and nowhere uses: no runner finds them by itself. */
export function uncalledIn(bare: string, path: string): ReadonlySet<string> {
  if (!/\.(?:c|cc|cpp|cxx)$/i.test(path) || !/^(?:static[ \t]+)?int[ \t]+main[ \t]*\(/m.test(bare)) return new Set();
  const times = new Map<string, number>();
  for (const [word] of bare.matchAll(/\w+/g)) times.set(word, (times.get(word) ?? 0) + 1);
  const defined = [
    ...bare.matchAll(/^(?:static[ \t]+)?(?:void|int|bool)[ \t]+(\w+)[ \t]*\([^;{}]{0,200}\)\s{0,80}\{/gm),
  ];
  return new Set(defined.map(([, name = '']) => name).filter((name) => name !== 'main' && times.get(name) === 1));
}
