// The code that an interpreter is given in the line (`node -e …`, `python -c …`), read by its words. Only names that are
// known to look at nothing, and those that the code gives itself, are quiet; any other may look at the project.

import type { Word } from './shell-tokens.ts';

/** It ends red, and does nothing else. */
export function isFailingCode(name: string, rest: readonly Word[]): boolean {
  const code =
    /^(?:node|bun|ruby|perl|php)$/.test(name) && /^(?:-e|-r|--eval)$/.test(rest[0]?.text ?? '') ? rest[1] : undefined;
  return code !== undefined && !code.varies && /^\s*(?:process\.)?exit[\s(]+[1-9]\d*[\s);]*$/.test(code.text);
}

/** What an interpreter is given to run has only words that can neither fail nor look at the project. */
export function isIdleCode(name: string, rest: readonly Word[]): boolean {
  const bare = quietCode(name, rest);
  return bare !== undefined && !/exit\W*[1-9]|\b(?:assert\w*|ok|equal|\w+Equal|throw|raise|die|abort)\b/.test(bare);
}

/** What an interpreter is given to run has only words that cannot look at the project. */
export const isQuietCode = (name: string, rest: readonly Word[]): boolean => quietCode(name, rest) !== undefined;

/** That code without what is quoted in it. */
function quietCode(name: string, rest: readonly Word[]): string | undefined {
  if (!/^(?:node|deno|bun|python[\d.]*|ruby|perl|php|lua)$/.test(name)) return undefined;
  const at = rest.findIndex(({ text }, place) => CODE.test(text) && !(text === '-r' && loads(name, rest, place)));
  const code = rest[at + 1];
  if (at === -1 || code === undefined || code.runs.length > 0) return undefined;
  if (rest.some((_word, place) => place !== at && place !== at + 1 && loads(name, rest, place))) return undefined;
  const own = code.text.replace(BUILT_IN, ' ');
  // `import('./a.js')`, `import './a.js'`, `… from './a.js'`
  if (/\b(?:import\s*\(|import\s*["'`]|from\s*["'`])/.test(own)) return undefined;
  const bare = withoutQuoted(own).replace(/\bassert(?:\.ok)?[ (]{1,3}(?:True|true|1)\)?(?=\s*(?:[;,\n]|$))/g, ' ');
  const words = [...bare.matchAll(/([A-Za-z_$]\w*)(\s*=(?![=>]))?/g)];
  const named = new Set(words.flatMap(([, word = '', is]) => (is === undefined ? [] : [word])));
  return words.every(([, word = '']) => QUIET.has(word) || named.has(word)) && !/[\\`]/.test(bare) ? bare : undefined;
}

/** Where one quotation mark has no partner, no later one of its kind has: each is looked for once. */
function withoutQuoted(code: string): string {
  const parts: string[] = [];
  const alone = new Set<string>();
  let from = 0;
  for (let at = 0; at < code.length; at += 1) {
    const mark = code.charAt(at);
    if ((mark !== '"' && mark !== "'") || alone.has(mark)) continue;
    let end = at + 1;
    while (end < code.length && code[end] !== mark) end += code[end] === '\\' ? 2 : 1;
    if (end >= code.length) alone.add(mark);
    else {
      parts.push(code.slice(from, at));
      from = end + 1;
      at = end;
    }
  }
  return [...parts, code.slice(from)].join(' ');
}

const CODE = /^(?:-e|-c|-p|-pe|-r|--eval|--print|eval)$/;

/** An option that loads a file or a module before the code: `node --import ./a.mjs`, `perl -MOwn`, `ruby -r./a`. */
function loads(name: string, rest: readonly Word[], at: number): boolean {
  const text = rest[at]?.text ?? '';
  if (name === 'node' || name === 'bun' || name === 'deno')
    return /^(?:-r$|--(?:require|import|preload|loader)\b)/.test(text);
  if (name === 'perl') return /^-[mM]\w/.test(text);
  return (name === 'ruby' && /^-r/.test(text)) || (name === 'lua' && /^-l/.test(text));
}

/** Modules that come with the interpreter, and look at nothing. */
const BUILT_IN =
  /\brequire\s*\(\s*(["'])(?:node:)?(?:assert|util)(?:\/strict)?\1\s*\)|\bfrom\s*(["'])(?:node:)?(?:assert|util)(?:\/strict)?\2/g;

const QUIET: ReadonlySet<string> = new Set(
  (
    'console log print puts echo process exit sys import pass true True false False None null nil undefined NaN ' +
    'if else elif then end while for in of is not and or return const let var throw raise new Error AssertionError ' +
    'assert ok equal notEqual strictEqual deepEqual deepStrictEqual assertEqual die abort math Math abs max min sum len range ' +
    'str int float bool list length String Number Boolean Array upper lower toUpperCase toLowerCase'
  ).split(' '),
);
