// Pairing mode made global for a provider: a marked block in the instruction file it reads everywhere.
// Only the text between the marks is ours. The file as it was is kept beside it as `.bak-<n>`.

import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { defined } from '../protocol/values.ts';
import { FOLDER, GLOBAL_FILES, IMPORTING, PAGES } from './home-manifest.ts';
import { dropEmpty, placeBelow, putText, readText } from './setup-home.ts';

export interface Activated {
  readonly provider: string;
  readonly file: string;
  /** The file as it was before, where there was one and it changed now. */
  readonly backup?: string;
  readonly already?: true;
}

const BEGIN = '<!-- liza:begin · written by `liza setup --activate`, removed by `liza setup --uninstall` -->';
const END = '<!-- liza:end -->';
const MARKED = /\n?<!-- liza:begin[^\n]*-->\n[\s\S]*?<!-- liza:end -->\n?/;

/** What the file is and will be; nothing is written yet. */
export interface ActivationPlan {
  readonly provider: string;
  readonly file: string;
  readonly before: string | undefined;
  /** The person's own part. */
  readonly rest: string;
  readonly after: string;
}

/** `contract`: the pages as text, for providers whose files cannot import others. */
export function planActivation(home: string, provider: string, contract: string): ActivationPlan | Refusal {
  const file = placeBelow(home, GLOBAL_FILES[provider] ?? '');
  if (typeof file !== 'string') return file;
  const before = readExactly(file);
  if (typeof before === 'object') return before;
  const rest = withoutBlock(before ?? '', file);
  if (typeof rest !== 'string') return rest;
  const gap = rest === '' ? '' : rest.endsWith('\n') ? '\n' : '\n\n';
  return { provider, file, before, rest, after: `${rest}${gap}${block(provider, contract)}` };
}

export function activate({ provider, file, before, rest, after }: ActivationPlan): Activated {
  if (after === before) return { provider, file, already: true };
  // A file in which only our own block changes needs no copy.
  const backup = before === undefined || rest !== before ? undefined : freeBackup(file);
  if (backup !== undefined) putText(backup, before ?? '');
  putText(file, after);
  return { provider, file, ...defined({ backup }) };
}

/** Whether its file has our block: it is then kept current. */
export function isActive(home: string, provider: string): boolean {
  const file = placeBelow(home, GLOBAL_FILES[provider] ?? '');
  return typeof file === 'string' && MARKED.test(readText(file) ?? '');
}

/** Takes the block out again; a file that held nothing else goes, and so does a backup that equals what is left. */
export function deactivate(home: string, provider: string, backup?: string): Activated | Refusal | undefined {
  const file = placeBelow(home, GLOBAL_FILES[provider] ?? '');
  const before = typeof file === 'string' ? readExactly(file) : undefined;
  // What cannot hold our block, a folder or a link that leads away, was never activated.
  if (typeof file !== 'string' || typeof before === 'object' || before === undefined || !before.includes('<!-- liza:'))
    return undefined;
  const rest = withoutBlock(before, file);
  if (typeof rest !== 'string') return rest;
  if (rest === before) return undefined;
  // Only a copy of this very file, whatever the manifest says.
  const saved = backup?.startsWith(`${file}.bak-`) ? readText(backup) : undefined;
  const same = saved !== undefined && saved.trimEnd() === rest.trimEnd();
  if (same) putText(file, saved);
  else if (rest.trim() !== '') putText(file, rest);
  else {
    rmSync(file);
    dropEmpty([dirname(file)]);
  }
  if (same && backup !== undefined) rmSync(backup);
  return { provider, file, ...(same || saved === undefined || backup === undefined ? {} : { backup }) };
}

/** Written back it must be the same bytes. */
function readExactly(file: string): string | undefined | Refusal {
  const text = readText(file);
  if (text === undefined || !text.includes('\ufffd')) return text;
  return refuse(`${file} is not plain UTF-8 text`, 'correct it first, so that nothing in it is lost', 1, 'encoding');
}

function withoutBlock(text: string, file: string): string | Refusal {
  const begins = text.split('<!-- liza:begin').length - 1;
  const ends = text.split(END).length - 1;
  if (begins === ends && begins <= 1 && (begins === 0 || MARKED.test(text))) return text.replace(MARKED, '');
  return refuse(
    `the marks of Liza's block in ${file} do not match`,
    `remove the lines from <!-- liza:begin to ${END} by hand, then run it again`,
    1,
    'marks',
  );
}

function block(provider: string, contract: string): string {
  const told = 'This block is for pairing. A session whose bootstrap says `Mode: Liza <role>` skips it.';
  const imports = PAGES.map((page) => `@~/${FOLDER}/${page}`).join('\n');
  const pages = IMPORTING.includes(provider) ? imports : contract.trim();
  return `${BEGIN}\n${told}\n\n${pages}\n${END}\n`;
}

function freeBackup(file: string): string {
  let n = 1;
  while (existsSync(`${file}.bak-${n}`)) n++;
  return `${file}.bak-${n}`;
}
