import { writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { aBlocked, agents, aTask, type Project, project } from './fixtures.ts';

let here: Project;
beforeEach(() => {
  here = project({
    agents: agents(),
    tasks: [
      aTask('first', { validation: ['npm test'] }),
      aTask('second', { status: 'UNCLAIMED', depends_on: ['first'] }),
      aBlocked('stuck'),
    ],
    discovered: [
      { id: 'disc-1', by: 'coder-1', description: 'no timeout', severity: 'high', urgency: 'immediate' },
      { id: 'disc-2', by: 'coder-1', description: 'old one', severity: 'low', dismissed_reason: 'known' },
    ],
  });
});

const planner = { as: 'planner-1' };
const DEFINED = [
  '--desc',
  'Retry',
  '--spec',
  'specs/auth.md#retry',
  '--done',
  'a 503 is retried once',
  '--scope',
  'IN: src/auth.ts',
];

test('add-task keeps every flag and names the next command', async () => {
  const flags = [
    '--type',
    'docs',
    '--priority',
    '2',
    '--depends',
    'first, second',
    '--validate',
    'npm test',
    '--validate',
    'npm run lint',
  ];
  const limits = ['--max-iterations', '4', '--max-review-cycles', '2'];
  const ran = await here.liza(['add-task', '--id', 'retry', ...DEFINED, ...flags, ...limits], planner);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/^[^\n]*retry[^\n]*\nRelease it with: liza finalize retry\n$/);
  expect(await here.task('retry')).toMatchObject({
    status: 'DRAFT',
    description: 'Retry',
    spec_ref: 'specs/auth.md#retry',
    done_when: 'a 503 is retried once',
    scope: 'IN: src/auth.ts',
    type: 'docs',
    priority: 2,
    depends_on: ['first', 'second'],
    validation: ['npm test', 'npm run lint'],
    max_iterations: 4,
    max_review_cycles: 2,
  });
});

test('add-task --ready releases it at once, and --json tells so', async () => {
  const ran = await here.liza(
    ['add-task', '--id', 'retry', ...DEFINED, '--validate', 'npm test', '--ready', '--json'],
    planner,
  );
  expect(ran.json).toMatchObject({ ok: true, code: 0, task: 'retry', status: 'UNCLAIMED', already: false, seq: 1 });
  expect((await here.state()).goal.status).toBe('IN_PROGRESS');
});

test('the same add-task again says already done and writes nothing', async () => {
  const argv = ['add-task', '--id', 'retry', ...DEFINED];
  await here.liza(argv, planner);
  const before = await here.state();
  const again = await here.liza(argv, planner);
  expect(again.code).toBe(0);
  expect(again.stdout).toMatch(/^already done: .*\n$/);
  expect(await here.state()).toBe(before);
});

test('amend changes only what it is given; --depends= empties the list', async () => {
  expect((await here.liza(['amend', 'second', '--priority', '1', '--depends='], planner)).code).toBe(0);
  expect(await here.task('second')).toMatchObject({
    priority: 1,
    depends_on: [],
    done_when: 'three 503s in a row still log in',
  });
  const nothing = await here.liza(['amend', 'second'], planner);
  expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to change') });
});

test('finalize asks the disk for the spec', async () => {
  expect((await here.liza(['finalize', 'first'], planner)).code).toBe(0);
  expect((await here.task('first')).status).toBe('UNCLAIMED');
  await here.liza(
    ['add-task', '--id', 'lost', '--spec', 'specs/none.md', '--done', 'x', '--scope', 'IN: src', '--validate', 'true'],
    planner,
  );
  const ran = await here.liza(['finalize', 'lost'], planner);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('specs/none.md');
  expect((await here.task('lost')).status).toBe('DRAFT');
});

test('plan done closes the scope', async () => {
  await here.liza(['finalize', 'first'], planner);
  expect((await here.liza(['plan', 'done'], planner)).code).toBe(0);
  expect((await here.state()).sprint.scope.closed_at).toBe('2026-03-01T12:00:00Z');
});

test('unblock carries the answer', async () => {
  const flags = [
    '--keep-worktree',
    '--reset-review-cycles',
    '--exclude',
    'coder-1',
    '--reserve',
    'coder-2',
    '--done',
    'five retries in a row',
  ];
  const ran = await here.liza(['unblock', 'stuck', ...flags, '--assessment', 'unclear spec'], planner);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(await here.task('stuck')).toMatchObject({
    status: 'UNCLAIMED',
    done_when: 'five retries in a row',
    keep_worktree: true,
    excluded_coders: ['coder-1'],
    reserved_for: 'coder-2',
  });
  expect((await here.liza(['unblock', 'stuck', '--exclude', 'somebody'], planner)).stderr).toContain('not an agent id');
});

test('supersede takes existing tasks and definitions as text, file or stdin', async () => {
  writeFileSync(here.file('new.json'), '{"id":"from-file","desc":"F","validate":["true"]}');
  const text = '{"id":"from-text","description":"T","spec_ref":"specs/auth.md","priority":1,"depends":["first"]}';
  const argv = ['supersede', 'stuck', '--root-cause', 'too big', '--replacement', 'second', '--define', text];
  const ran = await here.liza([...argv, '--define', '@new.json', '--define', '-'], {
    ...planner,
    stdin: '{"id":"from-stdin"}',
  });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(await here.task('stuck')).toMatchObject({
    status: 'SUPERSEDED',
    superseded_by: expect.arrayContaining(['second', 'from-text', 'from-file', 'from-stdin']),
  });
  expect(await here.task('from-text')).toMatchObject({
    status: 'DRAFT',
    description: 'T',
    priority: 1,
    depends_on: ['first'],
  });
  expect(await here.task('from-file')).toMatchObject({ description: 'F', validation: ['true'] });
});

test.each([
  ['{"id":"x"', /is not JSON/],
  ['[]', /not a JSON object/],
  ['{"desc":"no id"}', /has no id/],
  ['{"id":"../x"}', /is not a task id/],
  ['{"id":"x","colour":"red"}', /unknown field "colour"/],
  ['{"id":"x","__proto__":{"a":1}}', /unknown field "__proto__"/],
  ['{"id":"x","priority":"1"}', /priority must be a number/],
  ['{"id":"x","depends_on":"first"}', /depends_on must be a list/],
  ['{"id":"x","spec":"/etc/passwd"}', /no document of the project/],
  ['@none.json', /there is no file/],
])('supersede --define %s is refused', async (define, said) => {
  const before = await here.state();
  const ran = await here.liza(['supersede', 'stuck', '--root-cause', 'r', '--define', define], planner);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(said);
  expect(await here.state()).toBe(before);
});

test('supersede without a replacement names abandon', async () => {
  const ran = await here.liza(['supersede', 'stuck', '--root-cause', 'r'], planner);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('liza abandon') });
});

test('abandon ends a task for good', async () => {
  expect((await here.liza(['abandon', 'stuck', '--reason', 'no way'], planner)).code).toBe(0);
  expect((await here.task('stuck')).status).toBe('ABANDONED');
});

test('align adds to the goal’s history', async () => {
  await here.liza(['align', 'search', 'is', 'next', '--event', 'login merged'], planner);
  expect((await here.state()).goal.alignment_history).toMatchObject([
    { event: 'login merged', summary: 'search is next' },
  ]);
});

test('discoveries are listed, converted and dismissed', async () => {
  expect((await here.liza(['discovery', 'list'])).stdout).toBe('disc-1 high immediate no timeout\n');
  expect((await here.liza(['discovery', 'list', '--all'])).stdout).toContain('dismissed: known');
  expect((await here.liza(['discovery', 'convert', 'disc-1', 'second'], planner)).code).toBe(0);
  expect((await here.state()).discovered[0]?.converted_to_task).toBe('second');
  expect((await here.liza(['discovery', 'list', '--json'])).json).toMatchObject({ ok: true, discoveries: [] });
});

test('a dismissal needs a reason and keeps it', async () => {
  expect((await here.liza(['discovery', 'dismiss', 'disc-1'], planner)).stderr).toContain('needs --reason');
  expect((await here.liza(['discovery', 'dismiss', 'disc-1', '--reason', 'upstream'], planner)).code).toBe(0);
  expect((await here.state()).discovered[0]?.dismissed_reason).toBe('upstream');
});

test('a coder may not plan', async () => {
  const ran = await here.liza(['add-task', '--id', 'mine'], { as: 'coder-1' });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/^liza: add-task.* refused: it is for .*planner.*, not for coder-1.*\n {2}→ .+\n$/);
});
