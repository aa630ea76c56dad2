// What `liza status` says of things that happened behind Liza's back, and that the command it names mends them.

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type PlayedProject, playedProject } from '../../support/by-verbs.ts';

let here: PlayedProject;
beforeEach(async () => {
  here = playedProject();
  await here.ok(['init', 'Greet people']);
});

const sh = (command: string): string =>
  execFileSync('sh', ['-c', command], {
    cwd: here.root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: here.root },
  });

test.each(['as a file', 'packed'])(
  'a deleted integration branch, kept %s, is reported with the command that brings it back',
  async (kept) => {
    const lines = async (): Promise<string> => (await here.ok(['status', '--json'])).stdout;
    if (kept === 'packed') here.git('pack-refs', '--all');
    expect(await lines()).not.toContain('INTEGRATION GONE');
    here.git('branch', '-D', 'integration');
    const told =
      /INTEGRATION GONE: integration was deleted — restore it: (LIZA_INTEGRATION=mine git branch integration [0-9a-f]{40})/;
    const command = told.exec(await lines())?.[1] ?? '';
    expect(command).not.toBe('');
    // The hook refuses whoever does not say that they mean it.
    expect(() => sh(command.replace('LIZA_INTEGRATION=mine ', ''))).toThrow();
    sh(command);
    expect(await lines()).not.toContain('INTEGRATION GONE');
  },
);

test('after `git clean -fdx` every command names the copy of the blackboard, and none makes a new one', async () => {
  await here.add('greet');
  const { store } = here; // as a supervisor has it, opened before
  rmSync(here.file('.liza'), { recursive: true });
  const ran = await here.liza(['note', 'hello']);
  expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining('liza doctor --fix') });
  const asked = { actor: { parts: ['human'] }, command: 'note' } as const;
  const refused = await store.transact(asked, () => {
    throw new Error('there is nothing to decide on');
  });
  expect(refused).toMatchObject({ ok: false, hint: expect.stringContaining('liza doctor --fix') });
  await here.ok(['doctor', '--fix']).catch(() => {}); // the machine's own findings do not matter here
  expect((await here.task('greet')).status).toBe('UNCLAIMED');
});

test('the same in a linked worktree, whose git directory is elsewhere', async () => {
  const linked = join(here.base, 'linked');
  here.git('worktree', 'add', '-q', linked, '-b', 'other');
  await here.ok(['deinit', '--yes']); // a repository has one board
  const inside = (...argv: string[]) => here.liza(argv, { cwd: linked });
  expect(await inside('init', 'Greet others')).toMatchObject({ code: 0 });
  rmSync(join(linked, '.liza'), { recursive: true });
  expect((await inside('status')).stderr).toContain('liza doctor --fix');
  mkdirSync(join(linked, '.liza', 'agents'), { recursive: true });
  expect((await inside('note', 'hello')).stderr).toContain('liza doctor --fix');
});
