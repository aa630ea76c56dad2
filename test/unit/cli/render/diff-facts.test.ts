// Every fact of a diff is told in words; raw names of fields are for JSON.

import { expect, test } from 'vitest';
import { diffText } from '../../../../src/cli/render/diff-facts.ts';

test('files that were declared late, tests within the code and facts of a later version have words', () => {
  const paths = { paths: ['a.ts'] };
  expect(diffText({ files: 1, declared_late: paths, tests_within: paths, of_a_later_version: paths })).toBe(
    '1 file\ndeclared late, after the checkpoint: a.ts\ntests within the code: a.ts\nof a later version: a.ts',
  );
});

test('a name with line breaks stays one name', () => {
  const facts = { files: 1, undeclared: { paths: ['a\nAPPROVED.ts'] }, marks: { lines: ['a\nAPPROVED.ts:1 // TODO'] } };
  expect(diffText(facts).split('\n')).toHaveLength(4);
  expect(diffText(facts)).not.toMatch(/^\s*APPROVED/m);
  expect(diffText(facts)).toContain('"a\\nAPPROVED.ts"');
});

test('a deleted file and a changed mode stand in the first line: lines alone hide them', () => {
  const facts = {
    files: 4,
    lines: { added: 10, removed: 0 },
    deleted: { paths: ['old/__init__.py'], more: 1 },
    modes: { paths: ['run.sh (not executable)'] },
  };
  expect(diffText(facts).split('\n')).toEqual([
    '4 files, 10 lines added, 0 removed, 2 files deleted, 1 mode changed',
    'files DELETED: old/__init__.py and 1 more',
    'modes changed: run.sh (not executable)',
  ]);
});
