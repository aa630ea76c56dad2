// Where the board learns that a process named in `claiming` or `merging` has ended: a live one, an ended one,
// one of an earlier boot, and text that is no identity.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { formatProcess, identify, type ProcessIdentity, parseProcess } from '../../../src/process/process-identity.ts';
import type { Board } from '../../../src/protocol/board.ts';
import type { State, Task } from '../../../src/protocol/state.ts';
import { assemble, endedProcesses } from '../../../src/store/assemble.ts';
import { hostAt } from '../../host.ts';
import { boardContext } from '../../support/board-context.ts';
import { commit, world } from '../protocol/world.ts';

const self = identify(hostAt(), process.pid) as ProcessIdentity;
const ALIVE = formatProcess(self);
const EARLIER_BOOT = formatProcess({ ...self, boot: 'another' });

function boardOf(...tasks: readonly object[]) {
  const state: State = { ...world().state, tasks: tasks as readonly Task[] };
  return assemble(boardContext('/nowhere'), state);
}

const claiming = (named: unknown) => ({ id: 'a', claiming: { by: 'coder-1', epoch: 1, expires: '', process: named } });
const merging = (named: unknown) => ({
  id: 'b',
  merging: { by: 'x', candidate: commit(1), onto: commit(2), process: named },
});

describe('a process as one text', () => {
  it.each([
    { boot: '2f1c-a', pid: 42, started: '123456' },
    { boot: 'F0-9', pid: 1, started: 'Sat Mar  1 09:00:00 2026' },
  ])('$started survives the way there and back', (identity) => {
    expect(parseProcess(formatProcess(identity))).toEqual(identity);
  });

  it.each(['', 'boot', 'boot/12', 'boot//x', 'boot/0/x', 'boot/-1/x', 'boot/12/', 'a b/12/x', '/12/x', 'boot/1e3/x'])(
    '%j is none',
    (text) => expect(parseProcess(text)).toBeUndefined(),
  );
});

describe('board.gone', () => {
  it('names those that provably ended, and no others', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await once(child, 'spawn');
    const named = formatProcess(identify(hostAt(), child.pid ?? 0) as ProcessIdentity);
    expect(boardOf(claiming(named), merging(ALIVE)).gone).toEqual(new Set());
    child.stdin.end();
    await once(child, 'exit');
    expect(boardOf(claiming(named), merging(ALIVE), merging(EARLIER_BOOT)).gone).toEqual(
      new Set([named, EARLIER_BOOT]),
    );
  });

  it('names who registered an agent and ended; one whose lease record counts is not looked at', () => {
    const agent = { role: 'coder', status: 'IDLE', epoch: 2, process: EARLIER_BOOT } as const;
    const { state } = world();
    const board = (leases: Board['leases']) =>
      endedProcesses(hostAt(), { ...state, agents: { 'coder-1': agent } }, leases);
    const lease = { agent: 'coder-1', expires: '', heartbeat: '', holder: 'alive' } as const;
    expect(board(new Map())).toEqual(new Set([EARLIER_BOOT]));
    expect(board(new Map([['coder-1', { ...lease, epoch: 1 }]]))).toEqual(new Set([EARLIER_BOOT]));
    expect(board(new Map([['coder-1', { ...lease, epoch: 2 }]]))).toEqual(new Set());
  });

  it('is empty when no task names a process, or none that means anything', () => {
    expect(boardOf({ id: 'a' }).gone).toEqual(new Set());
    expect(boardOf(claiming('nonsense'), merging(7), { id: 'c', claiming: null }).gone).toEqual(new Set());
  });
});
