// `liza setup`: what home-manifest.ts lists, each file whole or not at all, and all of it safe to repeat. What a person
// changed is theirs: it stays, and a newer text is put beside it as `.new`. `.setup.json` remembers what was written, so
// that uninstalling takes away exactly that.

import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { defined } from '../protocol/values.ts';
import { type Finding, ok, warning } from './finding.ts';
import {
  FOLDER,
  GLOBAL_FILES,
  hash,
  isOurs,
  PAGES,
  RECORD,
  readRecord,
  SHIPPED,
  VERSION,
  type Written,
} from './home-manifest.ts';
import {
  type Activated,
  type ActivationPlan,
  activate,
  deactivate,
  isActive,
  planActivation,
} from './setup-activation.ts';
import { type Completion, removeCompletions } from './setup-completion.ts';
import { dropEmpty, filesBelow, homeOf, placeBelow, putText, readText } from './setup-home.ts';

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

/** `source`: the package's own folder. Everything that could be refused is looked at before the first write. */
export function install(
  home: string,
  source: string,
  version: string,
  providers: readonly string[],
): Installed | Refusal {
  const folder = join(home, FOLDER);
  const former = installedVersion(home);
  const shipped = shippedFiles(source);
  const refused = refuseOlder(folder, version, former) ?? refuseIncomplete(shipped);
  if (refused !== undefined) return refused;
  const places = placesOf(home, [...shipped.map(({ path }) => path), VERSION, RECORD]);
  if (isRefusal(places)) return places;
  const plans = planActivations(home, shipped, providers);
  if (isRefusal(plans)) return plans;

  const before = readRecord(home);
  const { files, ...laid } = layOut(shipped, places, before.files);
  const { removed } = removeOwn(home, before.files, (path) => !files.has(path));
  const activated = plans.map(activate).filter(({ provider, already }) => !already || providers.includes(provider));
  const saved = activated.flatMap(({ provider, backup }) =>
    backup === undefined ? [] : [[provider, backup] as const],
  );
  const record = {
    version,
    files: Object.fromEntries(files),
    backups: { ...before.backups, ...Object.fromEntries(saved) },
    completions: before.completions,
  };
  putText(places.get(RECORD) ?? '', `${JSON.stringify(record, null, 2)}\n`);
  putText(places.get(VERSION) ?? '', `${version}\n`);
  return { folder, version, ...defined({ former }), ...laid, removed, activated };
}

function refuseOlder(folder: string, version: string, former: string | undefined): Refusal | undefined {
  if (former === undefined || !isOlder(version, former)) return undefined;
  return refuse(
    `${folder} was installed by Liza ${former}, this is ${version}`,
    'update Liza, or remove the newer files first: liza setup --uninstall',
    1,
    'older',
  );
}

function refuseIncomplete(shipped: readonly ShippedFile[]): Refusal | undefined {
  const missing = Object.keys(SHIPPED).find((part) => !shipped.some(({ path }) => path.startsWith(`${part}/`)));
  if (missing === undefined) return undefined;
  return refuse(
    `this installation of Liza lacks its ${missing}/ folder`,
    'install it again: liza help install',
    5,
    'package',
  );
}

/** Plans for the providers asked for, and for those active already, which follow a newer contract. */
function planActivations(
  home: string,
  shipped: readonly ShippedFile[],
  providers: readonly string[],
): readonly ActivationPlan[] | Refusal {
  const contract = PAGES.map((page) => shipped.find(({ path }) => path === page)?.text.trim() ?? '').join('\n\n');
  const active = Object.keys(GLOBAL_FILES).filter((provider) => isActive(home, provider));
  const plans: ActivationPlan[] = [];
  for (const provider of new Set([...providers, ...active])) {
    const plan = planActivation(home, provider, contract);
    if (isRefusal(plan)) return plan;
    plans.push(plan);
  }
  return plans;
}

interface ShippedFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

const shippedFiles = (source: string): readonly ShippedFile[] =>
  Object.entries(SHIPPED).flatMap(([part, mode]) => filesBelow(source, part).map((file) => ({ ...file, mode })));

/** Writes what is missing or still as we wrote it; offers the rest once: a person who deletes an offer does not want it. */
function layOut(
  shipped: readonly ShippedFile[],
  places: ReadonlyMap<string, string>,
  known: Written['files'],
): Pick<Installed, 'written' | 'unchanged' | 'kept'> & { readonly files: ReadonlyMap<string, string> } {
  const files = new Map(shipped.map(({ path, text }) => [path, hash(text)]));
  const written: string[] = [];
  const kept: Installed['kept'][number][] = [];
  let unchanged = 0;
  for (const { path, text, mode } of shipped) {
    const place = places.get(path) ?? '';
    const there = readText(place);
    if (there === text) unchanged += 1;
    else if (there === undefined || hash(there) === known[path]) {
      putText(place, text, mode);
      written.push(path);
    } else {
      const offer = `${path}.new`;
      const beside = readText(`${place}.new`);
      const isOffered = known[path] === hash(text);
      // An earlier offer that a person has begun to work on is not replaced.
      const isFree = beside === undefined || hash(beside) === known[offer];
      if (!isOffered && isFree) putText(`${place}.new`, text, mode);
      if (!isOffered || known[offer] !== undefined) files.set(offer, hash(text));
      kept.push({ file: path, ...(isOffered || !isFree ? {} : { offered: offer }) });
    }
  }
  return { files, written, unchanged, kept };
}

export interface Uninstalled {
  readonly folder: string;
  readonly removed: readonly string[];
  /** Changed by a person: theirs. */
  readonly kept: readonly string[];
  readonly deactivated: readonly Activated[];
  readonly completions: readonly Completion[];
}

/** Takes away what was written and is still as it was written. Nothing there: nothing to do. */
export function uninstall(home: string, source: string): Uninstalled | Refusal {
  const { files: known, backups, completions: scripts } = readRecord(home);
  // Also without a record, a file that equals the shipped text is ours.
  const files = { ...Object.fromEntries(shippedFiles(source).map(({ path, text }) => [path, hash(text)])), ...known };
  const deactivated: Activated[] = [];
  for (const provider of Object.keys(GLOBAL_FILES)) {
    const one = deactivate(home, provider, backups[provider]);
    if (one === undefined) continue;
    if (isRefusal(one)) return one;
    deactivated.push(one);
  }
  const places = placesOf(home, [VERSION, RECORD]);
  if (isRefusal(places)) return places;
  const completions = removeCompletions(home, scripts);
  if (isRefusal(completions)) return completions;
  const { removed, kept } = removeOwn(home, files, () => true);
  for (const place of places.values()) rmSync(place, { force: true });
  const folder = join(home, FOLDER);
  dropEmpty([folder, ...Object.keys(files).flatMap((path) => foldersOf(folder, path))]);
  return { folder, removed, kept, deactivated, completions };
}

/** The version that installed `~/.liza`; undefined: none did. */
export function installedVersion(home: string): string | undefined {
  const found = readText(join(home, FOLDER, VERSION))?.trim();
  return found === '' ? undefined : found;
}

/** For `liza doctor`; nothing installed is nothing wrong. */
export function homeFindings(env: Readonly<Record<string, string | undefined>>, version: string): readonly Finding[] {
  const home = homeOf(env);
  const found = typeof home === 'string' ? installedVersion(home) : undefined;
  if (found === undefined) return [];
  const check = 'setup';
  if (found === version) return [ok(check, `~/.liza has Liza ${version}`)];
  const message = `~/.liza has Liza ${found}, this is ${version}`;
  const remedy = isOlder(found, version) ? 'bring it up to date: liza setup' : 'update Liza: liza help install';
  return [warning(check, message, remedy)];
}

/** Compares the three numbers; ignores what follows a dash. */
export function isOlder(version: string, than: string): boolean {
  const numbers = (text: string): readonly number[] => (text.split('-')[0] ?? '').split('.').map(Number);
  const [mine, other] = [numbers(version), numbers(than)];
  const at = [0, 1, 2].find((nth) => (mine[nth] ?? 0) !== (other[nth] ?? 0));
  return at !== undefined && (mine[at] ?? 0) < (other[at] ?? 0);
}

function placesOf(home: string, paths: readonly string[]): ReadonlyMap<string, string> | Refusal {
  const places = new Map<string, string>();
  for (const path of paths) {
    const place = placeBelow(home, `${FOLDER}/${path}`);
    if (typeof place !== 'string') return place;
    places.set(path, place);
  }
  return places;
}

function removeOwn(home: string, files: Written['files'], wanted: (path: string) => boolean) {
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
