// Without scripts/integration-test.sh the project's test_command judges a merge, unless Liza saw it green on the very
// same files when they were submitted.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { iso } from '../../../src/text/time.ts';
import { refusedBy } from '../../refused-by.ts';
import type { Contents } from '../../support/core.mjs';
import { approvedTask, type Project, project, START, succeeded } from '../../support/project.ts';

const COMMAND = 'sh check.sh';
/** Two files that do not go together. */
const CHECK = 'echo checked; [ ! -e a.txt ] || [ ! -e b.txt ]\n';

type Made = ReturnType<typeof approvedTask>;

/** Approved, and proved green at its submission, as the first in its checkout. */
function proved(
  made: Project,
  id: string,
  files: Contents,
  base?: string,
  first: { first?: true } = { first: true },
): Made {
  const task = approvedTask(made, id, files, base);
  const commit = task.review_commit ?? '';
  const run = { command: COMMAND, ok: true, how: 'ended with 0', seconds: 1, log: 'x.log', ...first };
  const proof = { commit, commands: [COMMAND], runs: [run], seconds: 1 };
  const submitted = { time: iso(START), event: 'submitted', agent: 'coder-1', commit, proof };
  return { ...task, history: (task.history ?? []).map((one) => (one.event === 'submitted' ? submitted : one)) };
}

const withTasks = (tasks: (made: Project) => readonly Made[], command: string | null = COMMAND): Project =>
  project({ files: { 'check.sh': CHECK }, config: { test_command: command }, tasks });

const runsOf = ({ said }: Project): readonly string[] => said.filter((line) => line.includes(COMMAND));

test('two that are each green alone and red together: the second is not merged', async () => {
  const p = withTasks((made) => [proved(made, 'first', { 'a.txt': 'a\n' }), proved(made, 't', { 'b.txt': 'b\n' })]);
  const first = (await p.task('first')).review_commit;
  expect(await p.merge('first')).toMatchObject({ how: 'fast-forward', test: { verdict: 'known', at: first } });
  expect(runsOf(p)).toEqual([]);
  expect(await p.last('first', 'merged')).toMatchObject({
    tested: `${COMMAND} was green on the same files, submitted as ${first?.slice(0, 12)}, and was not run again`,
  });

  expect(await p.merge('t')).toMatchObject(
    refusedBy('integration-test', {
      code: 3,
      message: `t is not merged: ${COMMAND} ended with 1; red only together with first: alone it is green; it is INTEGRATION_FAILED now, and the branch is as it was`,
      lines: ['  checked'],
    }),
  );
  expect(p.head()).toBe(first);
  expect(await p.task('t')).toMatchObject({ status: 'INTEGRATION_FAILED' });
  const { log, output } = (await p.last('t', 'integration_failed')) ?? {};
  expect(output).toBe('checked');
  expect(fs.readFileSync(p.file(String(log)), 'utf8')).toBe('checked\n');
  expect(p.refs('refs/liza/merging')).toEqual({});

  // Whoever fixes it gets both in one folder.
  await p.claim('t');
  expect(fs.existsSync(p.folder('t', 'a.txt')) && fs.existsSync(p.folder('t', 'b.txt'))).toBe(true);
});

test('green after other commands, which may have left something: run again on the very same files', async () => {
  const p = withTasks((made) => [proved(made, 't', { 'a.txt': 'a\n' }, undefined, {})]);
  expect(await p.merge('t')).toMatchObject({ how: 'fast-forward', test: { verdict: 'green', by: COMMAND } });
});

test('green together: run once on the merge commit, and the history names what tested it', async () => {
  const p = withTasks((made) => [proved(made, 'first', { 'a.txt': 'a\n' }), proved(made, 't', { 'c.txt': 'c\n' })]);
  succeeded(await p.merge('first'));
  const merged = succeeded(await p.merge('t'));
  expect(merged).toMatchObject({ how: 'merge', test: { verdict: 'green', by: COMMAND } });
  expect(runsOf(p)).toEqual([`${COMMAND} on ${merged.commit.slice(0, 12)}, at most 600 s …`]);
  const { tested } = (await p.last('t', 'merged')) ?? {};
  expect(tested).toMatch(
    /^tests green on the result after \d+\.\d s: sh check\.sh \(\.liza\/agent-logs\/test-command-t-[0-9a-f]{12}\.log\)$/,
  );
});

test('a merge commit with the very files that were proved is not tested again', async () => {
  const p = withTasks((made) => {
    // The coder took the branch in: its first parent is not the branch's.
    const base = made.head();
    made.git('update-ref', 'refs/heads/side', base);
    const side = made.commitTo('side', { 'c.txt': 'c\n' });
    const onto = made.commitTo('integration', { 'd.txt': 'd\n' });
    made.git('worktree', 'add', '-q', '--detach', made.file('.worktrees', 'both'), side);
    made.gitIn(made.file('.worktrees', 'both'), 'merge', '-q', '-m', 'both', onto);
    const both = made.gitIn(made.file('.worktrees', 'both'), 'rev-parse', 'HEAD');
    made.git('worktree', 'remove', made.file('.worktrees', 'both'));
    return [proved(made, 't', { 'e.txt': 'e\n' }, both)];
  });
  expect(await p.merge('t')).toMatchObject({ how: 'merge', test: { verdict: 'known' } });
  expect(runsOf(p)).toEqual([]);
});

test('a fast-forward that was not proved by this very command is tested', async () => {
  const p = withTasks((made) => [proved(made, 't', { 'c.txt': 'c\n' }), approvedTask(made, 'u', { 'a.txt': 'a\n' })]);
  await p.config({ test_command: 'sh check.sh; [ ! -e c.txt ] || exit 7' });
  expect(await p.merge('t')).toMatchObject(refusedBy('integration-test', { code: 3 }));
  await p.config({ test_command: COMMAND });
  expect(await p.merge('u')).toMatchObject({ how: 'fast-forward', test: { verdict: 'green' } });
});

test('the candidate’s side without a script: by the command; a script of the base: by that alone', async () => {
  const files = { 'check.sh': 'exit 1\n', 'scripts/integration-test.sh': 'exit 0\n' };
  const p = project({
    files,
    config: { test_command: COMMAND },
    tasks: (made) => [approvedTask(made, 't', { 'scripts/integration-test.sh': null }), approvedTask(made, 'u', WORK)],
  });
  expect(await p.merge('u')).toMatchObject({ test: { verdict: 'green', by: 'scripts/integration-test.sh' } });
  expect(await p.merge('t', { testFrom: 'candidate' }, p.as())).toMatchObject(refusedBy('integration-test'));
});

const WORK = { 'c.txt': 'c\n' };

test('neither: merged, and the history, show and the report say that it was not tested', async () => {
  const p = withTasks((made) => [approvedTask(made, 't', WORK)], null);
  const said = 'there is neither scripts/integration-test.sh on the integration branch nor a test_command';
  const { stdout } = await p.ok(['wt', 'merge', 't']);
  expect(stdout).toContain(`no tests were run on the result, only what each task names for itself: ${said}`);
  expect(await p.last('t', 'merged')).toMatchObject({ untested: said });
  expect((await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ')).toContain(`untested: ${said}`);
  expect((await p.ok(['report', '--md'])).stdout).toContain(`merged without tests: ${said}`);
});
