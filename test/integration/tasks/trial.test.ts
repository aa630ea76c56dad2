// The trial of a task's validation on the base, with real git and real programs: where it runs, how it comes out, what is
// not run again, and that nothing is left of it.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../../src/protocol/decision.ts';
import { dueTrials } from '../../../src/protocol/review/due-trials.ts';
import { type Trial, trialOf } from '../../../src/protocol/review/trial.ts';
import { settings } from '../../../src/protocol/state.ts';
import type { TaskContext } from '../../../src/tasks/context.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { trialUnder, tryOnBase } from '../../../src/tasks/trial.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull } from '../../runs.ts';
import { type Project, project, succeeded, WORK } from '../../support/project.ts';

let p: Project;
const supervisor = (more: Partial<TaskContext> = {}): TaskContext => ({
  ...p.as(undefined, more),
  actor: { parts: ['supervisor'] },
});

/** The next trial that is due. */
async function tryIt(more: Partial<TaskContext> = {}) {
  const { board } = await p.store.read();
  const rules = { under: trialUnder(settings(board.state)), head: p.git('rev-parse', 'integration') };
  const [due] = dueTrials(board, rules);
  if (due === undefined) throw new Error('no trial is due');
  return tryOnBase(supervisor(more), board, due);
}

const tried = async (id = 't'): Promise<Trial> => {
  succeeded(await tryIt());
  return trialOf(await p.task(id)) as Trial;
};

/** Outside of every checkout: what ran, in order. */
const RAN = 'echo ran >> ../../../runs;';
const runs = (): number => {
  const file = path.join(p.base, 'runs');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').length - 1 : 0;
};
const left = (): readonly string[] =>
  fs.existsSync(p.file('.worktrees'))
    ? fs.readdirSync(p.file('.worktrees')).filter((name) => name.startsWith('.'))
    : [];

describe('a validation on the base', () => {
  test('that is green without a test file which it names says so', async () => {
    p = project({ tasks: [{ id: 't', validation: ['echo test/app.test.ts test/new.test.ts', 'test -f src/app.ts'] }] });
    const { runs: all } = await tried();
    expect(all.map(({ is, absent }) => [is, absent])).toEqual([
      ['green', 'test/new.test.ts'],
      ['green', undefined],
    ]);
  });

  test('that names a module of Python, and a class of it, names no file', async () => {
    const validation = ['echo unittest test_app.DescribeTests tests.unit test_app.Tests', 'echo test_new.py'];
    p = project({ tasks: [{ id: 't', validation }] });
    const { runs: all } = await tried();
    expect(all.map(({ absent }) => absent)).toEqual([undefined, 'test_new.py']);
  });

  test('that runs no test, or changes tracked files, says so, the last one, too', async () => {
    const validation = ['npm run lint', 'echo "// x" >> src/app.ts', 'npm run all', 'sed -i s/1/2/ src/app.ts'];
    const scripts = JSON.stringify({ scripts: { lint: 'echo fine', all: 'node --test test/none.test.mjs || true' } });
    p = project({ tasks: [{ id: 't', validation }], files: { 'package.json': scripts } });
    const { runs: all } = await tried();
    expect(all.map(({ is, runs_no_tests, changed }) => [is, runs_no_tests, changed?.paths])).toEqual([
      ['green', true, undefined],
      ['green', true, ['src/app.ts']],
      ['green', undefined, undefined],
      ['green', true, ['src/app.ts']],
    ]);
  });

  test('is green, red with the end of its output, or cannot be run, command by command, all of them', async () => {
    const validation = ['test -f src/app.ts', 'echo expected 2; grep -q "app = 2" src/app.ts', 'pytset -q', 'true'];
    p = project({ tasks: [{ id: 't', validation }] });
    const { commit, runs: all } = await tried();
    expect(commit).toBe(p.git('rev-parse', 'integration'));
    expect(all).toMatchObject([
      { command: validation[0], is: 'green', how: 'ended with 0' },
      { command: validation[1], is: 'red', how: 'ended with 1', output: 'expected 2' },
      { command: validation[2], is: 'cannot_run', how: 'ended with 127', output: expect.stringContaining('pytset') },
      { command: validation[3], is: 'green' },
    ]);
    expect(all[0]).not.toHaveProperty('output');
    expect(left()).toEqual([]);
  });

  test('that is red keeps what went wrong, not what a tool prints after it', async () => {
    const after = 'for n in 1 2 3 4 5 6 7 8 9; do echo "npm notice To update run: npm install -g npm@$n" >&2; done';
    const validation = [`node -e 'require("assert").strictEqual(1 + 1, 3)' || { ${after}; exit 1; }`];
    p = project({ tasks: [{ id: 't', validation }] });
    const [run] = (await tried()).runs;
    expect(run?.output).toMatch(/^AssertionError .*Expected values to be strictly equal:\n2 !== 3\n/);
    expect(run?.output).not.toMatch(/npm notice|node:internal|Node\.js v/);
  });

  test('that names a program which the task may write is red, not one that cannot be run', async () => {
    const validation = ['./scripts/check.sh', 'sh -c "exit 127"', './node_modules/.bin/tool'];
    p = project({ tasks: [{ id: 't', validation }] });
    expect((await tried()).runs).toMatchObject([
      { is: 'red', how: 'ended with 127: scripts/check.sh is not there yet' },
      { is: 'cannot_run' },
      { is: 'cannot_run' },
    ]);
  });

  test('whose program is misspelt cannot be run, whatever new test or folder outside it names', async () => {
    const validation = ['pytset test/new.test.ts', 'cd ../.. && pytset'];
    p = project({ tasks: [{ id: 't', validation }] });
    expect((await tried()).runs).toMatchObject([{ is: 'cannot_run', how: 'ended with 127' }, { is: 'cannot_run' }]);
  });

  test('that the shell cannot read cannot be run; one whose own program exits with 2 is red', async () => {
    const validation = ['if true; then echo ok', 'sh -c \'echo "sh: 1: Syntax error: x" >&2; exit 2\''];
    p = project({ tasks: [{ id: 't', validation }] });
    expect((await tried()).runs).toMatchObject([{ is: 'cannot_run' }, { is: 'red', how: 'ended with 2' }]);
  });

  test('runs in one prepared checkout with its history, without credentials, and yields to others', async () => {
    const validation = [
      'test "$(cat made)" = set-up && echo kept > between',
      'test "$(cat between)" = kept',
      'test "$(git rev-list --count HEAD)" -ge 1',
      'test -z "$MY_API_KEY$LIZA_AGENT_ID"',
      'test "$(nice)" -ge 10',
    ];
    p = project({ tasks: [{ id: 't', validation }], config: { post_worktree_cmd: 'echo set-up > made' } });
    const { env } = p.as();
    succeeded(await tryIt({ env: { ...env, MY_API_KEY: 'secret', LIZA_AGENT_ID: 'coder-1' } }));
    expect(trialOf(await p.task('t'))?.runs.map(({ is }) => is)).toEqual(validation.map(() => 'green'));
  });

  test('of a claimed task is tried on the base of its claim', async () => {
    p = project({ tasks: [{ id: 't', validation: ['test -f later.txt'] }] });
    await p.claim('t');
    const base = p.git('rev-parse', 'integration');
    await p.accepted({ 'later.txt': 'came later\n' });
    expect(await tried()).toMatchObject({ commit: base, runs: [{ is: 'red' }] });
  });

  test.runIf(inFull)('that shares its time with others says how long it really had (in test:all)', async () => {
    p = project({ tasks: [{ id: 't', validation: ['sleep 2', 'sleep 30'] }], config: { validation_timeout: 4 } });
    expect((await tried()).runs[1]?.how).toMatch(/^did not end within [12] s$/);
  });

  test('whose time is up is red, and the commands after it are not tried', async () => {
    p = project({ tasks: [{ id: 't', validation: ['sleep 30', 'true'] }], config: { validation_timeout: 1 } });
    expect((await tried()).runs).toMatchObject([{ command: 'sleep 30', is: 'red', how: 'did not end within 1 s' }]);
  });

  test('that is amended is tried again', async () => {
    p = project({ tasks: [{ id: 't', validation: ['pytset'] }] });
    expect((await tried()).runs).toMatchObject([{ is: 'cannot_run' }]);
    await p.ok(['amend', 't', '--validate', 'test -d src']);
    expect((await tried()).runs).toMatchObject([{ command: 'test -d src', is: 'green' }]);
  });
});

describe('what is known is not run again', () => {
  test('the same commands of another task on the same commit take over the result', async () => {
    const validation = [`${RAN} true`, `${RAN} echo why; exit 1`];
    p = project({ tasks: ['t', 'u'].map((id) => ({ id, validation })) });
    await tried('t');
    expect(runs()).toBe(2);
    expect((await tried('u')).runs).toMatchObject([{ is: 'green' }, { is: 'red', output: 'why' }]);
    expect(runs()).toBe(2);
  });

  test('unless one of them is new: they share a checkout, so all are run', async () => {
    const first = `${RAN} true`;
    p = project({
      tasks: [
        { id: 't', validation: [first] },
        { id: 'u', validation: [first, `${RAN} exit 1`] },
      ],
    });
    await tried('t');
    await tried('u');
    expect(runs()).toBe(3);
  });

  test('a proof at submit does not try on the base what the trial saw green there', async () => {
    const begun = async (): Promise<void> => {
      const validation = [`${RAN} sh test/*.sh || ls test`];
      p = project({ tasks: [{ id: 't', validation }], config: { tdd: 'evidence' } });
      await p.begun('t');
      p.work('t', WORK);
    };
    await begun();
    succeeded(await p.submit('t'));
    const without = runs();
    await begun();
    await tried();
    succeeded(await p.submit('t'));
    // The trial itself, instead of the base alone.
    expect(runs()).toBe(without);
    expect(without).toBeGreaterThan(2);
  });
});

describe('in nobody’s way', () => {
  test('stopped in the middle it ends at once, with its programs, and records nothing', async () => {
    p = project({ tasks: [{ id: 't', validation: [`${RAN} sleep 60 & wait`] }] });
    const stop = new AbortController();
    const running = tryIt({ stop: () => stop.signal });
    while (runs() === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const since = performance.now();
    stop.abort();
    expect(await running).toMatchObject(refusedBy('stopped'));
    expect(performance.now() - since).toBeLessThan(5000);
    expect(trialOf(await p.task('t'))).toBeUndefined();
    expect(left()).toEqual([]);
  });

  test('while one is under way a second is refused, and claims and merges go on', async () => {
    const go = 'while [ ! -e ../../../go ]; do sleep 0.05; done';
    p = project({ tasks: ['t', 'u', 'm'].map((id) => (id === 'm' ? id : { id, validation: [`${RAN} ${go}`] })) });
    const running = tryIt();
    while (runs() === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await tryIt()).toMatchObject(refusedBy('folder-lock'));
    await p.claim('t');
    await p.approved('m', WORK, 'coder-2');
    expect(isRefusal(await p.merge('m'))).toBe(false);
    fs.writeFileSync(path.join(p.base, 'go'), '');
    succeeded(await running);
    expect(trialOf(await p.task('t'))?.runs).toMatchObject([{ is: 'green' }]);
  });

  test('a set-up that fails tells nothing of the validation', async () => {
    p = project({ tasks: [{ id: 't', validation: ['true'] }], config: { post_worktree_cmd: 'exit 3' } });
    expect(await tryIt()).toMatchObject(refusedBy('post-worktree-cmd'));
    expect(trialOf(await p.task('t'))).toBeUndefined();
  });

  test('what a killed one left is removed by the next start', async () => {
    p = project({ tasks: [{ id: 't', validation: ['true'] }] });
    p.write({ '.worktrees/.trial-t-0123abcd/file': 'left\n' });
    await reconcile(supervisor());
    expect(left()).toEqual([]);
  });
});
