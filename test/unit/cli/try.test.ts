// `liza try` runs a script from stdin, and no program that would only wait for one.

import { mkdirSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { openSession } from '../../../src/identity/agent-sessions.ts';
import { aClaim, agents, NOW, type Project, project, sessionsAt } from './fixtures.ts';

let here: Project;
beforeEach(() => {
  here = project({ agents: agents({ coder: 'mine' }), tasks: [aClaim('mine')] });
  mkdirSync(here.file('.liza/agents'), { recursive: true });
  mkdirSync(here.file('.worktrees/mine'), { recursive: true });
});

function tried(words: readonly string[], stdin = '') {
  const session = { agent: 'coder-1', role: 'coder', pid: process.pid } as const;
  const { credential } = openSession(sessionsAt(here.root), session, NOW);
  const env = { PATH: process.env['PATH'], LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: credential };
  return here.liza(['try', ...words], { env, stdin });
}

test('a dash alone is a script from stdin, run by sh', async () => {
  const ran = await tried(['-'], 'for n in 1 2; do echo "line $n"; done\nexit 3\n');
  expect(ran).toMatchObject({ code: 3, stdout: 'line 1\nline 2\n' });
});

test('an empty script is refused', async () => {
  expect(await tried(['-'], '\n')).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to run') });
});

test.each([
  ['sh'],
  ['/bin/bash'],
  ['bash', '-s'],
  ['sh', '-ex'],
  ['python3'],
  ['node'],
  ['python3', '-'],
  ['cat', '-'],
])('%s %s would read stdin, and is refused with the way to do it', async (...words) => {
  const { code, stderr } = await tried(words.filter(Boolean), 'echo ran\n');
  expect(code).toBe(1);
  expect(stderr).toContain("liza try - <<'END'");
});

test.each([['sh', '-c', 'echo ran'], ['sh', '-ec', 'echo ran'], ['echo ran'], ['node', '-p', '"ran"']])(
  '%s %s runs',
  async (...words) => {
    expect(await tried(words.filter(Boolean))).toMatchObject({ code: 0, stdout: 'ran\n' });
  },
);
