// A shell command line as a tree, read without running it. It hides quoting, redirections and comments. What it does not
// understand (functions, `case`, here-documents) makes the whole line undefined: nobody may judge what was not read.

export interface Word {
  readonly text: string;
  /** A variable, a pattern or the output of a command decides what it is. */
  readonly varies: boolean;
  /** It runs a command: `$(…)`, backticks, `<(…)`. */
  readonly runs: boolean;
}

export type ShellLine =
  | { readonly kind: 'simple'; readonly words: readonly Word[]; readonly readsFile: boolean }
  | { readonly kind: 'not' | 'subshell'; readonly of: ShellLine }
  | { readonly kind: 'pipe'; readonly parts: readonly ShellLine[] }
  | { readonly kind: 'and' | 'or'; readonly left: ShellLine; readonly right: ShellLine }
  | { readonly kind: 'list'; readonly steps: readonly { readonly of: ShellLine; readonly background: boolean }[] }
  /** Without a condition it goes over words. */
  | { readonly kind: 'loop'; readonly when: ShellLine | undefined; readonly body: ShellLine }
  | {
      readonly kind: 'if';
      readonly arms: readonly { readonly when: ShellLine; readonly then: ShellLine }[];
      readonly otherwise: ShellLine | undefined;
    };

/** Undefined: it is not understood. */
export function readShellLine(line: string): ShellLine | undefined {
  const tokens = tokensOf(line);
  if (tokens === undefined) return undefined;
  const reader: Reader = { tokens, at: 0, depth: 0 };
  const list = readList(reader);
  return reader.at === tokens.length ? list : undefined;
}

interface Token extends Word {
  /** An operator, or a word. */
  readonly sign: boolean;
  /** Part of it is quoted, so that it is no keyword. */
  readonly quoted: boolean;
}

const SIGNS = /(?:\d*(?:>>|>\||>&|<&|<<<|<<|<>|>|<)|&>>|&>)(?!\()|&&|\|\||\|&|;;|[;|&\n()]/y;
const BLANK = /(?:[ \t\r]|\\\n)+/y;

function tokensOf(line: string): readonly Token[] | undefined {
  const found: Token[] = [];
  for (let at = 0; at < line.length; ) {
    BLANK.lastIndex = at;
    SIGNS.lastIndex = at;
    const blank = BLANK.exec(line)?.[0];
    if (blank !== undefined) {
      at += blank.length;
    } else if (line[at] === '#') {
      const end = line.indexOf('\n', at);
      at = end === -1 ? line.length : end;
    } else {
      const sign = SIGNS.exec(line)?.[0];
      const token: Read | undefined =
        sign === undefined ? wordAt(line, at) : { end: at + sign.length, token: signed(sign) };
      if (token === undefined) return undefined;
      found.push(token.token);
      at = token.end;
    }
  }
  return found;
}

interface Read {
  readonly token: Token;
  readonly end: number;
}

const signed = (text: string): Token => ({ text, sign: true, quoted: false, varies: false, runs: false });

/** Double quotes, single quotes, an escape, a substitution, plain signs. */
const PART =
  /"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])|([$<>]\(|`)|(\$\{[^}]*\}|\$[\w?#@!*$-]?)|([^\s"'\\$`;|&()<>]+)/y;

function wordAt(line: string, from: number): Read | undefined {
  let at = from;
  const word = { text: '', quoted: false, varies: false, runs: false };
  while (at < line.length && !/[\s;|&()]/.test(line[at] ?? '')) {
    PART.lastIndex = at;
    const found = PART.exec(line);
    if (found === null) break;
    const [part, double, single, escaped, opening, variable, plain] = found;
    const end = opening === undefined ? at + part.length : endOfSubstitution(line, at + part.length, opening);
    if (end === undefined) return undefined;
    word.text += double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? plain ?? line.slice(at, end);
    word.quoted ||= double !== undefined || single !== undefined || escaped !== undefined;
    word.runs ||= opening !== undefined || /(?<!\\)(?:\$\(|`)/.test(double ?? '');
    word.varies ||= word.runs || variable !== undefined || /(?<!\\)\$/.test(double ?? '') || isPattern(plain ?? '');
    at = end;
  }
  return at === from ? undefined : { end: at, token: { ...word, sign: false } };
}

/** `[` and `[[` are commands. */
const isPattern = (plain: string): boolean => /[*?[]/.test(plain) && !/^\[{1,2}$/.test(plain);

function endOfSubstitution(line: string, from: number, opening: string): number | undefined {
  if (opening === '`') {
    const end = line.indexOf('`', from);
    return end === -1 ? undefined : end + 1;
  }
  let open = 1;
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '(') open += 1;
    if (line[at] === ')') open -= 1;
    if (open === 0) return at + 1;
  }
  return undefined;
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
}

const DEEPEST = 20;
const peek = ({ tokens, at }: Reader): Token | undefined => tokens[at];
const isSign = (token: Token | undefined, ...signs: readonly string[]): boolean =>
  token?.sign === true && signs.includes(token.text);
const isKeyword = (token: Token | undefined, ...words: readonly string[]): boolean =>
  token?.sign === false && !token.quoted && words.includes(token.text);

const ENDS = ['then', 'elif', 'else', 'fi', '}', 'do', 'done', 'esac'];
const isEnd = (token: Token | undefined): boolean =>
  token === undefined || isSign(token, ')') || isKeyword(token, ...ENDS);

function readList(reader: Reader): ShellLine | undefined {
  if (reader.depth > DEEPEST) return undefined;
  reader.depth += 1;
  const steps: { of: ShellLine; background: boolean }[] = [];
  for (;;) {
    while (isSign(peek(reader), ';', '\n')) reader.at += 1;
    if (isEnd(peek(reader))) break;
    const of = readAndOr(reader);
    if (of === undefined) return undefined;
    const background = isSign(peek(reader), '&');
    if (background) reader.at += 1;
    else if (!isEnd(peek(reader)) && !isSign(peek(reader), ';', '\n')) return undefined;
    steps.push({ of, background });
  }
  reader.depth -= 1;
  const [only] = steps;
  return steps.length === 1 && only?.background === false ? only.of : { kind: 'list', steps };
}

function readAndOr(reader: Reader): ShellLine | undefined {
  let left = readPipe(reader);
  while (left !== undefined && isSign(peek(reader), '&&', '||')) {
    const kind = peek(reader)?.text === '&&' ? 'and' : 'or';
    skipSign(reader);
    const right = readPipe(reader);
    left = right === undefined ? undefined : { kind, left, right };
  }
  return left;
}

/** A line may end behind an operator. */
function skipSign(reader: Reader): void {
  do reader.at += 1;
  while (isSign(peek(reader), '\n'));
}

function readPipe(reader: Reader): ShellLine | undefined {
  const isNot = isKeyword(peek(reader), '!');
  if (isNot) reader.at += 1;
  const parts: ShellLine[] = [];
  for (;;) {
    const part = readCommand(reader);
    if (part === undefined) return undefined;
    parts.push(part);
    if (!isSign(peek(reader), '|', '|&')) break;
    skipSign(reader);
  }
  const [only] = parts;
  const pipe: ShellLine = parts.length === 1 && only !== undefined ? only : { kind: 'pipe', parts };
  return isNot ? { kind: 'not', of: pipe } : pipe;
}

const UNREAD = ['case', 'select', 'function', 'coproc'];

function readCommand(reader: Reader): ShellLine | undefined {
  const first = peek(reader);
  if (isKeyword(first, ...UNREAD)) return undefined;
  if (isKeyword(first, 'if')) return withRedirects(reader, readIf(reader));
  if (isKeyword(first, 'for', 'while', 'until')) return withRedirects(reader, readLoop(reader));
  const closing = isSign(first, '(') ? ')' : isKeyword(first, '{') ? '}' : undefined;
  if (closing === undefined) return readSimple(reader);
  reader.at += 1;
  const of = readList(reader);
  if (of === undefined || peek(reader)?.text !== closing) return undefined;
  reader.at += 1;
  return withRedirects(reader, closing === ')' ? { kind: 'subshell', of } : of);
}

function withRedirects(reader: Reader, of: ShellLine | undefined): ShellLine | undefined {
  while (isRedirect(peek(reader))) {
    if (isSign(peek(reader), '<<')) return undefined;
    reader.at += 2;
  }
  return of;
}

const isRedirect = (token: Token | undefined): boolean => token?.sign === true && /[<>]/.test(token.text);

function readLoop(reader: Reader): ShellLine | undefined {
  const kind = peek(reader)?.text;
  reader.at += 1;
  let when: ShellLine | undefined;
  if (kind === 'for') {
    // `for ((…))` is not read.
    while (peek(reader)?.sign === false && !isKeyword(peek(reader), 'do')) reader.at += 1;
    while (isSign(peek(reader), ';', '\n')) reader.at += 1;
  } else {
    when = readList(reader);
    if (when === undefined) return undefined;
  }
  if (!isKeyword(peek(reader), 'do')) return undefined;
  reader.at += 1;
  const body = readList(reader);
  if (body === undefined || !isKeyword(peek(reader), 'done')) return undefined;
  reader.at += 1;
  return { kind: 'loop', when: kind === 'until' && when !== undefined ? { kind: 'not', of: when } : when, body };
}

function readIf(reader: Reader): ShellLine | undefined {
  const arms: { when: ShellLine; then: ShellLine }[] = [];
  do {
    reader.at += 1;
    const when = readList(reader);
    if (when === undefined || !isKeyword(peek(reader), 'then')) return undefined;
    reader.at += 1;
    const then = readList(reader);
    if (then === undefined) return undefined;
    arms.push({ when, then });
  } while (isKeyword(peek(reader), 'elif'));
  let otherwise: ShellLine | undefined;
  if (isKeyword(peek(reader), 'else')) {
    reader.at += 1;
    otherwise = readList(reader);
    if (otherwise === undefined) return undefined;
  }
  if (!isKeyword(peek(reader), 'fi')) return undefined;
  reader.at += 1;
  return { kind: 'if', arms, otherwise };
}

function readSimple(reader: Reader): ShellLine | undefined {
  const words: Word[] = [];
  let readsFile = false;
  for (;;) {
    const token = peek(reader);
    if (isRedirect(token)) {
      if (token?.text.endsWith('<<') === true) return undefined;
      readsFile ||= /^\d*<$/.test(token?.text ?? '');
      reader.at += 2;
    } else if (token === undefined || token.sign) {
      // `name()` begins a function.
      return isSign(token, '(') || (words.length === 0 && !readsFile)
        ? undefined
        : { kind: 'simple', words, readsFile };
    } else {
      words.push(token);
      reader.at += 1;
    }
  }
}
