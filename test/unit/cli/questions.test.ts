// ask and answer as they are typed, and where people see what is open.

import { beforeEach, describe, expect, test } from 'vitest';
import { aBlocked, aClaim, agents, aTask, type Project, project } from './fixtures.ts';

const LONG = `Which of the accounts may the tests use, ${'and why, '.repeat(40)}and until when?`;

let here: Project;
beforeEach(() => {
  here = project({
    agents: agents({ coder: 'live' }),
    tasks: [
      aClaim('live'),
      aBlocked('stuck', {
        worktree: '.worktrees/stuck',
        blocked_questions: [LONG],
        history: [{ time: '2026-03-01T11:30:00Z', event: 'blocked', agent: 'coder-2' }],
      }),
      aTask('plan'),
    ],
  });
});

const questions = async () => (await here.state()).questions ?? [];

test('ask prints the id that it made, also when it was asked before', async () => {
  const ran = await here.liza(['ask', 'How', 'often?', '--assume', 'twice', '--spec', 'specs/auth.md#retry']);
  expect([ran.code, ran.stdout]).toEqual([0, 'question q-2 asked\n']);
  const again = await here.liza(['ask', 'How often?', '--assume', 'twice', '--spec', 'specs/auth.md#retry']);
  expect(again.stdout).toContain('q-2');
  const json = await here.liza(['ask', 'How long?', '--task', 'plan', '--json']);
  expect(json.json).toMatchObject({ ok: true, question: 'q-3' });
  expect(await questions()).toMatchObject([
    { id: 'q-1', task: 'stuck', text: LONG, asked_by: 'coder-2' },
    { id: 'q-2', text: 'How often?', assume: 'twice', spec_ref: 'specs/auth.md#retry', asked_by: 'human' },
    { id: 'q-3', text: 'How long?', task: 'plan' },
  ]);
});

test('ask reads a long question from stdin', async () => {
  await here.liza(['ask', '-', '--assume', 'yes'], { stdin: 'first line\nsecond line\n' });
  expect((await questions()).at(-1)?.text).toBe('first line\nsecond line');
});

test('answer frees a blocked task in one step, by its question or by its id', async () => {
  const ran = await here.liza(['answer', 'q-1', 'the', 'test', 'account']);
  expect([ran.code, ran.stdout]).toEqual([0, 'q-1 answered; stuck unblocked, reserved for coder-2\n']);
  expect(await here.task('stuck')).toMatchObject({
    status: 'UNCLAIMED',
    keep_worktree: true,
    reserved_for: 'coder-2',
  });
  const shown = await here.liza(['show', 'stuck']);
  expect(shown.stdout).toContain('A the test account');
  const json = await here.liza(['show', 'stuck', '--json']);
  expect(json.json).toMatchObject({ questions: [{ id: 'q-1', status: 'answered', answer: 'the test account' }] });
});

test('answer needs a name first, and says what is open', async () => {
  const words = await here.liza(['answer', 'the test account']);
  expect(words.code).toBe(1);
  expect(words.stderr).toContain('"the test account" is not a question or task');
  expect(words.stderr).toContain('liza answer q-1 "…"');
  const path = await here.liza(['answer', '../state', 'x']);
  expect([path.code, (await questions()).length]).toEqual([1, 0]);
  expect((await here.liza(['answer'])).stderr).toContain('no question was named');
});

test('answer --accept closes every open question that has an assumption', async () => {
  await here.liza(['ask', 'How often?', '--assume', 'twice']);
  const ran = await here.liza(['answer', '--accept']);
  expect(ran.stdout).toContain('accepted as assumed: q-2');
  expect((await questions()).map(({ status }) => status)).toEqual(['open', 'assumed']);
});

test('answer --criterion makes the answer part of done_when', async () => {
  await here.liza(['answer', 'stuck', 'only the test account is used', '--criterion']);
  expect((await here.task('stuck'))?.done_when).toBe(
    '- three 503s in a row still log in\n- only the test account is used',
  );
});

test('status shows open questions first and whole, with the command that answers', async () => {
  const { stdout } = await here.liza(['status']);
  const at = (text: string) => stdout.indexOf(text);
  expect(at('Open questions')).toBeGreaterThan(0);
  expect(at('Open questions')).toBeLessThan(at('CLAIMED'));
  expect(at('liza answer q-1')).toBeLessThan(at('CLAIMED'));
  const text = stdout.replace(/\s+/g, ' ');
  expect(text).toContain(`? ${LONG}`);
  expect(text).toContain('stuck is BLOCKED by it');
  const json = await here.liza(['status', '--json']);
  expect(json.json).toMatchObject({ questions: [{ id: 'q-1', askedBy: 'coder-2', blocks: true, text: LONG }] });
});

test('the summary of a checkpoint begins with what waits for an answer', async () => {
  await here.liza(['ask', 'How often?', '--assume', 'twice']);
  const { stdout } = await here.liza(['checkpoint']);
  const file = /\.liza\/checkpoints\/\S+\.md/.exec(stdout)?.[0] ?? '';
  const text = here.read(file);
  const decisions = text.slice(text.indexOf('## Decisions'), text.indexOf('## Metrics'));
  expect(decisions).toMatch(/1\. stuck is BLOCKED/);
  expect(decisions).toContain(LONG);
  expect(decisions).toContain('2. q-2, human asks: How often? Meanwhile: twice `liza answer q-2 "…"`');
});

test('add-task --because names the question behind a task', async () => {
  await here.liza(['ask', 'How often?', '--assume', 'twice']);
  const ran = await here.liza(['add-task', '--id', 'undo', '--because', 'q-2', '--desc', 'x']);
  expect(ran.code).toBe(0);
  expect(await here.task('undo')).toMatchObject({ because: 'q-2' });
  expect((await here.liza(['add-task', '--id', 'other', '--because', 'q-9'])).stderr).toContain('no question q-9');
});

describe('show of one record', () => {
  const shown = async (id: string) => (await here.liza(['show', id])).stdout;

  test('tells a question whole, with its answer and what it concerns', async () => {
    await here.liza(['ask', LONG, '--task', 'plan', '--assume', 'the first\nand the last']);
    await here.liza(['answer', 'q-2', 'none of them']);
    const text = await shown('q-2');
    expect(text).toContain(`q-2  answered  asked by human on plan`);
    expect(text).toContain(`Question:\n  ${LONG}\n`);
    expect(text).toContain('Continues with:\n  the first\n  and the last\n');
    expect(text).toContain('Answer:\n  none of them\n');
    expect(text).toContain('Concerns plan (DRAFT)');
    expect((await here.liza(['show', 'q-2', '--json'])).json).toMatchObject({ question: { answer: 'none of them' } });
  });

  test('tells a discovery, an anomaly and a note whole, closed ones too', async () => {
    const coder = { env: { LIZA_AGENT_ID: 'coder-1' } };
    expect((await here.liza(['discover', LONG, '--severity', 'low', '--recommendation', LONG], coder)).code).toBe(0);
    await here.liza(['discovery', 'dismiss', 'disc-1', '--reason', 'fixed upstream']);
    expect(await shown('disc-1')).toContain(`dismissed`);
    expect(await shown('disc-1')).toContain(`Found:\n  ${LONG}\nRecommends:\n  ${LONG}\nDismissed:\n  fixed upstream`);
    await here.liza(['anomaly', '--type', 'spec_gap', '--task', 'plan', '--detail', `what=${LONG}`]);
    await here.liza(['anomaly', 'processed', 'anomaly-1', '--why', 'plan says it now']);
    const anomaly = await shown('anomaly-1');
    expect(anomaly).toContain('anomaly-1 spec_gap  processed  by human on plan');
    expect(anomaly).toContain(`what:\n  ${LONG}`);
    expect(anomaly).toContain('Why:\n  plan says it now');
    await here.liza(['note', LONG, '--for', 'plan']);
    expect(await shown('note-1')).toContain(`note-1  open  for plan`);
    expect(await shown('note-1')).toContain(`Note:\n  ${LONG}`);
  });

  test('of an id that is none says where the others are', async () => {
    expect(await here.liza(['show', 'q-9'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/there is no question "q-9"[\s\S]*liza question list --all/),
    });
    expect((await here.liza(['show', 'constructor'])).stderr).toContain('there is no task constructor');
  });
});

test('question list and anomaly list show what is open, and with --all the rest', async () => {
  await here.liza(['ask', 'How often?', '--task', 'plan', '--assume', 'twice']);
  await here.liza(['answer', 'q-2', '--accept']);
  const open = await here.liza(['question', 'list']);
  expect(open.stdout).toContain(`q-1  coder-2 on stuck: ${LONG}\n  not answered yet`);
  expect(open.stdout).not.toContain('q-2');
  expect((await here.liza(['question', 'list', '--all'])).stdout).toContain(
    'q-2  human on plan: How often?\n  A twice (assumed by human, accepted by human)',
  );
  await here.liza(['answer', 'stuck', 'the first']);
  expect((await here.liza(['question', 'list'])).stdout).toBe(
    'No open questions; 2 closed: liza question list --all\n',
  );
  await here.liza(['anomaly', '--type', 'spec_gap', '--task', 'plan', '--detail', `what=${LONG}`]);
  expect((await here.liza(['anomaly', 'list'])).stdout).toContain(`what:\n  ${LONG}`);
  await here.liza(['anomaly', 'processed', 'anomaly-1']);
  expect((await here.liza(['anomaly', 'list'])).stdout).toBe('No open anomalies.\n');
  expect((await here.liza(['anomaly', 'list', '--all'])).stdout).toContain('anomaly-1 spec_gap  processed');
});

test.each([
  ['a person', undefined, ['liza answer q-1', 'liza answer q-2', 'liza answer q-3']],
  ['the planner', 'planner-1', ['liza answer q-1', 'liza answer q-2', 'liza ask --withdraw q-3 --reason']],
  ['the coder that asked', 'coder-1', ['liza ask --withdraw q-2 --reason']],
  ['the coder whose task is blocked for it', 'coder-2', []],
  ['a reviewer', 'code-reviewer-1', []],
])('status shows %s only what it can do about a question', async (_who, reader, commands) => {
  await here.liza(['ask', 'How often?', '--assume', 'twice'], { as: 'coder-1' });
  await here.liza(['ask', 'How long?', '--assume', 'a day'], { as: 'planner-1' });
  const { stdout } = await here.liza(['status'], reader === undefined ? {} : { env: { LIZA_AGENT_ID: reader } });
  expect(stdout).toContain('? How often?');
  const shown = [...stdout.matchAll(/^ +(liza (?:answer|ask).*?) "/gm)].map(([, command]) => command);
  expect(shown).toEqual(commands);
});

describe('unblock of a task that somebody asked about', () => {
  const asks = () =>
    project({
      agents: agents(),
      tasks: [aBlocked('one', { assigned_to: 'coder-1', blocked_questions: ['How  many?'] })],
      questions: [{ id: 'q-1', asked_by: 'coder-1', task: 'one', text: 'How  many?', status: 'open' }],
    });

  test('without an answer and a terminal it is refused with the question and the mend', async () => {
    const p = asks();
    const ran = await p.liza(['unblock', 'one']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/one waits for an answer: q-1 “How +many\?”\n {2}→ .*liza answer q-1 "…"/);
    expect(await p.task('one')).toMatchObject({ status: 'BLOCKED' });
  });

  test('an answer on the command line is recorded and frees it', async () => {
    const p = asks();
    expect((await p.liza(['unblock', 'one', 'three', 'times'])).code).toBe(0);
    expect(await p.task('one')).toMatchObject({ status: 'UNCLAIMED' });
    expect((await p.state()).questions).toMatchObject([{ status: 'answered', answer: 'three times' }]);
  });

  test('on a terminal it asks for the answer, again where none is given', async () => {
    const p = asks();
    const answers = ['', 'three times'];
    const said: string[] = [];
    const dialogue = { say: (text: string) => void said.push(text), ask: async () => answers.shift(), close: () => {} };
    const ran = await p.liza(['unblock', 'one'], { io: { openDialogue: async () => dialogue } });
    expect(ran.code).toBe(0);
    expect(said[0]).toContain('q-1, coder-1 asks: How  many?');
    expect((await p.state()).questions).toMatchObject([{ status: 'answered', answer: 'three times' }]);
    expect(await p.task('one')).toMatchObject({ status: 'UNCLAIMED' });
  });

  test('a changed definition is an answer too', async () => {
    const p = asks();
    expect((await p.liza(['unblock', 'one', '--add-done', 'after `npm test -- three` it gives up'])).code).toBe(0);
    expect(await p.task('one')).toMatchObject({ status: 'UNCLAIMED' });
  });

  const planner = { env: { LIZA_AGENT_ID: 'planner-1' } };
  const inOneStep = ['unblock', 'one', 'three times', '--type', 'docs', '--scope', 'IN: docs', '--add-done'];
  const criterion = 'after `npm test -- three` it gives up';

  test.each([
    ['a person', {}],
    ['the planner', planner],
  ])('%s answers and redefines it in one step', async (_who, by) => {
    const p = asks();
    const ran = await p.liza([...inOneStep, criterion], by);
    expect([ran.code, ran.stdout]).toEqual([0, 'q-1 answered; one unblocked, reserved for coder-1\n']);
    const task = await p.task('one');
    expect(task).toMatchObject({ status: 'UNCLAIMED', type: 'docs', scope: 'IN: docs', reserved_for: 'coder-1' });
    expect(task?.done_when).toContain(criterion);
    expect((await p.state()).questions).toMatchObject([{ status: 'answered', answer: 'three times' }]);
  });

  test('two coders failed it: the planner’s answer alone is refused with the one command that does it', async () => {
    const p = project({
      agents: agents(),
      tasks: [
        aBlocked('one', {
          assigned_to: 'coder-1',
          blocked_questions: ['How many?'],
          failures_current: ['coder-1', 'coder-2'],
          failed_by: ['coder-1', 'coder-2'],
        }),
      ],
      questions: [{ id: 'q-1', asked_by: 'coder-1', task: 'one', text: 'How many?', status: 'open' }],
    });
    const alone = await p.liza(['answer', 'one', 'three times'], planner);
    expect([alone.code, alone.stderr]).toEqual([
      1,
      expect.stringContaining('liza unblock one "<answer>" --replace-done'),
    ]);
    const ran = await p.liza(
      ['unblock', 'one', 'three times', '--exclude', 'coder-1', '--add-done', criterion],
      planner,
    );
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(await p.task('one')).toMatchObject({
      status: 'UNCLAIMED',
      failures_current: [],
      excluded_coders: ['coder-1'],
    });
    expect((await p.state()).questions).toMatchObject([{ status: 'answered', answer: 'three times' }]);
  });

  test('the same step again says that it was done already', async () => {
    const p = asks();
    await p.liza([...inOneStep.slice(0, -1)], planner);
    const again = await p.liza([...inOneStep.slice(0, -1)], planner);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('already')]);
  });

  test('a task that is not blocked keeps its definition, and the answer is refused with the way on', async () => {
    const p = project({
      agents: agents({ coder: 'one' }),
      tasks: [aClaim('one')],
      questions: [{ id: 'q-1', asked_by: 'coder-1', task: 'one', text: 'How many?', status: 'open' }],
    });
    const ran = await p.liza(inOneStep.slice(0, -1), planner);
    expect([ran.code, ran.stderr]).toEqual([
      1,
      expect.stringMatching(/one is CLAIMED, not BLOCKED.*\n.*liza answer one "…"/),
    ]);
    expect((await p.state()).questions).toMatchObject([{ status: 'open' }]);
  });
});

describe('a task that Liza stopped at a limit', () => {
  const stopped = () =>
    project({
      agents: agents(),
      tasks: [
        aBlocked('idle', {
          worktree: '.worktrees/idle',
          blocked_reason: 'spin: 3 sessions in a row changed nothing',
          blocked_questions: ['Is the task possible as it is written, and what should its coder know?'],
          history: [{ time: '2026-03-01T11:30:00Z', event: 'limit', agent: 'coder-1' }],
        }),
      ],
    });
  const WAYS = ['liza answer idle "…"', 'liza unblock idle --keep-worktree', 'liza unblock idle --start-over'];

  test('status and show name every way on, and what follows', async () => {
    const p = stopped();
    for (const argv of [['status'], ['show', 'idle']]) {
      const { stdout } = await p.liza(argv);
      for (const line of WAYS) expect(stdout).toContain(line);
      expect(stdout.replace(/\s+/g, ' ')).toContain(
        '(its next coder starts over; liza attempts idle then shows the work so far)',
      );
    }
    expect((await p.liza(['status'])).stdout).toContain('other ways: liza show idle');
  });

  test.each([
    [['--start-over'], undefined],
    [['--keep-worktree'], true],
    [[], undefined],
  ])('unblock %s does what the help says', async (flags, kept) => {
    const p = stopped();
    const ran = await p.liza(['unblock', 'idle', ...flags]);
    expect(ran.code).toBe(0);
    expect(ran.stdout.includes('Its next coder starts over. The work so far stays in .worktrees/idle')).toBe(!kept);
    expect((await p.task('idle')).keep_worktree).toBe(kept);
  });

  test('--start-over keeps nothing, so it comes neither with an answer nor with --keep-worktree', async () => {
    const p = stopped();
    const both = await p.liza(['unblock', 'idle', '--start-over', '--keep-worktree']);
    expect([both.code, both.stderr]).toEqual([1, expect.stringContaining('leave one of them out')]);
    const told = await p.liza(['unblock', 'idle', 'use the stub', '--start-over']);
    expect([told.code, told.stderr]).toEqual([1, expect.stringContaining('liza note "…" --for idle')]);
    expect((await p.task('idle')).status).toBe('BLOCKED');
  });

  test('--from-scratch is answered with the option that does it', async () => {
    expect((await stopped().liza(['unblock', 'idle', '--from-scratch'])).stderr).toContain('--start-over');
  });
});
