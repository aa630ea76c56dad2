import { expect, it } from 'vitest';
import { readable } from '../../../../src/cli/live/pages.ts';

it.each([
  ['plain words', 'plain words'],
  ['{"kind":"activity","text":"writes a file"}', '[activity] writes a file'],
  [
    '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"I look first."}]}}',
    '[assistant] I look first.',
  ],
  [
    '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"npm test"}}]}}',
    '[assistant] Bash npm test',
  ],
  ['{"type":"item.completed","item":{"type":"command_execution","command":"ls -l"}}', '[item.completed] ls -l'],
  ['{"kind":"usage","input":1,"output":2}', '{"kind":"usage","input":1,"output":2}'],
  ['{"torn": "li', '{"torn": "li'],
  ['{"text":"only words"}', 'only words'],
])('%s', (line, words) => {
  expect(readable(line)).toBe(words);
});
