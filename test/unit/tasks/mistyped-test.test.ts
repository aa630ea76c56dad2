import { expect, it } from 'vitest';
import { mistypedTest } from '../../../src/tasks/rules/mistyped-test.ts';

it.each([
  ['npm tset', ['test'], 'npm has no command tset that tests; did you mean: npm test'],
  ['npm lint', ['test', 'lint'], 'npm has no command lint that tests; did you mean: npm run lint'],
  ['npm run tets', ['test'], 'package.json has no script tets; did you mean: npm run test'],
  ['pnpm run nope', ['test'], 'package.json has no script nope'],
  ['npm test -- --all', ['build'], 'package.json has no script test'],
])('%s, with the scripts %j: %s', (command, scripts, told) => {
  expect(mistypedTest(command, scripts)).toBe(told);
});

it.each([
  ['npm test', ['test']],
  ['npm run unit', ['unit']],
  ['npm test', undefined],
  ['npm --prefix web test', ['build']],
  ['npx vitest', []],
  ['yarn jest', ['test']],
  ['make test', undefined],
  ['npm run', ['test']],
])('%s, with the scripts %j, may be right', (command, scripts) => {
  expect(mistypedTest(command, scripts)).toBeUndefined();
});
