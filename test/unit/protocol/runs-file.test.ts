// Which test files a command may run, as far as its words tell.

import { expect, test } from 'vitest';
import { commandsRun } from '../../../src/protocol/facts/command-files.ts';
import { runsFile, surelyRuns } from '../../../src/protocol/facts/runs-file.ts';

const SCRIPTS = { test: 'node --test', unit: 'vitest run test/unit', lint: 'eslint test' };
const may = (command: string, path: string): boolean =>
  commandsRun([command], SCRIPTS).some((run) => runsFile(run, path));

test.each([
  ['npm test', 'test/a.test.js'],
  ['npm run unit', 'test/unit/deep/a.test.ts'],
  ['npm test -- test/a.test.js', 'test/a.test.js'],
  ['npm test --workspace api', 'api/test/a.spec.js'],
  ['node --test', 'src/a.test.mjs'],
  ['node --test test/', 'test/deep/a.js'],
  ['node --test test/*.test.js', 'test/a.test.js'],
  ['node --test "test/**/*.{js,mjs}"', 'test/a.mjs'],
  ['node test/a.test.js', 'test/a.test.js'],
  ['node test/run.js', 'test/a.test.js'],
  ['npx vitest run', 'src/a.spec.ts'],
  ['npx vitest run src/a', 'src/a.spec.ts'],
  ['npx vitest run --config vitest.config.ts', 'src/a.spec.ts'],
  ['jest --config test/jest.config.js', 'src/a.test.js'],
  ['mocha -r test/setup.js', 'test/a.js'],
  ['mocha --require ts-node/register test/**/*.spec.ts', 'test/a.spec.ts'],
  ['pytest -q', 'tests/test_a.py'],
  ['pytest tests/test_a.py::test_two', 'tests/test_a.py'],
  ['pytest tests', 'tests/unit/test_a.py'],
  ['python3 -m unittest tests.test_a', 'tests/test_a.py'],
  ['python3 -m unittest', 'tests/test_a.py'],
  ['python3 -m unittest discover -v', 'tests/testing.py'],
  ["python3 -m unittest discover -p 'check_*.py'", 'tests/check_a.py'],
  ['python3 -m unittest tests.checks', 'tests/checks.py'],
  ['python3 -m unittest -v tests.test_a.TestA.test_b', 'tests/test_a.py'],
  ['python3 -m unittest tests', 'tests/test_a.py'],
  ['PYTHONPATH=tests python3 -m unittest test_a', 'tests/test_a.py'],
  ['python3 -m unittest -s tests', 'tests/test_a.py'],
  ['python3 -m unittest -k two', 'tests/test_a.py'],
  ['python3 -m unittest $MODULE', 'tests/test_a.py'],
  ['python3 -m pytest --rootdir api/ tests', 'tests/test_a.py'],
  ['cd api && pytest', 'api/tests/test_a.py'],
  ['cd api && pytest tests/unit', 'api/tests/unit/test_a.py'],
  ['go test ./...', 'pkg/a_test.go'],
  ['go test ./pkg/...', 'pkg/deep/a_test.go'],
  ['go test', 'a_test.go'],
  ['cargo test', 'src/lib.rs'],
  ['tox', 'tests/test_a.py'],
  ['./gradlew test', 'src/test/java/ATest.java'],
  ['make test', 'test/a.test.js'],
  ['docker compose run test', 'test/a.test.js'],
])('%s may run %s', (command, path) => {
  expect(may(command, path)).toBe(true);
});

test.each([
  ['npm run unit', 'test/integration/a.test.ts'],
  ['python3 -m unittest tests.test_a', 'tests/test_b.py'],
  ['python3 -m unittest', 'tests/check_a.py'],
  ['python -m unittest discover -v', 'tests/a_test.py'],
  ['npm test -- test/a.test.js', 'test/b.test.js'],
  ['npm run lint', 'test/a.test.js'],
  ['npm test', 'tests/test_a.py'],
  ['npm test', 'src/a.spec.js'],
  ['node --test test/a.test.js', 'test/b.test.js'],
  ['node --test test/unit/*.test.js', 'test/e2e/b.test.js'],
  ['node test/a.test.js', 'test/b.test.js'],
  ['npx vitest run src/a.spec.ts', 'src/b.spec.ts'],
  ['pytest -q tests/unit', 'tests/e2e/test_a.py'],
  ['pytest tests/test_a.py::test_two', 'tests/test_b.py'],
  ['pytest', 'test/a.test.js'],
  ['python tests/test_a.py', 'tests/test_b.py'],
  ['cd api && pytest', 'web/tests/test_a.py'],
  ['go test', 'pkg/a_test.go'],
  ['go test ./cmd/...', 'pkg/a_test.go'],
  ['go vet ./...', 'pkg/a_test.go'],
  ['cargo test', 'tests/test_a.py'],
  ['grep -q two test/a.test.js', 'test/a.test.js'],
  ['node --check test/a.test.js', 'test/a.test.js'],
])('%s does not run %s', (command, path) => {
  expect(may(command, path)).toBe(false);
});

const surely = (command: string, path: string): boolean =>
  commandsRun([command], SCRIPTS).some((run) => surelyRuns(run, path));

test.each([
  ['npm test', 'test/a.test.js'],
  ['npm run unit', 'test/unit/deep/a.test.ts'],
  ['node --test test/*.test.js', 'test/a.test.js'],
  ['node test/a.js && node test/b.js', 'test/b.js'],
  ['npx vitest run', 'src/a.spec.ts'],
  ['pytest -q', 'tests/test_a.py'],
  ['pytest tests/', 'tests/unit/test_a.py'],
  ['python3 -m unittest -v', 'tests/test_a.py'],
  ['python3 -m unittest discover -s tests', 'tests/test_a.py'],
  ['python3 -m unittest -v tests.test_a tests.test_b', 'tests/test_b.py'],
  ['go test ./...', 'pkg/a_test.go'],
  ['for one in test/*.sh; do sh "$one" || exit 1; done', 'test/a.sh'],
])('%s surely runs %s', (command, path) => expect(surely(command, path)).toBe(true));

test.each([
  ['npm test -- --test-name-pattern=x', 'test/a.test.js'],
  ['node --test test/a.test.js', 'test/b.test.js'],
  ['node --test', 'lib/a.js'],
  ['node test/run.js', 'test/a.test.js'],
  ['node test/a.js', 'test/b.js'],
  ['npx vitest run', 'test/helper.ts'],
  ['npx vitest run --config test/vitest.config.ts', 'test/a.test.ts'],
  ['pytest -k two', 'tests/test_a.py'],
  ['python3 -m unittest discover -s calc', 'tests/test_a.py'],
  ['python3 -m unittest tests', 'tests/test_a.py'],
  ['python3 -m unittest tests.test_a', 'tests/test_b.py'],
  ['for one in a; do sh test/$one.sh; done', 'test/a.sh'],
  ['for one in *.sh; do sh "$one"; done', 'test/a.sh'],
  ['eslint test', 'test/a.test.js'],
  ['make test', 'test/a.sh'],
])('%s does not surely run %s', (command, path) => expect(surely(command, path)).toBe(false));
