// Validations that are taken, and shown to be weak; strong ones are left alone.

import { expect, test } from 'vitest';
import { weaknessOf } from '../../../src/protocol/shell/weak-commands.ts';

test.each([
  ['! npm test', 'only where these tests are red'],
  ['while ! npm test; do sleep 1; done', 'never red'],
  ['X=true; $X', 'is not seen'],
  ['$(true)', 'is not seen'],
  [`\${X:-true}`, 'is not seen'],
  ['mvn -DskipTests test', 'runs no test'],
  ['./gradlew build -x test', 'runs no test'],
  ['cargo test --no-run', 'runs no test'],
  ["go test -run '^$' ./...", 'runs no test'],
  ['deno test --no-run', 'runs no test'],
  ['cd src', 'a folder is there'],
  ['npm ci', 'installs dependencies'],
  ['cd pkg && npm ci', 'a folder is there'],
  ['git diff --exit-code', 'fresh checkout'],
  ['ls src', 'a file is there'],
  ['test -f a.js', 'a file is there'],
  ['grep -q sum src/sum.mjs', 'a text stands in the code'],
  ['node --check src/sum.mjs', 'reads the syntax'],
  ['bash -n scripts/install.sh', 'reads the syntax'],
  ['sh -n run.sh', 'reads the syntax'],
  ['python3 -m py_compile app.py', 'reads the syntax'],
  ['gofmt -l .', 'lists or rewrites'],
  ['cargo fmt', 'lists or rewrites'],
  ['npx prettier --write .', 'lists or rewrites'],
  ['ruff format .', 'lists or rewrites'],
])('%s', (line, why) => {
  expect(weaknessOf(line, true)).toContain(why);
});

test.each([
  'npm test',
  'npm ci && npm test',
  'cd pkg && npm test',
  'test -f x && node --test',
  'npm run generate && git diff --exit-code',
  '! grep -rn TODO src',
  'go test ./...',
  'mvn verify',
  'test "$(node cli.js add 2 3)" = 5',
  'out=$(node cli.js); [ "$out" = 5 ]',
  "grep -q 'retry' README.md",
  'npm start | grep -q a.js',
  'node --check src/a.js && node --test',
  'cargo fmt --check',
  'npx prettier --check .',
  'npx prettier -l .',
  'black --check .',
  'test -z "$(gofmt -l .)"',
])('%s is not called weak', (line) => {
  expect(weaknessOf(line, true)).toBeUndefined();
});

test('what an earlier command wrote may differ', () => {
  expect(weaknessOf('git diff --exit-code', false)).toBeUndefined();
});
