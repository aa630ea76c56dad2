// Liza leaves: what goes, what stays, who stops it, and that an interrupted one is finished by the next.

import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { acquireLock, type Lock } from '../../../src/ports/locks.ts';
import { type PlayedProject, playedProject } from '../../support/by-verbs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let here: PlayedProject;
beforeEach(async () => {
  here = playedProject({ files: { 'a.txt': 'a\n', 'specs/vision.md': '# Vision\n' } });
});

const at = (...names: string[]): string => here.file(...names);
const refs = (below = ''): string[] =>
  here
    .git('for-each-ref', '--format=%(refname)', ...(below === '' ? [] : [below]))
    .split('\n')
    .filter((ref) => ref !== '');
/** Longer than any lease. */
const later = (): void => here.pass(3600);

/** What a person sees of the repository, but for Liza's own refs. */
const seen = () => ({
  status: here.git('status', '--porcelain', '--ignored'),
  worktrees: here.git('worktree', 'list', '--porcelain'),
  branches: here.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads'),
  stash: here.git('stash', 'list'),
  exclude: readFileSync(at('.git', 'info', 'exclude'), 'utf8'),
});

/** Boards that an earlier deinit kept. */
const kept = (): string[] => (existsSync(at('.git', 'liza')) ? readdirSync(at('.git', 'liza', 'kept')).sort() : []);
const keptFile = (...names: string[]): string => readFileSync(at('.git', 'liza', 'kept', ...names), 'utf8');

function nothingOfLiza(): void {
  expect(readdirSync(here.root).sort()).toEqual(['.git', 'a.txt', 'specs']);
  expect(readdirSync(at('.git')).filter((name) => name.includes('liza'))).toEqual(kept().length > 0 ? ['liza'] : []);
  if (kept().length > 0) expect(readdirSync(at('.git', 'liza'))).toEqual(['kept']);
  expect(readdirSync(at('.git', 'info')).sort()).toEqual(['exclude']);
  expect(refs('refs/heads/task')).toEqual([]);
}

/** A board with a claim that has a commit and an uncommitted file in it. Returns the commit. */
async function claimed(id = 'greet'): Promise<string> {
  await here.ok(['init', 'Greet people']);
  await here.add(id);
  await here.claim(id);
  const commit = here.work(id, { 'src/greet.ts': 'greet\n' });
  here.write({ [`.worktrees/${id}/notes.md`]: 'not committed\n' });
  return commit;
}

test('the whole way: init, claim, work, deinit, and init again', async () => {
  here.write({ 'a.txt': 'stashed\n' });
  here.git('stash');
  here.write({ 'a.txt': 'changed and not committed\n' });
  here.git('branch', 'integration');
  const before = seen();
  const commit = await claimed();
  later();
  const ran = await here.ok(['deinit', '--yes']);
  expect(ran.stdout).toBe(
    [
      'Liza is removed from this project',
      'greet: its work is kept as refs/liza/attempts/greet/1',
      'kept in git: 1 attempt, 0 reviewed commits: git for-each-ref refs/liza',
      'the blackboard is kept: .git/liza/kept/1/state.yaml',
      'to delete that too: liza deinit --purge',
      'the branch integration stays; main has all of it, so you may delete it: git branch -d integration',
      '',
    ].join('\n'),
  );
  nothingOfLiza();
  expect(seen()).toEqual(before);
  expect(refs('refs/liza')).toEqual(['refs/liza/attempts/greet/1']);
  expect(kept()).toEqual(['1']);
  expect(here.git('rev-parse', 'refs/liza/attempts/greet/1^')).toBe(commit);
  expect(here.git('show', 'refs/liza/attempts/greet/1:notes.md')).toBe('not committed');
  expect(keptFile('1', 'state.yaml')).toContain('id: greet');
  expect(keptFile('1', 'journal.jsonl')).toContain('"command":"claim-task"');

  expect((await here.ok(['init', 'Another goal'])).stdout).toContain('blackboard ready');
  await here.add('greet');
  await here.claim('greet');
  expect((await here.ok(['validate'])).stdout).toContain('VALID');
  expect((await here.ok(['attempts', '--json'])).json['attempts']).toHaveLength(1);
  here.write({ '.worktrees/greet/more.md': 'more\n' });
  later();
  await here.ok(['deinit', '--yes']);
  expect(refs('refs/liza')).toEqual(['refs/liza/attempts/greet/1', 'refs/liza/attempts/greet/2']);
  expect(kept()).toEqual(['1', '2']);
  expect(seen()).toEqual(before);
});

describe('on a terminal', () => {
  const asked = async (argv: readonly string[], ...answers: string[]) => {
    const said: string[] = [];
    const dialogue = { say: (text: string) => void said.push(text), ask: async () => answers.shift(), close: () => {} };
    const ran = await here.liza([...argv], { io: { openDialogue: async () => dialogue } });
    return { ...ran, said: said.join('\n') };
  };

  test('it says what goes and what stays, and that the report can be saved; Enter means no', async () => {
    await claimed();
    later();
    const { code, stderr, said } = await asked(['deinit'], '');
    expect(code).toBe(1);
    expect(stderr).toContain('nothing is removed');
    for (const line of [
      'goes: .liza/ with the board',
      'that of the day begins at 0',
      'stays: unfinished work and reviewed commits',
      'the branch integration stays',
      'to save the report first: liza report --out liza-report.html',
    ])
      expect(said).toContain(line);
    expect(existsSync(at('.liza', 'state.yaml'))).toBe(true);
    expect((await here.ok(['report', '--out', 'liza-report.html'])).stdout).toContain('wrote');
  });

  test('after a yes it is removed; a wrong answer is asked again', async () => {
    await here.ok(['init', 'Greet people']);
    const { code, said } = await asked(['deinit'], 'maybe', 'yes');
    expect([code, said.includes('answer yes or no')]).toEqual([0, true]);
    nothingOfLiza();
  });

  test.each([[[]], [['--json']]])('where nobody can be asked nothing is removed without --yes (%j)', async (more) => {
    await here.ok(['init', 'Greet people']);
    const { code, stdout, stderr } = await here.liza(['deinit', ...more]);
    expect([code, `${stdout}${stderr}`.includes('liza deinit --yes')]).toEqual([1, true]);
    expect(existsSync(at('.liza', 'state.yaml'))).toBe(true);
  });

  test('--yes does not ask; what is refused anyway is not asked about', async () => {
    await claimed();
    const busy = await asked(['deinit']);
    expect([busy.stderr.includes('agents are running'), busy.said]).toEqual([true, '']);
    later();
    const ran = await asked(['deinit', '--yes']);
    expect([ran.code, ran.said]).toEqual([0, '']);
  });
});

test('reviewed commits, archive and the integration branch stay', async () => {
  await here.ok(['init', 'Greet people']);
  const merged = await here.merge('greet');
  await here.ok(['archive', 'greet']);
  later();
  expect((await here.ok(['deinit', '--json', '--yes'])).json).toMatchObject({
    kept: { attempts: 0, reviews: 1, board: '.git/liza/kept/1' },
    left: [],
  });
  nothingOfLiza();
  expect(here.git('rev-parse', 'integration')).toBe(merged);
  expect(here.git('rev-parse', 'refs/liza/review/greet/1')).toBe(merged);
  expect(keptFile('1', 'archive', 'tasks.yaml')).toContain('id: greet');
});

test('no object of git holds what the board was set to: agents see those', async () => {
  const canary = 'zebra-crossing-77x';
  await here.ok(['init', 'Greet people']);
  await here.ok(['config', 'set', 'escalation_webhook', `https://hooks.corp/${canary}`]);
  later();
  await here.ok(['deinit', '--yes']);
  expect(keptFile('1', 'state.yaml')).toContain(canary);
  const all = here.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)').split('\n');
  for (const id of all) expect(here.git('cat-file', '-p', id)).not.toContain(canary);
  await here.ok(['deinit', '--purge', '--yes']);
  expect(readdirSync(at('.git'))).not.toContain('liza');
});

test('a board that an earlier release kept as a ref is moved by doctor --fix', async () => {
  await here.ok(['init', 'Greet people']);
  const blob = here.git('hash-object', '-w', '.liza/state.yaml');
  const tree = here.git('write-tree');
  here.git('update-index', '--add', '--cacheinfo', `100644,${blob},state.yaml`);
  const old = here.git('commit-tree', here.git('write-tree'), '-m', 'The blackboard, kept by liza deinit');
  here.git('read-tree', tree);
  here.git('update-ref', 'refs/liza/board/3', old);
  expect((await here.ok(['doctor'])).stdout).toContain('1 blackboard of an earlier liza deinit below refs/liza/board');
  expect(refs('refs/liza/board')).toEqual(['refs/liza/board/3']);
  const state = readFileSync(at('.liza', 'state.yaml'), 'utf8');
  expect((await here.ok(['doctor', '--fix'])).stdout).toContain('moved to .git/liza/kept');
  expect(refs('refs/liza/board')).toEqual([]);
  expect(keptFile('1', 'state.yaml')).toBe(state);
  expect((await here.ok(['doctor'])).stdout).not.toContain('refs/liza/board');
});

test('the work in a task’s clone is kept like that in a worktree', async () => {
  await here.ok(['init', 'Greet people']);
  await here.ok(['config', 'set', 'isolation', 'clone']);
  await here.add('greet');
  await here.claim('greet');
  const commit = here.work('greet', { 'src/greet.ts': 'greet\n' });
  later();
  await here.ok(['deinit', '--yes']);
  nothingOfLiza();
  expect(here.git('rev-parse', 'refs/liza/attempts/greet/1^')).toBe(commit);
});

describe('--purge', () => {
  test('gives up what would be kept', async () => {
    await claimed();
    later();
    const ran = await here.ok(['deinit', '--purge', '--yes']);
    expect(ran.stdout).toBe(
      'Liza is removed from this project\nthe branch integration stays; main has all of it, so you may delete it: git branch -d integration\n',
    );
    nothingOfLiza();
    expect(refs().filter((ref) => ref.startsWith('refs/liza'))).toEqual([]);
    expect((await here.ok(['init', 'Another goal'])).stdout).toContain('blackboard ready');
  });

  test('also later, of what an earlier deinit kept', async () => {
    await claimed();
    later();
    await here.ok(['deinit', '--yes']);
    expect((await here.ok(['deinit', '--purge', '--yes'])).stdout).toBe('the rest of Liza is removed\n');
    expect(refs('refs/liza')).toEqual([]);
    nothingOfLiza();
    expect((await here.ok(['deinit', '--purge', '--yes'])).stdout).toContain('nothing to remove');
    nothingOfLiza();
  });
});

describe('refused', () => {
  const unchanged = async (work: () => Promise<void>): Promise<void> => {
    const look = () => [seen(), refs(), readdirSync(at('.worktrees')), readFileSync(at('.liza', 'state.yaml'), 'utf8')];
    const before = look();
    await work();
    expect(look()).toEqual(before);
  };

  test('while agents are at work, naming them and until when', async () => {
    await claimed();
    await unchanged(async () => {
      const ran = await here.liza(['deinit', '--yes']);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/agents are running: coder-1 holds greet until 2026-03-01T09:/);
      // Nobody runs that could be stopped: it was claimed by hand.
      expect(ran.stderr).not.toContain('liza run');
      expect(ran.stderr).toMatch(
        /claimed by hand: liza release-claim greet, or wait until their leases end \(2026-03-01T09:/,
      );
    });
    // And that is all it takes.
    await here.ok(['release-claim', 'greet']);
    await here.ok(['deinit', '--yes']);
  });

  test('while a review is claimed by hand, naming what ends it', async () => {
    await here.ok(['init', 'Greet people']);
    await here.add('greet');
    await here.claim('greet');
    await here.submit('greet', 'src/greet.ts', 'one\n');
    await here.liza(['register', 'code-reviewer-1'], { as: 'code-reviewer-1' });
    await here.ok(['claim-review', 'greet', 'code-reviewer-1'], { as: 'code-reviewer-1' });
    const ran = await here.liza(['deinit', '--yes']);
    expect(ran.stderr).toMatch(/agents are running: code-reviewer-1 holds greet until 2026/);
    expect(ran.stderr).toContain('liza clear-stale-review-claims --agent code-reviewer-1');
    await here.ok(['clear-stale-review-claims', '--agent', 'code-reviewer-1']);
    await here.ok(['deinit', '--yes']);
  });

  test('while a supervisor lives, whatever became of its lease', async () => {
    await claimed();
    const { board } = await here.store.read();
    const epoch = board.state.agents['coder-1']?.epoch ?? 0;
    await here.store.renew({ agent: 'coder-1', task: 'greet', epoch, seconds: 300, pid: process.pid });
    later();
    const ran = await here.liza(['deinit', '--yes']);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('coder-1') });
    expect(ran.stderr).toContain('stop the crew: liza stop');
  });

  test('for agents', async () => {
    await claimed();
    const ran = await here.liza(['deinit', '--purge', '--yes'], { as: 'coder-1' });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('is for the operator, not for coder-1') });
  });

  test.each([
    ['a folder', 'locks/greet.lock', 'another process is using the folder of greet'],
    ['a merge', 'locks/_integration.lock', 'another merge is under way'],
    ['an edit', 'cache/edit.lock', 'someone is editing the blackboard'],
  ])('while somebody holds the lock of %s', async (_what, file, message) => {
    await claimed();
    later();
    mkdirSync(at('.liza', 'cache'), { recursive: true });
    const lock = (await acquireLock(at('.liza', file), 0)) as Lock;
    await unchanged(async () => {
      expect(await here.liza(['deinit', '--yes'])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    });
    lock.release();
    await here.ok(['deinit', '--yes']);
    nothingOfLiza();
  });

  test('when a task’s branch is checked out elsewhere', async () => {
    await claimed();
    later();
    here.gitIn(at('.worktrees', 'greet'), 'switch', '-q', '--detach');
    here.git('switch', '-q', 'task/greet');
    const ran = await here.liza(['deinit', '--yes']);
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('task/greet is checked out in') });
    expect(existsSync(at('.liza', 'state.yaml'))).toBe(true);
    here.git('switch', '-q', 'main');
    await here.ok(['deinit', '--yes']);
    nothingOfLiza();
  });

  test('when .liza is a link', async () => {
    await claimed();
    later();
    const elsewhere = temporaryFolder();
    renameSync(at('.liza'), join(elsewhere, 'board'));
    symlinkSync(join(elsewhere, 'board'), at('.liza'));
    expect(await here.liza(['deinit', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is a symbolic link'),
    });
    rmSync(join(elsewhere, 'board', 'state.yaml.lock'));
    rmSync(join(elsewhere, 'board', 'state.yaml'));
    rmSync(join(elsewhere, 'board', 'journal.jsonl'));
    rmSync(at('.git', 'liza'), { recursive: true });
    expect(await here.liza(['deinit', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is a symbolic link'),
    });
    expect(existsSync(join(elsewhere, 'board', 'log.yaml'))).toBe(true);
    rmSync(elsewhere, { recursive: true });
  });

  test('where there is no board, or only its copy', async () => {
    expect(await here.liza(['deinit', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('there is no blackboard'),
    });
    nothingOfLiza();
    await claimed();
    rmSync(at('.liza'), { recursive: true });
    expect(await here.liza(['deinit', '--yes'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('liza doctor --fix'),
    });
    expect(existsSync(at('.worktrees', 'greet', 'notes.md'))).toBe(true);
  });
});

describe('what is not Liza’s stays', () => {
  test('in .worktrees, and is named', async () => {
    await claimed();
    later();
    here.write({ '.worktrees/mine/file': 'mine\n' });
    here.write({ '.worktrees/notes': 'mine\n' });
    symlinkSync('/nowhere', at('.worktrees', 'link'));
    const { stdout } = await here.ok(['deinit', '--yes']);
    for (const name of ['mine', 'notes', 'link'])
      expect(stdout).toContain(`left: .worktrees/${name}: it is not Liza's`);
    expect(readdirSync(at('.worktrees')).sort()).toEqual(['link', 'mine', 'notes']);
    expect(existsSync(at('.liza'))).toBe(false);
  });

  test('in info/exclude: only Liza’s own lines go, byte for byte', async () => {
    const file = at('.git', 'info', 'exclude');
    const text = Buffer.from('# mine\n.liza/\n/.liza/x\n /.worktrees/\n\xff\xfe\nno newline at the end', 'latin1');
    writeFileSync(file, text);
    await here.ok(['init', 'Greet people']);
    appendFileSync(file, '*.log\n');
    expect(readFileSync(file, 'utf8')).toContain('\n/.liza/\n');
    await here.ok(['deinit', '--yes']);
    expect(readFileSync(file).toString('latin1')).toContain('# mine\n.liza/\n/.liza/x\n');
    expect(readFileSync(file, 'utf8')).not.toMatch(/^\/\.(liza|worktrees)\/$/m);
    expect(readFileSync(file, 'utf8')).toMatch(/no newline at the end\n\*\.log\n$/);
  });

  test('in the git directory, and refs that only look like Liza’s', async () => {
    await claimed();
    later();
    writeFileSync(at('.git', 'liza', 'mine'), 'mine\n');
    here.git('update-ref', 'refs/liza/seen/A;b', 'HEAD');
    const { stdout } = await here.ok(['deinit', '--yes']);
    expect(stdout).toContain("left: .git/liza/mine: it is not Liza's");
    expect(stdout).toContain('left: refs/liza/seen/A;b: Liza did not make it');
    expect(stdout).not.toContain('left: .git/liza/kept');
    expect(readdirSync(at('.git', 'liza'))).toEqual(['kept', 'mine']);
  });

  test('the board of another checkout of the same repository', async () => {
    await claimed();
    const other = here.file('..', 'other');
    here.git('worktree', 'add', '-q', other, '-b', 'other');
    // Two boards, as an earlier version let them be made.
    const aside = ['.liza', '.git/liza'].map((name, n): [string, string] => [at(name), at('..', `aside-${n}`)]);
    for (const [from, to] of aside) renameSync(from, to);
    expect((await here.liza(['init', 'Bow to people'], { cwd: other })).code).toBe(0);
    rmSync(at('.git', 'liza'), { recursive: true });
    for (const [from, to] of aside) renameSync(to, from);
    rmSync(at('.git', 'liza', 'owner'));
    here.git('update-ref', 'refs/liza/seen/bow', 'HEAD');
    here.git('update-ref', 'refs/liza/attempts/bow/1', 'HEAD');
    later();
    await here.ok(['deinit', '--purge', '--yes']);
    expect(existsSync(at('.liza'))).toBe(false);
    expect(refs('refs/liza')).toEqual(['refs/liza/attempts/bow/1', 'refs/liza/seen/bow']);
    expect(readFileSync(at('.git', 'info', 'exclude'), 'utf8')).toContain('/.liza/');
    // Here nothing is left to finish: it is all the other's.
    expect((await here.ok(['deinit', '--purge', '--yes'])).stdout).toContain('nothing to remove');
    expect((await here.liza(['validate'], { cwd: other })).stdout).toContain('VALID');
    expect((await here.liza(['deinit', '--yes'], { cwd: other })).code).toBe(0);
    expect(readFileSync(at('.git', 'info', 'exclude'), 'utf8')).not.toContain('/.liza/');
    expect(readdirSync(at('.git', 'liza'))).toEqual(['kept']);
    expect(kept()).toEqual(['1']);
  });
});

describe('interrupted, the next one finishes', () => {
  test('half-removed board, exclude lines and git directory', async () => {
    await claimed();
    later();
    const exclude = readFileSync(at('.git', 'info', 'exclude'));
    await here.ok(['deinit', '--yes']);
    writeFileSync(at('.git', 'info', 'exclude'), exclude);
    here.write({ '.liza-removed-0123abcd/state.yaml': 'half\n' });
    mkdirSync(at('.git', 'liza', 'git', 'refs'), { recursive: true });
    mkdirSync(at('.worktrees'));
    expect((await here.ok(['deinit', '--yes'])).stdout).toContain('the rest of Liza is removed');
    nothingOfLiza();
    expect((await here.ok(['deinit', '--yes'])).stdout).toContain('nothing to remove');
  });

  test('the folders are put away, the board is still there', async () => {
    const commit = await claimed();
    later();
    here.write({ '.worktrees/.merge-greet-0123abcd/file': 'left by a merge\n' });
    here.write({ '.worktrees/.trash-greet-0123abcd/file': 'left by a removal\n' });
    mkdirSync(at('.git', 'liza', '.making-greet-0123abcd'), { recursive: true });
    rmSync(at('.worktrees', 'greet'), { recursive: true });
    await here.ok(['deinit', '--yes']);
    nothingOfLiza();
    expect(here.git('rev-parse', 'refs/liza/attempts/greet/1^')).toBe(commit);
  });

  test('the board is kept already: it is not kept twice', async () => {
    await claimed();
    later();
    const board = at('.liza');
    const aside = here.file('..', 'aside');
    cpSync(board, aside, { recursive: true });
    await here.ok(['deinit', '--yes']);
    cpSync(aside, board, { recursive: true });
    await here.ok(['deinit', '--yes']);
    nothingOfLiza();
    expect(kept()).toEqual(['1']);
  });

  test('an init that was killed before there was a board', async () => {
    await here.ok(['init', 'Greet people']);
    for (const name of ['state.yaml', 'journal.jsonl', 'log.yaml']) rmSync(at('.liza', name));
    rmSync(at('.git', 'liza'), { recursive: true });
    await here.ok(['deinit', '--yes']);
    nothingOfLiza();
  });

  test('a state.yaml that cannot be read is kept as it is', async () => {
    await claimed();
    later();
    appendFileSync(at('.liza', 'state.yaml'), '\n: [broken\n');
    await here.ok(['deinit', '--yes']);
    nothingOfLiza();
    expect(keptFile('1', 'state.yaml')).toContain(': [broken');
  });
});
