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
