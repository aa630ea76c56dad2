// A command whose script in package.json cannot fail.

import { expect, test } from 'vitest';
import { idleScript } from '../../../src/protocol/review/idle-script.ts';

const SCRIPTS = {
  test: 'node --test',
  none: 'true',
  said: 'echo all tests pass',
  ends: 'exit 0',
  hides: 'npm test || true',
  leads: 'npm run none',
  round: 'npm run round',
  built: 'echo done',
  prebuilt: 'tsc -p .',
  empty: '',
};

test.each([
  ['npm run none', 'true'],
  ['npm run -s none', 'true'],
  ['yarn said', 'echo all tests pass'],
  ['pnpm run ends', 'exit 0'],
  ['npm run hides', 'npm test || true'],
  ['npm run leads', 'true'],
])('%s comes to %s', (command, script) => expect(idleScript(command, SCRIPTS)).toBe(script));

test.each([
  'npm test',
  'npm run round',
  'npm run built',
  'npm run empty',
  'npm run nosuch',
  'npm run none -w packages/a',
  'npm run none && npm test',
  'npm run toString',
  'make none',
])('%s may fail, as far as that is read', (command) => expect(idleScript(command, SCRIPTS)).toBeUndefined());
