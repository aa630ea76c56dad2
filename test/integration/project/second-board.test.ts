// One repository has one blackboard, whichever checkout it is in; and no board mends what belongs to another.

import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { OPERATOR } from '../../../src/protocol/board.ts';
import { openYamlStore } from '../../../src/store/open.ts';
import { transact } from '../../../src/store/transact.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { boardContext } from '../../support/board-context.ts';
import { type PlayedProject, playedProject } from '../../support/by-verbs.ts';

let here: PlayedProject;
let linked: string;

beforeEach(() => {
  here = playedProject();
  linked = join(here.base, 'linked');
});

const worktree = (folder = linked, branch = 'other') => here.git('worktree', 'add', '-q', folder, '-b', branch);
const inside = (folder: string, ...argv: string[]) => here.liza(argv, { cwd: folder });

/** What all checkouts share: refs, the hook, exclude lines, and what git knows of folders. */
const shared = () => ({
  refs: here.git('for-each-ref', '--format=%(refname) %(objectname)'),
  hook: readFileSync(here.file('.git', 'hooks', 'reference-transaction'), 'utf8'),
  exclude: here.read('.git', 'info', 'exclude'),
  folders: here.git('worktree', 'list', '--porcelain'),
  owner: here.read('.git', 'liza', 'owner'),
  tasks: existsSync(here.file('.worktrees')) ? readdirSync(here.file('.worktrees')) : [],
});

async function claimed(): Promise<void> {
  await here.ok(['init', 'Greet people']);
  await here.add('greet');
  await here.claim('greet');
  here.work('greet', { 'src/greet.ts': 'greet\n' });
}

describe('init is refused, with the place of the board and nothing made', () => {
  test('in a linked worktree of a repository whose main checkout has the board', async () => {
    await claimed();
    worktree();
    const before = shared();
    const ran = await inside(linked, 'init', 'Bow to people', '--vision-from-template');
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(`has its blackboard in ${here.root}`) });
    expect(ran.stderr).toContain(`cd ${here.root} && liza status`);
    expect(existsSync(join(linked, '.liza'))).toBe(false);
    expect(shared()).toEqual(before);
  });

  test('in the main checkout while a linked worktree has the board, until that worktree is gone', async () => {
    worktree();
    expect((await inside(linked, 'init', 'Greet people')).code).toBe(0);
    const ran = await here.liza(['init', 'Bow to people']);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(`has its blackboard in ${linked}`) });
    expect(existsSync(here.file('.liza'))).toBe(false);
    rmSync(linked, { recursive: true });
    expect((await here.liza(['init', 'Bow to people'])).code).toBe(0);
    expect((await here.liza(['doctor', '--fix', '--json'])).stdout).not.toContain('second');
  });

  test.each(['worktree', 'clone'])('in a task’s %s, and in a subfolder of the project', async (isolation) => {
    await here.ok(['init', 'Greet people']);
    await here.ok(['config', 'set', 'isolation', isolation]);
    await here.add('greet');
    await here.claim('greet');
    const before = shared();
    const nested = await inside(here.file('.worktrees', 'greet'), 'init', 'Bow', '--vision-from-template');
    expect(nested).toMatchObject({ code: 1, stderr: expect.stringContaining(`the blackboard in ${here.root} keeps`) });
    const below = await inside(here.file('specs'), 'init', 'Bow to people');
    expect(below).toMatchObject({ code: 1, stderr: expect.stringContaining(`a subfolder of ${here.root}`) });
    expect(existsSync(here.file('.worktrees', 'greet', '.liza'))).toBe(false);
    expect(shared()).toEqual(before);
  });

  test('a subfolder of a repository without a board is fine: the board is at the root', async () => {
    expect((await inside(here.file('specs'), 'init', 'Greet people')).code).toBe(0);
    expect(existsSync(here.file('.liza', 'state.yaml'))).toBe(true);
  });

  test('of two at once in two worktrees one makes its board', async () => {
    worktree();
    const third = join(here.base, 'third');
    worktree(third, 'third');
    const ran = await Promise.all([inside(linked, 'init', 'One'), inside(third, 'init', 'Two')]);
    expect(ran.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect([linked, third].filter((folder) => existsSync(join(folder, '.liza', 'state.yaml')))).toHaveLength(1);
  });
});

describe('a second board that is there all the same', () => {
  const operatorAt = (root: string) => {
    const context = boardContext(root, { host: here.context });
    return { ...context, env: here.env, actor: OPERATOR, store: openYamlStore(context), say: () => {} };
  };

  /** The folder of the board copied into a worktree. */
  async function copied(): Promise<void> {
    await claimed();
    worktree();
    cpSync(here.file('.liza'), join(linked, '.liza'), { recursive: true });
    const refused = await inside(linked, 'note', 'hello');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`has its blackboard in ${here.root}`) });
    // A write of its own, as earlier versions let it happen: from now on it has a copy in the git directory, too.
    const wrote = await transact(operatorAt(linked), { name: 'note', message: 'hello' });
    expect(wrote.ok).toBe(true);
    here.git('update-ref', 'refs/liza/seen/bow', 'HEAD');
  }

  test('neither reconcile nor doctor --fix of it touches anything, and doctor says whose it is', async () => {
    await copied();
    rmSync(here.file('.git', 'hooks', 'reference-transaction'));
    here.write({ '.git/hooks/reference-transaction': '#!/bin/sh\n' });
    const before = shared();
    expect(await reconcile(operatorAt(linked))).toMatchObject({ ok: false, guard: 'second-board' });
    const ran = await inside(linked, 'doctor', '--fix');
    expect(ran.code).toBe(4);
    expect(ran.stdout).toContain(`the blackboard of this repository is in ${here.root}, and this is a second one`);
    expect((await inside(linked, 'run', '--until-idle')).code).not.toBe(0);
    expect(shared()).toEqual(before);
    expect(existsSync(here.file('.worktrees', 'greet', 'src', 'greet.ts'))).toBe(true);
  });

  test('deinit takes it away and leaves the repository to its owner', async () => {
    await copied();
    here.pass(3600);
    const before = shared();
    expect(await inside(linked, 'deinit', '--purge', '--yes')).toMatchObject({ code: 0 });
    expect(existsSync(join(linked, '.liza'))).toBe(false);
    expect(shared()).toEqual(before);
    expect((await here.ok(['validate'])).stdout).toContain('VALID');
    // The owner still mends what is its own.
    expect(await reconcile(operatorAt(here.root))).toEqual(expect.any(Array));
  });

  test('of two boards of an earlier version neither mends, and one goes', async () => {
    await claimed();
    worktree();
    const aside = ['.liza', '.git/liza'].map((name, n): [string, string] => [here.file(name), join(here.base, `${n}`)]);
    for (const [from, to] of aside) renameSync(from, to);
    expect((await inside(linked, 'init', 'Bow to people')).code).toBe(0);
    rmSync(here.file('.git', 'liza'), { recursive: true });
    for (const [from, to] of aside) renameSync(to, from);
    rmSync(here.file('.git', 'liza', 'owner'));
    here.git('update-ref', 'refs/liza/seen/bow', 'HEAD');
    for (const root of [here.root, linked])
      expect(await reconcile(operatorAt(root))).toMatchObject({ ok: false, guard: 'second-board' });
    expect(here.git('for-each-ref', 'refs/liza/seen/bow')).not.toBe('');
    expect((await inside(linked, 'deinit', '--yes')).code).toBe(0);
    expect(await reconcile(operatorAt(here.root))).toEqual(expect.any(Array));
    expect(here.read('.git', 'liza', 'owner')).toBe('.\n');
  });
});

test('a project that was moved is still the owner', async () => {
  await claimed();
  worktree();
  const moved = join(here.base, 'moved');
  renameSync(here.root, moved);
  expect((await inside(moved, 'doctor', '--json')).stdout).not.toContain('second one');
});

describe('a board that came with the repository', () => {
  /** As a clone has it whose repository holds a board: committed, or as a submodule, which is files as well. */
  async function cloned(): Promise<string> {
    await here.ok(['init', 'Greet people']);
    const marker = join(here.base, 'ran');
    for (const setting of ['test_command', 'post_worktree_cmd'])
      await here.ok(['config', 'set', setting, `touch ${marker}`]);
    const there = join(here.base, 'cloned');
    here.git('clone', '-q', here.root, there);
    cpSync(here.file('.liza'), join(there, '.liza'), { recursive: true });
    here.git('-C', there, 'add', '--force', '.liza/state.yaml', '.liza/journal.jsonl');
    here.git('-C', there, 'branch', '-q', 'integration');
    return there;
  }

  test.each([
    ['an index that shortens paths', (there: string) => here.git('-C', there, 'update-index', '--index-version', '4')],
    ['an index in two parts', (there: string) => here.git('-C', there, 'update-index', '--split-index')],
    [
      'a submodule',
      (there: string) => {
        here.git('-C', there, 'rm', '-rq', '--cached', '.liza');
        writeFileSync(join(there, '.liza', '.git'), 'gitdir: ../.git/modules/liza\n');
      },
    ],
  ])('is known by %s, too', async (_, change) => {
    const there = await cloned();
    change(there);
    expect(await inside(there, 'status')).toMatchObject({ code: 1, stderr: expect.stringContaining('not made here') });
  });

  test('one that nobody committed was put there by the user, and is adopted', async () => {
    const there = await cloned();
    here.git('-C', there, 'rm', '-rq', '--cached', '.liza');
    rmSync(join(there, '.liza', 'journal.jsonl'));
    expect((await inside(there, 'note', 'a note')).code).toBe(0);
  });

  test('a committed one in a subfolder starts nothing either', async () => {
    const there = await cloned();
    cpSync(join(there, '.liza'), join(there, 'sub', '.liza'), { recursive: true });
    here.git('-C', there, 'add', '--force', 'sub/.liza/state.yaml');
    expect((await inside(join(there, 'sub'), 'status')).stderr).toContain('not made here');
  });

  test.each([
    ['status'],
    ['note', 'a note'],
    ['run', '--check'],
    ['run', '--plain', '--until-idle'],
    ['sync'],
    ['finish', '--yes'],
    ['config', 'set', 'sandbox', 'off'],
    ['init', 'Bow to people'],
    ['undo'],
  ])('starts nothing and is not taken over: %s %s', async (...argv) => {
    const there = await cloned();
    const ran = await inside(there, ...argv);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('was not made here') });
    expect(ran.stderr).toContain('mv .liza ../foreign-liza');
    expect(existsSync(join(here.base, 'ran'))).toBe(false);
    expect(existsSync(join(there, '.git', 'liza', 'journal.jsonl'))).toBe(false);
  });

  test('doctor says so; moved away, a new one is made; accepted by a person, it goes on', async () => {
    const there = await cloned();
    expect((await inside(there, 'doctor')).stdout).toContain('was not made here');
    expect((await inside(there, 'doctor', '--accept-board')).code).toBe(0);
    expect((await inside(there, 'note', 'a note')).code).toBe(0);
    expect((await inside(there, 'doctor', '--accept-board')).code).toBe(1);
    expect((await inside(there, 'status')).code).toBe(0);
    renameSync(join(there, '.liza'), join(here.base, 'foreign'));
    rmSync(join(there, '.git', 'liza'), { recursive: true });
    expect((await inside(there, 'init', 'Bow to people')).code).toBe(0);
  });
});

test('a folder with a colon in its name: refused by init, and by run where it was renamed afterwards', async () => {
  await here.ok(['init', 'Greet people']);
  const odd = join(here.base, 'with:colon');
  renameSync(here.root, odd);
  const checked = await inside(odd, 'run', '--check');
  expect(checked.code).not.toBe(0);
  expect(checked.stdout).toContain(`${odd} has a colon in it`);
  rmSync(join(odd, '.liza'), { recursive: true });
  const refused = await inside(odd, 'init', 'Greet people');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`${odd} has a colon in it`) });
  expect(existsSync(join(odd, '.liza'))).toBe(false);
});
