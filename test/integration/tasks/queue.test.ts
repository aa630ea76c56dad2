// The merge queue on real git with real test runs: sixteen that wait, and what is wrong with some of them.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { supervisorOf } from '../../../src/protocol/board.ts';
import { queueOf } from '../../../src/protocol/queue/order.ts';
import { transact } from '../../../src/store/transact.ts';
import { claimTask } from '../../../src/tasks/claim.ts';
import { mergeQueue } from '../../../src/tasks/merge.ts';
import type { BatchEnd } from '../../../src/tasks/queue/run-batch.ts';
import { inFull } from '../../runs.ts';
import type { Contents } from '../../support/core.mjs';
import { approvedTask, type Project, project, succeeded } from '../../support/project.ts';

const SCRIPT = 'scripts/integration-test.sh';
/** Counts its runs; red with a file `*.bad`, with both halves of something, and by chance where $HOME/meanwhile says so. */
const TEST = `echo run >> "$HOME/runs"
[ -e "$HOME/meanwhile" ] && . "$HOME/meanwhile"
for bad in *.bad; do [ ! -e "$bad" ] || { echo "$bad is there"; exit 1; }; done
[ ! -e left.half ] || [ ! -e right.half ] || { echo both halves; exit 1; }
`;

let p: Project;

function approved(tasks: Readonly<Record<string, Contents>>, config = {}): void {
  p = project({
    files: { [SCRIPT]: TEST },
    config: { integration_test_timeout: 60, ...config },
    tasks: (made) => Object.entries(tasks).map(([id, files]) => approvedTask(made, id, files)),
  });
}

const runs = (): number => {
  const file = path.join(p.base, 'runs');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').length : 0;
};
const merge = (not: ReadonlySet<string> = new Set(), by = p.as('code-reviewer-1')) => mergeQueue(by, not);

/** A merging supervisor whose git is ended by its limit of time where its arguments are like this pattern. */
function withGit(pattern: string): ReturnType<Project['as']> {
  const by = p.as('code-reviewer-1');
  const folder = path.join(p.base, 'bin');
  fs.mkdirSync(folder, { recursive: true });
  const real = `PATH=\${PATH#*:} exec git "$@"`;
  const script = `#!/bin/sh\ncase "$*" in ${pattern}) echo 'git died of signal 24' >&2; exit 1 ;; esac\n${real}\n`;
  fs.writeFileSync(path.join(folder, 'git'), script, { mode: 0o755 });
  return { ...by, env: { ...by.env, PATH: `${folder}:${by.env.PATH}` } };
}

/** What the test does besides. */
const meanwhile = (script: string): void => fs.writeFileSync(path.join(p.base, 'meanwhile'), `${script}\n`);

/** As a supervisor goes on while something waits. */
async function mergeAll(): Promise<readonly BatchEnd[]> {
  const ends: BatchEnd[] = [];
  while ((await p.state()).tasks.some(({ status }) => status === 'APPROVED')) ends.push(succeeded(await merge()));
  return ends;
}

const statuses = async (): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries((await p.state()).tasks.map(({ id, status }) => [id, status]));

const named = (n: number): string => `t${String(n).padStart(2, '0')}`;

test('sixteen with two culprits, a pair that is red together and a flake: all others land, in at most 22 runs', async () => {
  const special: Readonly<Record<string, Contents>> = {
    t05: { 'five.bad': 'x\n' },
    t11: { 'eleven.bad': 'x\n' },
    t09: { 'left.half': 'x\n' },
    t12: { 'right.half': 'x\n' },
  };
  const tasks = Array.from({ length: 16 }, (_, n) => named(n + 1));
  approved(Object.fromEntries(tasks.map((id) => [id, special[id] ?? { [`${id}.txt`]: 'x\n' }])));
  meanwhile('[ "$(wc -l < "$HOME/runs")" -ne 3 ] || { echo by chance; exit 1; }');
  const before = (await p.state()).goal.integration_head;
  await mergeAll();
  const failed = ['t05', 't11', 't12'];
  expect(await statuses()).toEqual(
    Object.fromEntries(tasks.map((id) => [id, failed.includes(id) ? 'INTEGRATION_FAILED' : 'MERGED'])),
  );
  expect(runs()).toBeLessThanOrEqual(22);
  // Each is on the branch's line of first parents, where its history says.
  const line = p.git('rev-list', '--first-parent', `${before}..integration`).split('\n');
  for (const id of tasks.filter((one) => !failed.includes(one))) {
    const task = await p.task(id);
    expect(line).toContain(task.merge_commit);
    expect(await p.last(id, 'merged')).toMatchObject({ commit: task.review_commit, tested: expect.any(String) });
  }
  expect(await p.last('t05', 'integration_failed')).toMatchObject({ output: 'five.bad is there' });
  const state = await p.state();
  expect(state.goal).toMatchObject({ integration_head: p.head() });
  expect(queueOf(state).batch).toBeUndefined();
  expect(queueOf(state).batches?.reduce((sum, batch) => sum + batch.flakes, 0)).toBe(1);
  expect(p.refs('refs/liza/merging')).toEqual({});
}, 240_000);

describe('a batch', () => {
  test('green: one run, one step of the branch, each with its own merge commit', async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' }, c: { 'c.txt': 'c\n' } });
    const end = succeeded(await merge());
    expect(end.landed.map(({ task, how }) => `${task} ${how}`)).toEqual(['a fast-forward', 'b merge', 'c merge']);
    expect(runs()).toBe(1);
    expect(p.git('rev-list', '--count', '--first-parent', 'integration')).toBe('5');
    expect(await p.last('b', 'merged')).toMatchObject({ onto: end.landed[0]?.commit, drift: 1 });
    // The record of each holds against journal and git, as if it had been merged by itself.
    const { json } = await p.liza(['audit', '--json']);
    const facts = (json as { tasks: { facts: { what: string; mark: string }[] }[] }).tasks.flatMap((one) => one.facts);
    const told = facts.filter(({ what }) => /joins the recorded base|is on the integration branch$/.test(what));
    expect(told.map(({ mark }) => mark)).toEqual(Array.from({ length: 6 }, () => 'verified'));
    expect(facts.filter(({ what, mark }) => what.startsWith('merged') && mark === 'contradicted')).toEqual([]);
    // Announced, judged, landed: a note each, however many they are.
    const journal = p.read('.liza/journal.jsonl').trim().split('\n');
    const notes = journal.filter((line) => /"command":"(reserve-merge|merge|merge-run)"/.test(line));
    expect(notes).toHaveLength(3);
  });

  test('one that git cannot merge within its limit is held by its name, and the others land', async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' }, c: { 'c.txt': 'c\n' } });
    const { review_commit: commit } = await p.task('b');
    const end = succeeded(await merge(new Set(), withGit(`*merge-tree*${commit}*`)));
    expect(end.landed.map(({ task }) => task)).toEqual(['a', 'c']);
    expect(end.failed).toMatchObject([{ task: 'b', failure: { message: expect.stringContaining('git merge-tree') } }]);
    expect(await p.task('b')).toMatchObject({ status: 'APPROVED', merge_held: { reason: expect.any(String) } });
    expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['b']);
  });

  test('git takes too long to look for renamed files: merged without looking, and audit finds the same files', async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' } });
    const end = succeeded(await merge(new Set(), withGit('*renameLimit=1000*merge-tree*')));
    expect(end.landed.map(({ task, how }) => `${task} ${how}`)).toEqual(['a fast-forward', 'b merge']);
    const { json } = await p.liza(['audit', '--json']);
    expect(JSON.stringify(json)).toContain('merging again gives the same tree');
  });

  test('one that conflicts with those before it waits for its own turn; with the branch it fails', async () => {
    approved({ a: { 'x.txt': 'a\n' }, b: { 'x.txt': 'b\n' }, c: { 'c.txt': 'c\n' } });
    const end = succeeded(await merge());
    expect(end.landed.map(({ task }) => task)).toEqual(['a', 'c']);
    expect(await statuses()).toMatchObject({ b: 'APPROVED' });
    expect(succeeded(await merge()).failed).toMatchObject([{ task: 'b', failure: { guard: 'conflict' } }]);
    expect(await p.last('b', 'integration_failed')).toMatchObject({ with: ['a'] });
  });

  test('one that conflicts with the branch fails nobody while a person holds the queue', async () => {
    approved({ a: { 'x.txt': 'a\n' }, b: { 'x.txt': 'b\n' } });
    succeeded(await merge());
    await p.ok(['queue', 'hold']);
    expect(succeeded(await merge()).failed).toMatchObject([{ failure: { guard: 'queue-open' } }]);
    expect(await statuses()).toEqual({ a: 'MERGED', b: 'APPROVED' });
    await p.ok(['queue', 'release']);
    await mergeAll();
    expect(await statuses()).toMatchObject({ b: 'INTEGRATION_FAILED' });
  });

  test('red only together: one more run says so, where nothing else waits', async () => {
    approved({ a: { 'left.half': 'x\n' }, b: { 'right.half': 'x\n' } });
    const end = succeeded(await merge());
    expect(end.failed[0]?.failure.message).toContain('red only together with a: alone it is green');
    expect(await p.last('b', 'integration_failed')).toMatchObject({ with: ['a'] });
    expect(await statuses()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED' });
  });

  test.runIf(inFull)(
    'red only with what landed before its batch: one more run, of what its coder had, says so (in test:all)',
    async () => {
      const one = { a: { 'left.half': 'x\n' }, b: { 'right.half': 'x\n' } };
      approved(one, { merge_batch: 1 });
      expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['a']);
      const [failed] = succeeded(await merge()).failed;
      expect(failed?.failure.message).toContain('red only together with a: alone it is green');
      expect(await p.last('b', 'integration_failed')).toMatchObject({ with: ['a'] });
      // One of them shows that the branch is green without it.
      expect(runs()).toBe(5);
      // Several landed since: they are told, and from where on.
      approved({ ...one, b: { 'b.txt': 'b\n' }, c: { 'right.half': 'x\n' } }, { merge_batch: 1 });
      const { base_commit: base } = await p.task('c');
      const [told] = (await mergeAll()).flatMap((end) => end.failed);
      const since = `what landed since ${base?.slice(0, 12)} (a, b)`;
      expect(told?.failure.message).toContain(`red only together with ${since}: alone it is green`);
      // Red by itself; and while others wait, nobody asks.
      approved({ a: { 'a.txt': 'a\n' }, b: { 'b.bad': 'b\n' } }, { merge_batch: 1 });
      const [alone] = (await mergeAll()).flatMap((end) => end.failed);
      expect(alone?.failure.message).toContain('; alone it is red, too');
      approved({ a: { 'a.txt': 'a\n' }, b: { 'b.bad': 'b\n' }, c: { 'c.txt': 'c\n' } }, { merge_batch: 1 });
      const [busy] = (await mergeAll()).flatMap((end) => end.failed);
      expect(busy?.failure.message).toContain('; it was tested with a, and not alone');
      // a; b, the branch without it, b again; c.
      expect(runs()).toBe(5);
      expect(await statuses()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'MERGED' });
    },
  );

  test('the branch moved by hand in the middle: nothing of it lands there, and later it begins again', async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.bad': 'b\n' }, c: { 'c.txt': 'c\n' } });
    const other = p.commitTo('main', { 'sneaked.txt': 'x\n' });
    meanwhile(`[ "$(wc -l < "$HOME/runs")" -ne 2 ] || git -C ${p.root} update-ref refs/heads/integration ${other}`);
    const end = succeeded(await merge());
    expect(end).toMatchObject({ landed: [], stopped: { guard: 'integration-moved' } });
    expect(p.head()).toBe(other);
    expect(await statuses()).toEqual({ a: 'APPROVED', b: 'APPROVED', c: 'APPROVED' });
    fs.rmSync(path.join(p.base, 'meanwhile'));
    await p.run(undefined, { name: 'accept-integration', head: other });
    await mergeAll();
    expect(await statuses()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'MERGED' });
    expect(p.git('merge-base', other, 'integration')).toBe(other);
  });

  test.runIf(inFull)(
    'one that is taken out in the middle of a search: only what was green by itself lands (in test:all)',
    async () => {
      const tasks = Array.from({ length: 8 }, (_, n) => named(n + 1));
      approved(
        Object.fromEntries(tasks.map((id) => [id, id === 't07' ? { 'x.bad': 'x\n' } : { [`${id}.txt`]: 'x\n' }])),
        { merge_batch: 8 },
      );
      // While the first half is tested.
      meanwhile('[ "$(wc -l < "$HOME/runs")" -ne 2 ] || sleep 3');
      const merging = merge();
      while (runs() < 2) await new Promise((resolve) => setTimeout(resolve, 50));
      expect((await p.liza(['queue', 'out', 't06', '--reason', 'it is not wanted any more'])).code).toBe(0);
      succeeded(await merging);
      meanwhile(':');
      await mergeAll();
      expect(await statuses()).toEqual(
        Object.fromEntries(tasks.map((id) => [id, ['t06', 't07'].includes(id) ? 'INTEGRATION_FAILED' : 'MERGED'])),
      );
      const state = await p.state();
      // Only the red one is a culprit.
      expect(queueOf(state).batches?.flatMap(({ blamed }) => blamed ?? [])).toEqual(['t07']);
      expect(state.goal.integration_head).toBe(p.head());
      expect(p.git('ls-tree', '--name-only', 'integration')).not.toMatch(/x\.bad|t06/);
      expect(p.refs('refs/liza/merging')).toEqual({});
    },
    120_000,
  );

  describe('an outage', () => {
    /** From one run to another all tests are red. */
    const outage = (from: number, to: number) =>
      meanwhile(
        `n=$(wc -l < "$HOME/runs"); [ $n -lt ${from} ] || [ $n -gt ${to} ] || { echo the database is down; exit 1; }`,
      );
    const goesOn = async (): Promise<void> => {
      for (let times = 0; times < 9 && Object.values(await statuses()).includes('APPROVED'); times++) {
        await p.liza(['queue', 'release']);
        await merge();
      }
    };

    test('that is over between the two red runs and the green one of the branch blames nobody', async () => {
      for (const merge_batch of [1, 2, 4]) {
        approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' } }, { merge_batch });
        outage(1, 2);
        await goesOn();
        expect({ merge_batch, ...(await statuses()) }).toEqual({ merge_batch, a: 'MERGED', b: 'MERGED' });
      }
    });

    test('that begins and ends at any run of a search blames nobody but the culprit', async () => {
      const tasks = { a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' }, c: { 'c.txt': 'c\n' }, d: { 'd.bad': 'd\n' } };
      const spans = [1, 2, 3, 4, 5].flatMap((from) => [0, 1, 2, 4].map((more) => ({ from, to: from + more })));
      for (const { from, to } of inFull ? spans : spans.filter((_, at) => at % 5 === 3)) {
        approved(tasks);
        outage(from, to);
        await goesOn();
        expect({ from, to, ...(await statuses()) }).toEqual({
          ...{ from, to, a: 'MERGED', b: 'MERGED', c: 'MERGED', d: 'INTEGRATION_FAILED' },
        });
        expect(p.refs('refs/liza/merging')).toEqual({});
      }
    }, 400_000);

    test('that lasts holds the queue, with an alarm, until a person lets it go on', async () => {
      approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' }, c: { 'c.bad': 'c\n' }, d: { 'd.txt': 'd\n' } });
      // In the middle: the first half is green.
      outage(3, 99);
      const end = succeeded(await merge());
      expect(end.landed.map(({ task }) => task)).toEqual(['a', 'b']);
      expect(end).toMatchObject({ failed: [], stopped: { guard: 'queue-open' } });
      expect((await p.state()).tasks.filter(({ merging }) => merging !== undefined)).toEqual([]);
      const told = async () => (await p.ok(['status'])).stdout.match(/QUEUE HELD.*/g) ?? [];
      expect(await told()).toEqual([expect.stringMatching(/^QUEUE HELD.*red without any of them/)]);
      meanwhile(':');
      await p.ok(['queue', 'release']);
      expect(await told()).toEqual([]);
      await mergeAll();
      expect(await statuses()).toEqual({ a: 'MERGED', b: 'MERGED', c: 'INTEGRATION_FAILED', d: 'MERGED' });
    });
  });

  test.runIf(inFull)(
    'a prefix that brings another test: those behind it are judged by that one, also after a stop (in test:all)',
    async () => {
      // c is red by the old one alone, d by both.
      const old = `${TEST}[ ! -e c.txt ] || { echo no c; exit 1; }\n`;
      for (const isStopped of [false, true]) {
        p = project({
          files: { [SCRIPT]: old },
          config: { integration_test_timeout: 60 },
          tasks: (made) => [
            approvedTask(made, 'a', { [SCRIPT]: `echo new >> "$HOME/new"\n${TEST}` }),
            approvedTask(made, 'b', { 'b.txt': 'b\n' }),
            approvedTask(made, 'c', { 'c.txt': 'c\n' }),
            approvedTask(made, 'd', { 'd.bad': 'd\n' }),
            approvedTask(made, 'e', { 'e.txt': 'e\n' }),
          ],
        });
        if (isStopped) meanwhile(`[ "$(wc -l < "$HOME/runs")" -ne 3 ] || touch ${p.file('.liza', 'PAUSE')}`);
        if (isStopped) expect(succeeded(await merge()).stopped?.guard).toBe('switches');
        fs.rmSync(p.file('.liza', 'PAUSE'), { force: true });
        await mergeAll();
        expect({ isStopped, ...(await statuses()) }).toEqual({
          ...{ isStopped, a: 'MERGED', b: 'MERGED', c: 'MERGED', d: 'INTEGRATION_FAILED', e: 'MERGED' },
        });
        // 1–5, 1–3 and 1–2 by the old one, all others by the new one.
        expect(fs.readFileSync(path.join(p.base, 'new'), 'utf8').trim().split('\n')).toHaveLength(runs() - 3);
        expect(p.refs('refs/liza/merging')).toEqual({});
      }
    },
    60_000,
  );

  test('a branch that is red by itself blames nobody: the queue is held, and what was seen is forgotten', async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' } });
    meanwhile('echo the database is down; exit 1');
    const end = succeeded(await merge());
    expect(end.stopped?.message).toMatch(/^integration is red without any of them .*nobody is blamed/);
    expect(await statuses()).toEqual({ a: 'APPROVED', b: 'APPROVED' });
    const { goal } = await p.state();
    expect(queueOf({ goal })).toMatchObject({ held: { reason: expect.stringContaining('red without any of them') } });
    expect(queueOf({ goal }).batch).toBeUndefined();
    const before = runs();
    await merge();
    expect(runs()).toBe(before);
    meanwhile(':');
    expect((await p.liza(['queue', 'release'])).code).toBe(0);
    await mergeAll();
    expect(await statuses()).toEqual({ a: 'MERGED', b: 'MERGED' });
  });

  test.runIf(inFull)(
    'red, then green while a person holds it: by chance, and it lands when it is released (in test:all)',
    async () => {
      approved({ a: { 'a.txt': 'a\n' } });
      meanwhile(
        'case "$(wc -l < "$HOME/runs")" in 1) echo by chance; exit 1;; 3) sleep 3;; 4) echo by chance; exit 1;; esac',
      );
      const merging = merge();
      // a, the branch without it, and a again.
      while (runs() < 3) await new Promise((resolve) => setTimeout(resolve, 50));
      expect((await p.liza(['queue', 'hold'])).code).toBe(0);
      expect(succeeded(await merging).stopped).toBeDefined();
      expect((await p.liza(['queue', 'release'])).code).toBe(0);
      await mergeAll();
      expect(await statuses()).toEqual({ a: 'MERGED' });
      // The green run is kept: nothing is tested again, and the flake is counted.
      expect(runs()).toBe(3);
      expect(queueOf(await p.state()).batches).toMatchObject([{ landed: 1, runs: 3, flakes: 1 }]);
      expect(await p.last('a', 'merged')).toMatchObject({ tested: expect.stringContaining('tests green') });
    },
    60_000,
  );

  test.runIf(inFull)(
    'green together with those behind it while a person holds it, and an outage afterwards: they land by that run (in test:all)',
    async () => {
      approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' }, c: { 'c.txt': 'c\n' }, d: { 'd.txt': 'd\n' } });
      // All red by chance; 1–2; c red by chance; d without c; all again.
      const flakes = '1|3) echo by chance; exit 1;; 5) sleep 3;;';
      meanwhile(`case "$(wc -l < "$HOME/runs")" in ${flakes} 6|7|8|9) echo down; exit 1;; esac`);
      const merging = merge();
      while (runs() < 5) await new Promise((resolve) => setTimeout(resolve, 50));
      expect((await p.liza(['queue', 'hold'])).code).toBe(0);
      expect(succeeded(await merging).landed.map(({ task }) => task)).toEqual(['a', 'b']);
      expect((await p.liza(['queue', 'release'])).code).toBe(0);
      expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['c', 'd']);
      expect(runs()).toBe(5);
    },
    60_000,
  );

  test.runIf(inFull)(
    'put first while a batch has a culprit: it goes before those behind it (in test:all)',
    async () => {
      const tasks = Array.from({ length: 6 }, (_, n) => named(n + 1));
      approved(
        Object.fromEntries(tasks.map((id) => [id, id === 't02' ? { 'x.bad': 'x\n' } : { [`${id}.txt`]: 'x\n' }])),
        { merge_batch: 3 },
      );
      meanwhile('[ "$(wc -l < "$HOME/runs")" -ne 2 ] || sleep 2');
      const merging = merge();
      while (runs() < 2) await new Promise((resolve) => setTimeout(resolve, 50));
      expect((await p.liza(['queue', 'first', 't06'])).code).toBe(0);
      const ends = [succeeded(await merging), succeeded(await merge())];
      const landed = ends.flatMap((end) => end.landed.map(({ task }) => task));
      expect(landed.slice(0, 2)).toEqual(['t01', 't06']);
    },
    60_000,
  );

  test.runIf(inFull)(
    'a test that is red the first time it sees a commit blames nobody, wherever it stands (in test:all)',
    async () => {
      const shy =
        'seen="$HOME/seen-$(git rev-parse HEAD)"; [ ! -e shy.txt ] || [ -e "$seen" ] || { touch "$seen"; exit 1; }';
      const one = (id: string): Contents => (id === 'shy' ? { 'shy.txt': 'x\n' } : { [`${id}.txt`]: 'x\n' });
      for (const ids of [
        ['shy', 'b', 'c'],
        ['a', 'shy', 'c'],
        ['a', 'b', 'shy'],
      ])
        for (const merge_batch of inFull ? [1, 2, 3] : [1, 3]) {
          approved(Object.fromEntries(ids.map((id) => [id, one(id)])), { merge_batch });
          meanwhile(shy);
          await mergeAll();
          expect({ merge_batch, ...(await statuses()) }).toEqual({
            ...{ merge_batch, ...Object.fromEntries(ids.map((id) => [id, 'MERGED'])) },
          });
        }
    },
    120_000,
  );

  test('paused in the middle: what was seen says where to look', async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.bad': 'b\n' }, c: { 'c.txt': 'c\n' } });
    const pause = p.file('.liza', 'PAUSE');
    meanwhile(`[ "$(wc -l < "$HOME/runs")" -ne 3 ] || touch ${pause}`);
    expect(succeeded(await merge()).stopped?.guard).toBe('switches');
    expect((await p.state()).tasks.filter(({ merging }) => merging !== undefined)).toEqual([]);
    expect(queueOf(await p.state()).batch?.runs).toMatchObject([
      { upto: 3, red: true },
      { upto: 2, red: true },
      { upto: 1, red: false },
    ]);
    fs.rmSync(pause);
    fs.rmSync(path.join(p.base, 'meanwhile'));
    await mergeAll();
    expect(await statuses()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'MERGED' });
    // 3 red; 2 red; 1 (paused); 2 red; c; 3 red.
    expect(runs()).toBe(6);
  });

  test('one without an approved commit is told as such, and holds up nobody', async () => {
    const { review_commit: _, ...without } = approvedTask(project(), 'a', { 'a.txt': 'a\n' });
    p = project({ tasks: (made) => [without, approvedTask(made, 'b', { 'b.txt': 'b\n' })] });
    expect(succeeded(await merge()).failed).toMatchObject([{ task: 'a', failure: { guard: 'commit' } }]);
    expect(succeeded(await merge(new Set(['a']))).landed.map(({ task }) => task)).toEqual(['b']);
  });

  test('a second runner does not wait for the first', async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' } });
    const both = await Promise.all([merge(), merge()]);
    const busy = both.filter((end) => 'ok' in end);
    expect(busy).toMatchObject([{ guard: 'folder-lock' }]);
    expect(runs()).toBe(1);
    expect(await statuses()).toEqual({ a: 'MERGED', b: 'MERGED' });
  });

  test('a dirty checkout holds it, and the board says so at the first of them', async () => {
    approved({ a: { 'README.md': 'a\n' }, b: { 'b.txt': 'b\n' } });
    p.git('checkout', '-q', 'integration');
    fs.writeFileSync(p.file('README.md'), 'being edited\n');
    expect(succeeded(await merge()).stopped).toMatchObject({ guard: 'held' });
    expect(await p.task('a')).toMatchObject({ merge_held: { reason: expect.stringContaining('README.md') } });
    expect(runs()).toBe(0);
    expect((await p.ok(['queue'])).stdout).toMatch(/ a .*README\.md/);
    p.git('checkout', '-q', 'README.md');
    expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['a', 'b']);
    expect(await p.task('a')).not.toHaveProperty('merge_held');
  });

  test('a person holds it, puts one first and takes one out', async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' }, c: { 'c.txt': 'c\n' } });
    await p.ok(['queue', 'hold']);
    expect(succeeded(await merge()).stopped).toMatchObject({ guard: 'queue-open' });
    expect((await p.ok(['queue'])).stdout).toMatch(
      /^held by human for \d+s.*liza queue release\n3 tasks to come:\n {2}a/,
    );
    await p.ok(['queue', 'release']);
    await p.ok(['queue', 'hold', 'a']);
    await p.ok(['queue', 'first', 'c']);
    await p.ok(['queue', 'out', 'b', '--reason', 'it breaks the importer']);
    expect(await p.last('b', 'integration_failed')).toMatchObject({
      reason: 'taken out by a person: it breaks the importer',
    });
    expect((await p.ok(['queue'])).stdout).toContain('a  priority 3  held: liza queue release a');
    expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['c']);
    await p.ok(['queue', 'release', 'a']);
    expect((await p.ok(['queue', 'run'])).stdout).toContain('a merged as');
    expect((await p.ok(['queue'])).stdout).toContain('so far:\n  1 test run per landing\n');
  });

  test('a budget that is used up in the middle stops no batch: only the fix of its culprit waits', async () => {
    approved(
      { a: { 'a.txt': 'a\n' }, b: { 'b.bad': 'b\n' }, c: { 'c.txt': 'c\n' } },
      { budgets: { goal: { usd: 1 } } },
    );
    meanwhile('i=0; while [ ! -e "$HOME/go" ] && [ $i -lt 600 ]; do i=$((i+1)); sleep 0.1; done');
    const going = merge();
    await expect.poll(runs, { timeout: 60_000 }).toBe(1);
    const used = { sessions: 1, seconds: 5, input_tokens: 1, output_tokens: 1, cost_usd: 1 };
    const ends = { name: 'session-end', agent: 'coder-2', task: 'a', provider: 'fake', how: 'exit 0', used } as const;
    succeeded(await transact({ ...p.as('coder-2'), actor: supervisorOf('coder-2') }, ends));
    fs.writeFileSync(path.join(p.base, 'go'), '');
    succeeded(await going);
    await mergeAll();
    expect(await statuses()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'MERGED' });
    expect(await claimTask(p.as('coder-3'), 'b', 'coder-3')).toMatchObject({
      guard: 'within-budget',
      message: expect.stringContaining('the budget of the goal is used up: $1.00 of $1.00'),
    });
  });

  describe('on top of another', () => {
    const LANES = { merge_batch: 2, merge_lanes: 2 };
    const four = { a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' }, c: { 'c.txt': 'c\n' }, d: { 'd.txt': 'd\n' } };
    /** Where the file is not in the candidate, its test goes on when this one says so. */
    const waits = (unless: string) =>
      meanwhile(
        `i=0; while [ ! -e ${unless} ] && [ ! -e "$HOME/go" ] && [ $i -lt 600 ]; do i=$((i+1)); sleep 0.1; done`,
      );
    const go = () => fs.writeFileSync(path.join(p.base, 'go'), '');
    const ahead = async () => queueOf(await p.state()).ahead?.[0];

    test('is tested at the same time, and lands after it', async () => {
      approved(four, LANES);
      waits('c.txt');
      const going = merge();
      await expect.poll(async () => (await ahead())?.run?.red, { timeout: 60_000 }).toBe(false);
      // It is over first, and waits.
      expect(new Set(Object.values(await statuses()))).toEqual(new Set(['APPROVED']));
      expect((await p.ok(['queue'])).stdout).toMatch(
        /^on [0-9a-f]{12}: 2 tasks to merge \(a, b\): testing all together\n(.*\n){2}on top of that, 2 tasks: green, they land next\n {2}3 {2}c/,
      );
      go();
      const end = succeeded(await going);
      expect(end.landed.map(({ task }) => task)).toEqual(['a', 'b', 'c', 'd']);
      expect(runs()).toBe(2);
      const journal = p.read('.liza/journal.jsonl').trim().split('\n');
      const notes = journal.flatMap((line) => /"command":"(reserve-merge|merge|merge-ahead)"/.exec(line)?.[1] ?? []);
      const first = ['reserve-merge', 'merge-ahead', 'merge-ahead', 'reserve-merge', 'merge'];
      expect(notes).toEqual([...first, 'reserve-merge', 'reserve-merge', 'merge']);
      expect(await p.last('d', 'merged')).toMatchObject({ onto: end.landed[2]?.commit, drift: 5 });
      expect(queueOf(await p.state())).toEqual({
        batches: [1, 2].map(() => expect.objectContaining({ landed: 2, runs: 1 })),
      });
      expect(p.refs('refs/liza/merging')).toEqual({});
    });

    test('as many as merge_lanes in a row: then whoever else waits to merge comes in', async () => {
      approved(four, { merge_batch: 1, merge_lanes: 2 });
      expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['a', 'b']);
      expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['c', 'd']);
      expect(runs()).toBe(4);
      expect(p.refs('refs/liza/merging')).toEqual({});
    });

    test('comes to nothing when that is red, and counts; its test is ended', async () => {
      approved({ ...four, b: { 'b.bad': 'b\n' } }, LANES);
      // The one on top waits for what never comes.
      meanwhile('[ ! -e c.txt ] || [ ! -e b.bad ] || { sleep 60; touch "$HOME/went-on"; }');
      const end = succeeded(await merge());
      expect(end.landed.map(({ task }) => task)).toEqual(['a']);
      expect(end.failed.map(({ task }) => task)).toEqual(['b']);
      expect(fs.existsSync(path.join(p.base, 'went-on'))).toBe(false);
      const { ahead: none, batches } = queueOf(await p.state());
      expect({ none, batches }).toMatchObject({ batches: [{ landed: 1, blamed: 'b', runs: 4, in_vain: 1 }] });
      expect(none).toBeUndefined();
      expect((await p.ok(['queue'])).stdout).toContain('1 run in vain');
      await mergeAll();
      expect(await statuses()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'MERGED', d: 'MERGED' });
    });

    test('is not begun on one that changes the test itself', async () => {
      approved({ ...four, a: { [SCRIPT]: `${TEST}true\n` } }, LANES);
      expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['a', 'b']);
      expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['c', 'd']);
      expect(p.read('.liza/journal.jsonl')).not.toContain('merge-ahead');
    });

    test('gives way to what a person puts first, holds or takes out', async () => {
      approved({ ...four, e: { 'e.txt': 'e\n' } }, LANES);
      waits('c.txt');
      const going = merge();
      await expect.poll(ahead, { timeout: 60_000 }).toBeDefined();
      await p.ok(['queue', 'first', 'e']);
      await p.ok(['queue', 'hold', 'd']);
      go();
      expect(succeeded(await going).landed.map(({ task }) => task)).toEqual(['a', 'b']);
      expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['e', 'c']);
      expect(await statuses()).toMatchObject({ d: 'APPROVED' });
    });
  });

  test('without tests, or with merge_batch 1, each goes by itself', async () => {
    approved({ a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' } }, { merge_batch: 1 });
    expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['a']);
    expect(succeeded(await merge()).landed.map(({ task }) => task)).toEqual(['b']);
    p = project({ tasks: (made) => ['a', 'b'].map((id) => approvedTask(made, id, { [`${id}.txt`]: 'x\n' })) });
    expect(succeeded(await merge()).landed).toMatchObject([{ task: 'a', test: { verdict: 'none' } }]);
  });
});
