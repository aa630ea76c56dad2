// Every implementation of the Store interface against the one suite.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Actor, type Board, OPERATOR } from '../../../src/protocol/board.ts';
import type { Decision } from '../../../src/protocol/decision.ts';
import type { State } from '../../../src/protocol/state.ts';
import { start } from '../../../src/store/import.ts';
import { openYamlStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { yamlStore } from '../../../src/store/yaml-store.ts';
import { type Instant, iso } from '../../../src/text/time.ts';
import { hostAt } from '../../host.ts';
import { memoryStore } from '../../memory-store.ts';
import { boardContext } from '../../support/board-context.ts';
import { stateText } from '../../support/project.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { aBoard, type Bench, conformance, type MakeBench } from './conformance.ts';

const inMemory: MakeBench = async (first, now) => {
  let clock = now;
  const store = memoryStore(first, { now: () => clock });
  return {
    store,
    other: store,
    pass: (seconds) => {
      clock += seconds * 1000;
    },
    close: async () => {},
  };
};

const inFiles: MakeBench = async (first, now) => onDisk(first, now, true);
const withoutGit: MakeBench = async (first, now) => onDisk(first, now, false);

function onDisk(first: State, now: Instant, git: boolean): Bench {
  const root = temporaryFolder();
  mkdirSync(join(root, '.liza'));
  let clock = now;
  const host = hostAt(() => clock);
  const context = () => boardContext(root, { gitDirectory: git ? join(root, '.git') : undefined, host });
  start(context(), stateText(first), { actor: OPERATOR, command: 'init', detail: 'a board to test' });
  // Opened at once and lazily, each in both members.
  const [store, other] = git ? [openYamlStore, yamlStore] : [yamlStore, openYamlStore];
  return {
    store: store(context()),
    other: other(context()),
    pass: (seconds) => {
      clock += seconds * 1000;
    },
    startHolder,
    close: async () => {},
  };
}

test('where the system has no watcher left, a change is heard of all the same', async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, '.liza'));
  const host = hostAt();
  const watch = (): never => {
    throw Object.assign(new Error('EMFILE: too many open files, watch'), { code: 'EMFILE' });
  };
  const deaf = { ...host, disk: { ...host.disk, watch } };
  start(boardContext(root, { host }), stateText(aBoard()), {
    actor: OPERATOR,
    command: 'init',
    detail: 'a board to test',
  });
  const heard = new Promise<void>((done) => {
    onTestFinished(openYamlStore(boardContext(root, { host: deaf })).watch(done));
  });
  const note = { ok: true, detail: 'touched' } as const;
  await yamlStore(boardContext(root, { host })).transact({ actor: OPERATOR, command: 'note' }, ({ state }) => ({
    ...note,
    state: { ...state, goal: { ...state.goal, description: 'another' } },
  }));
  await heard;
});

test('a board that nobody could read any more is not written; agents are refused before people are', async () => {
  const MB = 2 ** 20;
  const agent = { id: 'coder-1', parts: ['coder'] as const };
  const padded = async (length: number, actor: Actor) => {
    const root = temporaryFolder();
    mkdirSync(join(root, '.liza'));
    const text = stateText(aBoard());
    const filled = `${text}# ${'x'.repeat(length - text.length - 3)}\n`;
    start(boardContext(root), filled, { actor: OPERATOR, command: 'init', detail: 'a board to test' });
    const store = yamlStore(boardContext(root));
    const larger = ({ state }: Board): Decision => ({
      ok: true,
      detail: 'larger',
      state: { ...state, goal: { ...state.goal, description: 'x'.repeat(1000) } },
    });
    return store.transact({ actor, command: 'note' }, larger);
  };
  expect(await padded(48 * MB - 100, agent)).toMatchObject({ ok: false, guard: 'board-size' });
  expect(await padded(48 * MB - 100, OPERATOR)).toMatchObject({ ok: true });
  expect(await padded(64 * MB - 100, OPERATOR)).toMatchObject({ ok: false, guard: 'board-size' });
}, 60_000);

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

describe.each<[string, MakeBench]>([
  ['the store in memory', inMemory],
  ['the YAML store', inFiles],
  ['the YAML store without a git directory', withoutGit],
])('%s', (_name, make) => {
  for (const { name, run } of conformance(make)) test(name, run);
});

// A suite that nobody can fail proves nothing: each of these stores is wrong in one way, and is found out.
describe('the suite finds a store that', () => {
  const wrong: [string, string, (store: Store) => Partial<Store>][] = [
    [
      'acknowledges without writing',
      'a writer reads what it wrote, and so does everyone else',
      (store) => ({
        transact: async (_operation, decide) => {
          const { board, now, seq } = await store.read();
          const decision = decide(board, now);
          return decision.ok ? { ...decision, seq: seq + 1, notices: [] } : decision;
        },
      }),
    ],
    [
      'decides on what it read before its turn',
      'transactions in parallel are all there',
      (store) => ({
        transact: async (operation, decide) => {
          const { board, now } = await store.read();
          await new Promise(setImmediate);
          return store.transact(operation, () => decide(board, now));
        },
      }),
    ],
    [
      'writes in spite of a refusal',
      'a refusal changes nothing',
      (store) => ({
        transact: async (operation, decide) => {
          const outcome = await store.transact(operation, decide);
          if (!outcome.ok) await store.transact(operation, ({ state }) => ({ ok: true, state, detail: 'refused' }));
          return outcome;
        },
      }),
    ],
    [
      'writes what was already done',
      'already done writes nothing and names the last entry',
      (store) => ({
        transact: (operation, decide) =>
          store.transact(operation, (board, now) => {
            const decision = decide(board, now);
            if (!decision.ok) return decision;
            const { already: _, ...fresh } = decision;
            return fresh;
          }),
      }),
    ],
    [
      'forgets the switches',
      'kill switches change with the state',
      (store) => ({
        transact: (operation, decide) =>
          store.transact(operation, (board, now) => {
            const decision = decide(board, now);
            return decision.ok ? { ...decision, switches: {} } : decision;
          }),
      }),
    ],
    [
      'numbers from elsewhere',
      'the journal numbers without gaps and tells who did what',
      (store) => ({
        journal: async function* (from) {
          for await (const entry of store.journal(from)) yield { ...entry, seq: entry.seq * 2 };
        },
      }),
    ],
    [
      'loses the archive',
      'one task is found live, archived or not at all',
      (store) => ({
        readTask: async (id) => {
          const found = await store.readTask(id);
          return found?.archived === true ? undefined : found;
        },
      }),
    ],
    [
      'grants every lease',
      'an expired lease is not revived',
      (store) => ({
        renew: async ({ agent, epoch }) => {
          const { now } = await store.read();
          return { agent, epoch, expires: iso(now + 60_000), heartbeat: iso(now), holder: 'unknown' };
        },
      }),
    ],
    [
      'shortens a lease',
      'a renewal never shortens',
      (store) => ({
        renew: async (renewal) => {
          const lease = await store.renew(renewal);
          const { now } = await store.read();
          return 'ok' in lease ? lease : { ...lease, expires: iso(now + renewal.seconds * 1000) };
        },
      }),
    ],
    [
      'calls a watcher that stopped',
      'a watcher is called after a commit by anyone, and never once it stopped',
      (store) => ({
        watch: (changed) => {
          store.watch(changed);
          return () => {};
        },
      }),
    ],
  ];
  test.each(wrong)('%s', async (_name, name, sabotage) => {
    const cases = conformance(async (first, now) => {
      const bench = await inMemory(first, now);
      const store = { ...bench.store, ...sabotage(bench.store) };
      return { ...bench, store, other: store };
    });
    const found = cases.find((one) => one.name === name);
    await expect(found?.run()).rejects.toThrow();
  });
});
