// What changes around a batch while it is tested: settings, the test itself, what a person takes out or replans, and
// checkouts that somebody edits.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { queueOf } from '../../../src/protocol/queue/order.ts';
import { mergeQueue } from '../../../src/tasks/merge.ts';
import { inFull } from '../../runs.ts';
import type { Contents } from '../../support/core.mjs';
import { approvedTask, type Project, project, succeeded } from '../../support/project.ts';

const SCRIPT = 'scripts/integration-test.sh';
const TEST = `echo run >> "$HOME/runs"
[ ! -e "$HOME/meanwhile" ] || . "$HOME/meanwhile"
for bad in *.bad; do [ ! -e "$bad" ] || exit 1; done
[ ! -e left.half ] || [ ! -e right.half ] || exit 1
`;
let p: Project;

function approved(
  tasks: Readonly<Record<string, Contents>>,
  config = {},
  files: Contents = { [SCRIPT]: TEST },
  more: (made: Project) => readonly ReturnType<typeof approvedTask>[] = () => [],
): void {
  p = project({
    files,
    config: { integration_test_timeout: 60, ...config },
    tasks: (made) => [...Object.entries(tasks).map(([id, changed]) => approvedTask(made, id, changed)), ...more(made)],
  });
}

const merge = () => mergeQueue(p.as('code-reviewer-1'), new Set());
const meanwhile = (script: string): void => fs.writeFileSync(path.join(p.base, 'meanwhile'), `${script}\n`);
const lines = (name: string): readonly string[] => {
  const file = path.join(p.base, name);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [];
};
const untilRuns = async (count: number): Promise<void> => {
  while (lines('runs').length < count) await new Promise((resolve) => setTimeout(resolve, 50));
};

const statuses = async () => Object.fromEntries((await p.state()).tasks.map(({ id, status }) => [id, status]));

async function mergeAll(all?: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const open = async () =>
    Object.entries(await statuses()).some(([id, is]) => is === 'APPROVED' && all?.includes(id) !== false);
  for (let n = 0; n < 6 && (await open()); n++) succeeded(await merge());
  return statuses();
}

test.runIf(inFull)(
  'what was tested ahead by a test_command that was replaced meanwhile is tested again (in test:all)',
  async () => {
    const old = 'echo run >> "$HOME/runs"; sleep 2';
    const config = { merge_batch: 1, merge_lanes: 2, test_command: old };
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.bad': 'b\n' } }, config, {});
    const merging = merge();
    await untilRuns(2);
    await p.ok(['config', 'set', 'test_command', 'test ! -e b.bad']);
    succeeded(await merging);
    expect(await mergeAll()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED' });
  },
  60_000,
);

test('one that removes the integration test: those behind it in its batch are judged as before, and status tells it', async () => {
  approved({
    a: { [SCRIPT]: null, 'a.txt': 'a\n' },
    b: { 'b.bad': 'b\n' },
    c: { 'c.txt': 'c\n' },
    d: { 'd.bad': 'd\n' },
  });
  expect(await mergeAll()).toEqual({
    ...{ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'MERGED', d: 'INTEGRATION_FAILED' },
  });
  expect((await p.ok(['status'])).stdout).toMatch(/NOTHING TESTED: a took/);
}, 60_000);

test.each([['before'], ['meanwhile']])(
  'one that removes the integration test, and test_command is set %s: those behind it are judged by what was removed',
  async (when) => {
    const command = 'test_command';
    const config = when === 'before' ? { test_command: 'true' } : {};
    approved({ a: { [SCRIPT]: null, 'a.txt': 'a\n' }, b: { 'b.bad': 'b\n' }, c: { 'c.bad': 'c\n' } }, config);
    succeeded(await merge());
    expect(await statuses()).toMatchObject({ a: 'MERGED', c: 'APPROVED' });
    await p.ok(['config', 'set', command, 'true']);
    expect(await mergeAll()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'INTEGRATION_FAILED' });
    expect((await p.ok(['status'])).stdout).not.toMatch(/NOTHING TESTED/);
  },
  60_000,
);

describe('one that removes the integration test landed: it judges as long as one waits that was behind', () => {
  const tasks = { a: { [SCRIPT]: null, 'a.txt': 'a\n' }, b: { 'b.bad': 'b\n' }, c: { 'c.bad': 'c\n' } };

  test.each([
    ['another is put first', ['queue', 'first', 'd']],
    ['another is merged by command', ['wt', 'merge', 'd']],
  ])('%s', async (_, said) => {
    approved(tasks, { merge_batch: 3 }, undefined, (made) => [
      { ...approvedTask(made, 'd', { 'd.txt': 'd\n' }), priority: 5 },
    ]);
    succeeded(await merge());
    expect(await statuses()).toMatchObject({ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'APPROVED' });
    await p.ok(said);
    expect(await mergeAll()).toMatchObject({ c: 'INTEGRATION_FAILED', d: 'MERGED' });
  });

  test('one of them is held meanwhile, and whoever landed it was killed before that was recorded', async () => {
    approved(tasks);
    const context = p.as('code-reviewer-1');
    const transact: typeof context.store.transact = (by, decide) => {
      if (by.command === 'merge') throw new Error('killed');
      return context.store.transact(by, decide);
    };
    await expect(mergeQueue({ ...context, store: { ...context.store, transact } }, new Set())).rejects.toThrow(
      'killed',
    );
    await p.ok(['queue', 'hold', 'c']);
    expect(await mergeAll(['b'])).toMatchObject({ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'APPROVED' });
    expect((await p.ok(['status'])).stdout).toMatch(/NOTHING TESTED: a took/);
  });
});

test.runIf(inFull)(
  'a lane of which one is taken out ends its test at once (in test:all)',
  async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' } }, { merge_batch: 1, merge_lanes: 2 });
    meanwhile(
      '[ ! -e b.txt ] || while :; do echo tick >> "$HOME/ticks"; sleep 0.2; done; until [ -e "$HOME/go" ]; do sleep 0.1; done; echo over > "$HOME/over"',
    );
    const merging = merge();
    await untilRuns(2);
    await p.ok(['queue', 'out', 'b', '--reason', 'not now']);
    let before = -1;
    while (lines('over').length === 0 && lines('ticks').length !== before) {
      before = lines('ticks').length;
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
    // The batch below it is still tested.
    expect(lines('over')).toEqual([]);
    fs.writeFileSync(path.join(p.base, 'go'), '');
    expect(succeeded(await merging).landed.map(({ task }) => task)).toEqual(['a']);
  },
  60_000,
);

test.runIf(inFull)(
  'a checkout that is edited in the middle of a search: it waits as a whole, and nothing is forgotten (in test:all)',
  async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' }, c: { 'c.bad': 'c\n' }, d: { 'README.md': 'd\n' } });
    p.git('checkout', '-q', 'integration');
    meanwhile(`[ "$(wc -l < "$HOME/runs")" -ne 1 ] || { touch ${p.file('.liza', 'PAUSE')}; exit 1; }`);
    expect(succeeded(await merge()).stopped).toMatchObject({ guard: 'switches' });
    fs.rmSync(p.file('.liza', 'PAUSE'));
    fs.writeFileSync(p.file('README.md'), 'edited\n');
    const { stopped, landed, tried } = succeeded(await merge());
    expect({ guard: stopped?.guard, landed }).toEqual({ guard: 'held', landed: [] });
    expect(await p.task('a')).toMatchObject({ merge_held: { reason: expect.stringContaining('README.md') } });
    p.git('checkout', '-q', 'README.md');
    // As a supervisor does that postponed what was tried.
    await mergeQueue(p.as('code-reviewer-1'), new Set(tried));
    expect(queueOf(await p.state()).batch).toMatchObject({ entries: { length: 4 }, runs: [{ upto: 4, red: true }] });
    expect(await mergeAll()).toEqual({ a: 'MERGED', b: 'MERGED', c: 'INTEGRATION_FAILED', d: 'MERGED' });
  },
  60_000,
);

test('red by a test that is newer than the task: nobody says that it is red alone', async () => {
  const stricter = `${TEST}[ -e lib.txt ] || exit 1\n`;
  approved(
    { lib: { 'lib.txt': 'x\n', 'left.half': 'x\n', [SCRIPT]: stricter }, x: { 'right.half': 'x\n' } },
    { merge_batch: 1 },
  );
  expect(await mergeAll()).toEqual({ lib: 'MERGED', x: 'INTEGRATION_FAILED' });
  expect((await p.last('x', 'integration_failed'))?.['reason']).toMatch(/tested with lib, and not alone$/);
}, 60_000);

describe('a batch that waits', () => {
  test('is over when all that was left of it is replanned', async () => {
    approved({ a: { 'a.bad': 'a\n' }, b: { 'b.txt': 'b\n' } });
    meanwhile(`[ "$(wc -l < "$HOME/runs")" -ne 2 ] || touch ${p.file('.liza', 'PAUSE')}`);
    succeeded(await merge());
    expect(queueOf(await p.state()).batch).toBeDefined();
    fs.rmSync(p.file('.liza', 'PAUSE'));
    await p.ok(['replan', 'a', '--reason', 'not needed']);
    expect(queueOf(await p.state()).batch).toBeDefined();
    await p.ok(['replan', 'b', '--reason', 'not needed']);
    expect(queueOf(await p.state()).batch).toBeUndefined();
  });

  test('that is refused as a whole names none of its tasks', async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' } });
    await p.ok(['queue', 'hold']);
    expect(succeeded(await merge()).stopped?.message).toMatch(/^the merge of 2 tasks is refused: human holds/);
  });
});

test('one that is taken out while all are tested, and that is red: it is told that the batch was changed', async () => {
  approved({ b: { 'b.txt': 'b\n' }, a: { 'a.bad': 'a\n' } });
  meanwhile('until [ -e "$HOME/go" ]; do sleep 0.1; done');
  const merging = merge();
  await untilRuns(1);
  await p.ok(['queue', 'out', 'b', '--reason', 'not now']);
  fs.writeFileSync(path.join(p.base, 'go'), '');
  expect(succeeded(await merging).stopped?.message).toMatch(/^the batch was changed while it was tested/);
  expect(await mergeAll()).toEqual({ a: 'INTEGRATION_FAILED', b: 'INTEGRATION_FAILED' });
}, 60_000);

test('one that is taken out, and another is built on it: that one brings it along, and the person is told', async () => {
  p = project({
    files: { [SCRIPT]: TEST },
    tasks: (made) => {
      const a = approvedTask(made, 'a', { 'a.txt': 'a\n' });
      made.git('branch', 'on-a', String(a.review_commit));
      return [a, approvedTask(made, 'b', { 'b.txt': 'b\n' }, made.commitTo('on-a', { 'b.txt': 'b\n' }))];
    },
  });
  const { stdout } = await p.ok(['queue', 'out', 'a', '--reason', 'must not land']);
  expect(stdout).toMatch(/b is built on it and brings it along/);
});

describe('the branch itself would be red, and one that waits has what it lacks: nobody is blamed, and that one lands first', () => {
  const STRICTER = '[ -e b.ok ] || { echo b.ok is missing; exit 1; }\n';
  const order = async (): Promise<readonly string[]> => {
    await mergeAll();
    const merged = p.git('log', '--first-parent', '--reverse', '--format=%s', 'integration').split('\n');
    return merged.flatMap((line) => /^Merge task (\w+)/.exec(line)?.[1] ?? []);
  };

  test('by a test that landed', async () => {
    approved({ t: { [SCRIPT]: STRICTER }, a: { 'a.txt': 'a\n' }, b: { 'b.ok': 'b\n' } }, { merge_batch: 1 });
    expect(await order()).toEqual(['b', 'a']);
    expect(await statuses()).toEqual({ t: 'MERGED', a: 'MERGED', b: 'MERGED' });
  });

  test('by another command', async () => {
    const tasks = { z: { 'z.txt': 'z\n' }, a: { 'a.txt': 'a\n' }, b: { 'b.ok': 'b\n' } };
    approved(tasks, { merge_batch: 1, test_command: 'true' }, {});
    expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['z']);
    await p.ok(['config', 'set', 'test_command', 'test -e b.ok']);
    expect(await order()).toEqual(['b', 'a']);
  });

  test('for want of what tests need, in the middle of a search', async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' }, c: { 'c.txt': 'c\n' }, r: { 'r.ok': 'r\n' } });
    // All red by chance, 1–2 green; then it is gone.
    meanwhile('case "$(wc -l < "$HOME/runs")" in 1) exit 1;; 2) ;; *) [ -e r.ok ] || { echo gone; exit 1; };; esac');
    await mergeAll();
    expect(await statuses()).toEqual({ a: 'MERGED', b: 'MERGED', c: 'MERGED', r: 'MERGED' });
  });

  test('also where it conflicts with the one that is red', async () => {
    approved(
      { t: { [SCRIPT]: STRICTER }, a: { 'x.txt': 'a\n' }, b: { 'b.ok': 'b\n', 'x.txt': 'b\n' } },
      { merge_batch: 1 },
    );
    await mergeAll();
    expect(await statuses()).toEqual({ t: 'MERGED', a: 'INTEGRATION_FAILED', b: 'MERGED' });
    expect((await p.last('a', 'integration_failed'))?.['reason']).toContain('merge conflict in x.txt');
  });
});

test('green by its own test, and held before it landed: the branch judges it anew', async () => {
  const strict = `${TEST}[ ! -e t.txt ] || { echo no t; exit 1; }\n`;
  approved(
    { t: { 't.txt': 't\n', [SCRIPT]: 'touch "$HOME/own"; until [ -e "$HOME/go" ]; do sleep 0.1; done\n' } },
    {},
    { [SCRIPT]: strict },
  );
  const merging = p.merge('t', { testFrom: 'candidate' }, p.as());
  while (!fs.existsSync(path.join(p.base, 'own'))) await new Promise((resolve) => setTimeout(resolve, 20));
  await p.ok(['queue', 'hold']);
  fs.writeFileSync(path.join(p.base, 'go'), '');
  expect(await merging).toMatchObject({ ok: false });
  await p.ok(['queue', 'release']);
  await mergeAll();
  expect((await p.task('t')).status).toBe('INTEGRATION_FAILED');
});

test('a person holds the queue, and Liza finds the branch red: both are told, and the person goes on holding it', async () => {
  approved({ a: { 'a.txt': 'a\n' } });
  meanwhile('exit 1');
  const { stopped } = succeeded(await mergeQueue(p.as('code-reviewer-1'), new Set()));
  expect(stopped?.message).toContain('red without any');
  await p.ok(['queue', 'hold', '--reason', 'release day']);
  const { held } = queueOf(await p.state());
  expect(held).toMatchObject({ by: 'human', reason: 'release day', found: expect.stringContaining('red without any') });
  expect((await p.ok(['queue'])).stdout).toMatch(
    /^held by human .*: release day; besides, integration is red without any/,
  );
  expect((await p.ok(['status'])).stdout).toContain('QUEUE HELD');
});

test('files of a person are in the way of the third: those before it are tested and land together', async () => {
  const one = (id: string): Contents => ({ [id === 'c' ? 'mine.txt' : `${id}.txt`]: 'x\n' });
  approved(Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, one(id)])));
  p.git('checkout', '-q', 'integration');
  fs.writeFileSync(p.file('mine.txt'), 'mine\n');
  for (let times = 0; times < 2; times++) await p.liza(['queue', 'run']);
  expect(await statuses()).toEqual({ a: 'MERGED', b: 'MERGED', c: 'APPROVED', d: 'MERGED' });
  expect(lines('runs')).toHaveLength(2);
  expect((await p.task('c')).merge_held?.reason).toContain('mine.txt');
}, 60_000);

test('files of a person are in the way of one: `queue run` lands the others, and says which waits', async () => {
  approved({ b: { 'mine.txt': 'b\n' }, a: { 'a.txt': 'a\n' }, c: { 'c.txt': 'c\n' } });
  p.git('checkout', '-q', 'integration');
  fs.writeFileSync(p.file('mine.txt'), 'mine\n');
  const { code, stdout, stderr } = await p.liza(['queue', 'run']);
  expect({ code, stdout, stderr }).toMatchObject({ code: 1, stdout: expect.stringMatching(/a merged.*c merged/s) });
  expect(stderr).toContain('mine.txt');
  expect(await statuses()).toEqual({ b: 'APPROVED', a: 'MERGED', c: 'MERGED' });
  expect(fs.readFileSync(p.file('mine.txt'), 'utf8')).toBe('mine\n');
});
