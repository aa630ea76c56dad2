// Which files of a commit a set-up command reads: those that `setup_inputs` names, or what is known of a plain `npm ci`
// and its like. Wherever another file might be read, the whole commit counts. A result is made from these files alone, so
// that no other file can have a part in it.

import { matches } from '../../protocol/facts/globs.ts';
import { isFields } from '../../protocol/values.ts';

/** Whether a path is read; undefined: everything counts. */
export type Reads = (path: string) => boolean;

export const readsOf = (globs: readonly string[]): Reads | undefined =>
  globs.length === 0 ? undefined : (path) => globs.some((glob) => matches(glob, path));

const NPM = ['package.json', 'package-lock.json', 'npm-shrinkwrap.json', '.npmrc'];

interface Known {
  readonly command: RegExp;
  readonly lock: string;
  readonly files: readonly string[];
}

/** Only installs that a lock file decides; a flag that is not known here makes the command another one. */
const KNOWN: readonly Known[] = [
  {
    command: /^npm (?:ci|clean-install)(?: --(?:no-audit|no-fund|no-progress|prefer-offline|ignore-scripts|silent))*$/,
    lock: 'package-lock.json',
    files: NPM,
  },
  {
    command: /^pnpm (?:i|install) --frozen-lockfile(?: --(?:prefer-offline|ignore-scripts|silent))*$/,
    lock: 'pnpm-lock.yaml',
    files: ['package.json', 'pnpm-lock.yaml', '.npmrc'],
  },
];

/** The lock file that a known command goes by, which is to be read for `knownReads`. */
export const lockOf = (command: string): string | undefined => find(command)?.lock;

const find = (command: string): Known | undefined =>
  KNOWN.find((one) => one.command.test(command.trim().replace(/\s+/g, ' ')));

/** Scripts of the project that an install runs, and that may read any file. */
const SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];

/** What makes an install run or read more than these files: it then reads the whole commit. */
export const STEERS_INSTALL = [
  'binding.gyp',
  'pnpm-workspace.yaml',
  '.pnpmfile.cjs',
  'pnpmfile.cjs',
  'patches',
] as const;

/** `packageText`, `lockText`: as the commit has them; undefined: it has none. */
export function knownReads(
  command: string,
  packageText: string | undefined,
  lockText: string | undefined,
): Reads | undefined {
  const known = find(command);
  if (known === undefined || packageText === undefined || lockText === undefined) return undefined;
  const about = parsed(packageText);
  if (about === undefined || 'workspaces' in about || 'pnpm' in about) return undefined;
  const scripts = isFields(about['scripts']) ? about['scripts'] : {};
  if (SCRIPTS.some((name) => name in scripts)) return undefined;
  // A package of the project itself, by its path: its files are part of the result.
  if (/\b(?:file|link|workspace|portal):|"link": *true/.test(`${packageText}\n${lockText}`)) return undefined;
  return (path) => known.files.includes(path);
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
