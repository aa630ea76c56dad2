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
  [
    '{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"3 passed"}]}}',
    '[tool result] 3 passed',
  ],
  ['{"type":"user","message":{"role":"user","content":"Begin."}}', '[user] Begin.'],
  ['{"type":"item.completed","item":{"type":"command_execution","command":"ls -l"}}', '[item.completed] ls -l'],
  ['{"kind":"usage","input":1,"output":2}', '[usage] input 1, output 2'],
  [
    '{"type":"system","subtype":"init","cwd":"/home/dev","session_id":"6e8e","tools":["Bash","Edit"],"model":"opus"}',
    '[session begins] model opus',
  ],
  [
    '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":17},"session_id":"4b"}',
    '[rate_limit_event] status rejected, resetsAt 17',
  ],
  ['{"torn": "li', '{"torn": "li'],
  ['{"text":"only words"}', 'only words'],
])('%s', (line, words) => {
  expect(readable(line)).toBe(words);
});
