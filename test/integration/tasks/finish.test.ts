// The integration branch comes into a person's branch: shown, tested, asked; and nothing of theirs is ever lost.

import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Dialogue } from '../../../src/cli/io.ts';
import { transact } from '../../../src/store/transact.ts';
import { finishGoal, planFinish } from '../../../src/tasks/finish.ts';
import { areMergesTested } from '../../../src/tasks/integration-test.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull } from '../../runs.ts';
import { type Project, project, succeeded } from '../../support/project.ts';

const SCRIPT = 'scripts/integration-test.sh';
const GONE = `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/999999999/1`;

let p: Project;
let mine: string;

/** main is checked out in the root; integration has `files` in addition. */
function ahead(files: Readonly<Record<string, string>> = { 'task.txt': 'task\n' }, config = {}): void {
  p = project({ config: { base_branch: 'main', ...config }, files });
  mine = p.head('main');
}

const liza = (argv: readonly string[], answers?: readonly string[]) =>
  p.liza(argv, answers === undefined ? {} : { io: { openDialogue: async () => answering(answers) } });

function answering(answers: readonly string[]): Dialogue {
  const left = [...answers];
  const ask = async (question: string): Promise<string | undefined> => {
    asked.push(question);
    return left.shift();
  };
  return { say: (text) => said.push(text), ask, close: () => {} };
}
/** The goal's end, with nothing left of its plan. */
async function complete(): Promise<void> {
  await p.approved('t');
  succeeded(await p.merge('t'));
  await p.ok(['goal', 'complete', '--carry-over', '--summary', 'people are greeted']);
}

const said: string[] = [];
const asked: string[] = [];

async function expectUntouched(head = mine): Promise<void> {
  expect(p.head('main')).toBe(head);
  expect((await p.state()).goal).not.toHaveProperty('moving');
}

describe('a clean checkout of main in the root', () => {
  test('--check shows the difference, what is unfinished and how it is done by hand, and changes nothing', async () => {
    ahead();
    p.git('tag', 'integration', 'main'); // whoever trusts the short name gets the wrong commit
    p.git('remote', 'add', 'origin', p.base);
    const ran = await liza(['finish', '--check']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('main gets 1 commit of integration by a fast-forward');
    expect(ran.stdout).toMatch(/task\.txt \| 1 \+/);
    expect(ran.stdout).toContain(
      'the goal is not complete yet: it is IN_PROGRESS\nunfinished, and not part of it: t (UNCLAIMED)',
    );
    expect(ran.stdout).toContain('no tests were run');
    expect(ran.stdout).toContain('\nall of the diff: git diff refs/heads/main...refs/heads/integration\n');
    expect(ran.stdout).toContain('\nor merge it by hand: git switch main && git merge refs/heads/integration');
    expect(ran.stdout).toContain(
      '\nor as a pull request: git push origin refs/heads/integration:refs/heads/integration',
    );
    await expectUntouched();
  });

  test('names a note that nobody has handled, also when all is there already', async () => {
    ahead();
    await liza(['note', 'mind the total', '--for', 't']);
    const open = 'note-1 for t was not marked as handled: liza show note-1';
    expect((await liza(['finish', '--check'])).stdout).toContain(open);
    await liza(['finish', '--yes']);
    expect((await liza(['finish'])).stdout).toMatch(new RegExp(`^already done.*\\n[\\s\\S]*${open}`));
  });

  test('--check with changes that are not committed shows the same, and what is in the way', async () => {
    ahead({ 'README.md': 'theirs\n' });
    p.write({ 'README.md': 'being edited\n' });
    const ran = await liza(['finish', '--check']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('main gets 1 commit of integration');
    expect(ran.stdout).toMatch(/the merge into main is held: .*README\.md/);
    await expectUntouched();
  });

  test('nobody can be asked: not merged; said no: not merged; said yes: forward, with the checkout', async () => {
    ahead();
    expect(await liza(['finish'])).toMatchObject({ code: 1, stderr: expect.stringContaining('liza finish --yes') });
    expect(await liza(['finish'], ['perhaps', 'no'])).toMatchObject({ code: 1 });
    expect(await liza(['finish'], [])).toMatchObject({ code: 1 });
    await expectUntouched();
    const entered = await liza(['finish'], ['', 'yes']);
    expect(entered).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing is merged') });
    expect(asked.at(-1)).toBe('Merge it into main? yes or no [no]: ');
    await expectUntouched();
    expect(await liza(['finish'], ['yes'])).toMatchObject({ code: 0 });
    expect(said.join('\n')).toContain('main gets 1 commit');
    expect(p.head('main')).toBe(p.head());
    expect(p.read('task.txt')).toBe('task\n');
    expect(p.git('status', '--porcelain')).toBe('');
    expect((await p.state()).goal.alignment_history?.at(-1)).toMatchObject({
      event: 'finished',
      summary: expect.stringContaining(`integration at ${p.head()} is in main`),
    });
    const again = await liza(['finish', '--yes']);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('already done') });
    expect(again.stdout).toContain('unfinished: 1 task waiting for a coder (t)');
  });

  test.each(['--yes', '--check'])('too early, with %s: nothing is there yet, and what it waits for', async (option) => {
    p = project({ config: { base_branch: 'main' } });
    p.git('update-ref', 'refs/heads/main', p.head());
    const waiting = await liza(['finish', option]);
    expect(waiting.code).toBe(1);
    expect(waiting.stderr).toContain('nothing to bring into main yet: 1 task waiting for a coder (t)');
    expect(waiting.stderr).toContain('continue it: liza run; then: liza finish');
    await p.begun('t');
    await p.submit('t', p.work('t'));
    expect((await liza(['finish', option])).stderr).toContain('yet: 1 task in review (t)');
  });

  test('too early, before anything is planned', async () => {
    p = project({ config: { base_branch: 'main' }, tasks: [] });
    p.git('update-ref', 'refs/heads/main', p.head());
    expect(await liza(['finish'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing to bring into main yet: nothing is planned yet'),
    });
  });

  test('where every task was given up no run would help: the decision is named', async () => {
    p = project({ config: { base_branch: 'main' }, tasks: [{ id: 't', status: 'ABANDONED' }] });
    p.git('update-ref', 'refs/heads/main', p.head());
    const { code, stderr } = await liza(['finish']);
    expect([code, stderr.includes('liza run')]).toEqual([1, false]);
    expect(stderr).toMatch(/every task was given up\n.*liza goal complete/);
  });

  test('main went on: a merge commit whose first parent is main; sync then finds everything there', async () => {
    ahead();
    mine = p.commit({ 'mine.txt': 'mine\n' });
    expect(await liza(['finish', '--yes'])).toMatchObject({ code: 0 });
    expect(p.git('show', '-s', '--format=%P', 'main')).toBe(`${mine} ${p.head()}`);
    expect(p.read('task.txt')).toBe('task\n');
    expect(p.git('status', '--porcelain')).toBe('');
    // Sync goes forward, so that there is nothing to bring back: no merge of merges without end.
    expect((await p.ok(['sync', '--json'])).json).toMatchObject({ how: 'fast-forward' });
    expect(p.head('main')).toBe(p.head());
    expect(await liza(['finish', '--yes', '--json'])).toMatchObject({ json: { how: 'contained' } });
    expect((await p.ok(['sync'])).stdout).toContain('already done');
  });
});

describe('what is told of the work that comes', () => {
  test('a rejected commit that comes along; a merge commit names who wrote and who approved each task', async () => {
    p = project({ config: { base_branch: 'main' } });
    const first = await p.submitted('t');
    await p.reject('t');
    const second = await p.approved('t', { 'src/app.ts': 'better\n' });
    succeeded(await p.merge('t'));
    p.commit({ 'mine.txt': 'mine\n' });
    const ran = await liza(['finish', '--yes']);
    expect(ran.stdout).toContain(
      `its history holds ${first.slice(0, 12)} (t), which was rejected; a later version was approved\n`,
    );
    expect(p.git('show', '-s', '--format=%(trailers:only,unfold)', 'main').split('\n')).toEqual([
      'Liza-Task: t',
      'Liza-Author: coder-1',
      'Liza-Reviewer: code-reviewer-1',
      `Liza-Reviewed-Commit: ${second}`,
    ]);
  });

  test('before it asks: who worked without a sandbox on what comes', async () => {
    p = project({ config: { base_branch: 'main' } });
    await p.approved('t');
    const used = { seconds: 1, input_tokens: 1, output_tokens: 1 };
    const stay = { id: '0123456789ab', since: '2026-01-01T00:00:00Z', sandbox: 'off' } as const;
    const ends = { name: 'session-end', task: 't', provider: 'fake', how: 'exit 0', used } as const;
    await p.run('coder-1', { ...ends, agent: 'coder-1', stay });
    await p.run('code-reviewer-1', { ...ends, agent: 'code-reviewer-1', stay: { ...stay, sandbox: 'bubblewrap' } });
    succeeded(await p.merge('t'));
    const told = 'written or reviewed without a sandbox: t (coder-1); what that means: liza help sandbox';
    said.length = 0;
    await liza(['finish'], ['no']);
    expect(said).toContain(told);
  });

  test('--no-ff: a clone without the board is told the same of a task that was fast-forwarded', async () => {
    p = project({ config: { base_branch: 'main' } });
    const reviewed = await p.approved('t');
    succeeded(await p.merge('t'));
    expect(p.head()).toBe(reviewed);
    const before = p.head('main');
    expect(await liza(['finish', '--yes', '--no-ff'])).toMatchObject({ code: 0 });
    expect(p.git('show', '-s', '--format=%P', 'main')).toBe(`${before} ${reviewed}`);
    expect(p.git('show', '-s', '--format=%(trailers:only,unfold)', 'main').split('\n')).toEqual([
      'Liza-Task: t',
      'Liza-Author: coder-1',
      'Liza-Reviewer: code-reviewer-1',
      `Liza-Reviewed-Commit: ${reviewed}`,
    ]);
  });

  test.runIf(inFull)(
    'after a sync the account of the last task is named, since the merge of main is nobody’s work (in test:all)',
    async () => {
      ahead();
      await p.approved('t');
      succeeded(await p.merge('t'));
      p.write({ 'own.txt': 'own\n' });
      p.git('add', 'own.txt');
      p.git('commit', '-qm', 'mine');
      await p.ok(['sync']);
      const { stdout } = await liza(['finish', '--yes']);
      const named = /liza blame (\w+)/.exec(stdout)?.[1] ?? '';
      expect((await p.task('t')).merge_commit?.startsWith(named)).toBe(true);
      expect((await p.ok(['blame', named])).stdout).toContain('coder-1');
    },
  );

  test('--yes: what comes and how the tests ended is printed before what was done', async () => {
    ahead({ 'task.txt': 'task\n' }, { test_command: 'true' });
    const { stdout } = await liza(['finish', '--yes']);
    const places = ['main gets 1 commit', 'tests green on the result', 'liza blame'].map((text) =>
      stdout.indexOf(text),
    );
    expect(places).toEqual([0, ...places.slice(1)]);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(stdout.slice(places[1])).toMatch(/\n.*(is in|merged|finished)/);
  });
});

describe('refused, and nothing of the person’s is touched', () => {
  test('changes that are not committed, and files in the way', async () => {
    ahead({ 'README.md': 'theirs\n', 'task.txt': 'task\n' });
    p.write({ 'README.md': 'being edited\n' });
    expect(await liza(['finish', '--yes'])).toMatchObject({ code: 1, stderr: expect.stringContaining('README.md') });
    expect(p.read('README.md')).toBe('being edited\n');
    p.git('checkout', '-q', 'README.md');
    p.write({ 'task.txt': 'mine, and never added\n' });
    expect(await liza(['finish', '--yes'])).toMatchObject({ code: 1, stderr: expect.stringContaining('task.txt') });
    expect(p.read('task.txt')).toBe('mine, and never added\n');
    await expectUntouched();
  });

  test('a change to another file stays where it is, staged or not, and holds nothing', async () => {
    ahead({ 'task.txt': 'task\n' });
    p.write({ 'README.md': 'being edited\n', 'src/app.ts': 'staged\n', 'notes/mine.txt': 'never added\n' });
    p.git('add', 'src/app.ts');
    const before = p.git('status', '--porcelain', '--untracked-files=all');
    const { code, stdout } = await liza(['finish', '--yes']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`${p.root} is updated to`) });
    expect(stdout).not.toContain('clean');
    expect(p.git('status', '--porcelain', '--untracked-files=all')).toBe(before);
    expect([p.read('README.md'), p.read('task.txt')]).toEqual(['being edited\n', 'task\n']);
    expect(p.head('main')).toBe(p.head());
  });

  test('main was rewritten: what it had and has no more is named before it comes back', async () => {
    p = project({ config: { base_branch: 'main' } });
    p.commit({ 'secret.txt': 'token\n' }, 'a secret');
    p.git('update-ref', 'refs/heads/integration', 'main');
    await p.run(undefined, { name: 'accept-integration', head: p.head('main') });
    await p.approved('t');
    succeeded(await p.merge('t'));
    p.git('reset', '-q', '--hard', 'main~1');
    const told = 'main was rewritten since Liza built on it: integration keeps 1 commit that it has no more';
    for (const line of ['status', 'doctor', 'report --md'])
      expect((await liza(line.split(' '))).stdout.replace(/\s+/g, ' ')).toContain(told);
    const ran = await liza(['finish', '--check']);
    expect(ran.stdout).toMatch(/main was rewritten since .* brings back 1 commit .*\n +[0-9a-f]+ a secret/);
  });

  test('main was rewritten from its first commit on: said as that', async () => {
    ahead();
    p.git('checkout', '-q', '--orphan', 'other');
    p.git('commit', '-q', '-m', 'another beginning');
    p.git('branch', '-f', 'main');
    p.git('checkout', '-q', 'main');
    const ran = await liza(['finish', '--check']);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('have no commit in common');
  });

  test('a conflict: exit 3 with the files', async () => {
    ahead({ 'README.md': 'theirs\n' });
    mine = p.commit({ 'README.md': 'mine\n' });
    expect(await liza(['finish', '--yes'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('conflict in README.md; nothing is changed'),
    });
    await expectUntouched();
  });

  test.each([
    ['the integration branch’s script', { [SCRIPT]: '#!/bin/sh\nls\ntest ! -e mine.txt\n' }, {}],
    ['test_command where there is none', { 'task.txt': 'x\n' }, { test_command: 'ls; test ! -e mine.txt' }],
  ])('red tests on the result, by %s: exit 3 with the end of the output', async (_, files, config) => {
    ahead(files, config);
    mine = p.commit({ 'mine.txt': 'mine\n' });
    const ran = await liza(['finish', '--yes']);
    expect(ran).toMatchObject({ code: 3, stdout: expect.stringContaining('mine.txt') });
    expect(ran.stderr).toContain('main stays as it is');
    expect(ran.stderr).toContain('integration alone is green: fix it on main, after: git switch main && git merge');
    await expectUntouched();
    // What it names works: the two meet on main, where the person mends them.
    p.git('merge', '-q', '--no-edit', 'integration');
    p.git('mv', 'mine.txt', 'ours.txt');
    p.commit({});
    expect((await p.ok(['sync', '--json'])).json).toMatchObject({ how: 'fast-forward' });
  });

  test('red without main, too: a task mends it, or after the goal’s end the next goal', async () => {
    ahead({ 'task.txt': 'x\n' }, { test_command: 'exit 7' });
    expect((await liza(['finish', '--yes'])).stderr).toContain('have it fixed by a task: liza note "…"');
    await liza(['abort']);
    expect((await liza(['finish', '--yes'])).stderr).toContain('have it fixed by the next goal: liza init');
    await p.ok(['config', 'set', 'test_command', 'npm test']);
    expect((await liza(['finish', '--check'])).stderr).toMatch(
      /main stays as it is: npm test finds no tests yet .*\n {2}→ the next goal may write them.*liza finish/,
    );
    await expectUntouched();
  });

  test('green tests are told', async () => {
    ahead({ 'task.txt': 'x\n' }, { test_command: 'test -e task.txt' });
    expect((await liza(['finish', '--check'])).stdout).toContain('tests green on the result after');
  });

  test('integration was moved outside Liza: a commit that nobody reviewed does not come in', async () => {
    ahead();
    p.commitTo('integration', { 'sneaked.txt': 'x\n' });
    expect(await liza(['finish', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was moved outside Liza'),
    });
    await expectUntouched();
  });

  test('one of the two branches moved after it was shown', async () => {
    ahead();
    const plan = succeeded(await planFinish(p.as()));
    mine = p.commit({ 'mine.txt': 'mine\n' });
    expect(await finishGoal(p.as(), plan)).toMatchObject(refusedBy('stopped', { code: 1 }));
    await expectUntouched();
    const again = succeeded(await planFinish(p.as()));
    await p.accepted({ 'later.txt': 'x\n' });
    expect(await finishGoal(p.as(), again)).toMatchObject(refusedBy('stopped', { code: 1 }));
    await expectUntouched();
  });

  test('not for an agent or its supervisor, nor into Liza’s own branches', async () => {
    ahead();
    expect(await planFinish(p.as('planner-1'))).toMatchObject(refusedBy('role'));
    expect(await planFinish(p.as(), { named: 'integration' })).toMatchObject(refusedBy('branch'));
    expect(await planFinish(p.as(), { named: 'nowhere' })).toMatchObject(refusedBy('no-base'));
    await expectUntouched();
  });
});

describe('killed on the way', () => {
  const announced = async (): Promise<string> => {
    ahead();
    const commit = p.head();
    const command = { name: 'reserve-finish', branch: 'main', commit, candidate: commit, onto: mine } as const;
    succeeded(await transact(p.as(), { ...command, process: GONE }));
    return commit;
  };

  test('before the branch moved: undone', async () => {
    await announced();
    expect(await reconcile(p.as('coder-1'))).toMatchObject([{ done: expect.stringContaining('is undone') }]);
    await expectUntouched();
  });

  /** The branch has moved, its checkout has not followed. */
  const halfWay = (to: string): void => {
    const marker = `${JSON.stringify({ from: mine, to })}\n`;
    p.write({ '.git/liza-advance': marker, '.git/index.lock': marker });
    p.git('update-ref', 'refs/heads/main', to);
  };

  test('only its git was, and the finish is recorded: the checkout is brought along all the same', async () => {
    ahead();
    halfWay(p.head());
    expect(await reconcile(p.as('coder-1'))).toMatchObject([
      { done: expect.stringContaining('advanced to where main is') },
    ]);
    expect(p.git('status', '--porcelain')).toBe('');
  });

  test('after it, with the checkout not brought along yet: finished, with the files', async () => {
    halfWay(await announced());
    expect(await reconcile(p.as('coder-1'))).toMatchObject([
      { done: expect.stringContaining('advanced to where main is') },
      { done: expect.stringContaining('is recorded') },
    ]);
    expect(p.git('status', '--porcelain')).toBe('');
    expect(p.read('task.txt')).toBe('task\n');
    expect((await p.state()).goal).not.toHaveProperty('moving');
  });
});

describe('how far the branches are apart', () => {
  test('status and doctor say it with the command, until it is brought in', async () => {
    ahead();
    expect((await p.ok(['status'])).stdout).not.toContain('liza sync');
    p.commit({ 'a.txt': 'a\n' });
    p.commit({ 'b.txt': 'b\n' });
    const lag = 'main has 2 commits that integration lacks';
    expect((await p.ok(['status'])).stdout).toContain(`${lag}: liza sync`);
    expect((await p.ok(['status', '--json'])).json['base']).toEqual({
      branch: 'main',
      integration: 'integration',
      lacks: 2,
      ahead: 1,
    });
    expect((await p.liza(['doctor'])).stdout).toContain(lag);
    await p.ok(['sync']);
    expect((await p.ok(['status'])).stdout).not.toContain('lacks');
    expect((await p.liza(['doctor'])).stdout).toContain('integration has all of main');
  });

  test('after the goal’s end status and doctor name the same step, and after finish none', async () => {
    ahead();
    await complete();
    p.commit({ 'a.txt': 'a\n' });
    const fact = 'integration has 2 commits that main lacks';
    const status = (await p.ok(['status'])).stdout.replace(/\s+/g, ' ');
    // Once, and without an outcome that nobody knows yet.
    expect(status).toContain(
      'merge it into main: liza finish; main also has 1 commit of its own, which it keeps: no liza sync is needed',
    );
    expect(status.split('liza finish')).toHaveLength(2);
    const doctor = (await p.liza(['doctor'])).stdout;
    expect(doctor).toMatch(new RegExp(`ok +base +${fact}\\s.*liza finish`));
    expect(doctor).not.toContain('liza sync');
    await p.ok(['finish', '--yes']);
    expect((await p.liza(['doctor'])).stdout).toMatch(/ok +base +main has all of integration/);
    expect((await p.ok(['sync', '--json'])).json).toMatchObject({ how: 'fast-forward' });
    expect(p.head()).toBe(p.head('main'));
  });
});

describe('main went on since the two parted', () => {
  const own =
    'main has 2 commits of its own since the two parted, hence a merge commit: no agent has seen both together';
  const shown = async (): Promise<string> => {
    p.commit({ 'a.txt': 'a\n' });
    p.commit({ 'b.txt': 'b\n' });
    return (await p.ok(['finish', '--check'])).stdout.replace(/\s+/g, ' ');
  };

  test('it is said before the question, and that no test has seen the result', async () => {
    ahead();
    expect(await shown()).toContain(`${own}, and no test has, either`);
  });

  test('with tests, that they are of the result; without commits of its own, nothing', async () => {
    ahead({ [SCRIPT]: '#!/bin/sh\nexit 0\n' });
    expect((await p.ok(['finish', '--check'])).stdout).not.toContain('of its own');
    expect(await shown()).toContain(`${own}, the tests below are of both together`);
  });

  test('commits of the goal’s document alone are named so: agents have read it', async () => {
    ahead();
    const file = (await p.state()).goal.spec_ref?.split('#')[0] ?? '';
    p.commit({ [file]: '# Greet\n\nEverybody.\n' });
    const check = async () => (await p.ok(['finish', '--check'])).stdout.replace(/\s+/g, ' ');
    expect(await check()).toContain("a merge commit, because main has the goal's document in a commit of its own");
    expect(await check()).not.toContain('no agent has seen');
    p.commit({ 'a.txt': 'a\n' });
    // One count in every sentence, and it is git's.
    expect(await check()).toContain(own);
    expect((await p.ok(['status'])).stdout).toContain('main has 2 commits that integration lacks: liza sync');
    expect((await p.ok(['sync'])).stdout).toContain(
      '\n2 commits, merge commit; no tests were run on the result: there',
    );
  });

  test('commits that change no file are not taken for the goal’s document', async () => {
    ahead();
    for (const subject of ['one', 'two']) p.git('commit', '-q', '--allow-empty', '-m', subject);
    const said = (await p.ok(['finish', '--check'])).stdout.replace(/\s+/g, ' ');
    expect(said).toContain('a merge commit, because main has 2 commits of its own, which change no file');
    expect(said).not.toContain('document');
  });

  test('a finish that changes no file says so', async () => {
    ahead();
    p.commit({ 'task.txt': 'task\n' });
    expect((await p.ok(['finish', '--check'])).stdout).toContain('no file changes by it');
  });
});

test.each([
  ['nothing', {}, {}, false],
  ['a command', {}, { test_command: 'make test' }, true],
  ['a script of the branch', { [SCRIPT]: '#!/bin/sh\nexit 0\n' }, {}, true],
])('what tests a merge, so that nobody is told of tests that are not: %s', async (_what, files, config, tested) => {
  ahead({ 'task.txt': 'task\n', ...files }, config);
  const { board } = await p.store.read();
  expect(await areMergesTested(p.as('code-reviewer-1'), board)).toBe(tested);
});
