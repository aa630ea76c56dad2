// What comes in between while one is suspected: a hold, another order, other settings, an approval, git gc. And tests that
// are red the first time they see a commit, on a branch that is red by itself. Nobody who is good is blamed, and nothing
// that was dropped holds the queue.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { queueOf } from '../../../src/protocol/queue/order.ts';
import { mergeQueue } from '../../../src/tasks/merge.ts';
import { inFull } from '../../runs.ts';
import type { Contents } from '../../support/core.mjs';
import { approvedTask, type Project, project, succeeded } from '../../support/project.ts';

const SCRIPT = 'scripts/integration-test.sh';
/** Counts its runs, waits where it is told to, and is red the nth time where $HOME/red says so. */
const COUNTED = `n=$(($(cat "$HOME/n" 2>/dev/null || echo 0) + 1)); echo $n > "$HOME/n"
first() { [ ! -e "$HOME/seen.$(git rev-parse HEAD)" ] && touch "$HOME/seen.$(git rev-parse HEAD)"; }
[ ! -e "$HOME/wait.$n" ] || { touch "$HOME/at.$n"; until [ -e "$HOME/go.$n" ]; do sleep 0.05; done; }
[ ! -e "$HOME/red.$n" ] || { echo by chance; exit 1; }
for bad in *.bad; do [ ! -e "$bad" ] || { echo "$bad is there"; exit 1; }; done
`;
const NEEDS_B = `${COUNTED}[ -e b.js ] || { echo b.js is missing; exit 1; }\n`;
const SHY = '[ ! -e a.txt ] || ! first || { echo red the first time; exit 1; }\n';
const AB: Readonly<Record<string, Contents>> = { a: { 'a.txt': 'a\n' }, b: { 'b.js': 'b\n' } };
const BOTH = { a: 'MERGED', b: 'MERGED' };
const LONG = { timeout: 30_000 };
let p: Project;

function approved(
  script: string | undefined,
  tasks: Readonly<Record<string, Contents>>,
  config = {},
  more: (made: Project) => readonly (ReturnType<typeof approvedTask> | string)[] = () => [],
): void {
  p = project({
    files: script === undefined ? {} : { [SCRIPT]: script },
    config: { integration_test_timeout: 60, sandbox: 'off', merge_batch: 1, ...config },
    tasks: (made) => [...Object.entries(tasks).map(([id, files]) => approvedTask(made, id, files)), ...more(made)],
  });
}

const mark = (name: string): void => fs.writeFileSync(path.join(p.base, name), '');
const runs = (): number => Number(fs.readFileSync(path.join(p.base, 'n'), 'utf8'));
const merge = () => mergeQueue(p.as('code-reviewer-1'), new Set());
const statuses = async () => Object.fromEntries((await p.state()).tasks.map(({ id, status }) => [id, status]));

/** Until all are gone or Liza holds the queue. */
async function mergeAll(): Promise<Readonly<Record<string, string>>> {
  const open = async () => {
    const state = await p.state();
    return state.tasks.some(({ status }) => status === 'APPROVED') && queueOf(state).held === undefined;
  };
  for (let n = 0; n < 8 && (await open()); n++) succeeded(await merge());
  expect(p.refs('refs/liza/merging')).toEqual({});
  return statuses();
}

/** While the nth test runs. */
async function during(n: number, work: () => Promise<unknown> | unknown): Promise<void> {
  mark(`wait.${n}`);
  const merging = merge();
  while (!fs.existsSync(path.join(p.base, `at.${n}`))) await new Promise((resolve) => setTimeout(resolve, 30));
  await work();
  mark(`go.${n}`);
  await merging;
}

describe('the branch is red, and the next one mends it', () => {
  test('held and released while that one is tested: both land', async () => {
    approved(NEEDS_B, AB);
    await during(3, () => p.ok(['queue', 'hold']));
    await p.ok(['queue', 'release']);
    expect(await mergeAll()).toEqual(BOTH);
  });

  test('put first while it is tested: both land', async () => {
    for (const id of ['a', 'b']) {
      approved(NEEDS_B, AB);
      await during(3, () => p.ok(['queue', 'first', id]));
      expect({ id, ...(await mergeAll()) }).toEqual({ id, ...BOTH });
    }
  }, 120_000);

  test('that one is built on the one that is red: both land', async () => {
    approved(NEEDS_B, { a: { 'a.txt': 'a\n' } }, {}, (made) => {
      const [a] = Object.values(made.refs('refs/liza/review/a'));
      return [approvedTask(made, 'b', { 'b.js': 'b\n' }, a)];
    });
    expect(await mergeAll()).toEqual(BOTH);
    expect(runs()).toBe(3);
  });

  test('another is approved in a session that still runs: it is not asked, and those that may land do', async () => {
    approved(NEEDS_B, { a: { 'a.txt': 'a\n' } }, { merge_batch: 'auto' }, () => ['b', 'x']);
    await p.submitted('b', { 'b.js': 'b\n', 'test/b.test.js': 'x' });
    await p.submitted('x', { 'x.txt': 'x\n', 'test/x.test.js': 'x' }, 'coder-2');
    await during(1, async () => {
      await p.approve('b');
      p.pass(5);
      await p.run('code-reviewer-1', { name: 'session-start', agent: 'code-reviewer-1', task: 'x' } as never);
      p.pass(1);
      await p.approve('x');
    });
    succeeded(await merge());
    expect(await statuses()).toMatchObject(BOTH);
    expect(queueOf(await p.state()).held).toBeUndefined();
  });

  test('and what is red has a test that is red the first time it sees a commit: both land', async () => {
    approved(`${NEEDS_B}${SHY}`, AB);
    expect(await mergeAll()).toEqual(BOTH);
    // What led to a landing was not in vain.
    expect((await p.ok(['queue'])).stdout).not.toContain('in vain');
  });
});

describe('a test that is red the first time it sees a commit blames nobody', () => {
  test('also where the branch was red by chance', async () => {
    approved(`${COUNTED}${SHY}`, AB);
    mark('red.2');
    expect(await mergeAll()).toEqual(BOTH);
  });

  test('also where another is put first in the middle of the search, or the size of batches changes', async () => {
    const three = { ...AB, z: { 'z.txt': 'z\n' } };
    approved(`${COUNTED}${SHY}`, three, { merge_batch: 2 });
    await during(2, () => p.ok(['queue', 'first', 'z']));
    expect(await mergeAll()).toEqual({ ...BOTH, z: 'MERGED' });
    approved(`${COUNTED}${SHY}`, three, { merge_batch: 3 });
    await during(1, async () => {
      await p.ok(['config', 'set', 'merge_batch', '1']);
      await p.ok(['queue', 'hold']);
    });
    await p.ok(['queue', 'release']);
    expect(await mergeAll()).toEqual({ ...BOTH, z: 'MERGED' });
  }, 120_000);
});

describe('who judges is changed in the middle of a search: it begins again', () => {
  test('test_command', async () => {
    approved(undefined, AB, { test_command: 'sh "$HOME/t.sh"' });
    const script = (name: string, tail: string) => fs.writeFileSync(path.join(p.base, name), `${COUNTED}${tail}`);
    script('t.sh', '[ ! -e a.txt ] || exit 1\n');
    script('t2.sh', '[ ! -e b.js ] || exit 1\n');
    await during(1, () => p.ok(['config', 'set', 'test_command', 'sh "$HOME/t2.sh"']));
    expect(await statuses()).toEqual({ a: 'APPROVED', b: 'APPROVED' });
    expect(await mergeAll()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED' });
  });

  test.runIf(inFull)('integration_test_timeout (in test:all)', async () => {
    approved(`${COUNTED}[ ! -e a.txt ] || sleep 3\n`, AB, { integration_test_timeout: 2 });
    await during(1, () => p.ok(['config', 'set', 'integration_test_timeout', '60']));
    expect(await mergeAll()).toEqual(BOTH);
  });
});

test('an outage, and a red run by chance after it: the test blames nobody', async () => {
  approved(COUNTED, { a: { 'x.txt': 'a\n' }, b: { 'x.txt': 'b\n' }, d: { 'd.txt': 'd\n' } });
  for (const n of [1, 2, 5]) mark(`red.${n}`);
  // The branch was red and b green: b landed first, and one of the two conflicts in any order.
  expect(await mergeAll()).toEqual({ a: 'INTEGRATION_FAILED', b: 'MERGED', d: 'MERGED' });
  expect((await p.last('a', 'integration_failed'))?.['reason']).toContain('merge conflict in x.txt');
});

test('git gc while others are tested beside it, or ahead: what is tested stays', async () => {
  const GIT = 'git cat-file -e HEAD || { echo HEAD is gone; exit 1; }\n';
  const gc = (): void => {
    p.git('reflog', 'expire', '--expire=now', '--all');
    p.git('gc', '-q', '--prune=now');
  };
  // a; the branch; b beside it.
  approved(`${NEEDS_B}${GIT}`, AB);
  await during(3, gc);
  expect(await mergeAll()).toEqual(BOTH);
  expect(runs()).toBe(4);
  // All; 1; those behind a; all again.
  approved(
    `${COUNTED}${GIT}`,
    { a: { 'a.bad': 'a\n' }, b: { 'b.txt': 'b\n' }, c: { 'c.txt': 'c\n' } },
    { merge_batch: 3 },
  );
  await during(4, gc);
  expect(await mergeAll()).toEqual({ a: 'INTEGRATION_FAILED', b: 'MERGED', c: 'MERGED' });
  const reason = String((await p.last('a', 'integration_failed'))?.['reason']);
  expect(reason).toContain('red again with b, c, green without it');
  // The next one ahead.
  approved(`${COUNTED}${GIT}`, { a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' } }, { merge_lanes: 2 });
  await during(2, gc);
  expect(await mergeAll()).toEqual(BOTH);
  expect(runs()).toBe(2);
}, 120_000);

describe('a person comes in between while one test runs', () => {
  const together = { merge_batch: 'auto' } as const;

  test.each([[['a']], [['a', 'b']]])(
    '%s: what is taken out, mended and approved anew does not land as it was',
    async (ids) => {
      approved(COUNTED, Object.fromEntries(ids.map((id) => [id, { [`${id}.txt`]: 'old\n' }])), together);
      await during(1, async () => {
        await p.ok(['queue', 'out', 'a', '--reason', 'not like this']);
        await p.begun('a', 'coder-1', ['a.txt', 'test/app.test.ts']);
        await p.submit('a', p.work('a', { 'a.txt': 'mended\n', 'test/app.test.ts': 'test(2);\n' }, 'a: mended'));
        await p.approve('a');
      });
      expect((await statuses())['a']).toBe('APPROVED');
      expect(p.git('ls-tree', '--name-only', 'integration').split('\n')).not.toContain('a.txt');
      expect((await mergeAll())['a']).toBe('MERGED');
      expect(p.git('show', 'integration:a.txt')).toBe('mended');
    },
  );

  test('held, mended and released: one that is red by chance after that is not blamed', async () => {
    approved(COUNTED, AB, together);
    for (const n of [1, 2, 4]) mark(`red.${n}`);
    await during(3, async () => {
      await p.ok(['queue', 'hold', '--reason', 'the database is down']);
      await p.ok(['queue', 'release']);
    });
    expect(await mergeAll()).toEqual(BOTH);
  });

  test.each([
    ['queue hold', ['queue', 'hold'], ['queue', 'release']],
    ['pause', ['pause'], ['resume']],
  ])(
    '%s while the last of three runs is under way: nobody is blamed, and no other test begins',
    async (_, hold, free) => {
      for (const more of [{}, { c: { 'c.txt': 'c\n' } }]) {
        approved(COUNTED, { ...AB, ...more }, { merge_batch: 2 });
        mark('red.1');
        mark('red.3');
        await during(3, () => p.ok(hold));
        expect({ runs: runs(), ...(await statuses()) }).toMatchObject({ runs: 3, a: 'MERGED', b: 'APPROVED' });
        await p.ok(free);
        expect(await mergeAll()).toMatchObject(BOTH);
      }
    },
  );

  test.each([
    ['queue hold', [['queue', 'hold']]],
    [
      'queue hold and release',
      [
        ['queue', 'hold'],
        ['queue', 'release'],
      ],
    ],
    ['queue first', [['queue', 'first', 'c']]],
    ['queue out of another', [['queue', 'out', 'c', '--reason', 'not now']]],
    ['pause', [['pause']]],
  ])('%s after the last look, before it is written who leaves: nobody is blamed', async (_, said) => {
    approved(COUNTED, { a: { 'a.txt': 'a\n' }, b: { 'b.bad': 'b\n' }, c: { 'c.txt': 'c\n' } }, together);
    const context = p.as('code-reviewer-1');
    let isSaid = false;
    const transact: typeof context.store.transact = async (by, decide) => {
      if (by.command === 'merge-failed' && !isSaid) {
        isSaid = true;
        for (const one of said) await p.ok(one);
      }
      return context.store.transact(by, decide);
    };
    succeeded(await mergeQueue({ ...context, store: { ...context.store, transact } }, new Set()));
    expect({ isSaid, ...(await statuses()) }).toMatchObject({ isSaid: true, b: 'APPROVED' });
  });

  test('takes out one behind those that are tested: their test ends at once', async () => {
    approved(COUNTED, { ...AB, c: { 'c.bad': 'c\n' } }, together);
    mark('wait.2');
    const merging = merge();
    while (!fs.existsSync(path.join(p.base, 'at.2'))) await new Promise((resolve) => setTimeout(resolve, 30));
    await p.ok(['queue', 'out', 'c', '--reason', 'not now']);
    expect(succeeded(await merging).stopped?.message).toContain('was changed while it was tested');
    expect(await mergeAll()).toMatchObject(BOTH);
  });
});

const LANE = `if [ -e b.js ]; then
  k=$(($(cat "$HOME/k" 2>/dev/null || echo 0) + 1)); echo $k > "$HOME/k"
  [ $k -ne 1 ] || { touch "$HOME/begun"; until [ -e "$HOME/down" ]; do sleep 0.05; done; }
  [ $k -gt 2 ] || exit 1
else until [ -e "$HOME/go" ]; do sleep 0.05; done; fi
`;

describe('the next is tested on top of it, and is red; the queue is held and released, and then it is red by chance', () => {
  test.each(['is over', 'is under way'])('when its test %s: nobody is blamed', async (when) => {
    approved(LANE, AB, { merge_lanes: 2 });
    if (when === 'is over') mark('down');
    const merging = merge();
    const ahead = async () => queueOf(await p.state()).ahead?.[0];
    await expect
      .poll(async () => (await ahead())?.run?.red ?? fs.existsSync(path.join(p.base, 'begun')), LONG)
      .toBe(true);
    await expect.poll(async () => when !== 'is over' || (await ahead())?.run?.red, LONG).toBe(true);
    await p.ok(['queue', 'hold']);
    await p.ok(['queue', 'release']);
    mark('down');
    mark('go');
    await merging;
    expect(await mergeAll()).toEqual(BOTH);
  });
});

test('held and released where a batch has landed and the one on top of it, whose test runs, is not announced yet', async () => {
  approved(LANE, AB, { merge_lanes: 2 });
  const context = p.as('code-reviewer-1');
  let isSaid = false;
  const transact: typeof context.store.transact = async (by, decide) => {
    const outcome = await context.store.transact(by, decide);
    if (by.command === 'merge' && !isSaid) {
      isSaid = true;
      await p.ok(['queue', 'hold']);
      await p.ok(['queue', 'release']);
      mark('down');
    }
    return outcome;
  };
  const merging = mergeQueue({ ...context, store: { ...context.store, transact } }, new Set());
  await expect.poll(() => fs.existsSync(path.join(p.base, 'begun')), LONG).toBe(true);
  mark('go');
  await merging;
  expect({ isSaid, ...(await mergeAll()) }).toEqual({ isSaid: true, ...BOTH });
});

describe('a test beside it that nobody waits for', () => {
  test('ends when that one is taken out', async () => {
    approved(NEEDS_B, AB);
    mark('wait.3');
    const merging = merge();
    await expect.poll(() => fs.existsSync(path.join(p.base, 'at.3')), LONG).toBe(true);
    await p.ok(['queue', 'out', 'b', '--reason', 'not now']);
    const late = new Promise((resolve) => setTimeout(resolve, 20_000, 'it goes on'));
    const how = await Promise.race([merging.then(() => 'ended'), late]);
    mark('go.3');
    await merging;
    expect(how).toBe('ended');
    expect(queueOf(await p.state()).held?.reason).toContain('red without any');
  }, 60_000);

  test('ends with a hold, and no other run is lost', async () => {
    approved(COUNTED, { a: { 'a.bad': 'a\n' }, b: { 'b.txt': 'b\n' } }, { merge_batch: 2 });
    await during(3, async () => {
      await p.ok(['queue', 'hold']);
      await p.ok(['queue', 'release']);
      await new Promise((resolve) => setTimeout(resolve, 1500));
    });
    expect(await mergeAll()).toEqual({ a: 'INTEGRATION_FAILED', b: 'MERGED' });
    expect(runs()).toBe(6);
  });
});

test('its own test, alone, was red in an outage, before the queue was held and released: nobody is told that', async () => {
  const pair = '[ ! -e x.txt ] || [ ! -e y.txt ] || exit 1\n';
  approved(`${COUNTED}${pair}`, { y: { 'y.txt': 'y\n' }, x: { 'x.txt': 'x\n' } });
  mark('red.5');
  await merge();
  await during(5, () => p.ok(['queue', 'hold']));
  await p.ok(['queue', 'release']);
  expect(await mergeAll()).toEqual({ y: 'MERGED', x: 'INTEGRATION_FAILED' });
  expect((await p.last('x', 'integration_failed'))?.['reason']).toContain('red only together with y');
});

test.runIf(inFull)(
  'tests of the same commit that are red and green in turn: the search ends, and the queue is held (in test:all)',
  async () => {
    const slot = 'is() { [ "$(git rev-parse HEAD)" = "$(cat "$HOME/slot" 2>/dev/null)" ]; }\n';
    approved(`${COUNTED}${slot}is || { git rev-parse HEAD > "$HOME/slot"; exit 1; }\n`, AB, { merge_batch: 2 });
    expect(await mergeAll()).toEqual({ a: 'APPROVED', b: 'APPROVED' });
    expect(queueOf(await p.state()).held?.reason).toMatch(
      /^tests of the same commit are red and green in turn: .*\.log$/,
    );
    expect(runs()).toBeLessThan(40);
    expect((await p.ok(['status'])).stdout).toMatch(/QUEUE HELD: tests of the same commit/);
  },
  120_000,
);

test('two that are red only together, and an outage: who leaves is told with whom, and by the last red run', async () => {
  const pair = '[ ! -e a.txt ] || [ ! -e d.txt ] || { echo not together; exit 1; }\n';
  const tasks = Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, { [`${id}.txt`]: 'x\n' }]));
  approved(`${COUNTED}${pair}`, tasks, { merge_batch: 4 });
  mark('red.2');
  mark('red.3');
  await merge();
  const { reason, output } = (await p.last('a', 'integration_failed')) as { reason: string; output: string };
  expect({ reason, output }).toEqual({
    reason: expect.stringContaining('red again with b, c, d, green without it'),
    output: expect.stringContaining('not together'),
  });
});

test.runIf(inFull)(
  'one that is in the batch before already, in a lane: nothing is kept of it (in test:all)',
  async () => {
    approved(`${COUNTED}sleep 0.5\n`, {}, { merge_batch: 2, merge_lanes: 2 }, (made) => {
      const inner = approvedTask(made, 'inner', { 'i.txt': 'x\n' });
      const outer = approvedTask(made, 'outer', { 'o.txt': 'x\n' }, inner.review_commit);
      return [
        { ...outer, base_commit: made.head(), priority: 1 },
        { ...approvedTask(made, 'x', { 'x.txt': 'x\n' }), priority: 2 },
        { ...inner, priority: 4 },
        { ...approvedTask(made, 'y', { 'y.bad': 'y\n' }), priority: 5 },
      ];
    });
    await merge();
    expect(p.refs('refs/liza/merging')).toEqual({});
  },
);
