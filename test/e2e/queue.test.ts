// The merge queue as processes: killed at every change of the board that it makes, and while a test runs; whoever comes
// next goes on, and the same ends on the branch.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inFull } from '../runs.ts';
import { builtIn } from '../support/program.ts';
import { approvedTask, project, snapshotOf } from '../support/project.ts';

const SCRIPT = `echo run >> "$HOME/runs"
[ ! -e "$HOME/kill" ] || [ "$(wc -l < "$HOME/runs")" -ne 2 ] || kill -9 $PPID
for bad in *.bad; do [ ! -e "$bad" ] || exit 1; done
`;
/** In one go: announced, red, green, landed, red, d without c (begun, green), red, failed; announced, green, landed. */
const ONE = { changes: 12, lanes: 'one', config: {} };
/** Announced, ahead, red ahead, green, landed; announced, red, red, d without c (begun, green), red, failed. */
const TWO = { changes: 12, lanes: 'two', config: { merge_batch: 2, merge_lanes: 2 } };

const made = (script: string, config = {}) =>
  project({
    files: { 'scripts/integration-test.sh': script },
    config: { sandbox: 'off', integration_test_timeout: 60, ...config },
    tasks: (one) =>
      ['a', 'b', 'c', 'd'].map((id) => approvedTask(one, id, { [id === 'c' ? 'c.bad' : `${id}.txt`]: 'x\n' })),
  });

test.each([ONE, TWO])(
  'killed anywhere, the next one goes on: $lanes at a time',
  async ({ changes, config }) => {
    const p = made(SCRIPT, config);
    const built = builtIn(p);
    const putBack = snapshotOf(p);
    const preload = path.join(import.meta.dirname, 'kill-at.cjs');
    const waiting = () => built.board().tasks.filter(({ status }) => status === 'APPROVED').length;
    const points = Array.from({ length: changes }, (_, n) => n + 1).filter((n) => inFull || n % 6 === 1);
    for (const at of [...points, 'test'] as const) {
      if (at === 'test') fs.writeFileSync(path.join(p.base, 'kill'), '');
      const env = at === 'test' ? {} : { KILL_AT: String(at), NODE_OPTIONS: `--require=${preload}` };
      const killed = built.liza(['queue', 'run'], { env });
      expect({ at, signal: killed.signal }).toEqual({ at, signal: 'SIGKILL' });
      for (let times = 0; times < 4 && waiting() > 0; times++) built.liza(['queue', 'run']);
      const ended = Object.fromEntries(built.board().tasks.map(({ id, status }) => [id, status]));
      expect({ at, ...ended }).toEqual({ at, a: 'MERGED', b: 'MERGED', c: 'INTEGRATION_FAILED', d: 'MERGED' });
      expect(p.git('ls-tree', '--name-only', 'integration').split('\n')).not.toContain('c.bad');
      expect(built.board()).toMatchObject({ goal: { integration_head: p.head() } });
      expect(p.refs('refs/liza/merging')).toEqual({});
      // Whole, five: a killed one is run again, or the three that would convict.
      const runs = fs.readFileSync(path.join(p.base, 'runs'), 'utf8').trim().split('\n').length;
      expect({ at, few: runs <= (config === ONE.config ? 8 : 9) }).toEqual({ at, few: true });
      putBack();
    }
  },
  300_000,
);

test('killed in its test: what that had started is ended before the next test begins', () => {
  const first = '[ -e "$HOME/first" ] || { echo $$ > "$HOME/first"; kill -9 $PPID; sleep 300; }\n';
  // An ended process stays in /proc as a zombie until the machine's first process collects it.
  const state = 'state=$(sed "s/.*) //" "/proc/$(cat "$HOME/first")/stat" 2>/dev/null | cut -c1)\n';
  const p = made(`${first}${state}case "$state" in ""|Z) ;; *) echo it runs on; exit 1 ;; esac\n`);
  const built = builtIn(p);
  expect(built.liza(['queue', 'run']).signal).toBe('SIGKILL');
  expect(built.liza(['queue', 'run'])).toMatchObject({ code: 0 });
  expect(built.board().tasks.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'MERGED'));
}, 60_000);

test('killed in its test, and then one is taken out: nothing is left of the batch', async () => {
  const p = made(SCRIPT);
  const built = builtIn(p);
  fs.writeFileSync(path.join(p.base, 'kill'), '');
  expect(built.liza(['queue', 'run']).signal).toBe('SIGKILL');
  expect(Object.keys(p.refs('refs/liza/merging'))).not.toEqual([]);
  expect(built.liza(['queue', 'out', 'b', '--reason', 'not now']).code).toBe(0);
  expect(p.refs('refs/liza/merging')).toEqual({});
  for (let times = 0; times < 4; times++) built.liza(['queue', 'run']);
  const ended = Object.fromEntries(built.board().tasks.map(({ id, status }) => [id, status]));
  expect(ended).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'INTEGRATION_FAILED', d: 'MERGED' });
  expect(p.refs('refs/liza/merging')).toEqual({});
}, 120_000);

test('two that want to run it: one does, and the other is told so at once', async () => {
  const p = made(`${SCRIPT}sleep 1\n`);
  const built = builtIn(p);
  const both = await Promise.all([1, 2].map(() => built.start(['queue', 'run']).ended));
  expect(both.map(({ code }) => code).sort()).toEqual([2, 3]);
  expect(both.find(({ code }) => code === 2)?.stderr).toContain('another merge is under way');
  const runs = fs.readFileSync(path.join(p.base, 'runs'), 'utf8').trim().split('\n');
  expect(runs).toHaveLength(5);
});
