// What every Store must do, as cases that any implementation can be held against: in memory, files,
// a server. Knows the interface alone; nothing here may ask where or how a store keeps its state.
// No test runner is needed: a case that fails throws. See test/unit/store/conformance.test.ts.

import assert from 'node:assert/strict';
import { type Actor, type Board, type Lease, OPERATOR } from '../../../src/protocol/board.ts';
import { type Decided, type Decision, type Refusal, refuse } from '../../../src/protocol/decision.ts';
import { freshState } from '../../../src/protocol/records/new-board.ts';
import type { State, Task } from '../../../src/protocol/state.ts';
import type { Committed, Decide, JournalEntry, Outcome, Renewal, Store } from '../../../src/store/store.ts';
import { type Instant, instant, iso, later } from '../../../src/text/time.ts';

/** One blackboard of the implementation under test, holding the state it was made with. */
export interface Bench {
  readonly store: Store;
  /** Another client of the same board: a second process, a second connection. */
  readonly other: Store;
  /** Lets the store's clock go on. */
  pass(seconds: number): void | Promise<void>;
  /** A process of its own; undefined where the store cannot know whether a lease's holder lives. */
  startHolder?(): Promise<{ readonly pid: number; end(): Promise<void> }>;
  close(): Promise<void>;
}

export type MakeBench = (first: State, now: Instant) => Promise<Bench>;

export interface Case {
  readonly name: string;
  run(): Promise<void>;
}

export const START = instant('2026-03-01T12:00:00Z');

export function conformance(make: MakeBench): readonly Case[] {
  return Object.entries(CASES).map(([name, check]) => ({
    name,
    run: async () => {
      const bench = await make(aBoard(), START);
      try {
        await check(bench);
      } finally {
        await bench.close();
      }
    },
  }));
}

const CASES: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'a writer reads what it wrote, and so does everyone else': async ({ store, other }) => {
    const outcome = committed(await store.transact(op('note'), note('hello')));
    assert.deepEqual(messages(outcome.state), ['hello']);
    for (const client of [store, other]) {
      const { board, seq } = await client.read();
      assert.deepEqual(messages(board.state), ['hello']);
      assert.equal(seq, outcome.seq);
    }
  },

  'what is not touched survives, fields of others included': async ({ store, other }) => {
    const before = (await store.read()).board.state;
    committed(await store.transact(op('note'), note('hello')));
    const { human_notes: _, ...rest } = plain((await other.read()).board.state);
    const { human_notes: __, ...was } = plain(before);
    assert.deepEqual(rest, was);
    assert.equal(taskIn(rest as unknown as State, 'live')['owner_team'], 'payments');
  },

  'records change, come and go in one transaction': async ({ store, other }) => {
    // The last task of the list grows at its end while another one is added behind it and the first one goes.
    const decide: Decide = ({ state }, now) => {
      const ended = taskIn(state, 'ended');
      const history = [...(ended.history ?? []), { time: iso(now), event: 'noted', agent: 'human' }];
      const fresh = { id: 'fresh', status: 'DRAFT' as const, priority: 1, description: 'two\nlines: of #text' };
      return { ok: true, state: { ...state, tasks: [{ ...ended, history }, fresh] }, detail: 'rearranged' };
    };
    const { state } = committed(await store.transact(op('supersede'), decide));
    assert.deepEqual(
      state.tasks.map(({ id, history = [] }) => `${id} ${history.length}`),
      ['ended 2', 'fresh 0'],
    );
    assert.deepEqual(plain((await other.read()).board.state), plain(state));
  },

  'half a character and NUL are kept as a sign for them, whatever record they are in': async ({ store, other }) => {
    const HALF = '\ud83d';
    const decide: Decide = ({ state }, now) => {
      const live = taskIn(state, 'live');
      const history = [...(live.history ?? []), { time: iso(now), event: 'noted', agent: 'human', why: `a${HALF}b\0` }];
      const tasks = state.tasks.map((task) =>
        task === live ? { ...live, history, [`key${HALF}`]: [`😀${HALF}`] } : task,
      );
      return { ok: true, state: { ...state, tasks }, detail: `cut${HALF}`, said: `\udc00${HALF}` };
    };
    const { state } = committed(await store.transact(op('note'), decide));
    const task = taskIn(state, 'live');
    assert.equal((task.history?.at(-1) as Record<string, unknown> | undefined)?.['why'], 'a\ufffdb\ufffd');
    assert.deepEqual(task['key\ufffd'], ['😀\ufffd']);
    assert.deepEqual(plain((await other.read()).board.state), plain(state));
    assert.match((await entriesOf(store)).at(-1)?.detail ?? '', /^cut\ufffd/);
  },

  'a refusal changes nothing': async ({ store }) => {
    const before = await everything(store);
    const refusal = refuse('no', 'ask later', 3, 'input');
    assertSame(await store.transact(op('note'), () => refusal), refusal);
    assert.deepEqual(await everything(store), before);
  },

  'a decision that throws changes nothing and leaves the board usable': async ({ store, other }) => {
    const before = await everything(store);
    const throwing = () => {
      throw new RangeError('thrown by the decision');
    };
    await assert.rejects(store.transact(op('note'), throwing), RangeError);
    assert.deepEqual(await everything(store), before);
    committed(await other.transact(op('note'), note('after')));
  },

  'already done writes nothing and names the last entry': async ({ store }) => {
    const { seq } = committed(await store.transact(op('note'), note('hello')));
    const before = await everything(store);
    const again = committed(
      await store.transact(op('note'), ({ state }) => ({ ok: true, state, detail: 'note left', already: true })),
    );
    assert.equal(again.already, true);
    assert.equal(again.seq, seq);
    assert.deepEqual(await everything(store), before);
  },

  'the decision that counts is the last one made, once': async ({ store, other }) => {
    // A store may run a decision again after a lost race; whatever it does, one of them is recorded.
    const racing = Array.from({ length: 6 }, async (_, number) => {
      let calls = 0;
      const outcome = await (number % 2 === 0 ? store : other).transact(op('note'), (board, now) => {
        calls += 1;
        return { ...decided(note(`racer ${number}`)(board, now)), detail: `racer ${number}, call ${calls}` };
      });
      return { seq: committed(outcome).seq, detail: `racer ${number}, call ${calls}` };
    });
    const results = await Promise.all(racing);
    const recorded = (await entriesOf(store)).filter(({ command }) => command === 'note');
    const byNumber = (a: { seq: number }, b: { seq: number }) => a.seq - b.seq;
    assert.deepEqual(
      recorded.map(({ seq, detail }) => ({ seq, detail })),
      results.sort(byNumber),
    );
  },

  'transactions in parallel are all there': async ({ store, other }) => {
    const clients = [store, other];
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, (_, number) => (clients[number % 2] ?? store).transact(op('count'), increment)),
    );
    const { state } = (await store.read()).board;
    assert.equal(counted(state), 24);
    assert.equal(new Set(outcomes.map((outcome) => committed(outcome).seq)).size, 24);
  },

  'the journal numbers without gaps and tells who did what': async ({ store, other }) => {
    const first = (await store.read()).seq;
    committed(await store.transact(op('note'), note('one')));
    const actor: Actor = { id: 'coder-1', parts: ['coder'] };
    committed(
      await other.transact({ actor, command: 'anomaly' }, (board, now) => ({
        ...decided(note('two')(board, now)),
        task: 'live',
        detail: 'line one of it',
      })),
    );
    const entries = await entriesOf(store);
    const [one, two] = entries.slice(-2);
    assert.deepEqual([one?.seq, two?.seq], [first + 1, first + 2]);
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      entries.map((_, index) => (entries[0]?.seq ?? 0) + index),
    );
    assert.deepEqual([one?.actor, one?.command, one?.task], ['human', 'note', undefined]);
    assert.deepEqual(
      [two?.actor, two?.command, two?.task, two?.detail],
      ['coder-1', 'anomaly', 'live', 'line one of it'],
    );
    assert.equal(two?.time, iso(START));
    assert.deepEqual(await entriesOf(store, first + 2), [two]);
    assert.deepEqual(await entriesOf(store, first + 3), []);
  },

  'kill switches change with the state': async ({ store, other }) => {
    assert.deepEqual(Object.keys((await store.read()).board.switches), []);
    committed(await store.transact(op('pause'), switching({ PAUSE: true, CHECKPOINT: true })));
    const on = (await other.read()).board.switches;
    assert.deepEqual(Object.keys(on).sort(), ['CHECKPOINT', 'PAUSE']);
    committed(await store.transact(op('pause'), switching({ PAUSE: true, CHECKPOINT: false })));
    const kept = (await other.read()).board.switches;
    assert.deepEqual(Object.keys(kept), ['PAUSE']);
    assert.equal(kept.PAUSE, on.PAUSE, 'set again, a switch keeps its age');
    const seen = await decidedOn(store, (board) => Object.keys(board.switches).join());
    assert.equal(seen, 'PAUSE');
  },

  'one task is found live, archived or not at all': async ({ store, other }) => {
    const { state } = (await store.read()).board;
    const { config } = state;
    const ended = taskIn(state, 'ended');
    assert.deepEqual(plain(await store.readTask('ended')), plain({ task: ended, archived: false, config }));
    committed(await store.transact(op('archive'), archiving('ended')));
    for (const client of [store, other]) {
      assert.deepEqual(plain(await client.readTask('ended')), plain({ task: ended, archived: true, config }));
      assert.equal((await client.readTask('live'))?.archived, false);
      assert.equal(await client.readTask('never'), undefined);
      const { board } = await client.read();
      assert.equal(board.archived.get('ended'), 'MERGED');
      assert.ok(!board.state.tasks.some((task) => task.id === 'ended'));
      assert.equal(board.archived.has('live'), false);
    }
    assert.equal(await decidedOn(other, (board) => board.archived.get('ended')), 'MERGED');
  },

  'archived tasks are told by goal, and none of another goal counts as one of this': async ({ store, other }) => {
    const { goal } = (await store.read()).board.state;
    committed(await store.transact(op('archive'), archiving('ended')));
    assert.deepEqual(
      (await other.archivedTasks(goal)).map(({ id }) => id),
      ['ended'],
    );
    const next = { ...goal, id: 'goal-2', created: later(START, 60) };
    committed(
      await store.transact(op('next'), ({ state }) => ({ ok: true, state: { ...state, goal: next }, detail: 'next' })),
    );
    assert.deepEqual(await other.archivedTasks(next), []);
    assert.deepEqual(
      (await other.archivedTasks()).map(({ id }) => id),
      ['ended'],
    );
    assert.deepEqual([...((await other.read()).board.earlier ?? [])], ['ended']);
  },

  'a watcher is called after a commit by anyone, and never once it stopped': async ({ store, other }) => {
    const first = called((wake) => store.watch(wake));
    const { seq } = committed(await other.transact(op('note'), note('hello')));
    await first.times(1);
    assert.ok((await store.read()).seq >= seq, 'what woke the watcher is there to be read');
    first.stop();
    const heard = first.count();
    const second = called((wake) => store.watch(wake));
    committed(await store.transact(op('note'), note('again')));
    await second.times(1);
    second.stop();
    assert.equal(first.count(), heard);
  },

  'a heartbeat is no transaction and everyone sees it': async ({ store, other }) => {
    const before = await everything(store);
    const lease = granted(await store.renew(renewal(600)));
    assert.equal(lease.expires, iso(START + 600_000));
    assert.equal(lease.heartbeat, iso(START));
    const { board, seq } = await other.read();
    assert.equal(board.leases.get('coder-1')?.expires, lease.expires);
    assert.equal((await other.readTask('live'))?.lease?.expires, lease.expires);
    assert.deepEqual(plain(board.state), before.state);
    assert.equal(seq, before.seq);
  },

  'an agent is read with the task that it has, or without': async ({ store, other }) => {
    const { board } = await store.read();
    for (const [id, agent] of Object.entries(board.state.agents)) {
      const task = board.state.tasks.find((one) => one.id === agent.current_task);
      for (const reader of [store, other]) {
        const read = await reader.readAgent(id);
        assert.deepEqual(plain(read.agent), plain(agent));
        assert.deepEqual(plain(read.task ?? null), plain(task ?? null));
        assert.deepEqual(plain(read.config), plain(board.state.config));
      }
    }
    assert.equal((await store.readAgent('nobody')).agent, undefined);
  },

  'a renewal never shortens': async ({ store, pass }) => {
    const long = granted(await store.renew(renewal(900)));
    await pass(10);
    const short = granted(await store.renew(renewal(60)));
    assert.equal(short.expires, long.expires);
    assert.equal(short.heartbeat, iso(START + 10_000));
    await pass(10);
    const longer = granted(await store.renew(renewal(2000)));
    assert.equal(longer.expires, iso(START + 20_000 + 2_000_000));
  },

  'an expired lease is not revived': async ({ store, pass }) => {
    granted(await store.renew(renewal(60)));
    // Past the record's end and the state's own (300 s).
    await pass(301);
    lost(await store.renew(renewal(600)));
    assert.equal((await store.read()).board.leases.get('coder-1')?.expires, iso(START + 60_000));
  },

  'a lease of another epoch is neither granted nor counted': async ({ store, pass }) => {
    granted(await store.renew(renewal(3600)));
    committed(await store.transact(op('claim-task'), epoch(2)));
    lost(await store.renew(renewal(600)));
    // The old record promises an hour; at the new epoch only the state's 300 s count.
    await pass(301);
    lost(await store.renew({ ...renewal(600), epoch: 2 }));
  },

  'who is not registered, or does not hold the task, gets no lease': async ({ store }) => {
    lost(await store.renew({ ...renewal(60), agent: 'coder-9' }));
    lost(await store.renew({ ...renewal(60), agent: 'coder-2' }));
    lost(await store.renew({ ...renewal(60), task: 'never' }));
    assert.equal((await store.read()).board.leases.size, 0);
  },

  'a holder that has ended is known to be dead, whatever its lease says': async ({ store, other, startHolder }) => {
    if (startHolder === undefined) {
      assert.equal(granted(await store.renew(renewal(600))).holder, 'unknown');
      return;
    }
    const holder = await startHolder();
    assert.equal(granted(await store.renew({ ...renewal(600), pid: holder.pid })).holder, 'alive');
    // A passing command (no pid) keeps the holder on record.
    assert.equal(granted(await other.renew(renewal(600))).holder, 'alive');
    await holder.end();
    assert.equal((await other.read()).board.leases.get('coder-1')?.holder, 'dead');
    lost(await store.renew(renewal(600)));
  },
};

/** The operator as the one who acts. */
const op = (command: string) => ({ actor: OPERATOR, command });

const note =
  (message: string): Decide =>
  ({ state }, now) => ({
    ok: true,
    state: { ...state, human_notes: [...state.human_notes, { timestamp: iso(now), message }] },
    detail: `note: ${message}`,
  });

const increment: Decide = ({ state }) => ({
  ok: true,
  state: { ...state, config: { ...state.config, ...{ counter: counted(state) + 1 } } },
  detail: 'counted',
});

const counted = ({ config }: State): number => Number((config as Readonly<Record<string, unknown>>)['counter'] ?? 0);

const switching =
  (switches: NonNullable<Decided['switches']>): Decide =>
  ({ state }) => ({ ok: true, state, detail: 'switched', switches });

const archiving =
  (id: string): Decide =>
  ({ state }) => ({
    ok: true,
    state: { ...state, tasks: state.tasks.filter((task) => task.id !== id) },
    detail: `${id} archived`,
    archive: state.tasks.filter((task) => task.id === id),
  });

const epoch =
  (number: number): Decide =>
  ({ state }) => ({
    ok: true,
    state: { ...state, tasks: state.tasks.map((task) => (task.id === 'live' ? { ...task, epoch: number } : task)) },
    detail: `epoch ${number}`,
  });

const renewal = (seconds: number): Renewal => ({ agent: 'coder-1', task: 'live', epoch: 1, seconds });

/** What a decision is shown, told without writing. */
async function decidedOn<T>(store: Store, look: (board: Board) => T): Promise<T | undefined> {
  let seen: T | undefined;
  await store.transact(op('look'), (board) => {
    seen = look(board);
    return refuse('only looking', 'nothing');
  });
  return seen;
}

async function everything(store: Store) {
  const { board, seq } = await store.read();
  return {
    state: plain(board.state),
    switches: { ...board.switches },
    archived: [...board.archived],
    leases: [...board.leases],
    entries: await entriesOf(store),
    seq,
  };
}

async function entriesOf(store: Store, from?: number): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const { seq, time, actor, command, task, detail } of store.journal(from)) {
    entries.push({ seq, time, actor, command, ...(task === undefined ? {} : { task }), detail });
  }
  return entries;
}

/** Counts calls and waits for the n-th: no test sleeps for luck. */
function called(watch: (wake: () => void) => () => void) {
  let count = 0;
  let look = () => {};
  const stop = watch(() => {
    count += 1;
    look();
  });
  const times = (wanted: number) =>
    new Promise<void>((resolve) => {
      look = () => {
        if (count >= wanted) resolve();
      };
      look();
    });
  return { stop, times, count: () => count };
}

function committed(outcome: Outcome): Committed {
  if (!outcome.ok) assert.fail(`refused: ${outcome.message}`);
  return outcome;
}

function decided(decision: Decision): Decided {
  if (!decision.ok) assert.fail(`refused: ${decision.message}`);
  return decision;
}

function granted(answer: Lease | Refusal): Lease {
  if ('ok' in answer) assert.fail(`refused: ${answer.message}`);
  return answer;
}

function lost(answer: Lease | Refusal): void {
  assert.ok('ok' in answer && !answer.ok, 'the lease was granted');
}

function assertSame(outcome: Outcome, refusal: Refusal): void {
  assert.ok(!outcome.ok);
  const { code, message, hint } = outcome;
  assert.deepEqual({ code, message, hint }, { code: refusal.code, message: refusal.message, hint: refusal.hint });
}

const plain = <T>(value: T): Record<string, unknown> => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

const messages = (state: State): string[] => state.human_notes.map(({ message }) => message);

function taskIn(state: State, id: string): Task & Record<string, unknown> {
  const task = state.tasks.find((candidate) => candidate.id === id);
  if (task === undefined) assert.fail(`no task ${id}`);
  return task as Task & Record<string, unknown>;
}

/** A claimed task, an ended one, a coder at work and an idle one. */
export function aBoard(): State {
  const created = iso(START);
  const defined = {
    priority: 3,
    description: 'retry: "always"',
    spec_ref: 'specs/vision.md',
    done_when: 'three retries in a row succeed',
    scope: 'src',
  };
  const event = (name: string) => ({ time: created, event: name, agent: 'coder-1' });
  return {
    ...freshState({ goal: 'Retry all API calls', spec_ref: 'specs/vision.md', now: START }),
    tasks: [
      {
        ...defined,
        id: 'live',
        status: 'CLAIMED',
        assigned_to: 'coder-1',
        worktree: '.worktrees/live',
        base_commit: '12e4567',
        epoch: 1,
        lease_expires: iso(START + 300_000),
        history: [event('created'), event('claimed')],
        ...{ owner_team: 'payments' },
      },
      { ...defined, id: 'ended', status: 'MERGED', merge_commit: '0123456', history: [event('merged')] },
    ],
    agents: {
      'coder-1': { role: 'coder', status: 'WORKING', current_task: 'live', epoch: 1 },
      'coder-2': { role: 'coder', status: 'IDLE' },
    },
  };
}
