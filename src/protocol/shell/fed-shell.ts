// A shell that reads its script from a here-document or from what is printed into it runs that like the line of a `sh -c`.
// What runs the null device, or only what it reads and reads nothing, runs nothing.

import { nameOf, unwrapped } from './known-commands.ts';
import type { ShellLine } from './shell-line.ts';
import type { Word } from './shell-tokens.ts';

export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);

const constant = (text: string): Word => ({ text, varies: false, runs: [] });

/** They run the file that they are given, or what they read. */
const INTERPRETER =
  /^(?:(?:ba|da|z|k)?sh|node|deno|bun|python[\d.]*|pypy3?|ruby|perl|php|lua|tsx|ts-node|Rscript|\.|source)$/;
const NOTHING: readonly Word[] = [constant(':')];

/** With the script as an argument; without one, or for another program, unchanged. */
export function asScript(words: readonly Word[], script: string | undefined): readonly Word[] {
  const [first, ...rest] = unwrapped(words);
  if (first !== undefined && runsNothing(nameOf(first.text), rest, script)) return NOTHING;
  if (script === undefined) return words;
  const isShell = first !== undefined && SHELLS.has(nameOf(first.text));
  if (!isShell || !rest.every(({ text }) => /^-[a-bd-zA-Z]*$/.test(text))) return words;
  const options = rest.filter(({ text }) => text !== '-s' && text !== '-');
  return [...words.slice(0, words.length - rest.length), ...options, constant('-c'), constant(script)];
}

function runsNothing(name: string, rest: readonly Word[], script: string | undefined): boolean {
  const isFed = script?.trim() === '';
  if (name === 'xargs') return isFed && rest.some(({ text }) => /^(?:-[0-9a-zA-Z]*r|--no-run-if-empty$)/.test(text));
  if (
    !INTERPRETER.test(name) ||
    rest.some(({ text, varies }) => varies || /^-[a-zA-Z]*[cemp]$|^--(?:eval|print)/.test(text))
  )
    return false;
  const [file] = rest.filter(({ text }) => !/^-./.test(text));
  return file?.text === '/dev/null' || (isFed && (rest.length === 0 || rest.every(({ text }) => /^-s?$/.test(text))));
}

/** Whether it prints nothing, whatever the code does. */
function isSilent(words: readonly Word[]): boolean {
  const [first, ...rest] = unwrapped(words);
  const name = nameOf(first?.text ?? '');
  if (name === 'true' || name === ':') return true;
  const given = rest.map(({ text, varies }) => (varies ? undefined : text));
  return (
    (name === 'cat' && given.join(' ') === '/dev/null') || (name === 'printf' && given.length === 1 && given[0] === '')
  );
}

/** `echo 'npm test || true' | sh` */
export function withPrinted(parts: readonly ShellLine[]): readonly ShellLine[] {
  const [first, last] = parts;
  if (parts.length !== 2 || first?.kind !== 'simple' || last?.kind !== 'simple') return parts;
  if (isSilent(first.words)) return [first, { ...last, words: asScript(last.words, '') }];
  const [echo, ...said] = first.words;
  if (echo?.text !== 'echo' || said.some(({ varies, text }) => varies || text.startsWith('-'))) return parts;
  return [first, { ...last, words: asScript(last.words, said.map(({ text }) => text).join(' ')) }];
}
