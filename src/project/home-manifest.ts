// What `liza setup` puts below a person's home folder, as data: setup writes it, `setup --uninstall` takes it away. What a
// later release installs is added here. `.setup.json` remembers what was written: a file whose hash is on record is Liza's,
// one with another text is a person's. It may be damaged or forged: no path in it leads out of what a setup writes.

import { hash as hashOf } from 'node:crypto';
import { join } from 'node:path';
import { isFields } from '../protocol/values.ts';
import { readText } from './setup-home.ts';

/** In the home folder. */
export const FOLDER = '.liza';
/** Folders of the package that are copied there → the mode of their files. */
export const SHIPPED: Readonly<Record<string, number>> = { contracts: 0o644, templates: 0o644, scripts: 0o755 };
/** There, too, and written last: what setup wrote, by its hash, and which version did. */
export const RECORD = '.setup.json';
export const VERSION = 'VERSION';

/** Provider → the file below home that it reads in every project. An activation adds a marked block to it. */
export const GLOBAL_FILES: Readonly<Record<string, string>> = {
  claude: '.claude/CLAUDE.md',
  codex: '.codex/AGENTS.md',
  gemini: '.gemini/GEMINI.md',
  opencode: '.config/opencode/AGENTS.md',
};
/** What the block holds: shipped pages, imported by those providers whose files can, else as text. */
export const PAGES: readonly string[] = ['contracts/CORE.md', 'contracts/PAIRING_MODE.md'];
export const IMPORTING: readonly string[] = ['claude'];

export interface Written {
  /** Path below ~/.liza → hash of the text that was written or offered there. */
  readonly files: Readonly<Record<string, string>>;
  /** Provider → the copy of its file from before. */
  readonly backups: Readonly<Record<string, string>>;
  /** Shell → hash of the completion script that was written for it (setup-completion.ts). */
  readonly completions: Readonly<Record<string, string>>;
}

/** A damaged one counts as none: then nothing is ours unless it equals what we ship. */
export function readRecord(home: string): Written {
  try {
    const read: unknown = JSON.parse(readText(join(home, FOLDER, RECORD)) ?? '{}');
    const { files, backups, completions } = isFields(read) ? read : {};
    return { files: texts(files), backups: texts(backups), completions: texts(completions) };
  } catch {
    return { files: {}, backups: {}, completions: {} };
  }
}

const texts = (value: unknown): Readonly<Record<string, string>> =>
  isFields(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {};

/** Only paths that a setup can have written, whatever the record says. */
export const isOurs = (path: string): boolean =>
  Object.keys(SHIPPED).some((part) => path.startsWith(`${part}/`)) && !path.split('/').includes('..');

export const hash = (text: string): string => hashOf('sha256', text);
