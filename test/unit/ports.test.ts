// Nobody goes around the ports: outside src/ports, src/cli and src/project no file touches the disk, the clock, chance,
// the network or a process, except through the host it was given (src/ports/host.ts). A deterministic simulation of the
// whole program relies on it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');
const FREE: readonly string[] = ['ports', 'cli', 'project'];

const roomOf = (file: string): string => file.split('/')[0] ?? '';
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !FREE.includes(roomOf(name)),
);

/** Modules of node whose functions give the same answer for the same input. */
const MODULES: ReadonlySet<string> = new Set([
  'buffer',
  'events',
  'path',
  'stream',
  'stream/promises',
  'string_decoder',
  'url',
  'util',
]);
const HASHING: ReadonlySet<string> = new Set(['createHash', 'createHmac', 'hash', 'Hash', 'timingSafeEqual', 'type']);
const GLOBALS: readonly RegExp[] = [
  /\bset(Timeout|Interval|Immediate)\(/,
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bperformance\.(now|timeOrigin)\b/,
  /\bMath\.random\b/,
  /\bcrypto\.(getRandomValues|randomUUID)\b/,
  /(?<![\w.])fetch\(/,
  /(?<![\w.'`-])process\.\w+/,
  /\brequire\(/,
];
/** What only the free rooms may give to others. */
const REAL = /\b(real(Clock|Disk|Files|Host)|acquireLock|runGit)\b/;

function trespasses(source: string): readonly string[] {
  // Types are gone at run time, and comments touch nothing.
  const text = source.replace(/^\s*(\/\/|\/?\*).*$/gm, '').replace(/^import type [^;]*;/gm, '');
  const modules = [...text.matchAll(/\b(?:import|export)\b([^'";]*)'node:([\w/]+)'/g)]
    .filter(([, names = '', name = '']) => {
      if (name !== 'crypto') return !MODULES.has(name);
      const taken = names.replace(/\bfrom\b/, '').match(/\w+/g) ?? [];
      return taken.length === 0 || taken.some((one) => !HASHING.has(one));
    })
    .map(([, , name]) => `node:${name}`);
  return [...modules, ...[...GLOBALS, REAL].flatMap((pattern) => pattern.exec(text)?.[0] ?? [])];
}

const found = FILES.flatMap((file) =>
  trespasses(readFileSync(join(SRC, file), 'utf8')).map((what) => ({ file, what })),
);

test('nobody goes around the ports', () => {
  expect(FILES.length).toBeGreaterThan(200);
  expect(found.map(({ file, what }) => `${file}: ${what}`)).toEqual([]);
});

test.each([
  ["import { readFileSync } from 'node:fs';", ['node:fs']],
  ["import { writeFile } from 'node:fs/promises';", ['node:fs/promises']],
  ["import fs, {\n  statSync,\n} from 'node:fs';", ['node:fs']],
  ["const { request } = await import('node:https');", ['node:https']],
  ["import { createHash, randomUUID } from 'node:crypto';", ['node:crypto']],
  ["import { createHash, type Hash } from 'node:crypto';", []],
  ["import type { BigIntStats } from 'node:fs';", []],
  ["import { join } from 'node:path';", []],
  ['const at = Date.now();', ['Date.now']],
  ['const at = new Date();', ['new Date()']],
  ['const at = new Date(1);', []],
  ['setTimeout(done, 5);', ['setTimeout(']],
  ['if (process.platform) {}', ['process.platform']],
  ['if (task.process.pid) {}', []],
  ['// process.env', []],
  ["import { realFiles } from '../ports/files.ts';", ['realFiles']],
])('the rule reads: %s', (source, wrong) => {
  expect(trespasses(source)).toEqual(wrong);
});
