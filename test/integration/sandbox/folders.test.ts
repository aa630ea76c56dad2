// Where a sandbox is installed, folders of work are clones: new ones at once, linked ones from before at the next
// claim, with nothing of them lost. Set-up and integration test run through it, and fail closed without it.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { isRefusal } from '../../../src/protocol/decision.ts';
import type { SandboxSupport } from '../../../src/sandbox/mode.ts';
import { claimTask } from '../../../src/tasks/claim.ts';
import { type Project, type ProjectOptions, project, succeeded } from '../../support/project.ts';

/** As on a machine with bubblewrap; nothing here starts it. */
const THERE: SandboxSupport = {
  tool: () => ({ kind: 'bubblewrap', program: '/usr/bin/bwrap', extra: [] }),
  detect: async () => ({ why: 'it does not work here', remedy: 'mend it' }),
  off: false,
  program: [],
};

let p: Project;
const open = (options: ProjectOptions = {}): Project => {
  p = project(options);
  return p;
};
const claim = (agent = 'coder-1') => claimTask(p.as(agent, { sandboxSupport: THERE }), 't', agent);
const isClone = (): boolean => fs.lstatSync(p.folder('t', '.git')).isDirectory();

test('a new folder is a clone, though worktrees are configured', async () => {
  open({ config: { isolation: 'worktree' } });
  succeeded(await claim());
  expect(isClone()).toBe(true);
});

test('off, by the configuration or the operator: as configured', async () => {
  open({ config: { sandbox: 'off' } });
  succeeded(await claim());
  expect(isClone()).toBe(false);
});

test('a linked worktree becomes a clone at the next claim: commits are there, uncommitted files are kept', async () => {
  open();
  await p.submitted('t');
  await p.reject('t');
  fs.writeFileSync(p.folder('t', 'notes.txt'), 'not committed\n');
  expect(isClone()).toBe(false);
  const head = p.gitIn(p.folder('t'), 'rev-parse', 'HEAD');
  succeeded(await claim());
  expect(isClone()).toBe(true);
  expect(p.gitIn(p.folder('t'), 'rev-parse', 'HEAD')).toBe(head);
  expect(p.gitIn(p.folder('t'), 'branch', '--show-current')).toBe('task/t');
  const [kept] = Object.keys(p.refs('refs/liza/attempts'));
  expect(p.git('show', `${kept}:notes.txt`)).toBe('not committed');
});

test('set-up that cannot be confined is not run where that is required, and the claim leaves nothing', async () => {
  open({ config: { sandbox: 'require', post_worktree_cmd: 'touch ran' } });
  const refused = await claim();
  expect(isRefusal(refused) && refused.message).toContain('it does not work here');
  expect(fs.existsSync(p.folder('t'))).toBe(false);
  expect((await p.task('t')).status).toBe('UNCLAIMED');
});

test('require without anyone to ask for a sandbox fails closed, too', async () => {
  open({ config: { sandbox: 'require', post_worktree_cmd: 'touch ran' } });
  const refused = await claimTask(p.as('coder-1'), 't', 'coder-1');
  expect(isRefusal(refused) && refused.message).toContain('config.sandbox is require');
});
