// The list of all product texts: what counts as a text, and how it is written down.

import { expect, test } from 'vitest';
import { textsIn } from '../../../tools/product-texts.mjs';

test.each([
  [
    'a message',
    "refuse('the task is not there', 'see the tasks: liza status')",
    ['the task is not there', 'see the tasks: liza status'],
  ],
  ['values in it', `say(\`\${id} is held by \${agent}\`)`, ['{} is held by {}']],
  ['a text inside a value', `say(\`\${id} \${late ? 'is too late' : ''} today\`)`, ['{} {} today', 'is too late']],
  ['a text in two literals', `say('one sentence ' + \`of \${n} parts\`)`, ['one sentence of {} parts']],
  ['the same text twice', "say('no task yet'); say('no task yet')", ['no task yet']],
  ['a name, a path, an argument', "f('coder', 'src/a.ts', '--json', ['rev-parse', 'HEAD'])", []],
  ['types, imports and keys', "import 'a b'; type A = 'one two'; const o = { 'a key of two': 1 } as 'x y'", []],
  ['code in a literal', "f('git log --oneline', '<p class=\"x\">a b</p>', 'a => b c')", []],
])('%s', (_what, source, texts) => {
  expect(textsIn(source)).toEqual(texts);
});
