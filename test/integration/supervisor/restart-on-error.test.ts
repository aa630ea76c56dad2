// The watcher beside a crew: whatever becomes of it, the agents work on and end by the ways that are theirs.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { open, r } from './harness.ts';

const member = () => r().crew.view().members[0];
const BLOCKED = { status: 'BLOCKED', blocked_reason: 'no token', blocked_questions: ['which?'] } as const;
const working = { parts: { 'coder-1': [{}] }, crew: { watcher: true } };
const stopped = async (): Promise<void> => {
  r().crew.stop();
  r().crew.stop();
  await r().crew.ended;
  expect(member()?.state).toBe('stopped');
};

test('an alerts.log that cannot be read is told once, and the agent works on', async () => {
  const told = () =>
    r()
      .said()
      .filter((text) => text.includes('alerts.log'));
  const log = (): string => r().p.file('.liza/alerts.log');
  await open({ tasks: ['t', { id: 'u', ...BLOCKED }], ...working });
  await r().until('working', () => member()?.state === 'working' && fs.existsSync(log()));
  // Its message is sent first: sending saves the size of the log, and would save that of the folder below.
  const saved = (): string => fs.readFileSync(r().p.file('.liza/cache/watch/alarms.json'), 'utf8');
  await r().until('the message is sent', () => {
    r().clock.advance(100);
    return saved().includes('"on":[{') && !saved().includes('"calling"');
  });
  fs.rmSync(log());
  fs.mkdirSync(log());
  // Whoever takes over reads the log to see what was told.
  fs.rmSync(r().p.file('.liza/cache/watch/lock'));
  await r().until('the trouble', () => {
    r().clock.advance(1000);
    return told().length > 0;
  });
  for (let n = 0; n < 5; n += 1) r().clock.advance(1000);
  expect(told()).toEqual([expect.stringMatching(/^alerts\.log could not be (read|written): EISDIR/)]);
  expect(member()?.state).toBe('working');
  await stopped();
});

test('a watcher that breaks is told and starts again, and the agent works on', async () => {
  await open({ tasks: ['t', { id: 'u', ...BLOCKED }], ...working });
  let breaks = 1;
  r().crew.onChange(() => {
    const shown = r()
      .said()
      .some((text) => text.includes('BLOCKED: v'));
    if (shown && breaks-- > 0) throw new Error('nobody draws this');
  });
  await r().until('working', () => member()?.state === 'working');
  await r().p.store.transact({ actor: { parts: ['human'] }, command: 'test' }, ({ state }) => ({
    ok: true,
    detail: 'x',
    state: { ...state, tasks: state.tasks.map((task) => (task.id === 'u' ? { ...task, id: 'v' } : task)) },
  }));
  await r().until('the trouble', () => {
    r().clock.advance(1000);
    return r()
      .said()
      .some((text) => text.startsWith('watching failed and starts again: nobody draws this'));
  });
  await r().until('the alarm', () => {
    r().clock.advance(1000);
    return r()
      .crew.view()
      .alarms.some(({ text }) => text.includes('BLOCKED: v'));
  });
  expect(member()?.state).toBe('working');
  await stopped();
});
