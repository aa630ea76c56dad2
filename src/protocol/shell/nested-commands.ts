// The commands that one command line runs, as they are written: those of a list or a pipe, negated, in a subshell, or
// substituted into another. What stands in quotes is text. Read without running it; linear in the line.

/** Nobody nests deeper by hand, and each level reads the rest of the line again. */
const DEEPEST = 8;

/** In no order that means anything; a line that is one command is that one. */
export function commandsWithin(line: string): readonly string[] {
  const found: string[] = [];
  scan({ line, found }, 0, '', 0);
  return found;
}

interface Scanned {
  readonly line: string;
  readonly found: string[];
}

const SIGNS = new Set([';', '|', '&', '\n', '(', ')']);

/** Reads until `end`, and says where that is. */
function scan(scanned: Scanned, from: number, end: string, depth: number): number {
  const { line, found } = scanned;
  let [start, at, quoted] = [from, from, false];
  const cut = (): void => {
    const command = bare(line.slice(start, at));
    if (command !== '') found.push(command);
    start = at + 1;
  };
  for (; at < line.length; at += 1) {
    const sign = line[at] ?? '';
    const opening = depth < DEEPEST && sign !== end ? openingAt(line, at, quoted) : undefined;
    if (sign === '\\') at += 1;
    else if (opening !== undefined) at = scan(scanned, at + opening.length, opening === '`' ? '`' : ')', depth + 1);
    else if (sign === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (sign === "'") at = endOfQuote(line, at);
    else if (sign === end) break;
    else if (SIGNS.has(sign)) cut();
  }
  cut();
  return at;
}

function openingAt(line: string, at: number, quoted: boolean): string | undefined {
  if (line[at] === '`') return '`';
  const two = line.slice(at, at + 2);
  return two === '$(' || (!quoted && (two === '<(' || two === '>(')) ? two : undefined;
}

function endOfQuote(line: string, at: number): number {
  const end = line.indexOf("'", at + 1);
  return end === -1 ? line.length : end;
}

/** Without words of the shell before it, and without redirections behind it. */
const bare = (text: string): string =>
  unredirected(text.trim().replace(/^(?:(?:!|\{|if|then|elif|else|do|while|until|time)\s+)+/, ''));

/** `npm test > out 2>&1`: its words from the last one on, each looked at once. */
function unredirected(text: string): string {
  if (!/[<>]/.test(text)) return text.trimEnd();
  const words = [...text.matchAll(/\S+/g)];
  for (;;) {
    const [before, last] = [words.at(-2)?.[0], words.at(-1)];
    if (last === undefined || before === undefined) return text.slice(0, (last?.index ?? 0) + (last?.[0].length ?? 0));
    if (/^\d?[<>]\S|^2>$/.test(last[0])) words.pop();
    else if (words.length > 2 && /^\d?(?:>>|>|<)$/.test(before)) words.splice(-2);
    else return text.slice(0, last.index + last[0].length);
  }
}
