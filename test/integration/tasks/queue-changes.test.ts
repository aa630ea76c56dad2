// What changes around a batch while it is tested: settings, the test itself, what a person takes out or replans, and
// checkouts that somebody edits.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { queueOf } from '../../../src/protocol/queue/order.ts';
import { mergeQueue } from '../../../src/tasks/merge.ts';
import type { Contents } from '../../support/core.mjs';
import { approvedTask, type Project, project, succeeded } from '../../support/project.ts';

const SCRIPT = 'scripts/integration-test.sh';
const TEST = `echo run >> "$HOME/runs"
[ ! -e "$HOME/meanwhile" ] || . "$HOME/meanwhile"
for bad in *.bad; do [ ! -e "$bad" ] || exit 1; done
[ ! -e left.half ] || [ ! -e right.half ] || exit 1
`;
let p: Project;

function approved(tasks: Readonly<Record<string, Contents>>, config = {}, files: Contents = { [SCRIPT]: TEST }): void {
  p = project({
    files,
    config: { integration_test_timeout: 60, ...config },
    tasks: (made) => Object.entries(tasks).map(([id, changed]) => approvedTask(made, id, changed)),
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

async function mergeAll(): Promise<Readonly<Record<string, string>>> {
  const statuses = async () => Object.fromEntries((await p.state()).tasks.map(({ id, status }) => [id, status]));
  for (let n = 0; n < 6 && Object.values(await statuses()).includes('APPROVED'); n++) succeeded(await merge());
  return statuses();
}

test('what was tested ahead by a test_command that was replaced meanwhile is tested again', async () => {
  const old = 'echo run >> "$HOME/runs"; sleep 2';
  const config = { merge_batch: 1, merge_lanes: 2, test_command: old };
  approved({ a: { 'a.txt': 'a\n' }, b: { 'b.bad': 'b\n' } }, config, {});
  const merging = merge();
  await untilRuns(2);
  await p.ok(['config', 'set', 'test_command', 'test ! -e b.bad']);
  succeeded(await merging);
  expect(await mergeAll()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED' });
}, 60_000);

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

test('a lane of which one is taken out ends its test at once', async () => {
  approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' } }, { merge_batch: 1, merge_lanes: 2 });
  meanwhile(
    '[ ! -e b.txt ] || while :; do echo tick >> "$HOME/ticks"; sleep 0.2; done; sleep 8; echo over > "$HOME/over"',
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
  expect(succeeded(await merging).landed.map(({ task }) => task)).toEqual(['a']);
}, 60_000);

test('a checkout that is edited in the middle of a search: it waits as a whole, and nothing is forgotten', async () => {
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
}, 60_000);

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
