// Texts as a hostile agent, or an unlucky one, would write them. A shell, a template, a path or a terminal that
// took one of them at its word would leave the canary behind.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, expect } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** `npm test` tries two hundred of each; `npm run test:all` ten thousand. */
export const RUNS = Number(process.env['FUZZ_RUNS'] ?? 200);

/** The test runner itself takes a good part of it. */
const MOST_MB = 1200;

/** No single one may take longer. */
export const LONGEST_MS = 2000;

const folder = temporaryFolder();
export const CANARY = join(folder, 'canary');
export const isDead = (): boolean => existsSync(CANARY);
afterAll(() => {
  // Of this process, which tried all of them: nothing piles up, and nothing small becomes large.
  expect(process.resourceUsage().maxRSS / 1024, 'MB at most').toBeLessThan(MOST_MB);
});

const touch = `touch ${CANARY}`;
const SNIPPETS = [
  `$(${touch})`,
  `\`${touch}\``,
  `'; ${touch}; '`,
  `"; ${touch} #`,
  `| ${touch}`,
  `&& ${touch}`,
  `\n${touch}\n`,
  `\${IFS}${touch}`,
  `--upload-pack=${touch}`,
  `-c core.sshCommand=${touch}`,
  `ext::sh -c ${touch}`,
  `!!js/function "function(){require('fs').writeFileSync('${CANARY}','')}"`,
  `!!python/object/apply:os.system ["${touch}"]`,
  `{{constructor.constructor("require('fs').writeFileSync('${CANARY}','')")()}}`,
  `\${require('fs').writeFileSync('${CANARY}','')}`,
  `<script>fetch('//x')</script>`,
  `../../../../../../${CANARY}`,
  CANARY,
  '../',
  '/etc/passwd',
  '.git/config',
  '.git/hooks/post-commit',
  '.liza/state.yaml',
  '-rf',
  '--help',
  '--',
  '',
  ' ',
  '\0',
  '\r\n',
  '\x1b[2J\x1b]0;x\x07',
  '\u202egnp.exe',
  '\u200b',
  '\ufeff',
  '\ud800',
  '\u{1f600}',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  '~',
  'yes',
  '0o17',
  '12e4567',
  '1_000',
  '2026-03-01',
  '!!binary x',
  '*alias',
  '&anchor x',
  '- a\n- b',
  'a: b: c',
  '# comment',
  '|\n  x',
  '>-',
  '%YAML 1.2',
  '---',
  '...',
  '\t',
  'refs/heads/main',
  'HEAD',
  'HEAD~1',
  '@{-1}',
  ':(exclude)*',
  'a'.repeat(300),
] as const;

const snippet = fc.constantFrom(...SNIPPETS);

/** A word or a few, some ordinary, some not. */
export const hostile: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: snippet },
  { weight: 3, arbitrary: fc.array(fc.oneof(snippet, fc.string()), { maxLength: 6 }).map((parts) => parts.join('')) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(snippet, fc.integer({ min: 1, max: 20_000 })).map(([s, n]) => s.repeat(n).slice(0, 200_000)),
  },
);

/** An argument that a shell could pass: nothing after a NUL. */
export const argument = hostile.map((text) => text.replaceAll('\0', '').slice(0, 100_000));

/** What a terminal would act upon, besides newlines. */
export const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

/** It waits for something that never comes. */
const HANGS_MS = 60_000;

/** In time of this process, not of the clock: a busy machine is nobody's fault. */
export async function within<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  const begun = process.cpuUsage();
  const over = new AbortController();
  const hangs = setTimeout(HANGS_MS, undefined, { signal: over.signal }).then(
    () => Promise.reject(new Error(`${what} did not end`)),
    () => undefined as never,
  );
  const answer = await Promise.race([work(), hangs]);
  over.abort();
  const { user, system } = process.cpuUsage(begun);
  const ms = (user + system) / 1000;
  if (ms > LONGEST_MS) throw new Error(`${what} took ${Math.round(ms)} ms of CPU`);
  return answer;
}
