// Where the quick reader answers, it says what block.ts says; and it answers for what Liza writes.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseOrdinaryBlock } from '../../../../src/store/yaml/block.ts';
import { isOrdinary } from '../../../../src/store/yaml/characters.ts';
import { emitItem } from '../../../../src/store/yaml/emit.ts';
import { quickValue } from '../../../../src/store/yaml/quick.ts';
import { runs } from '../../../runs.ts';

/** Read in the middle of a file. */
const quick = (text: string): unknown => quickValue(`before:\n${text}after: 1\n`, 8, 8 + text.length);

const piece = fc.constantFrom(
  ...[
    '- ',
    '-',
    'a',
    'id',
    ': ',
    ':',
    '\n',
    '\n  ',
    '\n    ',
    '\n      ',
    ' ',
    '"',
    '"x"',
    "'x'",
    '|',
    '|\n',
    '|-',
    '>',
    '\\n',
  ],
  ...[
    '[]',
    '{}',
    '[a]',
    '#',
    ' # c',
    '\t',
    'null',
    'true',
    '1',
    '-1',
    '0x1f',
    '1e3',
    '.5',
    '~',
    'constructor',
    '__proto__',
    '&a',
    '?',
    'ü',
  ],
);
const soup = fc.array(piece, { maxLength: 25 }).map((pieces) => `${pieces.join('')}\n`);

test('any text: the same value, or none', () => {
  fc.assert(
    fc.property(fc.constantFrom('', '  '), fc.constantFrom('- ', 'id: ', ''), soup, (margin, begin, rest) => {
      const text = `${margin}${begin}${rest}`;
      if (!isOrdinary(text)) return;
      const found = quick(text);
      if (found !== undefined) expect(found).toEqual(parseOrdinaryBlock(text)?.value);
    }),
    { numRuns: runs(20_000) },
  );
});

const scalar = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'plain words',
    'two\nlines\n',
    'npm test -- a',
    'a: b',
    'a:b',
    '2026-01-01T00:00:00Z',
    'yes',
    '',
    '12',
  ),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const name = fc.stringMatching(/^[a-z]{1,8}(_[a-z]{1,4})?$/);
const record = fc.letrec((tie) => ({
  value: fc.oneof(scalar, fc.array(tie('value'), { maxLength: 3 }), fc.dictionary(name, tie('value'), { maxKeys: 4 })),
})).value;

test('what is emitted: the same value, or none', () => {
  fc.assert(
    fc.property(fc.dictionary(name, record, { minKeys: 1, maxKeys: 6 }), fc.constantFrom(0, 2), (value, margin) => {
      const text = `${emitItem(value, margin).join('\n')}\n`;
      const found = isOrdinary(text) ? quick(text) : undefined;
      if (found !== undefined) expect(found).toEqual(parseOrdinaryBlock(text)?.value);
    }),
    { numRuns: runs(3000) },
  );
});

test('a task as Liza writes it is read quickly', () => {
  const task = {
    ...{ id: 'task-1', description: 'Implement it, with its tests', status: 'UNCLAIMED', priority: 3, iteration: 0 },
    ...{ created: '2026-01-01T00:00:00Z', done_when: '- one\n- two\n', scope: 'IN: src; OUT: docs' },
    ...{ depends_on: [], validation: ['npm test -- one', 'npm run lint'], base_commit: 'a'.repeat(40), budget: {} },
    history: [
      { time: '2026-01-01T00:00:00Z', event: 'created', agent: 'planner-1', paths: ['a', 'b'] },
      { event: 'x' },
    ],
  };
  expect(quick(`${emitItem(task, 2).join('\n')}\n`)).toEqual([task]);
});
