import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { aClaim, agents, type Project, project, withWorktree } from './fixtures.ts';

let here: Project;
const coder = { as: 'coder-1' };
beforeEach(() => {
  here = project({ agents: agents({ coder: 'mine' }), tasks: [aClaim('mine')] });
});

const CHECKPOINT = [
  '--intent',
  'wrap login',
  '--risks',
  'not idempotent',
  '--validation',
  'npm test: green',
  '--file',
  'src/auth.ts',
];

test('block carries reason, questions and what was tried', async () => {
  const argv = [
    'block',
    'mine',
    '--reason',
    '- no limit named',
    '--question',
    'How many?',
    '--question',
    'Which codes?',
  ];
  const ran = await here.liza([...argv, '--attempted', 'read the spec'], coder);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain('liza exit 42');
  expect(await here.task('mine')).toMatchObject({
    status: 'BLOCKED',
    blocked_reason: '- no limit named',
    blocked_questions: ['How many?', 'Which codes?'],
    attempted: ['read the spec'],
  });
});

test('block says under which ids its questions were asked, also when it is said again', async () => {
  const argv = ['block', 'mine', '--reason', 'no limit named', '--question', 'How many?', '--question', 'Which codes?'];
  await here.liza(['ask', 'Is it urgent?', '--assume', 'no'], coder);
  expect((await here.liza(argv, coder)).stdout).toContain('Asked as q-2, q-3\n');
  expect((await here.liza(argv, coder)).stdout).toMatch(/already done: .*\nAsked as q-2, q-3\n/);
  expect((await here.liza([...argv, '--json'], coder)).json).toMatchObject({ questions: ['q-2', 'q-3'] });
});

test('discover reports without fixing', async () => {
  const flags = ['--severity', 'high', '--urgency', 'immediate', '--during', 'mine', '--recommendation', 'add one'];
  expect((await here.liza(['discover', 'no', 'timeout', ...flags], coder)).code).toBe(0);
  expect((await here.state()).discovered).toMatchObject([
    {
      by: 'coder-1',
      description: 'no timeout',
      severity: 'high',
      urgency: 'immediate',
      during: 'mine',
      recommendation: 'add one',
    },
  ]);
});

test('anomaly details are numbers and booleans where the type wants them', async () => {
  const loop = [
    'anomaly',
    '--type',
    'retry_loop',
    '--task',
    'mine',
    '--detail',
    'count=3',
    '--detail',
    'error_pattern=a=b: true',
  ];
  expect((await here.liza(loop, coder)).code).toBe(0);
  const debt = [
    'anomaly',
    '--type',
    'trade_off',
    '--detail',
    'what=1',
    '--detail',
    'why=true',
    '--detail',
    'debt_created=true',
  ];
  expect((await here.liza(debt, coder)).code).toBe(0);
  expect((await here.state()).anomalies).toMatchObject([
    { type: 'retry_loop', task: 'mine', reporter: 'coder-1', details: { count: 3, error_pattern: 'a=b: true' } },
    { type: 'trade_off', details: { what: '1', why: 'true', debt_created: true } },
  ]);
});

test('handoff leaves the notes and says how to end', async () => {
  const flags = [
    '--approach',
    'decorator',
    '--blockers',
    '429',
    '--file',
    'a.ts',
    '--file',
    'b.ts',
    '--step',
    'backoff',
    '--context',
    '92%',
  ];
  const ran = await here.liza(['handoff', 'mine', '--summary', 'works', '--next', 'add backoff', ...flags], coder);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain('liza exit 42');
  expect((await here.state()).handoff.mine).toMatchObject({
    agent: 'coder-1',
    summary: 'works',
    next_action: 'add backoff',
    approach: 'decorator',
    blockers: '429',
    files_modified: ['a.ts', 'b.ts'],
    next_steps: ['backoff'],
    context_used: '92%',
  });
  expect((await here.task('mine')).handoff_pending).toBe(true);
});

test('exit declares the code', async () => {
  expect((await here.liza(['exit', '42', '--reason', 'handoff'], coder)).code).toBe(0);
  expect((await here.state()).agents['coder-1']?.declared_exit).toMatchObject({ code: 42, reason: 'handoff' });
});

test('heartbeat renews the lease beside the state', async () => {
  const before = await here.state();
  const ran = await here.liza(['heartbeat', '--json'], coder);
  expect(ran.json).toMatchObject({ ok: true, agent: 'coder-1', task: 'mine', expires: '2026-03-01T12:05:00Z' });
  expect(await here.state()).toBe(before);
  expect((await here.store.read()).board.leases.get('coder-1')).toMatchObject({ task: 'mine', epoch: 1 });
});

test('heartbeat --long records why and asks for more', async () => {
  const ran = await here.liza(['heartbeat', '--long', 'full suite'], coder);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('2026-03-01T12:15:00Z') });
  expect((await here.task('mine')).history?.at(-1)).toMatchObject({ event: 'lease_extended', reason: 'full suite' });
});

test('a stale session’s heartbeat is refused', async () => {
  const ran = await here.liza(['heartbeat'], { ...coder, env: { LIZA_EPOCH: '0' } });
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('liza exit 42') });
  expect((await here.liza(['heartbeat'])).stderr).toContain('a person has no lease');
});

test('begin without all its parts says which is missing', async () => {
  const ran = await here.liza(['begin', 'mine', '--intent', 'x', '--risks', 'y', '--file', 'a'], coder);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('--validation is missing') });
  const bare = await here.liza(['begin', 'mine', '--risks', 'y'], coder);
  expect(bare.stderr).toContain('--intent, --validation, --file are missing');
  expect(bare.stderr).toContain('a command and the result you expect');
  const thin = await here.liza(['begin', 'mine', '--intent', 'do it', '--file', 'a'], coder);
  expect(thin.stderr).toContain('--risks, --validation are missing; it lacks an intent that says what you will do');
  const json = await here.liza(['begin', 'mine', '--json-file', '-'], { ...coder, stdin: '{"intent":"x","risks":1}' });
  expect(json.stderr).toContain('risks is not a text');
});

test('begin says in one round what is missing and what its validation lacks', async () => {
  const ran = await here.liza(['begin', 'mine', '--intent', 'x', '--validation', 'it: works', '--file', 'a'], coder);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('the checkpoint lacks risks; the command and the expected result of the validation');
  expect(ran.stderr).toContain('it names no command');
});

test('begin without a worktree is refused', async () => {
  const ran = await here.liza(['begin', 'mine', ...CHECKPOINT], coder);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/worktree/);
});

/** The same claim, its worktree really there at the base commit. */
function onDisk(): string {
  here = project((repo) => ({
    agents: agents({ coder: 'mine' }),
    tasks: [{ ...aClaim('mine'), base_commit: withWorktree(repo, 'mine') }],
  }));
  return here.file('.worktrees', 'mine');
}

test('begin binds to a clean worktree at its start commit', async () => {
  onDisk();
  const ran = await here.liza(['begin', 'mine', ...CHECKPOINT, '--assume', 'login is pure', '--file', 'b.ts'], coder);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect((await here.task('mine')).history?.at(-1)).toMatchObject({
    event: 'pre_execution_checkpoint',
    checkpoint: { intent: 'wrap login', assumptions: ['login is pure'], files_to_modify: ['src/auth.ts', 'b.ts'] },
  });
});

test('begin takes its parts as JSON from stdin', async () => {
  onDisk();
  const stdin = JSON.stringify({
    intent: 'wrap login',
    risks: 'none',
    validation: 'npm test: green',
    files_to_modify: ['a.ts'],
  });
  expect(await here.liza(['begin', 'mine', '--json-file', '-'], { ...coder, stdin })).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect((await here.task('mine')).history?.at(-1)).toMatchObject({
    checkpoint: { intent: 'wrap login', files_to_modify: ['a.ts'] },
  });
});

test('a checkpoint after the code is refused, naming the file or the commit', async () => {
  const folder = onDisk();
  writeFileSync(join(folder, 'early.ts'), '');
  const dirty = await here.liza(['begin', 'mine', ...CHECKPOINT], coder);
  expect(dirty).toMatchObject({ code: 1, stderr: expect.stringContaining('early.ts') });
  const early = here.commit({}, 'early', folder);
  const moved = await here.liza(['begin', 'mine', ...CHECKPOINT], coder);
  expect(moved).toMatchObject({ code: 1, stderr: expect.stringContaining(early.slice(0, 7)) });
});
