// Which validations prove nothing, and that honest ones are never taken for such.

import { describe, expect, it, test } from 'vitest';
import { alwaysGreen } from '../../../src/protocol/always-green.ts';
import { readShellLine } from '../../../src/protocol/shell-line.ts';

describe('a line that succeeds whatever the code does is told with its reason', () => {
  it.each([
    ['if npm test; then echo ok; fi', 'an `if` without `else`'],
    ['if npm test; then echo ok; else echo red; fi', 'every branch'],
    ['if grep -q x a; then echo a; elif npm test; then echo b; fi', 'an `if` without `else`'],
    ["sh -c 'npm test || true'", 'ends with true'],
    ['bash -lc "npm test; exit 0"', 'ends with exit 0'],
    [`sh -c "bash -c 'npm test || :'"`, 'ends with :'],
    ['test 1 = 1', 'compares what never changes'],
    ['[ "a" != b ]', 'compares what never changes'],
    ['[[ 2 -gt 1 ]]', 'compares what never changes'],
    ['test "$HOME" = "$HOME"', 'compares what never changes'],
    ['! test 1 = 2', 'whatever the code does'],
    ['! false', 'whatever the code does'],
    ['node --version', 'asks node about itself'],
    ['npm --help', 'asks npm about itself'],
    ['go version', 'asks go about itself'],
    ['env CI=1 python3 -V', 'asks python3 about itself'],
    ['node --version && npm -v', 'asks npm about itself'],
    ['(npm test || true)', 'ends with true'],
    ['{ npm test; true; }', 'ends with true'],
    ['npm test || (echo red; exit 0)', 'succeeds whatever comes before'],
    ['npm test | cat | wc -l', 'that of wc'],
    ['timeout 60 true', 'whatever the code does'],
    ['echo "$(npm test)"', 'whatever the code does'],
    ['npm test & npm run lint &', 'does not wait'],
    [`node -e "console.log('all tests pass')"`, 'whatever the code does'],
    [`python3 -c 'import sys; print("ok"); sys.exit(0)'`, 'whatever the code does'],
    ['# npm test', 'runs nothing'],
    ['npm test \\\n  || true', 'ends with true'],
    ['set -e; npm test || true', 'ends with true'],
    ["sh -ec 'npm test || true'", 'ends with true'],
  ])('%s', (line, why) => {
    expect(alwaysGreen(line)).toContain(why);
  });
});

test.each([
  'npm test',
  'npm test -- test/retry.test.js',
  'npm run build && node dist/cli.js --help',
  'npx vitest run test/a.test.ts --reporter=dot',
  'npx --yes eslint --version .',
  'node --test',
  'node --test test/*.test.mjs',
  'node dist/cli.js --version',
  './cli --version',
  'mytool --help',
  `node -e "require('./src/add.js').add(2,3) === 5 || process.exit(1)"`,
  `node -e "import('./a.mjs').then((m) => process.exit(m.ok ? 0 : 1))"`,
  `node --input-type=module -e "import {add} from './src/add.mjs'; if (add(2,3) !== 5) throw new Error('no')"`,
  'node -e "process.exit(1)"',
  'pytest -q tests/test_retry.py',
  'pytest -v',
  'python3 -m pytest',
  `python3 -c "import calc; assert calc.add(2,3) == 5"`,
  'make',
  'make help',
  'make check',
  'go test ./...',
  'go vet ./... && go test -race ./...',
  'cargo test --all',
  'cargo clippy -- -D warnings',
  'test -f docs/guide.md',
  '[ -d src/parser ]',
  'test "$(node cli.js add 2 3)" = 5',
  '[ "$(wc -l < README.md)" -le 200 ]',
  'test -z "$(git status --porcelain)"',
  "grep -q 'retry' README.md",
  '! grep -rn TODO src',
  "! grep -n 'a || true' src/a.ts",
  'grep -c retry README.md | grep -qx 3',
  'npm test || exit 1; echo done',
  'npm test && echo ok || exit 1',
  'npm test || { echo red; exit 1; }',
  'npm test; rc=$?; echo "ended with $rc"; exit $rc',
  'npm test; exit',
  'if npm test; then echo ok; else exit 1; fi',
  'if ! npm test; then exit 1; fi',
  'if test -f a; then npm test; fi',
  'set -eu; npm ci; npm test; echo done',
  'set -o pipefail; npm test | tee log',
  "bash -euo pipefail -c 'npm test | tee log; echo done'",
  'sh scripts/check.sh',
  'bash -n scripts/check.sh',
  'for f in test/*.js; do node "$f" || exit 1; done',
  'cat <<EOF | node cli.js\na\nEOF',
  'diff <(node cli.js) expected.txt',
  'node cli.js < in.txt | diff - out.txt',
  'cd packages/a && npm test',
  '(cd packages/a && npm test)',
  'CI=1 npm test',
  'timeout 60 npm test',
  'npm test & wait $!',
  'tsc --noEmit',
  'docker build .',
  'java -jar app.jar --version',
  "awk 'NR>80{exit 1}' README.md",
  'true && npm test',
  'out=$(node cli.js); [ "$out" = 5 ]',
  `[ "$X" = 'a b' ] || npm test`,
])('an honest validation is not refused: %s', (line) => {
  expect(alwaysGreen(line)).toBeUndefined();
});

test('a line that nobody can read is not judged, and however deep or long it is, it is read at once', () => {
  for (const line of [
    'echo "',
    "echo '",
    'echo $(',
    'if true',
    '( true',
    'true )',
    '} true',
    'a() { true; }',
    'echo `x',
  ])
    expect(readShellLine(line), line).toBeUndefined();
  const since = performance.now();
  for (const sign of ['(', '"', '`', '$(', 'if ', '{ ', '! ', '<(', '\\', ';', '|', '&&', 'a '])
    expect(() => alwaysGreen(sign.repeat(16_000 / sign.length))).not.toThrow();
  expect(performance.now() - since).toBeLessThan(5_000);
});
