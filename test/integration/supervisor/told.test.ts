// What reaches the next mind under a real supervisor: the work and notes of a coder that is gone, where former work is,
// a spec that changed under way, a spec that nobody committed.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { inFull, isolations } from '../../runs.ts';
import { type Project, succeeded, WORK } from '../../support/project.ts';
import { open, r } from './harness.ts';

const EXPIRED_MS = 301_000;
const HANDOFF = { name: 'handoff', task: 't', summary: 'the core is done', next_action: 'test it' } as const;
/** In any form that a provider is given its prompt. */
const promptOf = (nth: number): string => JSON.stringify(r().started[nth] ?? {}).replaceAll('\\n', '\n');
const started = (count: number) => r().until(`${count} sessions`, () => r().started.length >= count);

test('a coder that takes over is told whose work it continues, what is there and what was handed off', async () => {
  await open({
    agents: ['coder-2'],
    furnish: async (p) => {
      await p.begun('t');
      p.work('t', WORK);
      p.write({ '.worktrees/t/notes.txt': 'not committed\n' });
      await p.run('coder-1', HANDOFF);
    },
  });
  r().clock.advance(EXPIRED_MS);
  await started(1);
  const told = promptOf(0);
  expect(told).toContain('CONTINUED: you take over the work of coder-1: it handed off.');
  expect(told).toContain('1 commit of it and these uncommitted files: notes.txt');
  expect(told).toContain('the core is done');
  expect(told).toContain('The checkpoint of coder-1 for this iteration counts');
});

test.runIf(inFull)(
  'a coder that takes over a clone is told of the branches that were in it besides the task’s, and can read them (in test:all)',
  async () => {
    let read = '';
    let side = '';
    await open({
      agents: ['coder-2'],
      config: { isolation: 'clone' },
      furnish: async (p) => {
        await p.begun('t');
        p.work('t', WORK);
        const folder = p.folder('t');
        p.gitIn(folder, 'checkout', '-q', '-b', 'try-cache');
        p.write({ '.worktrees/t/src/cache.ts': 'export const cache = 1;\n' });
        p.gitIn(folder, 'add', '-A');
        p.gitIn(folder, 'commit', '-q', '-m', 'try a cache');
        side = p.gitIn(folder, 'rev-parse', 'HEAD');
        p.gitIn(folder, 'branch', 'merged-already', 'task/t');
        p.gitIn(folder, 'checkout', '-q', 'task/t');
        await p.run('coder-1', HANDOFF);
      },
      parts: {
        'coder-2': [
          {
            act: async ({ cwd }) => {
              read = r().p.gitIn(cwd, 'show', `${side}:src/cache.ts`);
            },
          },
        ],
      },
    });
    r().clock.advance(EXPIRED_MS);
    await r().until('it has looked', () => read !== '');
    expect(read).toBe('export const cache = 1;');
    const told = promptOf(0);
    expect(told).toContain(`BESIDE its branch, and not in WORKTREE, it had: try-cache at ${side.slice(0, 12)}.`);
    expect(told).not.toContain('merged-already');
  },
);

test.each(isolations('worktree'))(
  '%s: a coder that takes over is told what was merged since the base, and can rebase onto it',
  async (isolation) => {
    let head = '';
    let onto = '';
    await open({
      agents: ['coder-2'],
      config: { isolation },
      furnish: async (p) => {
        await p.begun('t');
        p.work('t', WORK);
        await p.run('coder-1', HANDOFF);
        head = await p.accepted({ 'src/other.ts': 'export const other = 1;\n' }, 'other work');
      },
      parts: {
        'coder-2': [
          {
            act: async ({ cwd }) => {
              const [, named = ''] = /`git rebase ([0-9a-f]{40})`/.exec(promptOf(0)) ?? [];
              r().p.gitIn(cwd, 'rebase', named);
              onto = r().p.gitIn(cwd, 'merge-base', named, 'HEAD');
            },
          },
        ],
      },
    });
    r().clock.advance(EXPIRED_MS);
    await r().until('it has rebased', () => onto !== '');
    expect(promptOf(0)).toContain('INTEGRATION MOVED: 1 commit since this work began, touching src/other.ts.');
    expect(onto).toBe(head);
  },
);

test.runIf(inFull).each(isolations('worktree'))(
  '%s: a coder that starts fresh can look at the work it is told of (in test:all)',
  async (isolation) => {
    let former = '';
    let shown = '';
    await open({
      agents: ['coder-2'],
      config: { isolation },
      furnish: async (p) => {
        await p.submitted('t');
        await p.reject('t');
        await p.accepted({ 'src/gained.ts': 'export const gained = 1;\n' }, 'other work');
      },
      parts: {
        'coder-2': [
          {
            act: async ({ cwd }) => {
              const [, diff = ''] = /`git (diff [^`]*refs\/liza\/attempts\/t\/1)`/.exec(promptOf(0)) ?? [];
              shown = r().p.gitIn(cwd, ...diff.split(' '), '--name-status');
              former = r().p.gitIn(cwd, 'show', 'refs/liza/attempts/t/1:src/app.ts');
            },
          },
        ],
      },
    });
    r().clock.advance(EXPIRED_MS);
    await r().until('it has looked', () => former !== '');
    expect(former).toBe(WORK['src/app.ts']?.toString().trim());
    const told = promptOf(0);
    expect(told).toContain('FRESH START');
    expect(shown).toContain('src/app.ts');
    expect(shown, 'what integration gained is no part of the former work').not.toContain('gained');
    expect(told).toContain('The earlier work is refs/liza/attempts/t/1.');
    expect(told).toContain('About the earlier work, which was set aside');
  },
);

const SPEC = '# Vision\n\n## Retry\n\nThree tries.\n';
const fromSpec = async (p: Project): Promise<void> => {
  p.write({ 'specs/auth.md': SPEC });
  const flags = [
    '--desc',
    'Retry',
    '--done',
    'a 503 is retried once',
    '--scope',
    'IN: src/, test/',
    '--validate',
    'test -d .',
  ];
  await p.ok(['add-task', '--id', 'retry', '--spec', 'specs/auth.md#retry', ...flags, '--ready']);
};

test.runIf(inFull)(
  'coder and reviewer are shown how the spec changed, the crew says so, and warns of one that is not in git (in test:all)',
  async () => {
    await open({
      tasks: [],
      agents: ['coder-1', 'code-reviewer-1'],
      furnish: async (p) => {
        await fromSpec(p);
        fs.writeFileSync(p.file('specs/auth.md'), SPEC.replace('Three', 'Five'));
      },
      parts: {
        'coder-1': [
          {
            act: async () => {
              succeeded(await r().p.begin('retry'));
              r().p.work('retry');
              succeeded(await r().p.submit('retry'));
            },
            end: 'exit 0',
          },
        ],
      },
    });
    await started(2);
    for (const nth of [0, 1]) {
      expect(promptOf(nth)).toContain('SPEC CHANGED since the task was created (1 line added, 1 removed)');
      expect(promptOf(nth)).toContain('| +Five tries.');
    }
    expect(r().said()).toContainEqual(expect.stringContaining('specs/auth.md is not in git'));
    expect(r().said().join()).not.toContain('not committed');
    expect((await r().p.state()).spec_changes).toHaveLength(1);
  },
);

test('a crew at work notices a spec that changes', async () => {
  await open({ tasks: [], agents: ['coder-1'], crew: { watcher: true }, furnish: fromSpec });
  await started(1);
  fs.writeFileSync(r().p.file('specs/auth.md'), SPEC.replace('Three', 'Five'));
  await r().until('it is recorded', async () => {
    r().clock.advance(6000);
    return (await r().p.last('retry', 'spec_changed')) !== undefined;
  });
});
