// What is a sentence to somebody who reads it later.

import { expect, test } from 'vitest';
import { isSentence } from '../../../src/text/sentence.ts';

test.each(['a line was wrong', 'it says three', 'Grenzfall fehlt noch', '测试不等待调用', 'テストが待っていない'])(
  '%s is one',
  (text) => expect(isSentence(text)).toBe(true),
);

test.each(['', 'x', 'wrong', 'not good', '. . .', '- - - -', 'ok ok ok', '1 2 3', '<what was wrong>', '错'])(
  '“%s” is none',
  (text) => expect(isSentence(text)).toBe(false),
);
