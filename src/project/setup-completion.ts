// Completion for a person's shell: one file in the folder where that shell, or its completion package, looks for it.
// Never edits a start file of a shell. `.setup.json` remembers each file by its hash: one with another text is a person's,
// and stays.

import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { FOLDER, hash, RECORD, readRecord, type Written } from './home-manifest.ts';
import { dropEmpty, placeBelow, putText, readText } from './setup-home.ts';

/** Shell → the file below home. */
export const COMPLETIONS: Readonly<Record<string, string>> = {
  bash: '.local/share/bash-completion/completions/liza',
  zsh: '.local/share/zsh/site-functions/_liza',
  fish: '.config/fish/completions/liza.fish',
};

export interface Completion {
  readonly shell: string;
  readonly file: string;
  readonly done: 'written' | 'unchanged' | 'kept' | 'removed';
}

/** Writes the scripts of the shells asked for, and brings those up to date that an earlier setup wrote. */
export function installCompletions(
  home: string,
  scripts: Readonly<Record<string, string>>,
  asked: readonly string[],
): readonly Completion[] | Refusal {
  const record = placeBelow(home, `${FOLDER}/${RECORD}`);
  if (typeof record !== 'string') return record;
  const before = readRecord(home);
  const wanted = Object.keys(COMPLETIONS).filter((shell) => asked.includes(shell) || shell in before.completions);
  const places = placesOf(home, wanted);
  if (isRefusal(places)) return places;
  const done = places.map(({ shell, file }): Completion => {
    const script = scripts[shell] ?? '';
    const there = readText(file);
    if (there === script) return { shell, file, done: 'unchanged' };
    if (there !== undefined && hash(there) !== before.completions[shell]) return { shell, file, done: 'kept' };
    // A person who deleted it does not want it.
    if (there === undefined && !asked.includes(shell)) return { shell, file, done: 'removed' };
    putText(file, script);
    return { shell, file, done: 'written' };
  });
  const ours = done.filter((one) => one.done === 'written' || one.done === 'unchanged');
  const completions = Object.fromEntries(ours.map(({ shell }) => [shell, hash(scripts[shell] ?? '')]));
  if (wanted.length > 0) putText(record, recordText(readText(record), completions));
  return done.filter((one) => asked.includes(one.shell) || one.done === 'written' || one.done === 'kept');
}

const recordText = (text: string | undefined, completions: Written['completions']): string =>
  `${JSON.stringify({ ...JSON.parse(text ?? '{}'), completions }, null, 2)}\n`;

/** Takes away the files that are as setup wrote them. */
export function removeCompletions(home: string, known: Written['completions']): readonly Completion[] | Refusal {
  const places = placesOf(
    home,
    Object.keys(COMPLETIONS).filter((shell) => shell in known),
  );
  if (isRefusal(places)) return places;
  return places.flatMap(({ shell, file }): readonly Completion[] => {
    const there = readText(file);
    if (there === undefined) return [];
    if (hash(there) !== known[shell]) return [{ shell, file, done: 'kept' }];
    rmSync(file);
    dropEmpty([dirname(file), dirname(dirname(file))]);
    return [{ shell, file, done: 'removed' }];
  });
}

function placesOf(
  home: string,
  shells: readonly string[],
): readonly { readonly shell: string; readonly file: string }[] | Refusal {
  const found: { readonly shell: string; readonly file: string }[] = [];
  for (const shell of shells) {
    const file = placeBelow(home, COMPLETIONS[shell] ?? '');
    if (typeof file !== 'string') return file;
    found.push({ shell, file });
  }
  return found;
}

/** What a person still has to do for it; undefined: nothing, the shell finds the file by itself. */
export function nextStep({ shell, file }: Completion): string | undefined {
  if (shell === 'bash')
    return `bash loads it by itself where the package bash-completion is installed; else add to ~/.bashrc: source ${file}`;
  if (shell === 'zsh') return `add to ~/.zshrc, below compinit: source ${file}`;
  return undefined;
}

export const isInstalled = (home: string, shell: string): boolean => {
  const file = COMPLETIONS[shell];
  return file !== undefined && readText(join(home, file)) !== undefined;
};
