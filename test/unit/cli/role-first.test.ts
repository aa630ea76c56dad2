// An agent that types a command of another role hears whose it is and what it can do, whatever its arguments look like.

import { mkdirSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { openSession } from '../../../src/identity/agent-sessions.ts';
import type { Role } from '../../../src/protocol/state.ts';
import { namedCommands, unfit } from '../protocol/hints.ts';
import { aClaim, agents, aTask, NOW, type Project, project, sessionsAt } from './fixtures.ts';

let here: Project;
beforeEach(() => {
  here = project({ agents: agents({ coder: 'mine' }), tasks: [aClaim('mine'), aTask('b', { status: 'UNCLAIMED' })] });
  mkdirSync(here.file('.liza/agents'), { recursive: true });
});

const SESSIONS: Readonly<Record<string, Role>> = {
  'coder-1': 'coder',
  'code-reviewer-1': 'code_reviewer',
  'planner-1': 'planner',
};

/** In a session of its own, as an agent types it. */
function typed(agent: string, line: string) {
  const role = SESSIONS[agent] ?? 'coder';
  const { credential } = openSession(sessionsAt(here.root), { agent, role, pid: process.pid }, NOW);
  return here.liza(line.split(' '), { env: { LIZA_AGENT_ID: agent, LIZA_SESSION: credential } });
}

describe.each([
  ['coder-1', 'supersede b', 'the planner or a person'],
  ['coder-1', 'submit-verdict b', 'a reviewer'],
  ['coder-1', 'submit-verdict b MAYBE', 'a reviewer'],
  ['coder-1', 'discovery dismiss disc-1', 'the planner or a person'],
  ['coder-1', 'unblock', 'the planner or a person'],
  ['coder-1', 'config set', 'a person'],
  ['coder-1', 'add-task', 'the planner or a person'],
  ['coder-1', 'add-task --no-such-option x', 'the planner or a person'],
  ['code-reviewer-1', 'begin b', 'a coder'],
  ['planner-1', 'begin b', 'a coder'],
  ['planner-1', 'begin b --json-file missing.json', 'a coder'],
  ['planner-1', 'submit-for-review b', 'a coder'],
  ['planner-1', 'claim-task b', 'the supervisor'],
  ['planner-1', 'note', 'a person'],
  ['planner-1', 'retract b', 'a coder'],
])('%s types: liza %s', (agent, line, whose) => {
  test(`it is told that this is for ${whose}, and only of commands that it may run`, async () => {
    const { code, stderr } = await typed(agent, line);
    expect(code).toBe(1);
    expect(stderr).toContain(`refused: it is for ${whose}`);
    expect(stderr).toContain(`not for ${agent}`);
    expect(stderr).not.toMatch(/needs|usage/i);
    const [, hint = ''] = stderr.split('→');
    const role = SESSIONS[agent] ?? 'coder';
    expect(namedCommands(hint)).not.toEqual([]);
    expect(namedCommands(hint).filter((verb) => unfit(verb, [role]))).toEqual([]);
  });
});

test.each([
  ['coder-1', 'approve mine', 'liza submit-for-review'],
  ['coder-1', 'verdict mine APPROVED', 'liza submit-for-review'],
  ['planner-1', 'reject mine', 'liza status'],
])('%s types liza %s, and hears that a reviewer gives it, and what it does itself', async (agent, line, next) => {
  const { stderr } = await typed(agent, line);
  expect(stderr).toContain('a reviewer gives it, not you');
  expect(stderr).toContain(next);
  expect(stderr).not.toContain('submit-verdict');
});

test('an agent that would merge hears that its supervisor does, and one that would judge, whose that is', async () => {
  const merge = await typed('coder-1', 'merge mine');
  expect(merge.stderr).toContain('the supervisor merges a commit once a reviewer has approved it');
  expect(merge.stderr).not.toContain('wt merge');
  expect((await typed('code-reviewer-1', 'verdict mine')).stderr).toContain('a reviewer gives it: liza submit-verdict');
});

test('a planner that completes the goal is not told to finish it: that is a person’s', async () => {
  here = project({ agents: agents(), tasks: [aTask('done', { status: 'MERGED', goal: 'goal-1' })] });
  mkdirSync(here.file('.liza/agents'), { recursive: true });
  const { stdout, stderr } = await typed('planner-1', 'goal complete --summary all-retry');
  expect(stderr).toBe('');
  expect(stdout).toContain('The work is on branch integration; a person takes it from there');
  expect(stdout).not.toContain('liza finish');
});

test('a coder with work at hand is told of that work', async () => {
  expect((await typed('coder-1', 'supersede b')).stderr).toContain('Your work is mine. Next: liza begin mine');
});

test('an operator’s command with wrong arguments is the operator’s all the same', async () => {
  expect((await typed('coder-1', 'undo --no-such-option')).stderr).toContain(
    'liza undo is for the operator, not for coder-1',
  );
});

test('what its role may run is refused for its arguments', async () => {
  expect((await typed('coder-1', 'block mine')).stderr).toContain('needs --reason');
  expect((await typed('planner-1', 'supersede b')).stderr).toContain('needs --root-cause');
});

test('a person hears what is wrong with the arguments', async () => {
  expect((await here.liza(['supersede', 'b'])).stderr).toContain('needs --root-cause');
  expect((await here.liza(['begin', 'b'])).stderr).toContain('the checkpoint is incomplete');
});

test('it is noted as refused for the role', async () => {
  await typed('coder-1', 'add-task');
  expect(here.read('.liza/refused.log')).toContain('coder-1 was refused a command of another role: liza add-task');
});

describe('half of a name', () => {
  test.each([
    ['coder-1', ['discover', 'discovery list']],
    ['code-reviewer-1', ['discover', 'discovery list']],
    ['planner-1', ['discovery list', 'discovery convert', 'discovery dismiss', 'discovery reopen']],
  ])('%s that types liza discovery x is shown what its role may run', async (agent, names) => {
    const { stderr } = await typed(agent, 'discovery x');
    const [, told = ''] = /one of: (.*)/.exec(stderr) ?? [];
    expect(told.split(', ').sort()).toEqual([...names].sort());
  });

  test('a person is shown them all', async () => {
    expect((await here.liza(['discovery', 'x'])).stderr).toContain(
      'discovery list, discovery convert, discovery dismiss',
    );
  });
});
