// News reach a running session with the answer to its next command: once, never on stdout, and not lost by a crash. What
// it was refused is kept for the next session; once it has ended, nothing it says counts.

import { afterEach, describe, expect, test } from 'vitest';
import { type OpenSession, openSession } from '../../../src/identity/agent-sessions.ts';
import { toldWith } from '../../../src/protocol/messages/news.ts';
import type { Role } from '../../../src/protocol/state.ts';
import { lastRefusal, refusedIn } from '../../../src/store/refused-commands.ts';
import { readTold, writeTold } from '../../../src/store/session-news.ts';
import { openWakes, toldWakes, type Wake } from '../../../src/supervisor/rules/wakes.ts';
import { noticeSpecChanges } from '../../../src/tasks/notice-spec.ts';
import type { Ran, RunOptions } from '../../support/in-process.ts';
import { type Project, project, START } from '../../support/project.ts';

let p: Project;
let session: OpenSession;
afterEach(() => session?.over(START));

/** A session that begins now: its prompt says what is on the board. */
async function begins(agent = 'coder-1', role: Role = 'coder', task: string | undefined = 't'): Promise<void> {
  const opening = { agent, role, pid: process.pid, ...(task === undefined ? {} : { task, epoch: 1 }) };
  session = openSession(p.context, opening, START);
  writeTold(p.context, agent, { session: session.id, told: toldWith(await p.state(), { agent, role, task }) });
}

const says = (argv: readonly string[], options: RunOptions = {}, agent = 'coder-1'): Promise<Ran> =>
  p.liza(argv, { ...options, env: { LIZA_AGENT_ID: agent, LIZA_SESSION: session.credential } });

async function coding(): Promise<void> {
  p = project({ tasks: [{ id: 't', spec_ref: 'specs/vision.md#retry' }, 'u'] });
  await p.ok(['note', 'from before']);
  await p.claim('t');
  await begins();
}

test('an amendment after an answer is told to the coder at work once, and it plans again', async () => {
  await coding();
  await p.ok(['ask', 'How often?', '--task', 't', '--assume', 'three times']);
  await p.ok(['answer', 'q-1', 'five times']);
  await says(['status']);
  await p.ok(['amend', 't', '--done', 'each call is retried five times']);
  const { stderr } = await says(['show', 't']);
  expect(stderr).toMatch(/news: t was amended by .*, after the answer to q-1; it applies from now on/);
  expect(stderr).toContain('  | done_when + each call is retried five times');
  expect((await says(['show', 't'])).stderr).not.toContain('amended');
});

test('a goal does not end over an answer that its planner is only about to read', async () => {
  p = project({ tasks: ['t'] });
  await p.claim('t');
  await p.ok(['ask', 'How often?', '--assume', 'three times']);
  await begins('planner-1', 'planner', undefined);
  await p.ok(['answer', 'q-1', 'five times']);
  const first = await says(['goal', 'complete'], {}, 'planner-1');
  expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining('what came since your last command: q-1') });
  expect(first.stderr).toContain('A: five times');
  expect((await says(['goal', 'complete'], {}, 'planner-1')).stderr).toContain('not finished yet: t');
});

describe('what a person takes back by undo', () => {
  test('a corrected note has its own id and is told to the session that knows the first', async () => {
    await coding();
    await p.ok(['note', 'FIRST', '--for', 'coder-1']);
    expect((await says(['status'])).stderr).toContain('news: note-2');
    await p.ok(['undo']);
    expect((await p.ok(['note', 'SECOND', '--for', 'coder-1'])).stdout).toContain('note-3');
    expect((await says(['status'])).stderr).toMatch(/news: note-3 .*\n {2}\| SECOND/);
  });

  test('a corrected note wakes the planner whose session was told the first', async () => {
    p = project();
    await begins('planner-1', 'planner', undefined);
    await p.ok(['note', 'FIRST', '--for', 'planner']);
    await says(['status'], {}, 'planner-1');
    const { told } = readTold(p.context, 'planner-1', session.id);
    await p.ok(['undo']);
    await p.ok(['note', 'SECOND', '--for', 'planner']);
    const { board } = await p.store.read();
    const isNote = ({ trigger }: Wake): boolean => trigger === 'HUMAN_NOTE';
    expect(openWakes(board, START).filter(isNote)).toMatchObject([{ record: 'note-2' }]);
    expect(toldWakes(board, told, START).filter(isNote)).toEqual([]);
  });

  test('no question, discovery or anomaly has the id of one that is gone, and what is older can still be undone', async () => {
    await coding();
    await p.ok(['goal', 'edit', '--desc', 'Louder']);
    let firstAfter = 0;
    const ids = ['q', 'disc', 'anomaly'] as const;
    const make = [
      ['ask', 'How often?', '--assume', 'twice'],
      ['discover', 'no timeout', '--severity', 'low'],
      ['anomaly', '--type', 'spec_ambiguity', '--detail', 'what=whom'],
    ];
    for (const [nth, argv] of make.entries()) {
      await says(argv);
      const { json } = await p.ok(['undo', '--json']);
      firstAfter ||= Number(json['undone']);
      await says(argv);
      const { questions = [], discovered, anomalies } = await p.state();
      expect([...questions, ...discovered, ...anomalies].map(({ id }) => id)).toContain(`${ids[nth]}-2`);
    }
    await p.ok(['undo', String(firstAfter - 1)]);
    expect((await p.state()).goal).toMatchObject({ last_ids: { q: 2, disc: 2, anomaly: 2, note: 2 } });
    expect((await p.state()).goal.description).not.toBe('Louder');
  });

  test('an answer: who was told it hears that the question is open again, once, and then the next answer', async () => {
    await coding();
    await says(['ask', 'How often?', '--assume', 'three times']);
    await p.ok(['answer', 'q-1', 'five times']);
    expect((await says(['status'])).stderr).toContain('A: five times');
    await p.ok(['undo']);
    const { stderr } = await says(['status']);
    expect(stderr).toMatch(/news: q-1 is open again: its answer was withdrawn, .*:\n {2}\| Q: How often\?/);
    expect(stderr).toContain('  | Until there is a new answer: three times');
    expect((await says(['status'])).stderr).not.toContain('news');
    await p.ok(['answer', 'q-1', 'six times']);
    expect((await says(['status'])).stderr).toContain('A: six times');
  });

  test('an answer: a planner’s session is told once, and one that begins later is woken for the question again', async () => {
    await coding();
    await says(['ask', 'How often?', '--assume', 'three times']);
    const wakes = async () => openWakes((await p.store.read()).board, START).filter(({ record }) => record === 'q-1');
    const [asked] = await wakes();
    p.pass(1);
    await p.ok(['answer', 'q-1', 'five times']);
    session.over(START);
    await begins('planner-1', 'planner', undefined);
    await p.ok(['undo']);
    const { stderr } = await says(['status'], {}, 'planner-1');
    expect(stderr.match(/news: .*q-1/g)).toHaveLength(1);
    expect(stderr).toContain('q-1 is open again');
    const [again] = await wakes();
    expect(again).toMatchObject({ trigger: 'QUESTION_ASKED' });
    expect(again?.key).not.toBe(asked?.key);
  });
});

describe('a note', () => {
  test('is told with the next command, on stderr, and only once', async () => {
    await coding();
    await p.ok(['note', 'use the helper\nin src/http', '--for', 't']);
    const first = await says(['show', 't']);
    expect(first.stderr).toMatch(
      /^liza: news: note-2 from the person, for t, .*:\n {2}\| use the helper\n {2}\| in src\/http\n/m,
    );
    expect(first.stdout).not.toContain('news');
    expect(first.stderr).not.toContain('from before');
    expect((await says(['show', 't'])).stderr).not.toContain('news');
  });

  test('is `news` in --json, and stdout is one object', async () => {
    await coding();
    await p.ok(['note', 'hurry', '--for', 'coder-1']);
    const { json, stderr } = await says(['show', 't', '--json']);
    expect(json['news']).toMatchObject([{ kind: 'note', id: 'note-2', for: 'coder-1', text: 'hurry' }]);
    expect(stderr).toBe('');
  });

  test('comes with a refusal too, and not to those whom it is not for, nor to a person', async () => {
    await coding();
    await p.ok(['note', 'plan smaller', '--for', 'planner']);
    await p.ok(['note', 'go on', '--for', 'coder']);
    expect((await p.liza(['show', 't'])).stderr).toBe('');
    const refused = await says(['submit-for-review', 't', 'HEAD']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('note-3');
    expect(refused.stderr).not.toContain('plan smaller');
  });

  test('of two commands at the same moment only one tells it', async () => {
    await coding();
    await p.ok(['note', 'once', '--for', 't']);
    const both = await Promise.all([says(['show', 't']), says(['show', 't']), says(['status'])]);
    expect(both.filter(({ stderr }) => stderr.includes('| once'))).toHaveLength(1);
  });

  test('that was printed by nobody, because the command died, is told again', async () => {
    await coding();
    await p.ok(['note', 'not lost', '--for', 't']);
    const dies = () => {
      throw new Error('killed');
    };
    await expect(says(['show', 't'], { io: { stderr: dies } })).rejects.toThrow('killed');
    expect((await says(['show', 't'])).stderr).toContain('not lost');
  });

  test('written by hand above the others is told once, by one id; those that come after it have theirs', async () => {
    await coding();
    const text = p.read('.liza/state.yaml');
    p.write({ '.liza/state.yaml': text.replace(/^human_notes:\n/m, 'human_notes:\n  - message: by hand\n') });
    expect((await says(['status'])).stderr).toMatch(/news: note-2 .*\n {2}\| by hand/);
    await p.ok(['note', 'after hand']);
    const { stderr } = await says(['status']);
    expect(stderr).toMatch(/news: note-3 .*\n {2}\| after hand/);
    expect(stderr).not.toContain('by hand');
    await p.ok(['note', 'done', 'note-2']);
    const open = (await p.state()).human_notes.filter((one) => one.processed_at === undefined);
    expect(open.map(({ message }) => message).toSorted()).toEqual(['after hand', 'from before']);
  });

  test('keeps its secrets', async () => {
    await coding();
    await p.ok(['note', 'the key is sk-ant-REDACTED', '--for', 't']);
    expect((await says(['show', 't'])).stderr).toContain('the key is [redacted]');
  });

  test('without a word on what the prompt said, everything that is open is told', async () => {
    await coding();
    writeTold(p.context, 'coder-1', {
      session: 'another',
      told: { notes: ['note-1'], answers: [], specs: [], reports: [] },
    });
    expect((await says(['show', 't'])).stderr).toContain('from before');
  });
});

describe('an answer', () => {
  test('reaches the one who asked with its next command, once', async () => {
    await coding();
    expect((await says(['ask', 'How many retries?', '--task', 't', '--assume', 'three'])).code).toBe(0);
    await p.ok(['answer', 'q-1', 'five, with a pause']);
    const { stderr } = await says(['show', 't']);
    expect(stderr).toMatch(
      /news: q-1 is answered by human, .*:\n {2}\| Q: How many retries\?\n {2}\| A: five, with a pause \(assumed until then: three\)\n/,
    );
    expect((await says(['show', 't'])).stderr).toBe('');
  });

  test('an assumption that a person accepts is one, and a later answer is news again', async () => {
    await coding();
    await says(['ask', 'How many retries?', '--task', 't', '--assume', 'three']);
    await p.ok(['answer', 'q-1', '--accept']);
    const { stderr } = await says(['show', 't']);
    expect(stderr).toContain('news: q-1 is answered by human, as it was assumed');
    expect(stderr).toContain('| A: three');
    p.pass(1);
    await p.ok(['answer', 'q-1', 'five']);
    expect((await says(['show', 't'])).stderr).toContain('| A: five');
  });

  test('that came after the coder’s checkpoint says so, and how to record the plan again; one before it does not', async () => {
    await coding();
    await p.begin('t');
    const again = [
      'begin',
      't',
      '--intent',
      'five times',
      '--risks',
      'none',
      '--validation',
      'npm test: green',
      '--file',
      'a.js',
    ];
    expect((await says(again)).stderr).toContain('already has its checkpoint');
    await says(['ask', 'How many retries?', '--task', 't', '--assume', 'three']);
    p.pass(1);
    await p.ok(['answer', 'q-1', 'five']);
    const { stderr } = await says(['show', 't']);
    expect(stderr).toContain('Your checkpoint is older than this answer');
    expect(stderr).toContain('liza begin t --intent');
    expect((await says(again)).code).toBe(0);
    expect(await p.last('t', 'pre_execution_checkpoint')).toMatchObject({
      because: ['q-1'],
      checkpoint: { intent: 'five times' },
    });
    expect((await says([...again.slice(0, 3), 'six times', ...again.slice(4)])).stderr).toContain(
      'already has its checkpoint',
    );
  });

  test('tells a planner which tasks were built on the assumption', async () => {
    await coding();
    await begins('planner-1', 'planner', undefined);
    await says(['ask', 'How many retries?', '--task', 't', '--assume', 'three'], {}, 'planner-1');
    await p.ok(['answer', 'q-1', 'five']);
    const { stderr } = await says(['status'], {}, 'planner-1');
    expect(stderr).toContain('Built on the assumption: t (CLAIMED).');
    expect(stderr).toContain('liza add-task --because q-1');
  });

  test('does not come with the exit that ends the session: it is for the next one', async () => {
    await coding();
    await p.ok(['note', 'too late', '--for', 't']);
    expect((await says(['exit', '42', '--reason', 'out of time'])).stderr).not.toContain('too late');
    expect((await says(['show', 't'])).stderr).toContain('too late');
  });

  test('to a question of a task that its own depends on it is told', async () => {
    p = project({ tasks: ['u', { id: 't', depends_on: ['u'], spec_ref: 'specs/vision.md#retry' }] });
    await p.ok(['ask', 'Which colour?', '--task', 'u', '--assume', 'red']);
    await begins();
    await p.ok(['answer', 'q-1', 'blue']);
    expect((await says(['show', 't'])).stderr).toContain('| A: blue');
    expect((await says(['show', 't'])).stderr).toBe('');
  });

  test('to a question of another task it is not told', async () => {
    await coding();
    await p.ok(['ask', 'Which colour?', '--task', 'u', '--assume', 'red']);
    await p.ok(['answer', 'q-1', '--accept']);
    expect((await says(['show', 't'])).stderr).toBe('');
  });
});

describe('what coders and reviewers record while a planner’s session runs', () => {
  const asPlanner = (...argv: string[]) => says(argv, {}, 'planner-1');
  const planning = async (): Promise<void> => {
    p = project({ tasks: ['t', 'u'] });
    await p.claim('t');
    await p.run('coder-1', { name: 'discover', description: 'known before', severity: 'low' });
    await begins('planner-1', 'planner', undefined);
  };

  test('a question is told whole, once, with the commands that decide it', async () => {
    await planning();
    const text = `Is zero a number${' and so on'.repeat(200)}?`;
    await p.run('coder-1', { name: 'ask', task: 't', text, assume: 'it is one' });
    const { stderr, stdout } = await asPlanner('status', '--json');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).news).toMatchObject([{ kind: 'question', id: 'q-1', task: 't', assume: 'it is one' }]);
    expect((await asPlanner('status')).stderr).toBe('');
    await p.run('coder-1', { name: 'ask', task: 't', text: 'And one?', assume: 'too, by sk-ant-REDACTED' });
    const second = await asPlanner('status');
    expect(second.stderr).toMatch(
      /news: q-2 was asked by coder-1 on t, .*:\n {2}\| Q: And one\?\n {2}\| assumed: too, by \[redacted\]\n.*liza answer q-2 "…".*liza answer q-2 --accept.*leave it open/,
    );
    expect(second.stdout).not.toContain('news');
  });

  test('a task that is BLOCKED for a question is told with it', async () => {
    await planning();
    await p.run('coder-1', { name: 'block', task: 't', reason: 'two ways', questions: ['Which one?'] });
    const { stderr } = await asPlanner('status');
    expect(stderr).toMatch(/news: q-1 was asked by coder-1, and t is BLOCKED by it, .*:\n {2}\| Q: Which one\?/);
    expect(stderr).toContain('liza answer q-1 "…"; its coder continues with it');
    expect(stderr).not.toContain('--accept');
  });

  test('an answer that max_unblocks would refuse is not named to a planner: what works is', async () => {
    p = project({ tasks: ['t', 'u'], config: { max_unblocks: 1 } });
    await p.claim('t');
    await p.run('coder-1', { name: 'block', task: 't', reason: 'two ways', questions: ['Which way?'] });
    await p.ok(['answer', 'q-1', 'the first']);
    await p.claim('t');
    await begins('planner-1', 'planner', undefined);
    await p.run('coder-1', { name: 'block', task: 't', reason: 'two ways', questions: ['Which one?'] });
    const { stderr } = await asPlanner('status');
    expect(stderr).toMatch(/t was unblocked 1 time, and only a person may unblock it again \(max_unblocks\)/);
    expect(stderr).toContain('liza supersede t --root-cause');
    expect(stderr).not.toContain('liza answer');
    expect((await asPlanner('answer', 'q-2', 'the first')).code).toBe(1);
  });

  test('a discovery of any urgency is told once, with the commands that decide it; a long one with where the rest is', async () => {
    await planning();
    await p.run('coder-1', { name: 'discover', description: 'minus is dropped', severity: 'high', during: 't' });
    const { stderr } = await asPlanner('status');
    expect(stderr).toMatch(/news: disc-2, high, by coder-1 during t, .*:\n {2}\| minus is dropped\n/);
    expect(stderr).toContain('liza discovery convert disc-2 <task>');
    expect(stderr).toContain('liza discovery dismiss disc-2 --reason "…"');
    expect(stderr).not.toContain('known before');
    expect((await asPlanner('status')).stderr).toBe('');
    await p.run('coder-1', { name: 'discover', description: 'word '.repeat(900), severity: 'low' });
    const long = (await asPlanner('status')).stderr;
    expect(long.length).toBeLessThan(1500);
    expect(long).toContain('all of it: liza show disc-3');
  });

  test('a goal does not end over a discovery that its planner is only about to read', async () => {
    await planning();
    await p.run('coder-1', { name: 'discover', description: 'minus is dropped', severity: 'medium' });
    expect(await asPlanner('goal', 'complete')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('what came since your last command: disc-2'),
    });
    expect((await asPlanner('goal', 'complete')).stderr).toContain('not finished yet');
  });

  test('a planner’s own question is none, and coders are told of neither', async () => {
    await planning();
    await p.run('coder-1', { name: 'ask', task: 't', text: 'Is zero a number?', assume: 'it is one' });
    expect((await asPlanner('ask', 'Which colour?', '--assume', 'red')).stderr).toContain('q-1');
    expect((await asPlanner('status')).stderr).toBe('');
    await begins('coder-1', 'coder', 'u');
    await p.run('coder-2', { name: 'discover', description: 'minus is dropped', severity: 'high' });
    expect((await says(['status'])).stderr).toBe('');
  });
});

test('a change of its task’s spec is told, of another spec not; a planner hears of all', async () => {
  await coding();
  await p.ok(['spec-change', 'specs/vision.md', 'five retries, not three']);
  expect((await says(['show', 't'])).stderr).toMatch(/news: specs\/vision\.md changed, .*\n {2}\| five retries/);
  expect((await says(['show', 't'])).stderr).toBe('');
  await p.run(undefined, { name: 'spec-change', spec: 'specs/vision.md#other', change: 'another section' });
  expect((await says(['show', 't'])).stderr).toBe('');
  await begins('planner-1', 'planner', undefined);
  p.write({ 'specs/other.md': '# Other\n' });
  await p.ok(['spec-change', 'specs/other.md', 'a new part']);
  expect((await says(['status'], {}, 'planner-1')).stderr).toContain('a new part');
});

describe('a change of the section that its task comes from', () => {
  const text = (retry: string, other = 'Red.') => ({
    'specs/auth.md': `# Auth\n\n## Retry\n\n${retry}\n\n## Colour\n\n${other}\n`,
  });
  const FLAGS = [
    '--desc',
    'Do it',
    '--done',
    'it retries three times',
    '--scope',
    'IN: src/',
    '--validate',
    'test -d .',
  ];
  const notice = async () => {
    await noticeSpecChanges(p.as('coder-1'), await p.state());
  };

  async function codingRetry(): Promise<void> {
    p = project({ tasks: [] });
    p.write(text('Three tries.'));
    for (const [id, section] of [
      ['retry', '#retry'],
      ['colour', '#colour'],
      ['all', ''],
    ]) {
      await p.ok(['add-task', '--id', id ?? '', '--spec', `specs/auth.md${section}`, ...FLAGS, '--ready']);
    }
    await p.claim('retry');
  }

  test('is told as a difference to what the session has read, once', async () => {
    await codingRetry();
    p.write(text('Four tries.'));
    await notice();
    await begins('coder-1', 'coder', 'retry');
    expect((await says(['show', 'retry'])).stderr).toBe('');
    p.write(text('Five tries.'));
    await notice();
    const { stderr } = await says(['show', 'retry']);
    expect(stderr).toMatch(/news: specs\/auth\.md#retry changed, .*Since you last read it:/);
    expect(stderr).toContain('  | -Four tries.\n  | +Five tries.\n');
    expect(stderr.match(/news:/g)).toHaveLength(1);
    expect((await says(['show', 'retry'])).stderr).toBe('');
  });

  test('is noticed by the command of the one at work where no crew looks at the specs, and recorded', async () => {
    await codingRetry();
    await begins('coder-1', 'coder', 'retry');
    expect((await says(['show', 'retry'])).stderr).toBe('');
    p.write(text('Five tries.'));
    const { stderr } = await says(['show', 'retry']);
    expect(stderr).toContain('  | -Three tries.\n  | +Five tries.\n');
    expect((await says(['show', 'retry'])).stderr).toBe('');
    const changed = (await p.task('retry')).history?.filter(({ event }) => event === 'spec_changed');
    expect(changed).toHaveLength(1);
    session.over(START);
    await begins('planner-1', 'planner', undefined);
    p.write(text('Five tries.', 'Green.'));
    expect((await says(['status'], {}, 'planner-1')).stderr).toMatch(/news: specs\/auth\.md#colour changed/);
    expect((await says(['status'], {}, 'planner-1')).stderr).toBe('');
  });

  test('of another section nothing is told, and a planner hears which sections changed', async () => {
    await codingRetry();
    await begins('coder-1', 'coder', 'retry');
    p.write(text('Three tries.', 'Blue.'));
    await notice();
    expect((await says(['show', 'retry'])).stderr).toBe('');
    session.over(START);
    await begins('planner-1', 'planner', undefined);
    p.write(text('Three tries.', 'Green.'));
    await notice();
    const { stderr } = await says(['status'], {}, 'planner-1');
    expect(stderr).toMatch(
      /news: specs\/auth\.md#colour changed, .*; on it: colour \(UNCLAIMED\), all \(UNCLAIMED\)\n/,
    );
    expect(stderr).toContain('  | -Blue.\n  | +Green.\n');
    expect(stderr).not.toContain('#retry');
    expect((await says(['status'], {}, 'planner-1')).stderr).not.toContain('news');
  });

  const renamed = () => ({ 'specs/auth.md': text('Three tries.')['specs/auth.md'].replace('## Retry', '## Trying') });

  test('whose heading is renamed is told as gone, once, with nothing of other sections; a planner names the right one while it is claimed', async () => {
    await codingRetry();
    await begins('coder-1', 'coder', 'retry');
    p.write(renamed());
    const told = await noticeSpecChanges(p.as('coder-1'), await p.state());
    expect(told).toContain(
      'the heading of specs/auth.md#retry, which retry is based on, is gone: name the right one: liza amend retry --spec specs/auth.md#<heading>',
    );
    const { stderr } = await says(['show', 'retry']);
    expect(stderr).toMatch(
      /^liza: news: the heading of specs\/auth\.md#retry is gone from the file, .*; find where its text/,
    );
    expect(stderr).not.toMatch(/Red|Colour|Three/);
    expect((await says(['show', 'retry', '--spec'])).stdout).toMatch(
      /^the heading of specs\/auth\.md#retry is gone from the file; when retry was made it read:\n(?:.*\n)*.*Three/,
    );
    p.write({ 'specs/auth.md': renamed()['specs/auth.md'].replace('Red', 'Blue') });
    await notice();
    expect((await says(['show', 'retry'])).stderr).toBe('');
    await p.ok(['amend', 'retry', '--spec', 'specs/auth.md#trying']);
    const after = await says(['show', 'retry']);
    expect(after.stderr).toContain('because the heading of its spec is gone; it applies from now on');
    expect(after.stderr).toContain('  | spec_ref - specs/auth.md#retry\n  | spec_ref + specs/auth.md#trying\n');
    expect(after.stderr).toContain('  | -## Retry\n  | +## Trying\n');
    expect(after.stderr).not.toMatch(/Red|Blue|Colour/);
    expect((await says(['show', 'retry'])).stderr).toBe('');
  });

  test('whose heading comes back is told as the text that the session knows', async () => {
    await codingRetry();
    await begins('coder-1', 'coder', 'retry');
    p.write(renamed());
    await notice();
    await says(['show', 'retry']);
    p.write(text('Three tries.'));
    await notice();
    const { stderr } = await says(['show', 'retry']);
    expect(stderr).toMatch(/^liza: news: specs\/auth\.md#retry applies, .*; its text is as you know it\n$/);
  });

  test('that is long is cut, with the command that shows all of it', async () => {
    await codingRetry();
    await begins('coder-1', 'coder', 'retry');
    const lines = Array.from({ length: 90 }, (_, n) => `Rule ${n}.`).join('\n');
    p.write(text(lines));
    await notice();
    const { stderr } = await says(['show', 'retry']);
    expect(stderr).toContain('+Rule 3.');
    expect(stderr).not.toContain('+Rule 80.');
    expect(stderr).toMatch(/\(\d+ more lines; .*liza show retry --spec\)/);
    const { stdout } = await says(['show', 'retry', '--spec']);
    for (const n of [0, 80, 89]) expect(stdout).toContain(`+Rule ${n}.`);
  });
});

test('what stood in the prompt is not told again: an answer, what a person said of a spec', async () => {
  p = project({ tasks: [{ id: 't', spec_ref: 'specs/vision.md#retry' }] });
  await p.ok(['ask', 'How many?', '--task', 't', '--assume', 'three']);
  await p.ok(['answer', 'q-1', 'five']);
  await p.ok(['spec-change', 'specs/vision.md#retry', 'five tries']);
  await p.claim('t');
  await begins();
  expect((await says(['show', 't'])).stderr).toBe('');
});

describe('a task that a person takes away by replan', () => {
  test('its coder is told with its next command, once, where the work stays and how to stop', async () => {
    await coding();
    const { stdout } = await p.ok(['replan', 't', '--reason', 'the vendor changed the API']);
    expect(stdout).toContain('coder-1 is stopped, and told why with its next command');
    expect(stdout).toMatch(/The work stays in \S+t\b.*liza unblock t --keep-worktree.*liza attempts t/);
    const { stderr } = await says(['show', 't']);
    expect(stderr).toMatch(/news: t is BLOCKED by human, .*does not count as your failure/);
    expect(stderr).toContain('  | human override: the vendor changed the API');
    expect(stderr).toMatch(/Your commits and files stay in \S+/);
    expect(stderr).toContain('Stop now: liza exit 42');
    expect((await says(['show', 't'])).stderr).not.toContain('BLOCKED by');
  });

  test('a coder that blocks its task by itself is told nothing', async () => {
    await coding();
    const asked = await says(['block', 't', '--reason', 'two ways', '--question', 'Which one?']);
    expect(asked.stderr).not.toContain('BLOCKED by');
  });
});

test('a moved integration branch is told with its files, to a coder only', async () => {
  p = project();
  await p.accepted({ 'src/old.ts': '1\n' });
  await p.claim('t');
  await begins();
  const head = await p.accepted({ 'src/new.ts': '1\n', 'src/other.ts': '2\n' });
  const { stderr } = await says(['show', 't']);
  expect(stderr).toContain(`news: integration moved to ${head.slice(0, 12)}: src/new.ts, src/other.ts;`);
  expect((await says(['show', 't'])).stderr).toBe('');
  p.commit({ 'src/mine.ts': '1\n' });
  await p.ok(['sync', 'main']);
  expect((await says(['show', 't'])).stderr).toContain(
    `news: integration moved to ${p.head().slice(0, 12)}: src/mine.ts;`,
  );
  await begins('planner-1', 'planner', undefined);
  await p.accepted({ 'src/third.ts': '1\n' });
  expect((await says(['status'], {}, 'planner-1')).stderr).toBe('');
});

describe('what a session was refused', () => {
  test('is kept for the next one: the last five and how many more, each once, redacted', async () => {
    await coding();
    await says(['submit-for-review', 't', 'HEAD']);
    await says(['submit-for-review', 't', 'HEAD']);
    await says(['begin', 't', '--intent', 'x']);
    await says(['nonsense-sk-ant-REDACTED']);
    const kept = refusedIn(p.context, 'coder-1', session.id);
    expect(kept).toHaveLength(3);
    expect(kept[0]).toMatch(/^liza submit-for-review: .* → .*\(2 times\)$/);
    expect(kept[1]).toMatch(/^liza begin: /);
    expect(kept.join()).not.toContain('sk-ant-api03');
    for (const task of ['a', 'b', 'c', 'd', 'e', 'f']) await says(['show', task]);
    const [more, ...last] = refusedIn(p.context, 'coder-1', session.id);
    expect(more).toBe('(4 more before these)');
    expect(last).toHaveLength(5);
    expect(last.at(-1)).toMatch(/^liza show: /);
    expect(lastRefusal(p.context, 'coder-1', session.id)?.fact).toMatch(/\bf\b/);
  });

  test('nothing of a person’s, nor of a credential that is none', async () => {
    await coding();
    await p.liza(['submit-for-review', 't', 'HEAD']);
    await p.liza(['submit-for-review', 't', 'HEAD'], { env: { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: 'made-up' } });
    expect(refusedIn(p.context, 'coder-1', session.id)).toEqual([]);
  });
});

test('a session that is being ended is refused at once, and is told so', async () => {
  await coding();
  await p.ok(['note', 'too late', '--for', 't']);
  session.ending(START);
  const late = await says(['discover', 'x', '--severity', 'low']);
  expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('this session of coder-1 has ended') });
  expect(late.stderr).toContain('Stop now');
  expect(late.stderr).not.toContain('too late');
  expect((await p.state()).discovered).toEqual([]);
});
