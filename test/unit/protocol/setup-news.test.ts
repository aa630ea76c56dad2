import { expect, it } from 'vitest';
import { setupFailureNews } from '../../../src/protocol/work/setup-failures.ts';

it('a set-up that fails is told by the line that says why, not by the last one', () => {
  const output = [
    'error: externally-managed-environment',
    '× This environment is externally managed',
    '╰─> To install Python packages system-wide, try apt install',
    'note: If you believe this is a mistake, please contact your Python installation.',
    'hint: See PEP 668 for the detailed specification.',
  ].join('\n');
  const failure = { part: 'check', commit: 'a'.repeat(40), reason: 'it ended with 1', remedy: 'mend it', output };
  const told = setupFailureNews(failure as unknown as Parameters<typeof setupFailureNews>[0]);
  expect(told).toContain('it ended with 1: error: externally-managed-environment — mend it');
});

it('of npm the kind of its error and its whole reason are told, without the rest of its checksums', () => {
  const sum = (letter: string): string => `sha512-${letter.repeat(86)}==`;
  const output = [
    `npm warn tarball tarball data for dep@1.0.0 (${sum('A')}) seems to be corrupted. Trying again.`,
    'npm error code EINTEGRITY',
    `npm error ${sum('A')} integrity checksum failed when using sha512: wanted ${sum('A')} but got ${sum('B')}. (134 bytes)`,
    'npm error A complete log of this run can be found in: /home/ada/.npm/_logs/x.log',
  ].join('\n');
  const failure = { part: 'check', commit: 'a'.repeat(40), reason: 'npm ci ended with 1', remedy: 'mend it', output };
  expect(setupFailureNews(failure as unknown as Parameters<typeof setupFailureNews>[0])).toBe(
    'set-up fails for the integration branch (aaaaaaaaaaaa): npm ci ended with 1: npm error EINTEGRITY: sha512-AAAAAAAAAAAA… integrity checksum failed when using sha512: wanted sha512-AAAAAAAAAAAA… but got sha512-BBBBBBBBBBBB…. (134 bytes) — mend it',
  );
});
