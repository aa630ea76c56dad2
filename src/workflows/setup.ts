// `liza setup`: contracts, templates and shims below ~/.liza, each file whole or not at all, and all of it
// safe to repeat. What a person changed is theirs: it stays, and a newer text is laid beside it as `.new`.
// `.setup.json` remembers what was written, so that uninstalling takes away exactly that.

import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Refusal, refuse } from '../core/decision.ts';
import { isFields } from '../core/values.ts';
import { isRefusal } from './hands.ts';
import { type Activated, activate, deactivate, GLOBAL_FILES } from './setup-activation.ts';
import { dropEmpty, filesBelow, placeBelow, putText, readText } from './setup-home.ts';

const FOLDER = '.liza';
const SHIPPED = ['contracts', 'templates', 'scripts'] as const;

export interface Installed {
  readonly folder: string;
  readonly version: string;
  /** The version that was there before. */
  readonly former?: string;
  readonly written: readonly string[];
  readonly unchanged: number;
  /** Changed by a person and left alone; `offered`: the newer text beside it. */
  readonly kept: readonly { readonly file: string; readonly offered?: string }[];
  readonly removed: readonly string[];
  readonly activated: readonly Activated[];
}

/** `source`: the package's own folder. */
export function install(
  home: string,
  source: string,
  version: string,
  providers: readonly string[],
): Installed | Refusal {
  const folder = join(home, FOLDER);
  const former = installedVersion(home);
  if (former !== undefined && isOlder(version, former)) {
    return refuse(
      `${folder} was installed by Liza ${former}, this is ${version}`,
      'update Liza, or take the newer files away first: liza setup --uninstall',
      1,
      'older',
    );
  }
  const shipped = SHIPPED.flatMap((part) => filesBelow(source, part));
  const places = placesOf(home, [...shipped.map(({ path }) => path), 'VERSION', MANIFEST]);
  if (isRefusal(places)) return places;
  const before = readManifest(home);
  const now = new Map<string, string>();
  const done = { written: [] as string[], kept: [] as { file: string; offered?: string }[], unchanged: 0 };
  for (const { path, text } of shipped) {
    const place = places.get(path) ?? '';
    const there = readText(place);
    const mode = path.startsWith('scripts/') ? 0o755 : 0o644;
    now.set(path, hash(text));
    if (there === text) done.unchanged += 1;
    else if (there === undefined || hash(there) === before.files[path]) {
      putText(place, text, mode);
      done.written.push(path);
    } else {
      // Offered once: whoever deleted the offer does not want it again.
      const known = before.files[path] === hash(text);
      if (!known) putText(`${place}.new`, text, mode);
      if (!known || before.files[`${path}.new`] !== undefined) now.set(`${path}.new`, hash(text));
      done.kept.push({ file: path, ...(known ? {} : { offered: `${path}.new` }) });
    }
  }
  const removed = removeOwn(home, before.files, (path) => !now.has(path)).removed;
  const contract = ['contracts/CORE.md', 'contracts/PAIRING_MODE.md']
    .map((path) => shipped.find((file) => file.path === path)?.text.trim() ?? '')
    .join('\n\n');
  const activated: Activated[] = [];
  const backups = { ...before.backups };
  let stopped: Refusal | undefined;
  for (const provider of providers) {
    const one = activate(home, provider, contract);
    if (isRefusal(one)) {
      stopped = one;
      break;
    }
    activated.push(one);
    if (one.backup !== undefined) backups[provider] = one.backup;
  }
  putText(
    places.get(MANIFEST) ?? '',
    `${JSON.stringify({ version, files: Object.fromEntries(now), backups }, null, 2)}\n`,
  );
  putText(places.get('VERSION') ?? '', `${version}\n`);
  if (stopped !== undefined) return stopped;
  return { folder, version, ...(former === undefined ? {} : { former }), ...done, removed, activated };
}

export interface Uninstalled {
  readonly folder: string;
  readonly removed: readonly string[];
  /** Changed by a person: theirs. */
  readonly kept: readonly string[];
  readonly deactivated: readonly Activated[];
}

/** Takes away what was written and is still as it was written. Nothing there: nothing to do. */
export function uninstall(home: string): Uninstalled | Refusal {
  const { files, backups } = readManifest(home);
  const deactivated: Activated[] = [];
  for (const provider of Object.keys(GLOBAL_FILES)) {
    const one = deactivate(home, provider, backups[provider]);
    if (isRefusal(one)) return one;
    if (one !== undefined) deactivated.push(one);
  }
  const places = placesOf(home, ['VERSION', MANIFEST]);
  if (isRefusal(places)) return places;
  const { removed, kept } = removeOwn(home, files, () => true);
  for (const place of places.values()) rmSync(place, { force: true });
  const folder = join(home, FOLDER);
  dropEmpty([folder, ...Object.keys(files).flatMap((path) => foldersOf(folder, path))]);
  return { folder, removed, kept, deactivated };
}

/** What `~/.liza` was installed by; undefined: it was not. */
export function installedVersion(home: string): string | undefined {
  const found = readText(join(home, FOLDER, 'VERSION'))?.trim();
  return found === '' ? undefined : found;
}

/** By the three numbers; what follows a dash counts for nothing. */
export function isOlder(version: string, than: string): boolean {
  const numbers = (text: string): readonly number[] => (text.split('-')[0] ?? '').split('.').map(Number);
  const [mine, other] = [numbers(version), numbers(than)];
  const at = [0, 1, 2].find((nth) => (mine[nth] ?? 0) !== (other[nth] ?? 0));
  return at !== undefined && (mine[at] ?? 0) < (other[at] ?? 0);
}

const MANIFEST = '.setup.json';

interface Manifest {
  /** Path below ~/.liza → hash of the text that was written or offered there. */
  readonly files: Readonly<Record<string, string>>;
  /** Provider → the copy of its file from before. */
  readonly backups: Readonly<Record<string, string>>;
}

/** A damaged one counts as none: then nothing is ours unless it equals what we ship. */
function readManifest(home: string): Manifest {
  try {
    const read: unknown = JSON.parse(readText(join(home, FOLDER, MANIFEST)) ?? '{}');
    const { files, backups } = isFields(read) ? read : {};
    return { files: texts(files), backups: texts(backups) };
  } catch {
    return { files: {}, backups: {} };
  }
}

const texts = (value: unknown): Readonly<Record<string, string>> =>
  isFields(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {};

function placesOf(home: string, paths: readonly string[]): ReadonlyMap<string, string> | Refusal {
  const places = new Map<string, string>();
  for (const path of paths) {
    const place = placeBelow(home, `${FOLDER}/${path}`);
    if (typeof place !== 'string') return place;
    places.set(path, place);
  }
  return places;
}

/** Only paths that a setup can have written, whatever the manifest says. */
const isOurs = (path: string): boolean =>
  SHIPPED.some((part) => path.startsWith(`${part}/`)) && !path.split('/').includes('..');

function removeOwn(home: string, files: Manifest['files'], wanted: (path: string) => boolean) {
  const removed: string[] = [];
  const kept: string[] = [];
  for (const [path, written] of Object.entries(files)) {
    const place = isOurs(path) && wanted(path) ? placeBelow(home, `${FOLDER}/${path}`) : undefined;
    const there = typeof place === 'string' ? readText(place) : undefined;
    if (typeof place !== 'string' || there === undefined) continue;
    if (hash(there) === written) {
      rmSync(place);
      removed.push(path);
    } else kept.push(path);
  }
  return { removed, kept };
}

function foldersOf(folder: string, path: string): readonly string[] {
  const up = dirname(path);
  return up === '.' ? [] : [join(folder, up), ...foldersOf(folder, up)];
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
