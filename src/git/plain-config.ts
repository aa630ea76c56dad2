// The project's own git configuration, read as text where it is of the plain form that git itself writes: every command
// needs it, and a process would cost more than the rest of many of them. Whatever could mean something else (quotes,
// escapes, includes, other files, another owner) is left to git.

import { join } from 'node:path';
import { isExecutableFile } from '../ports/disk.ts';
import type { Host } from '../ports/host.ts';
import { plainText } from '../process/plain-file.ts';

type Setting = readonly [key: string, value: string];

const MOST_BYTES = 1024 * 1024;

/** As `git config --list` has them, keys in lower case but for the part in the middle; undefined: git has to be asked. */
export function plainConfig(
  host: Pick<Host, 'disk' | 'env'>,
  root: string,
  common: string,
): readonly Setting[] | undefined {
  const { disk, env } = host;
  // Without git, whoever asks is told so at once.
  if (!(env.PATH ?? '').split(':').some((folder) => isExecutableFile(disk, join(folder, 'git')))) return undefined;
  // Git refuses what belongs to somebody else.
  const me = disk.statSync('/proc/self', { throwIfNoEntry: false })?.uid;
  const isOurs = (path: string): boolean => disk.lstatSync(path, { throwIfNoEntry: false })?.uid === me;
  if (me === undefined || ![root, join(root, '.git'), common].every(isOurs)) return undefined;
  const text = plainText(disk, join(common, 'config'), MOST_BYTES);
  return text === undefined ? undefined : parsePlainConfig(text);
}

const SECTION = /^\[([A-Za-z0-9-]+)(?: "([^"\\]+)")?\]$/;
const VARIABLE = /^\t?([A-Za-z][A-Za-z0-9-]*)(?: = ([^\s"\\#;]+(?: [^\s"\\#;]+)*)?)?$/;

export function parsePlainConfig(text: string): readonly Setting[] | undefined {
  const found: Setting[] = [];
  let section: string | undefined;
  for (const line of text.split('\n')) {
    const [head, name = '', part] = SECTION.exec(line) ?? [];
    const [variable, key = '', value] = VARIABLE.exec(line) ?? [];
    if (head !== undefined) section = [name.toLowerCase(), ...(part === undefined ? [] : [part])].join('.');
    else if (variable !== undefined && section !== undefined)
      found.push([`${section}.${key.toLowerCase()}`, value ?? (variable.includes('=') ? '' : 'true')]);
    else if (line !== '' && !/^[#;]/.test(line)) return undefined;
  }
  return found.some(isOfAnotherKind) ? undefined : found;
}

const isOfAnotherKind = ([key, value]: Setting): boolean =>
  /^(include|includeif)\./.test(key) ||
  (key.startsWith('extensions.') && key !== 'extensions.objectformat') ||
  (key === 'core.repositoryformatversion' && !/^[01]$/.test(value));
