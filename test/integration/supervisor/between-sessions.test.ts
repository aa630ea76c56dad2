// From one session to the next, under a real supervisor: what was interrupted is told, a plan stays open until it is
// closed, nothing starts into a switch that is on, and a full context is noticed without the provider's help.

import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { toldWith } from '../../../src/protocol/messages/news.ts';
import { noteRefused } from '../../../src/store/refused-commands.ts';
import { writeTold } from '../../../src/store/session-news.ts';
import { progressCount } from '../../../src/supervisor/rules/progress.ts';
import { type Project, succeeded } from '../../support/project.ts';
import { addReady } from '../../unit/protocol/world.ts';
import { open, type Part, r } from './harness.ts';

const member = (id = 'coder-1') =>
  r()
    .crew.view()
    .members.find((one) => one.agent === id);
const agent = async (id = 'coder-1') => (await r().p.state()).agents[id];
const declare = (code: number, id: string) => r().p.run(id, { name: 'exit', code });
const restarts = async (ms: number): Promise<void> => {
  await r().until('the pause', () => member('planner-1')?.state === 'backing-off');
  await r().until(`a restart in ${ms}`, () => r().clock.sleeping().includes(ms));
  r().clock.advance(ms);
};
/** A planner has begun: its own task is there, and the plan is not closed. */
const planned = async (p: Project): Promise<void> => {
  await p.run('planner-1', addReady('a', { validation: ['npm test'] }));
};
/** As the agent's own command does. */
async function isRefused(id: string, name: string, fact: string, hint: string): Promise<void> {
  await r().until('its record', () => fs.existsSync(r().p.file('.liza/agents', `${id}.session`)));
  const record = JSON.parse(fs.readFileSync(r().p.file('.liza/agents', `${id}.session`), 'utf8'));
  const done = progressCount({ state: await r().p.state() }, id);
  const text = `liza ${name}: ${fact} → ${hint}`;
  noteRefused(r().p.context, id, { session: record.hash.slice(0, 12), text, fact, done });
}

describe('a planner that is interrupted before plan done', () => {
  test('the next session is told how it ended, what it was refused and what is open', async () => {
    const first: Part = {
      act: () => isRefused('planner-1', 'finalize', 'b has no done_when', 'amend it'),
      end: 'kill -9 $$',
    };
    await open({ tasks: [], agents: ['planner-1'], parts: { 'planner-1': [first, {}] }, furnish: planned });
    await restarts(5000);
    await r().until('the next', () => r().started.length === 2);
    const prompt = r().started[1]?.prompt ?? '';
    expect(prompt).toContain('WAKE TRIGGER: INITIAL_PLANNING');
    expect(prompt).toMatch(/=== LAST SESSION ===\nYours, .*: ended by SIGKILL/);
    expect(prompt).toContain('| - liza finalize: b has no done_when → amend it');
    expect(prompt).toContain('`liza plan done` was not run');
  });

  test('it is called twice; then a person is asked, and it is not called for that again', async () => {
    const leaves: Part = { act: () => declare(0, 'planner-1'), end: 'exit 0' };
    await open({ tasks: [], agents: ['planner-1'], parts: { 'planner-1': [leaves] }, furnish: planned });
    await r().until('twice', async () => (await agent('planner-1'))?.handled?.length === 2);
    await r().until('idle', () => member('planner-1')?.state === 'idle');
    await r()
      .p.ok(['watch', '--once'])
      .catch(() => {}); // an alarm is on: it ends with 1
    const told = await r().p.liza(['status']);
    expect(told.stdout).toContain('PLAN NOT CLOSED');
    expect(r().started).toHaveLength(2);
    await r().p.run(undefined, { name: 'note', message: 'close it', for: 'planner' });
    await r().until('a third, for the note', () => r().started.length === 3);
    expect(r().started[2]?.prompt).toContain('WAKE TRIGGER: HUMAN_NOTE (note-1)');
    expect(r().started[2]?.prompt).not.toContain('WAKE TRIGGER: INITIAL_PLANNING');
  });
});

test('a planner that gave up is called afresh, once, when every task has ended since', async () => {
  const nothing: Part = { end: 'exit 0' };
  const agents = ['planner-1', 'code-reviewer-1'];
  await open({ tasks: [], agents, parts: { 'planner-1': [nothing] }, furnish: planned });
  const givesUp = async (sessions: number): Promise<void> => {
    await restarts(2000);
    await restarts(2000);
    await r().until('it gave up', () => member('planner-1')?.state === 'stopped');
    expect(r().started.filter((one) => one.agent === 'planner-1')).toHaveLength(sessions);
  };
  await givesUp(3);
  expect((await r().p.liza(['status'])).stdout).toMatch(/planner-1 +STOPPED +gave up: its sessions changed nothing/);
  await r().p.run(undefined, { name: 'abandon', task: 'a', rationale: 'not needed' });
  await r().until('a fresh one', () => r().started.filter((one) => one.agent === 'planner-1').length === 4);
  expect(r().started.at(-1)?.prompt).toContain('WAKE TRIGGER: ALL_TERMINAL');
  await givesUp(6);
});

describe('a session that ends with its work undone', () => {
  const ends = () =>
    r()
      .said()
      .find((text) => text.startsWith('session ended'));

  test('a planner that planned nothing: the line says so, with what it was refused; the log and the wait, too', async () => {
    const known = 'add-task a refused: there is a task a already (MERGED)';
    const first: Part = { act: () => isRefused('planner-1', 'add-task', known, 'take another id'), end: 'exit 0' };
    await open({ tasks: [], agents: ['planner-1'], parts: { 'planner-1': [first, {}] }, furnish: planned });
    await r().until('the pause', () => member('planner-1')?.state === 'backing-off');
    expect(ends()).toMatch(
      /^session ended: exit 0 after \d+s; nothing was changed: add-task a refused: there is a task a/,
    );
    expect(member('planner-1')?.why).toContain(known);
    expect((await r().p.liza(['log'])).stdout).toContain(`nothing was changed: ${known}`);
  });

  test('a reviewer that was refused its verdict and ends: none was given, and why', async () => {
    const refused = 'submit-verdict t refused: CHECKPOINT is on';
    const judges: Part = {
      act: async () => {
        await isRefused('code-reviewer-1', 'submit-verdict', refused, 'handoff stays open');
        await r().p.run('code-reviewer-1', { name: 'exit', code: 42, reason: 'my part is over' });
      },
      end: 'exit 0',
    };
    await open({
      agents: ['code-reviewer-1'],
      parts: { 'code-reviewer-1': [judges, {}] },
      furnish: async (p) => {
        await p.begun('t');
        await p.submit('t', p.work('t'));
      },
    });
    await r().until('its end', () => ends() !== undefined);
    expect(ends()).toMatch(
      /^session ended: "my part is over" after \d+s; no verdict was given: submit-verdict t refused/,
    );
  });

  test('one that did its work: its word alone, without the number', async () => {
    const plans: Part = {
      act: async () => {
        await isRefused('planner-1', 'plan done', 'nothing is planned', 'plan');
        await r().p.run('planner-1', addReady('b', { validation: ['npm test'] }));
        await r().p.run('planner-1', { name: 'exit', code: 0, reason: 'planned' });
      },
      end: 'exit 0',
    };
    await open({ tasks: [], agents: ['planner-1'], parts: { 'planner-1': [plans, {}] }, furnish: planned });
    await r().until('its end', () => ends() !== undefined);
    expect(ends()).toMatch(/^session ended: "planned" after \d+s$/);
  });
});

const inSession = () => r().until('its record', () => fs.existsSync(r().p.file('.liza/agents/planner-1.session')));
/** As the next command of the agent does, which brings the news. */
const hears = async () => {
  const record = JSON.parse(fs.readFileSync(r().p.file('.liza/agents/planner-1.session'), 'utf8'));
  const told = toldWith(await r().p.state(), { agent: 'planner-1', role: 'planner' });
  writeTold(r().p.context, 'planner-1', { session: record.hash.slice(0, 12), told });
};

describe('a coder asks and finds while a planner’s session runs', () => {
  const question = { name: 'ask', task: 't', text: 'Is zero a number?', assume: 'it is one' } as const;
  const discovery = {
    name: 'discover',
    description: 'minus is dropped',
    severity: 'high',
    urgency: 'immediate',
  } as const;

  test.each([
    ['what it was told and decided wakes no second session', 'decides', 1],
    [
      'a question that it leaves to a person does not either, a high discovery that it leaves undecided does',
      'hears',
      2,
    ],
    ['what it was not told does', 'nothing', 2],
  ] as const)('%s', async (_, does, sessions) => {
    const plans: Part = {
      act: async () => {
        await inSession();
        await r().p.run('coder-1', question);
        await r().p.run('coder-1', discovery);
        if (does !== 'nothing') await hears();
        if (does === 'decides') {
          await r().p.run('planner-1', { name: 'answer', about: 'q-1', text: 'it is one', facts: {} });
          await r().p.run('planner-1', { name: 'discovery dismiss', discovery: 'disc-1', reason: 'known already' });
        }
        await declare(0, 'planner-1');
      },
      end: 'exit 0',
    };
    await open({
      agents: ['planner-1'],
      parts: { 'planner-1': [plans, { act: () => declare(0, 'planner-1'), end: 'exit 0' }] },
      furnish: async (p) => {
        await p.claim('t');
        await p.run(undefined, { name: 'note', message: 'look at the plan', for: 'planner' });
      },
    });
    await r().until('idle', async () => {
      const { handled = [] } = (await agent('planner-1')) ?? {};
      const last = does === 'decides' ? 'HUMAN_NOTE' : 'IMMEDIATE_DISCOVERY';
      return handled.some((key) => key.startsWith(last)) && member('planner-1')?.state === 'idle';
    });
    expect(r().started).toHaveLength(sessions);
    const asked = (r().started[1]?.prompt ?? '').includes('WAKE TRIGGER: QUESTION_ASKED');
    expect(asked).toBe(does === 'nothing');
  });
});

describe('a person answers while a planner’s session runs', () => {
  const answer = (about: string, text: string) =>
    r().p.run(undefined, { name: 'answer', about, text, facts: { spec_exists: true } });
  const asked = async (p: Project): Promise<void> => {
    for (const text of ['How often?', 'How long?', 'Which one?']) {
      await p.run('planner-1', { name: 'ask', text, assume: 'three of them' });
    }
    await p.run(undefined, { name: 'answer', about: 'q-1', text: 'never', facts: {} });
  };

  test.each([
    ['what it heard is behind it when it ends well: no second session', true, 1],
    ['what it did not hear starts another', false, 2],
  ] as const)('%s', async (_, isHeard, sessions) => {
    const plans: Part = {
      act: async () => {
        await inSession();
        await answer('q-2', 'a minute');
        if (isHeard) await hears();
        await declare(0, 'planner-1');
      },
      end: 'exit 0',
    };
    await open({
      agents: ['planner-1'],
      parts: { 'planner-1': [plans, { act: () => declare(0, 'planner-1'), end: 'exit 0' }] },
      furnish: asked,
    });
    await r().until('idle', async () => {
      const handled = (await agent('planner-1'))?.handled ?? [];
      return handled.some((key) => key.startsWith('QUESTION_ANSWERED:q-2')) && member('planner-1')?.state === 'idle';
    });
    expect(r().started).toHaveLength(sessions);
    expect(r().started[0]?.prompt).toContain('* QUESTION_ANSWERED: a person answered q-1');
  });

  test('two people answer within one second: one session has both answers, and none follows; a question that nobody answers wakes nobody', async () => {
    const leaves: Part = { act: () => declare(0, 'planner-1'), end: 'exit 0' };
    await open({ agents: ['planner-1'], parts: { 'planner-1': [leaves] }, furnish: asked });
    const idle = (key: string) =>
      r().until('idle', async () => {
        const { handled = [] } = (await agent('planner-1')) ?? {};
        return handled.some((one) => one.startsWith(key)) && member('planner-1')?.state === 'idle';
      });
    await idle('QUESTION_ANSWERED:q-1');
    const before = r().started.length;
    await r().p.run(undefined, { name: 'pause' });
    await Promise.all([answer('q-2', 'a minute'), answer('q-1', 'once a day')]);
    await r().p.run(undefined, { name: 'resume' });
    await idle('QUESTION_ANSWERED:q-2');
    expect(r().started).toHaveLength(before + 1);
    const prompt = r().started.at(-1)?.prompt ?? '';
    for (const said of ['a minute', 'once a day', 'q-3 of planner-1: Which one?']) expect(prompt).toContain(said);
    expect((await r().p.state()).questions?.map(({ answer: said }) => said)).toEqual([
      'once a day',
      'a minute',
      undefined,
    ]);
  });

  test('an assumption that is accepted starts none, and is in the prompt of the next', async () => {
    const leaves: Part = { act: () => declare(0, 'planner-1'), end: 'exit 0' };
    await open({ agents: ['planner-1'], parts: { 'planner-1': [leaves] }, furnish: asked });
    await r().until('idle', async () => (await agent('planner-1'))?.handled !== undefined);
    await r().until('idle', () => member('planner-1')?.state === 'idle');
    const before = r().started.length;
    await r().p.run(undefined, { name: 'answer', about: 'q-3', accept: true, facts: {} });
    await r().p.run(undefined, { name: 'note', message: 'go on', for: 'planner' });
    await r().until('the next', () => r().started.length === before + 1);
    const prompt = r().started.at(-1)?.prompt ?? '';
    expect(prompt).toContain('WAKE TRIGGER: HUMAN_NOTE');
    expect(prompt).not.toContain('WAKE TRIGGER: ASSUMPTION_ACCEPTED');
    expect(prompt).toContain('* ACCEPTED by a person, as it was assumed; continue planning with it:');
    expect(prompt).toContain('| - q-3 Q Which one?');
    await r().until('handled', async () =>
      ((await agent('planner-1'))?.handled ?? []).some((key) => key.startsWith('ASSUMPTION_ACCEPTED:q-3')),
    );
  });
});

test('a switch that comes on between the claim and the start: no process is started, and nothing is held against it', async () => {
  await open({
    parts: {
      'coder-1': [
        { act: async () => fs.writeFileSync(r().p.file('.liza/PAUSE'), ''), end: 'echo ran > ran.txt; exit 0' },
        {},
      ],
    },
  });
  await r().until('held', () => member()?.why === 'PAUSE is on');
  expect(r().said().join()).toContain('session ended: not started: PAUSE is on');
  expect(fs.existsSync(r().p.folder('t', 'ran.txt'))).toBe(false);
  expect((await agent())?.trouble).toBeUndefined();
  fs.rmSync(r().p.file('.liza/PAUSE'));
  await r().until('working', () => r().started.length === 2);
  expect((await r().p.task('t')).usage?.uncounted_sessions).toBeUndefined();
});

test('a provider that tells nothing of its context: bytes tell, and at 90 % its commands tell it to hand off', async () => {
  await open({
    parts: { 'coder-1': [{ end: 'yes words | head -c 60000; while :; do sleep 0.05; done' }] },
    provider: { contextWindow: 16_000 },
  });
  await r().until('told', async () => ((await agent())?.context_percent ?? 0) >= 90);
  expect(succeeded(await r().p.begin('t')).notes?.join()).toMatch(/\d+ % of your context is used: commit/);
});

test('the same bytes in a larger window are no reason to go', async () => {
  await open({
    parts: { 'coder-1': [{ end: 'yes words | head -c 60000; echo > ../printed; while :; do sleep 0.05; done' }] },
    provider: { contextWindow: 200_000 },
  });
  await r().until('printed', () => fs.existsSync(r().p.file('.worktrees/printed')));
  expect((await agent())?.context_percent).toBeUndefined();
  expect(succeeded(await r().p.begin('t')).notes).toBeUndefined();
});
