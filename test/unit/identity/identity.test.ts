import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { siteOf } from '../../../src/git/directory.ts';
import { openSession } from '../../../src/identity/agent-sessions.ts';
import { claimOf } from '../../../src/identity/identify.ts';
import { realDisk } from '../../../src/ports/disk.ts';
import type { Ancestor } from '../../../src/process/ancestors.ts';
import { markOf, programMark } from '../../../src/process/rlimit-mark.ts';
import { agentTag, repositoryMark } from '../../../src/process/tags.ts';
import { checkTaskId, TASK_ID_SOURCE } from '../../../src/protocol/ids.ts';
import { ID_PATTERN } from '../../../src/protocol/records/fields.ts';
import type { RunOptions } from '../../support/in-process.ts';
import { aClaim, NOW, type Project, project, sessionsAt } from '../cli/fixtures.ts';

describe('what the environment claims', () => {
  test('without an id nobody is claimed', () => {
    expect(claimOf({})).toEqual({});
    expect(claimOf({ LIZA_AGENT_ID: '', LIZA_EPOCH: '3' })).toEqual({});
  });

  test.each(['code_reviewer-1', 'code-reviewer-1'])('%s is code-reviewer-1', (id) => {
    expect(claimOf({ LIZA_AGENT_ID: id })).toEqual({ id: 'code-reviewer-1', role: 'code_reviewer' });
  });

  test.each(['coder', 'coder-0', 'Coder-1', 'coder-1;rm', '../coder-1', 'tester-1', 'coder-12345', 'coder-1\n'])(
    '%j is refused with examples',
    (id) => {
      const refusal = claimOf({ LIZA_AGENT_ID: id });
      expect(refusal).toMatchObject({ ok: false, code: 1 });
      expect(refusal).toHaveProperty('hint', expect.stringContaining('coder-2'));
    },
  );

  test.each(['-1', '1.5', 'x', ' 1'])('the epoch %j is refused', (epoch) => {
    expect(claimOf({ LIZA_AGENT_ID: 'coder-1', LIZA_EPOCH: epoch })).toMatchObject({ ok: false, code: 1 });
  });
});

test('the pattern of task ids is the one of the schema', () => {
  expect(TASK_ID_SOURCE).toBe(ID_PATTERN.source);
});

test('a hostile id is quoted short and without control characters', () => {
  const refusal = checkTaskId(`\u001b[31m${'x'.repeat(200)}`);
  expect(refusal?.message.length).toBeLessThan(100);
  expect(refusal?.message).not.toContain('\u001b');
});

describe('whether the claim holds', () => {
  let here: Project;

  const AGENT = { pid: process.pid, started: '' };
  const open = (): void => {
    here = project({
      tasks: [aClaim('t')],
      agents: { 'coder-1': { role: 'coder', status: 'WORKING', current_task: 't', epoch: 1 } },
    });
  };
  const session = (agent = 'coder-1', role: 'coder' | 'code_reviewer' = 'coder') =>
    openSession(sessionsAt(here.root), { agent, role, task: 't', epoch: 1, pid: process.pid }, NOW);
  const tagged = (agent: string): Ancestor => ({
    ...AGENT,
    pid: 7,
    tags: () => agentTag(siteOf(realDisk, here.root), agent),
  });
  const note = (as: RunOptions) => here.liza(['note', 'hello'], as);
  const anomaly = (as: RunOptions) => here.liza(['anomaly', '--type', 'spec_ambiguity', '--task', 't'], as);
  const below = (agent: string, env: Record<string, string> = {}): RunOptions => ({
    env,
    io: { ancestors: () => [{ ...AGENT, pid: 9, tags: () => '' }, tagged(agent)] },
  });
  const violations = async () => (await here.state()).anomalies.filter(({ type }) => type === 'identity_violation');

  test('a person passes, and leaves no trace', async () => {
    open();
    session();
    expect((await note({})).code).toBe(0);
    expect(await violations()).toEqual([]);
  });

  test('the agent of a live session acts with its credential, and only with that one', async () => {
    open();
    const { credential } = session();
    const env = { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: credential };
    expect((await anomaly({ env })).code).toBe(0);
    expect((await anomaly(below('coder-1', env))).code).toBe(0);
    const forged = await anomaly({ env: { ...env, LIZA_SESSION: randomBytes(32).toString('base64url') } });
    expect(forged).toMatchObject({ code: 1, stderr: expect.stringContaining('not the credential of coder-1') });
  });

  test('only the hash is on the disk, and nobody else may be named by it', () => {
    open();
    const { credential } = session();
    const text = readFileSync(here.file('.liza/agents/coder-1.session'), 'utf8');
    expect(text).not.toContain(credential);
    expect(JSON.parse(text)).toMatchObject({ agent: 'coder-1', role: 'coder', task: 't', epoch: 1 });
  });

  test('below an agent nobody is the operator; the attempt is recorded against it, once a minute', async () => {
    open();
    session();
    for (let n = 0; n < 5; n += 1) {
      expect(await note(below('coder-1'))).toMatchObject({ code: 1, stderr: expect.stringContaining('below coder-1') });
    }
    const made = await violations();
    expect(made).toHaveLength(1);
    expect(made[0]).toMatchObject({ task: 't', reporter: 'supervisor' });
    expect(made[0]?.details).toMatchObject({ agent: 'coder-1', claimed: 'the operator', command: 'note', count: 1 });
    expect((await here.state()).human_notes).toEqual([]);
  });

  test('a process that cleared its environment and outlived all above it is known by its mark', async () => {
    open();
    session();
    const { msgqueue, sigpending } = markOf(agentTag(siteOf(realDisk, here.root), 'coder-1'));
    const limits = () =>
      `Max pending signals ${sigpending} ${sigpending} signals\nMax msgqueue size ${msgqueue} ${msgqueue} bytes\n`;
    expect(await note({ io: { limits } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('below coder-1'),
    });
    expect((await violations())[0]?.details).toMatchObject({ agent: 'coder-1', claimed: 'the operator' });
    expect((await note({ io: { limits: () => '' } })).code).toBe(0);
  });

  test('a program of the project that wrote over its environment is known by its mark', async () => {
    open();
    const limits = (repository: string) => () => {
      const mark = programMark(repositoryMark(repository));
      return `Max file locks            ${mark}           ${mark}           locks\n`;
    };
    const { repository } = siteOf(realDisk, here.root);
    expect(await note({ io: { limits: limits(repository) } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('belongs to a program that Liza runs for the project'),
    });
    expect((await violations())[0]?.details).toMatchObject({ agent: 'program', claimed: 'the operator' });
    expect((await note({ io: { limits: limits('/another/repository') } })).code).toBe(0);
  });

  const refusedLines = () => readFileSync(here.file('.liza/refused.log'), 'utf8').trimEnd().split('\n');

  test.each([
    ['edit', ['edit']],
    ['lock modify', ['lock', 'modify', 'true']],
    ['run', ['run']],
    ['agent', ['agent', 'coder']],
  ] as const)('from inside the sandbox %s is refused: a line, and no accusation', async (command, argv) => {
    open();
    const { credential } = session();
    const env = { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: credential, LIZA_BROKERED: '1' };
    expect(await here.liza(argv, { env })).toMatchObject({ code: 1, stderr: expect.stringContaining('sandbox') });
    expect(refusedLines()).toEqual([
      expect.stringMatching(`^\\S+Z coder-1 was refused a command of another role: liza ${command}$`),
    ]);
    expect(await violations()).toEqual([]);
  });

  test('from inside the sandbox, an environment that names another agent is an attempt to act as that one', async () => {
    open();
    const { credential } = session();
    const env = { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: credential, LIZA_BROKERED: '1' };
    const as = (claimed: string) => anomaly({ env: { ...env, LIZA_CLAIMED: claimed } });
    expect(await as('code-reviewer-1')).toMatchObject({ code: 1, stderr: expect.stringContaining('below coder-1') });
    expect((await violations())[0]?.details).toMatchObject({ agent: 'coder-1', claimed: 'code-reviewer-1' });
    expect((await as('coder-1')).code).toBe(0);
  });

  test('what the sandbox claims gains nothing without a session, and outside it counts for nothing', async () => {
    open();
    session();
    const env = { LIZA_BROKERED: '1', LIZA_CLAIMED: 'coder-1' };
    expect((await anomaly(below('coder-1', env))).code).toBe(1);
    expect((await note({ env: { LIZA_CLAIMED: 'coder-1' } })).code).toBe(0);
  });

  test('what only looks is refused there without an accusation', async () => {
    open();
    const { credential } = session();
    const env = { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: credential, LIZA_BROKERED: '1' };
    expect((await here.liza(['report'], { env })).code).toBe(1);
    expect(await violations()).toEqual([]);
  });

  test('a coder that types a command of another role is told what it can do: a line, and no accusation', async () => {
    open();
    const { credential } = session();
    const env = { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: credential };
    for (const argv of [
      ['submit-verdict', 't', 'APPROVED'],
      ['abandon', 't', '--reason', 'x'],
      ['plan', 'done'],
    ]) {
      expect(await here.liza(argv, { env })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('liza begin t'),
      });
    }
    expect(refusedLines().map((line) => line.replace(/^\S+ /, ''))).toEqual([
      'coder-1 was refused a command of another role: liza submit-verdict',
      'coder-1 was refused a command of another role: liza abandon',
      'coder-1 was refused a command of another role: liza plan done',
    ]);
    expect(await violations()).toEqual([]);
  });

  test('a person in whose shell an agent’s variables were left is told which to unset', async () => {
    open();
    const ended = session();
    ended.over(NOW);
    const told = async (env: Record<string, string>) => (await note({ env })).stderr;
    expect(await told({ LIZA_AGENT_ID: 'coder-1' })).toContain('to act as yourself: unset LIZA_AGENT_ID');
    expect(await told({ LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: ended.credential })).toContain(
      'a person: unset LIZA_AGENT_ID LIZA_SESSION',
    );
    expect(await told({ LIZA_SESSION: ended.credential })).toContain('a person: unset LIZA_SESSION');
    expect(await told({ LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: 'x' })).toContain('unset LIZA_AGENT_ID LIZA_SESSION');
    expect((await note(below('coder-1'))).stderr).toContain('a person must use a shell that no agent started');
  });

  test.each([
    ['run', ['run', '--until-idle']],
    ['agent', ['agent', 'coder']],
    ['config set', ['config', 'set', 'poll_interval', '3']],
    ['pause', ['pause']],
    ['resume', ['resume']],
    ['abort', ['abort']],
    ['edit', ['edit']],
    ['undo', ['undo']],
    ['lock modify', ['lock', 'modify', 'touch', 'canary']],
    ['lock write', ['lock', 'write', '.config.poll_interval', '3']],
    ['doctor', ['doctor', '--fix']],
    ['doctor', ['doctor', '--accept-integration']],
    ['init', ['init', 'Another goal']],
    ['deinit', ['deinit']],
    ['demo', ['demo']],
    ['watch', ['watch', '--once']],
    ['release-claim', ['release-claim', 't']],
    ['wt merge', ['wt', 'merge', 't']],
    ['claim-task', ['claim-task', 't', 'coder-1']],
    ['checkpoint', ['checkpoint']],
    ['retrospective', ['retrospective', '--learned', 'x']],
    ['archive', ['archive']],
    ['register', ['register', 'coder-9']],
  ])('%s is refused below an agent, without an id and as a supervisor', async (name, argv) => {
    open();
    const { credential } = session();
    const before = (await here.store.read()).seq;
    for (const env of [{}, { LIZA_AGENT_ID: 'coder-1' }, { LIZA_AGENT_ID: 'coder-2', LIZA_SESSION: credential }]) {
      expect(await here.liza(argv, below('coder-1', env))).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`liza ${name} refused`),
      });
    }
    expect(existsSync(here.file('canary'))).toBe(false);
    const { seq, board } = await here.store.read();
    expect(board.state.anomalies.map(({ type }) => type)).toEqual(Array(seq - before).fill('identity_violation'));
    expect(seq - before).toBe(3);
  });

  test('its own credential does not open the operator’s commands; under its own name it is not accused', async () => {
    open();
    const { credential } = session();
    const env = { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: credential };
    for (const argv of [
      ['pause'],
      ['config', 'set', 'poll_interval', '3'],
      ['claim-task', 't', 'coder-1'],
      ['deinit'],
    ]) {
      expect((await here.liza(argv, below('coder-1', env))).code).toBe(1);
    }
    expect(refusedLines().map((line) => line.replace(/^.*: liza /, ''))).toEqual([
      'pause',
      'config set',
      'claim-task',
      'deinit',
    ]);
    expect(await violations()).toEqual([]);
  });

  test('a tag that was put on besides does not make it another agent', async () => {
    open();
    const reviewer = session('code-reviewer-1', 'code_reviewer');
    const env = {
      LIZA_AGENT_ID: 'code-reviewer-1',
      LIZA_SESSION: reviewer.credential,
      LIZA_PROGRAM: agentTag(siteOf(realDisk, here.root), 'code-reviewer-1'),
    };
    const forged = {
      ...below('coder-1', env),
      io: { ancestors: () => [tagged('code-reviewer-1'), tagged('coder-1')] },
    };
    expect(await anomaly(forged)).toMatchObject({ code: 1, stderr: expect.stringContaining('below coder-1') });
    expect((await violations())[0]?.details).toMatchObject({ agent: 'coder-1', claimed: 'code-reviewer-1' });
  });

  test('its own environment is enough, and a process on record is enough', async () => {
    open();
    const own = { env: { LIZA_PROGRAM: `abc/${agentTag(siteOf(realDisk, here.root), 'coder-1')}/def` } };
    expect((await note(own)).code).toBe(1);
    const begun = session();
    begun.begun(process.pid);
    const record = JSON.parse(readFileSync(here.file('.liza/agents/coder-1.session'), 'utf8'));
    const above = [{ pid: process.pid, started: record.process.started, tags: () => '' }];
    expect((await note({ io: { ancestors: () => above } })).code).toBe(1);
    const other = [{ pid: process.pid, started: 'another', tags: () => '' }];
    expect((await note({ io: { ancestors: () => other } })).code).toBe(0);
  });

  test('an agent of another project is a person here', async () => {
    open();
    session();
    const elsewhere = { root: '/elsewhere', repository: '/elsewhere/.git' };
    const tags = agentTag(elsewhere, 'coder-1');
    expect(
      (await note({ env: { LIZA_PROGRAM: tags }, io: { ancestors: () => [{ ...AGENT, tags: () => tags }] } })).code,
    ).toBe(0);
  });

  test('a program that Liza runs is nobody', async () => {
    open();
    const tags = agentTag(siteOf(realDisk, here.root), 'program');
    expect((await note({ io: { ancestors: () => [{ ...AGENT, tags: () => tags }] } })).code).toBe(1);
    expect((await violations())[0]?.details).toMatchObject({ agent: 'program' });
  });

  test('a program that an agent has run by liza try is nobody, also with the agent’s own variables', async () => {
    open();
    const begun = session();
    begun.begun(process.pid);
    const record = JSON.parse(readFileSync(here.file('.liza/agents/coder-1.session'), 'utf8'));
    const agent = { pid: process.pid, started: record.process.started, tags: () => '' };
    const shell = { pid: 8, started: 'later', tags: () => agentTag(siteOf(realDisk, here.root), 'coder-1') };
    const env = { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: begun.credential };
    expect((await anomaly({ env, io: { ancestors: () => [shell, agent] } })).code).toBe(0);
    const tried = { ...shell, tags: () => agentTag(siteOf(realDisk, here.root), 'program') };
    expect(await anomaly({ env, io: { ancestors: () => [tried, shell, agent] } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a program that Liza runs'),
    });
    expect((await violations())[0]?.details).toMatchObject({
      agent: 'coder-1',
      claimed: 'itself through a program that it runs',
    });
  });

  test('a session that is over, or whose supervisor is gone, is told to stop with 42', async () => {
    open();
    const first = session();
    const as = ({ credential }: { credential: string }) => ({
      env: { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: credential },
    });
    const second = session();
    const told = { code: 1, stderr: expect.stringContaining('42') };
    expect(await anomaly(as(first))).toMatchObject(told);
    expect((await anomaly(as(second))).code).toBe(0);
    second.over(NOW);
    expect(await anomaly(as(second))).toMatchObject(told);
    const third = session();
    const file = here.file('.liza/agents/coder-1.session');
    const record = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...record, supervisor: { ...record.supervisor, started: 'long ago' } }));
    expect(await anomaly(as(third))).toMatchObject(told);
    expect(await violations()).toEqual([]);
  });

  test('the epoch is the record’s: an environment cannot raise it', async () => {
    open();
    const directory = here.file('.liza/agents');
    mkdirSync(directory, { recursive: true });
    const old = openSession(
      sessionsAt(here.root),
      { agent: 'coder-1', role: 'coder', task: 't', epoch: 0, pid: process.pid },
      NOW,
    );
    const env = { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: old.credential, LIZA_EPOCH: '1' };
    const refused = await here.liza(['block', 't', '--reason', 'x', '--question', 'y?'], { env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('lease lost') });
  });

  test('while a session lives, its id alone is its supervisor and not the agent', async () => {
    open();
    session();
    const ran = await anomaly({ as: 'coder-1' });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('not for coder-1 (supervisor)') });
  });
});
