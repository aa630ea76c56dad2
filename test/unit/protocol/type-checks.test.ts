// Which commands count as a check of type declarations.

import { expect, it } from 'vitest';
import { commandsRun } from '../../../src/protocol/facts/command-files.ts';
import { checksTypes } from '../../../src/protocol/facts/type-checks.ts';

const SCRIPTS = { types: 'tsc -p types', lint: 'eslint .', tsc: 'echo none', all: 'npm run lint && npm run types' };
const checks = (command: string, path: string): boolean =>
  commandsRun([command], SCRIPTS).some((run) => checksTypes(run, path));

it.each([
  'tsc --noEmit',
  'npx tsc -p .',
  './node_modules/.bin/vue-tsc --noEmit',
  'npm run types',
  'npm run all',
  'npm ci && npx tsd',
  'npm exec -- tsc --noEmit',
  'pnpm dlx attw@1 --pack .',
  'vitest run --typecheck',
  'deno check mod.ts',
])('%s checks .d.ts, and no .pyi', (command) => {
  expect(checks(command, 'types/a.d.ts')).toBe(true);
  expect(checks(command, 'stubs/a.pyi')).toBe(false);
});

it.each(['mypy -v stubs', 'python3 -m mypy .', 'uv run pyright', 'python -m mypy.stubtest a', 'poetry run stubtest a'])(
  '%s checks .pyi, and no .d.ts',
  (command) => {
    expect(checks(command, 'stubs/a.pyi')).toBe(true);
    expect(checks(command, 'types/a.d.ts')).toBe(false);
  },
);

it.each([
  'tsc --version',
  'tsc -v',
  'tsc --noEmit --skipLibCheck',
  'mypy --help',
  'npm run lint',
  'npm run tsc',
  'echo tsc',
  'grep -c function types/a.d.ts',
  'vitest run',
  'node --test',
  'cat tsc.log',
])('%s checks neither', (command) => {
  expect(checks(command, 'types/a.d.ts')).toBe(false);
  expect(checks(command, 'stubs/a.pyi')).toBe(false);
});
