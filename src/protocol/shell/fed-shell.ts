// A shell that reads its script from a here-document or from what is printed into it runs that like the line of a `sh -c`.

import { unwrapped } from './known-commands.ts';
import type { ShellLine } from './shell-line.ts';
import type { Word } from './shell-tokens.ts';

export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);

const constant = (text: string): Word => ({ text, varies: false, runs: [] });

/** With the script as an argument; without one, or for another program, unchanged. */
export function asScript(words: readonly Word[], script: string | undefined): readonly Word[] {
  if (script === undefined) return words;
  const [first, ...rest] = unwrapped(words);
  const isShell = first !== undefined && SHELLS.has(first.text.replace(/^\/(?:usr\/)?bin\//, ''));
  if (!isShell || !rest.every(({ text }) => /^-[a-bd-zA-Z]*$/.test(text))) return words;
  const options = rest.filter(({ text }) => text !== '-s' && text !== '-');
  return [...words.slice(0, words.length - rest.length), ...options, constant('-c'), constant(script)];
}

/** `echo 'npm test || true' | sh` */
export function withPrinted(parts: readonly ShellLine[]): readonly ShellLine[] {
  const [first, last] = parts;
  if (parts.length !== 2 || first?.kind !== 'simple' || last?.kind !== 'simple') return parts;
  const [echo, ...said] = first.words;
  if (echo?.text !== 'echo' || said.some(({ varies, text }) => varies || text.startsWith('-'))) return parts;
  return [first, { ...last, words: asScript(last.words, said.map(({ text }) => text).join(' ')) }];
}
