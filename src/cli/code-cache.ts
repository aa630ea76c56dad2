// Loads a part of the bundle through V8's code cache, which saves more than half of what compiling it costs at
// every start. Each command has a cache of its own, which holds the functions that it needs and no others. A cache
// stays beside the part it was made from, so only someone who could change the program itself could change it; its
// name holds the part's hash and V8's version, because V8 compares no more than the length of the source. Where it
// cannot be written, starting is only slower.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';
import { defined } from '../protocol/values.ts';

/** Put in by tools/bundle.mjs: the hash of each part. */
declare const PART_IDS: Readonly<Record<string, string>>;

type Part = Readonly<Record<string, () => unknown>>;

const command = commandOf(process.argv.slice(2));

const loaded = new Map<string, Part>();
const unsaved: (() => void)[] = [];

export function part(file: string): Part {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const source = join(__dirname, file);
  const made = `${process.versions.v8}-${process.arch}`;
  const cache = join(__dirname, `${basename(file, '.cjs')}-${PART_IDS[file]}-${command}-${made}.cache`);
  const cachedData = readIfThere(cache);
  // The bundler writes ASCII, and one byte a character is read fastest.
  const script = new Script(readFileSync(source, 'latin1'), {
    filename: source,
    ...defined({ cachedData }),
  });
  if (cachedData === undefined || script.cachedDataRejected === true) unsaved.push(() => save(cache, script));
  const module = { exports: {} as Part };
  script.runInThisContext()(module.exports, requireFrom, module, source, __dirname);
  loaded.set(file, module.exports);
  return module.exports;
}

/** The bundler writes a lazy import that leads into another part as `part:module`. */
function requireFrom(name: string): unknown {
  const [file = '', module] = name.split(':');
  return module !== undefined && file in PART_IDS ? part(file)[module]?.() : require(name);
}

/** The words may come from an agent, and V8 trusts what it reads: only letters, dashes and `_` ever name a file. */
function commandOf(words: readonly string[]): string {
  const [first = 'help'] = words.filter((word) => !word.startsWith('-'));
  const helps = words.includes('--help') || words.includes('-h');
  return !helps && /^[a-z_-]+$/.test(first) ? first : 'help';
}

/**
 * After a command that succeeded: by then the functions it needs are compiled and go into the cache with the rest.
 * A refusal stops halfway, and a word that is no command must leave no file.
 */
export function saveCompiled(): void {
  for (const save of unsaved.splice(0)) save();
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function save(file: string, script: Script): void {
  try {
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, script.createCachedData());
    renameSync(temporary, file);
  } catch {
    // Installed by another user, or read-only: nothing is lost but a few milliseconds.
  }
}
