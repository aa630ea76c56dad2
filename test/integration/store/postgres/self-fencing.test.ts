// A host that cannot reach the database lets its agents go, by its own clock, while the server still counts their leases.

import { expect, test } from 'vitest';
import { freshState } from '../../../../src/protocol/records/new-board.ts';
import type { State } from '../../../../src/protocol/state.ts';
import { openStore } from '../../../../src/store/open.ts';
import { makeChangeSignal } from '../../../../src/supervisor/change-signal.ts';
import type { SupervisorContext } from '../../../../src/supervisor/context.ts';
import { keepAlive } from '../../../../src/supervisor/heartbeat.ts';
import { iso } from '../../../../src/text/time.ts';
import { CuttingProxy } from '../../../support/cutting-proxy.ts';
import { sharedBench } from '../../../support/shared-board.ts';

const LEASE = 4;

function aBoard(): State {
  const now = Date.now();
  const fresh = freshState({ goal: 'Hold it', spec_ref: 'specs/vision.md', now });
  return {
    ...fresh,
    config: { ...fresh.config, lease_duration: LEASE, heartbeat_interval: 1 },
    tasks: [
      {
        ...{ id: 'a', status: 'CLAIMED', priority: 3, description: 'held', done_when: 'it is held', scope: 'src' },
        ...{
          spec_ref: 'specs/vision.md',
          assigned_to: 'coder-1',
          worktree: '.worktrees/a',
          base_commit: '1'.repeat(40),
        },
        ...{ epoch: 1, lease_expires: iso(now + 60_000) },
      },
    ],
    agents: { 'coder-1': { role: 'coder', status: 'WORKING', current_task: 'a', epoch: 1 } },
  };
}

test('cut off, a lease is given up before the server could give it to another', { timeout: 60_000 }, async () => {
  const state = aBoard();
  const bench = await sharedBench(state, Date.now());
  const proxy = await CuttingProxy.open(bench.server.port);
  const context = bench.host('one', { through: bench.url.replace(`:${bench.server.port}/`, `:${proxy.port}/`) });
  const changeSignal = makeChangeSignal(context.clock);
  const supervisor = { ...context, store: openStore(context), changeSignal, pid: process.pid };
  const heartbeat = keepAlive(supervisor as unknown as SupervisorContext, 'coder-1', state);
  try {
    await heartbeat.hold({ task: 'a', epoch: 1 }, state);
    // Renewed for longer than one lease.
    await new Promise((resolve) => setTimeout(resolve, (LEASE + 1) * 1000));
    expect(heartbeat.lost()).toBe(false);
    proxy.isDown = true;
    proxy.cutAll();
    const from = performance.now();
    for (let seen = changeSignal.count(); !heartbeat.lost(); seen = changeSignal.count())
      await changeSignal.wait(seen, 500, new AbortController().signal);
    const [lease] = await bench.sql(
      "select extract(epoch from expires - liza.now()) as left from liza.lease where agent = 'coder-1'",
    );
    expect(Number(lease?.['left'])).toBeGreaterThan(0);
    // And not at once: a short outage costs no session.
    expect(performance.now() - from).toBeGreaterThan(1000);
  } finally {
    proxy.isDown = false;
    await heartbeat.stop().catch(() => {});
    await bench.close();
    await proxy.close();
  }
});
