// Where pytest looks by itself.

import { expect, test } from 'vitest';
import { commandsRun } from '../../../src/protocol/facts/command-files.ts';
import { runsFile } from '../../../src/protocol/facts/runs-file.ts';
import { testPathsIn, withTestPaths } from '../../../src/tasks/rules/pytest-paths.ts';

test.each([
  ['[pytest]\ntestpaths = tests/unit tests/api\naddopts = -q\n', '[pytest]', ['tests/unit', 'tests/api']],
  ['[pytest]\ntestpaths =\n    tests\n    more\nmarkers = a\n', '[pytest]', ['tests', 'more']],
  [
    '[project]\nname = "x"\n[tool.pytest.ini_options]\ntestpaths = [\n  "tests", # all\n  "more",\n]\nxfail_strict = true\n',
    '[tool.pytest.ini_options]',
    ['tests', 'more'],
  ],
  ['[tool:pytest]\naddopts = -q tests/slow\ntestpaths = tests\n', '[tool:pytest]', []],
  ['[pytest]\nmarkers = a\n[other]\ntestpaths = b\n', '[pytest]', []],
  ['[tox]\nenvlist = py\n', '[pytest]', undefined],
])('%j', (text, heading, places) => expect(testPathsIn(text, heading)).toEqual(places));

const may = (command: string, path: string, places: readonly string[]): boolean =>
  commandsRun([command], {}).some((run) => runsFile(withTestPaths(run, places), path));

test.each([
  ['pytest -q', 'tests/unit/test_a.py', true],
  ['python3 -m pytest -q', 'tests/e2e/test_a.py', false],
  ['pytest -k two', 'tests/e2e/test_a.py', false],
  ['pytest tests/e2e', 'tests/e2e/test_a.py', true],
  ['pytest -c other.ini', 'tests/e2e/test_a.py', true],
  ['cd api && pytest', 'api/tests/test_a.py', true],
  ['tox', 'tests/e2e/test_a.py', true],
])('%s with testpaths: %s %s', (command, path, is) => expect(may(command, path, ['tests/unit'])).toBe(is));
