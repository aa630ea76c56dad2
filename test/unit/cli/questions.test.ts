// ask and answer as they are typed, and where people see what is open.

import { beforeEach, expect, test } from 'vitest';
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
  expect(words.stderr).toContain('"the test account" is no question or task');
  expect(words.stderr).toContain('liza answer q-1 "…"');
  const path = await here.liza(['answer', '../state', 'x']);
  expect([path.code, (await questions()).length]).toEqual([1, 0]);
  expect((await here.liza(['answer'])).stderr).toContain('no question was named');
});

test('answer --accept closes every open question that has an assumption', async () => {
  await here.liza(['ask', 'How often?', '--assume', 'twice']);
  const ran = await here.liza(['answer', '--accept']);
  expect(ran.stdout).toContain('assumed as asked: q-2');
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
  expect(text).toContain('stuck is BLOCKED for it');
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
