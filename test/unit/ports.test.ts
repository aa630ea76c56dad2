// Nobody goes around the ports: outside src/ports, src/cli and src/project no file touches the disk, the clock, chance,
// the network or a process, except through the host it was given (src/ports/host.ts). A deterministic simulation of the
// whole program relies on it. biome.json forbids the globals that lead out, and in src/cli and src/project allows
// `process` to the files that start the program; this test has what a linter cannot say.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMPUTED, type Import, importsIn, SOURCES, sourceOf, withoutComments } from '../support/source-imports.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FREE: readonly string[] = ['ports', 'cli', 'project'];
const FILES = SOURCES.filter((file) => !FREE.includes(file.split('/')[0] ?? ''));

/** Modules of node whose functions give the same answer for the same input. */
const MODULES = /^node:(buffer|events|path|stream|stream\/promises|string_decoder|url|util)$/;
const HASHING = /^(createHash|createHmac|hash|timingSafeEqual)$/;
/** What works on the port that it is given. */
const GIVEN =
  /^(filesOn|replaceFile|writeTemporary|settle|discard|appendFile|appendBounded|syncDirectory|errorCode|isExecutableFile|beginningOf|MINIMUM_GIT|sha256|sha256Of|DatabaseError|literal|watchFolder)$/;

/** A date without an argument is now; a zone, unless it is named, is the machine's. */
const HIDDEN_INPUTS: readonly RegExp[] = [
  /(?<!new )\bDate\b(?!\.(UTC|parse)\()/,
  /\bnew Date\b(?!\([^)])/,
  /\bMath\.random\b/,
  /\bAbortSignal\.timeout\b/,
  /\bgetTimezoneOffset\b|\btoLocale\w*String\b/,
];

function leadsOut({ module, names, type }: Import): boolean {
  if (type) return false;
  if (module === COMPUTED) return true;
  const takes = (allowed: RegExp): boolean => names.length > 0 && names.every((name) => allowed.test(name));
  if (module === 'node:crypto') return !takes(HASHING);
  if (module.startsWith('node:')) return !MODULES.test(module);
  if (/(^|\/)ports\//.test(module)) return names.length > 0 && !takes(GIVEN);
  return false;
}

const trespasses = (source: string): readonly string[] => [
  ...importsIn(source)
    .filter(leadsOut)
    .map(({ module }) => module),
  ...HIDDEN_INPUTS.flatMap((pattern) => pattern.exec(withoutComments(source))?.[0] ?? []),
];

test('nobody goes around the ports', () => {
  expect(FILES.length).toBeGreaterThan(200);
  const found = FILES.flatMap((file) => trespasses(sourceOf(file)).map((what) => `${file}: ${what}`));
  expect(found).toEqual([]);
});

/** The program's own files, and what a person names or pipes in. */
const OPENS_ITSELF = ['cli/code-cache.ts', 'cli/entry.ts', 'cli/input.ts', 'ports/disk.ts', 'ports/git-watch.ts'];
const OPENING = /^(open|openSync|read\w*File\w*|write\w*File\w*|append\w*|copyFile\w*|create(Read|Write)Stream)$/;

test('files are opened by ports/disk.ts alone, which takes no pipe and no device', () => {
  const found = SOURCES.filter((file) =>
    importsIn(sourceOf(file)).some(
      ({ module, names, type }) =>
        !type && /^node:fs/.test(module) && (names.length === 0 || names.some((name) => OPENING.test(name))),
    ),
  );
  // /proc alone is read there, never what an agent could replace.
  expect(found.sort()).toEqual([...OPENS_ITSELF, 'ports/locks.ts'].sort());
});

test.each([
  ["import { readFileSync } from 'node:fs';", ['node:fs']],
  ["import { writeFile } from 'node:fs/promises';", ['node:fs/promises']],
  ["import fs, {\n  statSync,\n} from 'node:fs';", ['node:fs']],
  ["const { request } = await import('node:https');", ['node:https']],
  ['const { request } = await import(`node:https`);', [COMPUTED]],
  ["const main = await import('../cli/main.ts' as string);", [COMPUTED]],
  ["import { createHash, randomUUID } from 'node:crypto';", ['node:crypto']],
  ["import * as crypto from 'node:crypto';", ['node:crypto']],
  ["import { createHash, type Hash } from 'node:crypto';", []],
  ["import type { BigIntStats } from 'node:fs';", []],
  ["import { join } from 'node:path';", []],
  ['const at = Date.now();', ['Date']],
  ['const { now } = Date;', ['Date']],
  ['const at = Date();', ['Date']],
  ['const at = new Date();', ['new Date']],
  ['const at = new Date(1);', []],
  ["const at = Date.parse('2026-01-01T00:00:00Z');", []],
  ['const soon = AbortSignal.timeout(5);', ['AbortSignal.timeout']],
  ['// new Date()', []],
  ["import { realFiles } from '../ports/files.ts';", ['../ports/files.ts']],
  ["import { post } from '../ports/network.ts';", ['../ports/network.ts']],
  ["import { type Files, replaceFile } from '../ports/files.ts';", []],
])('the rule reads: %s', (source, wrong) => {
  expect(trespasses(source)).toEqual(wrong);
});

const ROOT = join(import.meta.dirname, '../..');

test.each([
  ['store', 'export const { env } = process;', true],
  ['store', "export const env = process['env'];", true],
  ['store', 'export const { pid } = globalThis.process;', true],
  ['store', 'export const after = setTimeout;', true],
  ['store', 'export const clock = performance;', true],
  ['store', "console.log('here');", true],
  ['store', 'export const pid = (process: { pid: number }): number => process.pid;', false],
  ['cli/verbs', 'export const { env } = process;', true],
  ['project', 'export const at = performance.now();', true],
  ['ports', 'export const { env } = process;', false],
])('the linter reads in src/%s: %s', (room, source, refused) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'src', room), { recursive: true });
  writeFileSync(join(folder, 'src', room, 'planted.ts'), `${source}\n`);
  writeFileSync(
    join(folder, 'biome.json'),
    sourceOf('../biome.json').replace('"useIgnoreFile": true', '"useIgnoreFile": false'),
  );
  const biome = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const { status, stdout, stderr } = spawnSync(process.execPath, [biome, 'lint', 'src'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ refused: status !== 0, why: `${stdout}${stderr}` }).toEqual({
    refused,
    why: refused ? expect.stringContaining('noRestrictedGlobals') : expect.anything(),
  });
});
