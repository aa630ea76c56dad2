// One line of a file as code and comment, without the lines around it: what stands in a closed string is blanked, for it
// says something about the product, not about the work. By the ending; an unknown one has every form. Linear.

import { isCode } from '../../protocol/facts/scope.ts';

interface SplitLine {
  /** With its strings blanked; the quotes stay. */
  readonly code: string;
  /** From the sign that begins it. */
  readonly comment: string;
}

const STRINGS = ['"(?:[^"\\\\]|\\\\.)*"', "'(?:[^'\\\\]|\\\\.)*'", '`(?:[^`\\\\]|\\\\.)*`'];
const lineOf = (...marks: readonly string[]): RegExp => new RegExp([...marks, ...STRINGS].join('|'), 'g');

const SLASHES = ['//', '/\\*', '^\\s*\\*', '\\{/\\*'];
const HASHES = ['"""', "'''", '(?<![^\\s;(])#(?!\\[)'];
const FORMS: readonly (readonly [RegExp, RegExp])[] = [
  [/\.(?:md|mdx|markdown|html?|xml|svg)$/i, /<!--/g],
  [/\.(?:vue|svelte)$/i, lineOf('<!--', ...SLASHES)],
  // A single quote may be a lifetime's.
  [/\.rs$/i, new RegExp([...SLASHES, STRINGS[0]].join('|'), 'g')],
  [/\.php$/i, lineOf(...HASHES, ...SLASHES)],
  [/\.(?:sql|lua|hs|elm)$/i, lineOf('--', '/\\*', '\\{-', '^\\s*\\*')],
  [/\.(?:clj|cljs|el|lisp|scm)$/i, lineOf(';')],
  [/\.(?:py|pyi|rb|sh|bash|zsh|bats|pl|pm|r|ex|exs|cr|nim|jl|ps1|ya?ml|toml)$/i, lineOf(...HASHES)],
];
/** Whoever comments in the wrong language means it all the same. */
const OF_SLASH = lineOf('^\\s*#(?=\\s)', ...SLASHES);
const OF_ANY = lineOf('<!--', '--(?=\\s)', ';;', ...HASHES, ...SLASHES);

export function splitLine(text: string, path: string): SplitLine {
  const form = FORMS.find(([ending]) => ending.test(path))?.[1] ?? (isCode(path) ? OF_SLASH : OF_ANY);
  let code = '';
  let from = 0;
  for (const { 0: found, index } of text.matchAll(form)) {
    const isString = found.length > 1 && /^(["'`])[\s\S]*\1$/.test(found) && !/^(?:"""|''')$/.test(found);
    if (!isString) return { code: code + text.slice(from, index), comment: text.slice(index) };
    code += `${text.slice(from, index)}${found.charAt(0)}${' '.repeat(found.length - 2)}${found.charAt(0)}`;
    from = index + found.length;
  }
  return { code: code + text.slice(from), comment: '' };
}
