import { afterEach, expect, test } from 'vitest';
import { cleanUp, project } from './project.ts';
afterEach(cleanUp);
test('speed', async () => {
  const board = project();
  const workers = Array.from({ length: 8 }, (_, i) => board.worker('notes', `w${i}`, '40'));
  await Promise.all(workers.map((w) => w.line('ready')));
  const t = performance.now();
  for (const w of workers) w.say('go');
  const done = await Promise.all(workers.map((w) => w.line('done')));
  const ms = performance.now() - t;
  console.log('long', (320 / ms) * 1000, done);
  await Promise.all(workers.map((w) => w.ended));
  const t2 = performance.now();
  await Promise.all(Array.from({ length: 8 }, async (_, i) => {
    for (let n = 0; n < 6; n++) { const r = await board.start(['note', `c${i} ${n}`]).ended; expect(r.code).toBe(0); }
  }));
  console.log('cli', (48 / (performance.now() - t2)) * 1000);
  console.log(board.liza(['log', 'verify']));
});
