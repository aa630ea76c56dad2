// What a real shell says of a line that it does not run. Each program that is named `sh` here is one that the machine has.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { realHost } from '../../../src/ports/real-host.ts';
import { shellFacts, unreadBy } from '../../../src/process/shell-check.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const found = (program: string): string | undefined => {
  try {
    return execFileSync('sh', ['-c', 'command -v "$1"', 'sh', program], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
};

/** A machine whose `sh` is that program. */
function machine(shell: string) {
  const bin = temporaryFolder();
  fs.symlinkSync(shell, path.join(bin, 'sh'));
  const bash = found('bash');
  if (bash !== undefined) fs.symlinkSync(bash, path.join(bin, 'bash'));
  return realHost({ PATH: bin });
}

const HONEST = [
  'npm test',
  "bash -c 'set -o pipefail; npm test | tee log'",
  "bash -euo pipefail -c 'npm test | tee log; echo done'",
  '(set -o pipefail) 2> /dev/null || true; npm test',
  'test "$(node cli.js add 2 3)" = 5',
  "sh <<'E'\nnpm test\nE",
  "node -e 'if (1) {}'",
  'for f in a b; do node "$f" || exit 1; done',
];

test('a line is read by the shell that will run it, and nothing of it is run', () => {
  const folder = temporaryFolder();
  const made = path.join(folder, 'made');
  const host = realHost(process.env);
  expect(shellFacts(host, [...HONEST, `echo > ${made}`])).toEqual({});
  expect(unreadBy(host, 'if npm test; then echo ok')).toMatchObject({ bash: false, said: expect.stringMatching(/./) });
  expect(unreadBy(host, `echo > ${made}; (`)).toBeDefined();
  expect(fs.existsSync(made)).toBe(false);
});

const dash = found('dash');

test.skipIf(dash === undefined)('where sh is dash, lines of bash are told with what bash says of them', () => {
  const host = machine(dash ?? '');
  expect(unreadBy(host, 'diff <(echo a) test/a.txt && npm test')).toMatchObject({
    said: expect.stringContaining('Syntax error'),
    bash: found('bash') !== undefined,
  });
  expect(shellFacts(host, HONEST)).toEqual({});
});

test.skipIf(dash === undefined || spoken(dash))('a shell without pipefail ends at `set -o pipefail`', () => {
  const host = machine(dash ?? '');
  for (const line of [
    'set -o pipefail; npm test | tee out.log',
    'set -euo pipefail && npm test | tee out.log',
    'set -o pipefail || true; npm test',
    "sh -c 'set -o pipefail; npm test | cat'",
  ])
    expect(unreadBy(host, line), line).toMatchObject({ said: expect.stringContaining('pipefail') });
});

function spoken(shell: string | undefined): boolean {
  if (shell === undefined) return true;
  try {
    execFileSync(shell, ['-c', 'set -o pipefail'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const bash = found('bash');

test.skipIf(bash === undefined)('where sh knows both, they are taken', () => {
  const host = machine(bash ?? '');
  expect(shellFacts(host, ['set -o pipefail; npm test | tee out.log'])).toEqual({});
});
