// Somebody commits to the person's branch while a crew works: whoever watches the crew hears of it.

import { expect, test } from 'vitest';
import { crewAtWork, publishCrew } from '../../../src/supervisor/crew-record.ts';
import { open, r } from './harness.ts';

test('the base moves on during a run: the view says so, here and in another process, until it is brought in', async () => {
  await open({ config: { base_branch: 'main' } });
  const { p, crew, clock, until } = r();
  const published = publishCrew(p.context, crew);
  expect(crew.view().lag).toBeUndefined();
  const line = 'main has 1 commit that integration lacks: liza sync, if agents need them before liza finish';
  p.commit({ 'a.txt': 'a\n' });
  await until('the line', () => {
    clock.advance(5000);
    return crew.view().lag === line;
  });
  published.close();
  expect(crewAtWork(p.context)?.view.lag).toBe(line);
  await p.ok(['sync']);
  await until('no line', () => {
    clock.advance(5000);
    return crew.view().lag === undefined;
  });
});
