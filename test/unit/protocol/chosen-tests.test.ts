// Commands that choose tests by their names: which they leave out, and which they may run.

import { expect, test } from 'vitest';
import { leavesOut } from '../../../src/protocol/facts/chosen-tests.ts';
import { commandsRun } from '../../../src/protocol/facts/command-files.ts';

const leaves = (line: string, names: readonly string[], groups: readonly string[] = []): boolean =>
  commandsRun([line], {}).some((run) => leavesOut(run, { names, groups }));

test.each([
  ['go test -run TestOne ./...', 'TestTwo'],
  ['go test -run=^TestOne$ ./...', 'TestTwo'],
  ["go test -run '^TestOne$/^a$' ./...", 'TestTwo'],
  ['pytest -q -k one', 'test_two'],
  ["python3 -m pytest -k 'one or three'", 'test_two'],
  ['pytest tests/test_a.py::test_one', 'test_two'],
  ['npx jest -t "takes three"', 'adds two'],
  ['vitest run -t takes', 'adds two'],
  ['node --test --test-name-pattern=takes', 'adds two'],
  ['mocha --grep takes', 'adds two'],
  ['cargo test takes', 'adds_two'],
])('%s leaves out %s', (line, name) => expect(leaves(line, [name])).toBe(true));

test.each([
  ['go test ./...', 'TestTwo', []],
  ['go test -run TestT ./...', 'TestTwo', []],
  ['go test -run TestTwo/a ./...', 'TestTwo/b c', []],
  ['go test -run "$ONE" ./...', 'TestTwo', []],
  ['pytest -q', 'test_two', []],
  ["pytest -k 'not slow'", 'test_two', []],
  ['pytest -k TestA', 'test_two', ['TestA']],
  ['pytest tests/test_a.py::TestA', 'test_two', ['TestA']],
  ['jest -t "calc adds"', 'adds two', ['calc adds']],
  ['jest -t "(((("', 'adds two', []],
  ['cargo test -q -p core', 'adds_two', []],
  ['cargo test tests::', 'adds_two', ['tests::adds_two']],
  ['npm test', 'adds two', []],
])('%s may run %s', (line, name, groups) => expect(leaves(line, [name], groups)).toBe(false));
