// A shell command line as a tree, read without running it (shell-tokens.ts reads its words). It hides quoting, redirections,
// comments and here-documents. What it does not understand (`select`, `coproc`) makes the whole line undefined: nobody may
// judge what was not read.

import { type Token, tokensOf, type Word } from './shell-tokens.ts';

/** As it is written; of a command without its redirections. */
interface Written {
  readonly text: string;
}

export type ShellLine = Written &
  (
    | { readonly kind: 'simple'; readonly words: readonly Word[]; readonly files: Files }
    | { readonly kind: 'not' | 'subshell' | 'group'; readonly of: ShellLine }
    /** Its redirections may fail before it runs. */
    | { readonly kind: 'redirected'; readonly of: ShellLine; readonly files: Files }
    | { readonly kind: 'pipe'; readonly parts: readonly ShellLine[] }
    | { readonly kind: 'and' | 'or'; readonly left: ShellLine; readonly right: ShellLine }
    | { readonly kind: 'list'; readonly steps: readonly { readonly of: ShellLine; readonly background: boolean }[] }
    /** Without a condition it goes over words; `rounds`: how many there are, where nothing varies. */
    | {
        readonly kind: 'loop';
        readonly when: ShellLine | undefined;
        readonly body: ShellLine;
        readonly rounds?: number | undefined;
      }
    | { readonly kind: 'case'; readonly arms: readonly ShellLine[] }
    | { readonly kind: 'function'; readonly name: string; readonly body: ShellLine }
    | {
        readonly kind: 'if';
        readonly arms: readonly { readonly when: ShellLine; readonly then: ShellLine }[];
        readonly otherwise: ShellLine | undefined;
      }
  );

/** Files that it reads or writes by redirection, the null device aside. */
export interface Files {
  readonly reads: boolean;
  readonly writes: boolean;
  /** What redirections run: `< <(…)`, `<<< "$(…)"`. */
  readonly runs: readonly string[];
  /** What it is fed, where that is known. */
  readonly document?: string | undefined;
}

const NO_FILES: Files = { reads: false, writes: false, runs: [] };

/** Undefined: it is not understood. */
export function readShellLine(line: string): ShellLine | undefined {
  const tokens = tokensOf(line);
  if (tokens === undefined) return undefined;
  const reader: Reader = { line, tokens, at: 0, depth: 0 };
  const list = readList(reader);
  return reader.at === tokens.length ? list : undefined;
}

interface Reader {
  readonly line: string;
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
}

const DEEPEST = 20;
const peek = ({ tokens, at }: Reader, ahead = 0): Token | undefined => tokens[at + ahead];
const isSign = (token: Token | undefined, ...signs: readonly string[]): boolean =>
  token?.sign === true && signs.includes(token.text);
const isKeyword = (token: Token | undefined, ...words: readonly string[]): boolean =>
  token?.sign === false && !token.quoted && words.includes(token.text);

/** All from that token on, up to where the reader is. */
const written = ({ line, tokens, at }: Reader, from: number): string =>
  at <= from ? '' : line.slice(tokens[from]?.from, tokens[at - 1]?.to);

const ENDS = ['then', 'elif', 'else', 'fi', '}', 'do', 'done', 'esac'];
const isEnd = (token: Token | undefined): boolean =>
  token === undefined || isSign(token, ')', ';;', ';&', ';;&') || isKeyword(token, ...ENDS);

function readList(reader: Reader): ShellLine | undefined {
  if (reader.depth > DEEPEST) return undefined;
  reader.depth += 1;
  const from = reader.at;
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
  const text = written(reader, from).replace(/(?<![;\s])[;\s]+$/, '');
  return steps.length === 1 && only?.background === false ? only.of : { kind: 'list', steps, text };
}

function readAndOr(reader: Reader): ShellLine | undefined {
  const from = reader.at;
  let left = readPipe(reader);
  while (left !== undefined && isSign(peek(reader), '&&', '||')) {
    const kind = peek(reader)?.text === '&&' ? 'and' : 'or';
    skipSign(reader);
    const right = readPipe(reader);
    left = right === undefined ? undefined : { kind, left, right, text: written(reader, from) };
  }
  return left;
}

/** A line may end behind an operator. */
function skipSign(reader: Reader): void {
  do reader.at += 1;
  while (isSign(peek(reader), '\n'));
}

function readPipe(reader: Reader): ShellLine | undefined {
  const start = reader.at;
  const isNot = isKeyword(peek(reader), '!');
  if (isNot) reader.at += 1;
  const from = reader.at;
  const parts: ShellLine[] = [];
  for (;;) {
    const part = readCommand(reader);
    if (part === undefined) return undefined;
    parts.push(part);
    if (!isSign(peek(reader), '|', '|&')) break;
    skipSign(reader);
  }
  const [only] = parts;
  const pipe: ShellLine =
    parts.length === 1 && only !== undefined ? only : { kind: 'pipe', parts, text: written(reader, from) };
  return isNot ? { kind: 'not', of: pipe, text: `! ${reader.at > start ? pipe.text : ''}` } : pipe;
}

function readCommand(reader: Reader): ShellLine | undefined {
  const first = peek(reader);
  if (isKeyword(first, 'select', 'coproc', '!')) return undefined;
  if (isKeyword(first, 'function') || (first?.sign === false && isSign(peek(reader, 1), '(')))
    return readFunction(reader);
  return first !== undefined && (isSign(first, '(') || isKeyword(first, 'if', 'for', 'while', 'until', 'case', '{'))
    ? withRedirects(reader, readCompound)
    : readSimple(reader);
}

function readCompound(reader: Reader): ShellLine | undefined {
  const first = peek(reader);
  if (isKeyword(first, 'if')) return readIf(reader);
  if (isKeyword(first, 'for', 'while', 'until')) return readLoop(reader);
  if (isKeyword(first, 'case')) return readCase(reader);
  const closing = isSign(first, '(') ? ')' : isKeyword(first, '{') ? '}' : undefined;
  if (closing === undefined) return undefined;
  const from = reader.at;
  reader.at += 1;
  const of = readList(reader);
  if (of === undefined || peek(reader)?.text !== closing) return undefined;
  reader.at += 1;
  return { kind: closing === ')' ? 'subshell' : 'group', of, text: written(reader, from) };
}

function withRedirects(reader: Reader, read: (reader: Reader) => ShellLine | undefined): ShellLine | undefined {
  const of = read(reader);
  let files = NO_FILES;
  while (isRedirect(peek(reader))) {
    files = filesOf(files, peek(reader), peek(reader, 1));
    reader.at += 2;
  }
  if (of === undefined || reader.at > reader.tokens.length) return undefined;
  return files === NO_FILES ? of : { kind: 'redirected', of, files, text: of.text };
}

const isRedirect = (token: Token | undefined): boolean => token?.sign === true && /[<>]/.test(token.text);

/** `>&1`, here-documents and the null device cannot fail. */
function filesOf(so: Files, sign: Token | undefined, target: Token | undefined): Files {
  const text = sign?.text ?? '';
  const runs = [...so.runs, ...(target?.runs ?? [])];
  const isFile =
    !/<</.test(text) && target?.text !== '/dev/null' && !(text.endsWith('&') && /^[\d-]+$/.test(target?.text ?? ''));
  return {
    reads: so.reads || (isFile && text.includes('<')),
    writes: so.writes || (isFile && text.includes('>')),
    runs,
    document: target?.document ?? (/^0?<$/.test(text) && target?.text === '/dev/null' ? '' : so.document),
  };
}

function readFunction(reader: Reader): ShellLine | undefined {
  const from = reader.at;
  if (isKeyword(peek(reader), 'function')) reader.at += 1;
  const name = peek(reader)?.text ?? '';
  reader.at += 1;
  if (isSign(peek(reader), '(')) {
    if (!isSign(peek(reader, 1), ')')) return undefined;
    reader.at += 2;
  }
  while (isSign(peek(reader), '\n')) reader.at += 1;
  const body = withRedirects(reader, readCompound);
  return body === undefined ? undefined : { kind: 'function', name, body, text: written(reader, from) };
}

function readLoop(reader: Reader): ShellLine | undefined {
  const from = reader.at;
  const kind = peek(reader)?.text;
  reader.at += 1;
  let when: ShellLine | undefined;
  let rounds: number | undefined;
  if (kind === 'for') {
    const head = reader.at;
    // `for ((…))` is not read.
    while (peek(reader)?.sign === false && !isKeyword(peek(reader), 'do')) reader.at += 1;
    const words = reader.tokens.slice(head, reader.at);
    if (words[1]?.text === 'in' && !words.some(({ varies }) => varies)) rounds = words.length - 2;
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
  const asked: ShellLine | undefined =
    kind === 'until' && when !== undefined ? { kind: 'not', of: when, text: `! ${when.text}` } : when;
  return { kind: 'loop', when: asked, body, rounds, text: written(reader, from) };
}

function readIf(reader: Reader): ShellLine | undefined {
  const from = reader.at;
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
  return { kind: 'if', arms, otherwise, text: written(reader, from) };
}

function readCase(reader: Reader): ShellLine | undefined {
  const from = reader.at;
  reader.at += 2;
  while (isSign(peek(reader), '\n')) reader.at += 1;
  if (!isKeyword(peek(reader), 'in')) return undefined;
  reader.at += 1;
  const arms: ShellLine[] = [];
  for (;;) {
    while (isSign(peek(reader), '\n', ';;')) reader.at += 1;
    if (isKeyword(peek(reader), 'esac')) break;
    if (isSign(peek(reader), '(')) reader.at += 1;
    while (peek(reader)?.sign === false || isSign(peek(reader), '|')) reader.at += 1;
    if (!isSign(peek(reader), ')')) return undefined;
    reader.at += 1;
    const arm = readList(reader);
    if (arm === undefined || isSign(peek(reader), ';&', ';;&', ')')) return undefined;
    arms.push(arm);
  }
  reader.at += 1;
  return { kind: 'case', arms, text: written(reader, from) };
}

function readSimple(reader: Reader): ShellLine | undefined {
  const words: Token[] = [];
  let files = NO_FILES;
  for (;;) {
    const token = peek(reader);
    const isTest = words[0]?.text === '[[' && !words.some(({ text }) => text === ']]');
    if (isTest && token !== undefined) {
      // Its operators are not the shell's.
      words.push(token);
      reader.at += 1;
    } else if (isRedirect(token)) {
      if (peek(reader, 1)?.sign !== false) return undefined;
      files = filesOf(files, token, peek(reader, 1));
      reader.at += 2;
    } else if (token === undefined || token.sign) {
      if (isTest || isSign(token, '(') || (words.length === 0 && files === NO_FILES)) return undefined;
      const text = words.map(({ from, to }) => reader.line.slice(from, to)).join(' ');
      return { kind: 'simple', words, files, text };
    } else {
      words.push(token);
      reader.at += 1;
    }
  }
}
