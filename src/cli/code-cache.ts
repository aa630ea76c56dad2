// Loads a part of the bundle through V8's code cache, which saves more than half of what compiling it
// costs at every start. The cache lies beside the part it was made from, so whoever could change it
// could change the program itself; its name holds the part's hash and V8's version, because V8 compares
// no more than the length of the source. Where it cannot be written, starting is only slower.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';
import { defined } from '../protocol/values.ts';

type Part = Readonly<Record<string, () => unknown>>;

/** Commands that need other code than a transaction does have a cache of their own; all others share one. */
const APART = new Set([
  ...['status', 'validate', 'log', 'show', 'help', 'version', 'doctor', 'init'],
  ...['begin', 'claim-task', 'claim-review', 'release-claim', 'submit-for-review', 'wt'],
  ...['run', 'agent', 'demo', 'rehearse', 'setup'],
]);
const use = APART.has(process.argv[2] ?? '') ? process.argv[2] : 'write';

const loaded = new Map<string, Part>();
const unsaved: (() => void)[] = [];

export function part(file: string, id: string): Part {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const source = join(__dirname, file);
  const made = `${process.versions.v8}-${process.arch}`;
  const cache = join(__dirname, `${basename(file, '.cjs')}-${id}-${use}-${made}.cache`);
  const cachedData = readIfThere(cache);
  // The bundler writes ASCII, and one byte a character is read fastest.
  const text = readFileSync(source, 'latin1');
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
    filename: source,
    ...defined({ cachedData }),
  });
  if (cachedData === undefined || script.cachedDataRejected === true) unsaved.push(() => save(cache, script));
  const module = { exports: {} as Part };
  script.runInThisContext()(module.exports, require, module, source, __dirname);
  loaded.set(file, module.exports);
  return module.exports;
}

/** After the command: by then the functions it needs are compiled and go into the cache with the rest. */
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
