// A supervisor that was out of reach for longer than its lease, frozen or cut off, comes back when another process runs its
// agent: it begins nothing under that id, keeps no lease alive, and says nothing about the other one's session.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { OPERATOR } from '../../../src/protocol/board.ts';
import { iso } from '../../../src/text/time.ts';
import { succeeded } from '../../support/project.ts';
import { open, r } from './harness.ts';

const GONE = `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/999999999/1`;
const member = () => r().crew.view().members[0];
/** As another host registers it, for which this process is nobody's. */
const register = async (process: string): Promise<void> => {
  const done = await r().p.store.transact({ actor: OPERATOR, command: 'register' }, ({ state }, now) => {
    const former = state.agents['coder-1'] ?? { role: 'coder', status: 'IDLE' };
    const agent = { ...former, epoch: (former.epoch ?? 0) + 1, lease_expires: iso(now + 3_600_000) };
    return { ok: true, state: { ...state, agents: { 'coder-1': { ...agent, process } } }, detail: process };
  });
  succeeded(done);
};

test('what another process runs is not taken; where that one is gone it is this one’s again', async () => {
  await open({ tasks: [{ id: 't', paused: true }], parts: { 'coder-1': [{}] } });
  await r().until('idle', () => member()?.state === 'idle');
  await register('another');
  await r().p.run(undefined, { name: 'resume', task: 't' });
  await r().until('told', () => member()?.why === 'another process runs coder-1 now');
  const { heartbeat } = (await r().p.store.read()).board.leases.get('coder-1') ?? {};
  r().clock.advance(100_000);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(r().started).toEqual([]);
  expect((await r().p.store.read()).board.leases.get('coder-1')?.heartbeat).toBe(heartbeat);
  expect(await r().p.task('t')).toMatchObject({ status: 'UNCLAIMED' });
  await register(GONE);
  await r().until('working', () => member()?.state === 'working');
  expect((await r().p.state()).agents['coder-1']?.process).not.toBe(GONE);
});
