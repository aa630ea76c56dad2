// Guesses how a project's tests are run, from the files at its root. A guess is only ever offered to a person,
// never set by itself: it will be executed.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export function guessTestCommand(root: string): string | undefined {
  const has = (name: string): boolean => statSync(join(root, name), { throwIfNoEntry: false })?.isFile() === true;
  if (has('package.json')) {
    const runner = has('pnpm-lock.yaml') ? 'pnpm' : has('yarn.lock') ? 'yarn' : 'npm';
    return hasTestScript(textOf(root, 'package.json')) ? `${runner} test` : undefined;
  }
  if (has('Cargo.toml')) return 'cargo test';
  if (has('go.mod')) return 'go test ./...';
  if (has('Makefile') && /^test\s*:/m.test(textOf(root, 'Makefile'))) return 'make test';
  if (['pytest.ini', 'pyproject.toml', 'tox.ini', 'setup.cfg'].some(has)) return 'pytest';
  return undefined;
}

/** npm writes one into every new package that only says there is none. */
function hasTestScript(text: string): boolean {
  try {
    const test: unknown = JSON.parse(text)?.scripts?.test;
    return typeof test === 'string' && test !== '' && !test.includes('no test specified');
  } catch {
    return false;
  }
}

function textOf(root: string, name: string): string {
  try {
    return readFileSync(join(root, name), 'utf8');
  } catch {
    return '';
  }
}
