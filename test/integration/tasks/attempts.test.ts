// What `liza attempts` lists, and that the commands it prints do what they say.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type PlayedProject, playedProject } from '../../support/by-verbs.ts';
import { checkpoint } from '../../support/core.mjs';

let here: PlayedProject;
beforeEach(async () => {
  here = playedProject();
  await here.ok(['init', 'Greet people']);
});

interface Listed {
  readonly task: string;
  readonly n: number;
  readonly agent?: string;
  readonly why: string;
  readonly commits: number;
  readonly uncommitted: number;
  readonly tip: string;
  readonly look: readonly string[];
  readonly restore: readonly string[];
}
const listed = async (...args: string[]): Promise<readonly Listed[]> =>
  (await here.ok(['attempts', ...args, '--json'])).json['attempts'] as readonly Listed[];

/** Discards a claim with so much work in it. */
async function discarded(id: string, { commits, files }: { commits: number; files: number }): Promise<string> {
  await here.claim(id);
  for (let n = 0; n < commits; n++) here.work(id, { [`src/${n}.ts`]: `commit ${n} ${Math.random()}\n` });
  const tip = here.gitIn(here.folder(id), 'rev-parse', 'HEAD');
  for (let n = 0; n < files; n++) here.write({ [`.worktrees/${id}/notes-${n}.md`]: `not committed ${n}\n` });
  await here.ok(['release-claim', id]);
  return tip;
}

const begin = (id: string): readonly string[] => ['begin', id, ...checkpoint('src/early.ts')];

test('nothing was discarded: said so, and well', async () => {
  await here.add('greet');
  expect(await here.ok(['attempts'])).toMatchObject({ stdout: 'no work was discarded\n' });
  expect(await here.ok(['attempts', 'greet'])).toMatchObject({ stdout: 'no work of greet was discarded\n' });
  expect(await listed()).toEqual([]);
  await here.claim('greet');
  const { stdout } = await here.ok(['attempts', 'greet']);
  expect(stdout).toBe('no work of greet was discarded; it is in .worktrees/greet still\n');
});

test('a task that is not there is refused, unless it has attempts', async () => {
  const ran = await here.liza(['attempts', 'nobody']);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('there is no task nobody');
  const head = here.git('rev-parse', 'HEAD');
  here.git('update-ref', 'refs/liza/attempts/nobody/1', head);
  expect(await listed('nobody')).toMatchObject([{ task: 'nobody', n: 1, tip: head }]);
});

test('per attempt: whose, why, how much; grouped by task, newest last', async () => {
  await here.add('greet');
  await here.add('bow');
  const first = await discarded('greet', { commits: 2, files: 1 });
  const second = await discarded('greet', { commits: 1, files: 0 });
  await discarded('bow', { commits: 0, files: 2 });
  expect(await listed()).toMatchObject([
    { task: 'bow', n: 1, commits: 0, uncommitted: 2 },
    { task: 'greet', n: 1, agent: 'coder-1', why: 'its claim was released', commits: 2, uncommitted: 1, tip: first },
    { task: 'greet', n: 2, commits: 1, uncommitted: 0, tip: second },
  ]);
  expect(await listed('greet')).toHaveLength(2);
  const { stdout } = await here.ok(['attempts', 'greet']);
  expect(stdout).toMatch(/^2 attempts of 1 task kept\n\ngreet\n {2}1 {2}\S+Z {2}coder-1 {2}its claim was released\n/);
  expect(stdout).toContain(`2 commits, 1 uncommitted file, tip ${first}`);
});

test('the commands it prints show the work and bring it back', async () => {
  await here.add('greet');
  const tip = await discarded('greet', { commits: 1, files: 1 });
  const [attempt] = await listed();
  const shell = (command: string): string =>
    execFileSync('sh', ['-c', command], { cwd: here.root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const seen = attempt?.look.map(shell) ?? [];
  expect(seen).toHaveLength(3);
  expect(seen[0]).toContain('notes-0.md');
  expect(seen[1]).toContain('src/0.ts');
  expect(seen[2]).toContain('+not committed 0');
  for (const command of attempt?.restore ?? []) shell(command);
  expect(here.git('rev-parse', 'greet-attempt-1')).toBe(tip);
  const folder = here.file('..', 'greet-attempt-1');
  expect(readFileSync(join(folder, 'notes-0.md'), 'utf8')).toBe('not committed 0\n');
  expect(existsSync(join(folder, 'src', '0.ts'))).toBe(true);
});

test('only what is there is offered', async () => {
  await here.add('greet');
  await discarded('greet', { commits: 1, files: 0 });
  await discarded('greet', { commits: 0, files: 1 });
  const restore = (await listed()).map((attempt) => attempt.restore.map((command) => command.split(' ')[1]));
  expect(restore).toEqual([['branch'], ['worktree']]);
});

test('what Liza did not write never becomes a command to paste', async () => {
  await here.add('greet');
  await discarded('greet', { commits: 1, files: 0 });
  const tree = here.git('rev-parse', 'HEAD^{tree}');
  const message = 'greet: kept, \u001b[31mred\n\nLiza-Task: greet\nLiza-Tip: $(touch /tmp/owned)\nLiza-Commits: 3';
  const forged = here.git('commit-tree', tree, '-m', message);
  here.git('update-ref', 'refs/liza/attempts/greet/2', forged);
  here.git('update-ref', 'refs/liza/attempts/`id`/1', forged);
  here.git(
    'update-ref',
    'refs/liza/attempts/greet/3',
    here.git('commit-tree', tree, '-m', 'greet: kept, \u001b[31mred'),
  );
  const { stdout } = await here.ok(['attempts']);
  expect(stdout).not.toMatch(/touch|`|\u001b/);
  expect(stdout).toContain('^[[31mred');
  expect(stdout).toContain('2 refs below refs/liza/attempts were not written by Liza');
});

test('what begin told its coder to put aside is marked so, kept, and no former work for the next coder', async () => {
  await here.add('greet');
  await here.claim('greet');
  const early = here.work('greet', { 'src/early.ts': 'before the checkpoint\n' });
  await here.ok([...begin('greet'), '--set-aside'], { as: 'coder-1' });
  here.gitIn(here.folder('greet'), 'merge', '-q', '--ff-only', early);
  expect(await listed('greet')).toMatchObject([{ n: 1, tip: early, setAside: true }]);
  await here.ok(['release-claim', 'greet']);
  await here.claim('greet');
  const claimed = (await here.task('greet')).history?.at(-1) as { former?: string } | undefined;
  expect(claimed?.former).toBe('refs/liza/attempts/greet/2');
});

test('a branch that goes back to where the iteration starts, before its checkpoint, is put aside too', async () => {
  await here.add('greet');
  await here.claim('greet');
  const start = here.gitIn(here.folder('greet'), 'rev-parse', 'HEAD');
  const early = here.work('greet', { 'src/early.ts': 'before the checkpoint\n' });
  expect((await here.liza(begin('greet'), { as: 'coder-1' })).code).toBe(1);
  here.gitIn(here.folder('greet'), 'reset', '-q', '--hard', start);
  await here.ok(begin('greet'), { as: 'coder-1' });
  expect(await listed('greet')).toMatchObject([{ tip: early, setAside: true }]);
  here.gitIn(
    here.folder('greet'),
    'cherry-pick',
    '--no-commit',
    '-m',
    '1',
    here.git('rev-parse', 'refs/liza/attempts/greet/1'),
  );
  expect(here.gitIn(here.folder('greet'), 'diff', '--cached', '--name-status')).toBe('A\tsrc/early.ts');
  here.gitIn(here.folder('greet'), 'reset', '-q', '--hard');
  // Later on it is history that was rewritten.
  const late = here.work('greet', { 'src/late.ts': 'after it\n' });
  await here.liza(['submit-for-review', 'greet', 'HEAD'], { as: 'coder-1' });
  here.gitIn(here.folder('greet'), 'reset', '-q', '--hard', start);
  await here.liza(['submit-for-review', 'greet', 'HEAD'], { as: 'coder-1' });
  const [, second] = await listed('greet');
  expect(second).toMatchObject({ tip: late, why: 'its history was rewritten' });
  expect(second).not.toHaveProperty('setAside');
});
