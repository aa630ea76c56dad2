// A person's git in the folder of an agent that does not work right now runs nothing that the agent wrote, and the agent
// finds its folder as it left it. Each trap is first shown to work.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openSession } from '../../../src/identity/agent-sessions.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { restFolder } from '../../../src/tasks/rest-folder.ts';
import { type Project, project } from '../../support/project.ts';

let p: Project;
let ran: string;
beforeEach(async () => {
  p = project({ tasks: ['t'] });
  await p.config({ isolation: 'clone' });
  await p.claim('t');
  ran = path.join(p.base, 'ran');
});

const dot = (...parts: readonly string[]): string => p.folder('t', '.git', ...parts);
/** As a person types it there; what it says, or why it failed. */
function typed(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: p.folder('t'), env: p.env, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr);
  }
}
const inClone = (...args: readonly string[]) => p.gitIn(p.folder('t'), ...args);
function program(): string {
  const file = dot('evil.sh');
  fs.writeFileSync(file, `#!/bin/sh\ntouch ${ran}\nexit 1\n`, { mode: 0o755 });
  return file;
}
const isRun = (): boolean => {
  const was = fs.existsSync(ran);
  fs.rmSync(ran, { force: true });
  return was;
};

/** What an agent leaves → what a person types. */
const TRAPS: Readonly<Record<string, readonly [plant: () => void, ...typed: string[]]>> = {
  'a watcher': [() => inClone('config', 'core.fsmonitor', program()), 'status'],
  'an alias': [() => inClone('config', 'alias.lg', `!${program()}`), 'lg'],
  'a hook': [
    () => {
      fs.mkdirSync(dot('hooks'));
      fs.renameSync(program(), dot('hooks/post-checkout'));
    },
    ...['checkout', '-q', 'HEAD'],
  ],
  'an external diff': [
    () => {
      inClone('config', 'diff.external', program());
      fs.writeFileSync(p.folder('t', 'README.md'), 'changed\n');
    },
    'diff',
  ],
  'settings elsewhere': [
    () => {
      inClone('config', 'core.fsmonitor', program());
      fs.cpSync(dot(), p.folder('t', 'elsewhere'), { recursive: true });
      fs.writeFileSync(dot('commondir'), '../elsewhere\n');
    },
    'status',
  ],
  'another directory': [
    () => {
      inClone('config', 'core.fsmonitor', program());
      fs.renameSync(dot(), p.folder('t', '.g'));
      fs.symlinkSync('.g', dot());
    },
    'status',
  ],
};

test.each(Object.keys(TRAPS))('%s', async (name) => {
  const [plant, ...args] = TRAPS[name] as (typeof TRAPS)[string];
  plant();
  typed(...args);
  expect(isRun()).toBe(true);
  await restFolder(p.as('coder-1'), 't', 'coder-1');
  typed(...args);
  typed('log', '-1');
  expect(isRun()).toBe(false);
});

describe('settings of the agent’s', () => {
  test('are its own again with the next claim; meanwhile its commits can be read', async () => {
    inClone('config', 'submodule.lib.active', 'true');
    fs.writeFileSync(p.folder('t', 'new.txt'), 'x\n');
    inClone('add', 'new.txt');
    const before = fs.readFileSync(dot('config'), 'utf8');
    await restFolder(p.as('coder-1'), 't', 'coder-1');
    await restFolder(p.as('coder-1'), 't', 'coder-1');
    expect(typed('status')).toContain('must be run in a work tree');
    expect(typed('log', '-1', '--format=%H').trim()).toBe(p.head('integration'));
    await p.claim('t');
    expect(fs.readFileSync(dot('config'), 'utf8')).toBe(before);
    expect(typed('status', '--porcelain')).toBe('A  new.txt\n');
  });

  test('stay while another session works there', async () => {
    const now = p.context.clock.now();
    openSession(p.context, { agent: 'coder-2', role: 'coder', task: 't', pid: process.pid }, now);
    await restFolder(p.as('coder-1'), 't', 'coder-1');
    expect(typed('status')).not.toContain('work tree');
  });

  test('stay while another coder holds the task', async () => {
    await restFolder(p.as('coder-2'), 't', 'coder-2');
    expect(typed('status')).not.toContain('work tree');
  });
});

test('after a supervisor was killed the next one lets the folder rest; that of a coder without one is left as it is', async () => {
  await reconcile(p.as());
  expect(typed('status')).not.toContain('work tree');
  const now = p.context.clock.now();
  openSession(p.context, { agent: 'coder-1', role: 'coder', task: 't', pid: process.pid }, now);
  const record = p.file('.liza/agents/coder-1.session');
  const { supervisor, ...rest } = JSON.parse(fs.readFileSync(record, 'utf8'));
  fs.writeFileSync(record, JSON.stringify({ ...rest, supervisor: { ...supervisor, pid: 999_999_999 } }));
  await reconcile(p.as());
  expect(typed('status')).toContain('work tree');
});
