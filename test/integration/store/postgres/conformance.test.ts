// The store on a real PostgreSQL against the suite that every store must pass.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'vitest';
import { openStore } from '../../../../src/store/open.ts';
import { sharedBench } from '../../../support/shared-board.ts';
import { conformance, type MakeBench } from '../../../unit/store/conformance.ts';

async function startHolder() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  return {
    pid: child.pid ?? 0,
    end: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

const onOneHost: MakeBench = async (first, now) => {
  const bench = await sharedBench(first, now);
  let clock = now;
  await bench.setClock(clock);
  const context = bench.host('one');
  return {
    store: openStore(context),
    // Another process of the same host: a connection and a memory of its own.
    other: openStore({ ...context, shared: { ...must(context.shared) } }),
    pass: async (seconds) => {
      clock += seconds * 1000;
      await bench.setClock(clock);
    },
    startHolder,
    close: bench.close,
  };
};

const onTwoHosts: MakeBench = async (first, now) => {
  const bench = await sharedBench(first, now);
  let clock = now;
  await bench.setClock(clock);
  return {
    store: openStore(bench.host('one')),
    other: openStore(bench.host('two')),
    pass: async (seconds) => {
      clock += seconds * 1000;
      await bench.setClock(clock);
    },
    close: bench.close,
  };
};

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the board is not shared');
  return value;
}

describe.each<[string, MakeBench]>([
  ['the store on PostgreSQL', onOneHost],
  ['the store on PostgreSQL from two hosts', onTwoHosts],
])('%s', (_name, make) => {
  for (const { name, run } of conformance(make)) test(name, run);
});
