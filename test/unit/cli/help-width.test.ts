import { expect, test } from 'vitest';
import { COMMON_OPTIONS } from '../../../src/cli/args.ts';
import { REGISTRY } from '../../../src/cli/registry.ts';
import { helpText, table } from '../../../src/cli/usage.ts';

test.each(Object.entries(REGISTRY).filter(([, { load }]) => load !== undefined))(
  'the help of %s fits into 80 columns, its examples and usage apart',
  async (_name, { load, summary }) => {
    if (load === undefined) throw new Error('planned');
    const lines = helpText(await load(), summary, COMMON_OPTIONS, { columns: 80, unicode: false });
    const text = lines.slice(
      1,
      lines.findLastIndex((line) => /^Examples?:$/.test(line)),
    );
    expect(text.length).toBeGreaterThan(3);
    expect(text.filter((line) => line.length > 80)).toEqual([]);
  },
);

test('a second column without room is not wrapped into nothing', () => {
  expect(table([['a-long-name', 'says it all in one line']], { columns: 30, unicode: true })).toEqual([
    '  a-long-name  says it all in one line',
  ]);
  expect(table([['a', 'one two three four five six']], { columns: 26, unicode: true })).toEqual([
    '  a  one two three four',
    '     five six',
  ]);
});
