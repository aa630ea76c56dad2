// What the board keeps of a crew that a person stopped: it stopped in order, and nobody is called gone.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { open, r } from './harness.ts';

test('the lease record of an agent says that its supervisor stopped in order, until it runs again', async () => {
  const record = () => JSON.parse(fs.readFileSync(r().p.file('.liza/agents/coder-1.json'), 'utf8'));
  await open({ tasks: ['t'], parts: { 'coder-1': [{}] } });
  await r().until('working', () => r().crew.view().members[0]?.state === 'working');
  expect(record()).not.toHaveProperty('stopped');
  r().crew.stop('nothing happened for 180 s');
  r().crew.stop('asked again');
  await r().crew.ended;
  expect(r().crew.view().members[0]?.why).toBe('nothing happened for 180 s');
  expect(record()).toMatchObject({ agent: 'coder-1', task: 't', stopped: true });
});
