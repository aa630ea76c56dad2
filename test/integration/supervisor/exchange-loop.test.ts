// A crew's exchange goes away and comes back: a person is told of it once each way, and what waited gets there.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { keepOffering } from '../../../src/supervisor/exchange-loop.ts';
import { bareRepository } from '../../support/exchange.ts';
import { project } from '../../support/project.ts';

test('told once when it does not answer, once when it does again; what waited is there', async () => {
  const bare = bareRepository();
  const p = project({ config: { exchange: bare.path } });
  const over = new AbortController();
  const told: string[] = [];
  let turn = 0;
  // Each pause is one turn of the test's: no time passes.
  const clock = {
    ...p.context.clock,
    sleep: async () => {
      turn += 1;
      if (turn === 1) fs.renameSync(bare.path, `${bare.path}.away`);
      if (turn === 2) p.git('update-ref', 'refs/liza/attempts/t/1', p.head());
      if (turn === 4) fs.renameSync(`${bare.path}.away`, bare.path);
      if (turn === 6) over.abort();
    },
  };
  const report = (level: string, text: string): void => void told.push(`${level}: ${text}`);
  await keepOffering({ context: p.as('planner-1', { clock }), report }, over.signal);
  expect(told).toEqual([
    expect.stringMatching(/^alarm: the exchange .* refuses: .*git init --bare/),
    'info: the exchange is reached again',
  ]);
  expect(bare.refs()).toEqual({ 'refs/liza/attempts/t/1': p.head() });
});

test('who stops does not wait for a call that hangs', async () => {
  const p = project({ config: { exchange: 'near:hub.git' } });
  const env = { ...p.env, GIT_SSH_COMMAND: 'sleep 60;', GIT_SSH_VARIANT: 'ssh' };
  const over = new AbortController();
  const kept = keepOffering({ context: p.as('planner-1', { env }), report: () => {} }, over.signal);
  await p.context.clock.sleep(300);
  const begun = performance.now();
  over.abort();
  await kept;
  expect(performance.now() - begun).toBeLessThan(2000);
});
