// ABORT > CHECKPOINT > PAUSE, at each phase of a supervisor: nothing starts, what runs ends at a safe point,
// nothing is lost, and resume goes on.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { inFull } from '../../runs.ts';
import { approvedTask, SHOWN, succeeded } from '../../support/project.ts';
import { open, type Part, r, UNCHANGED } from './harness.ts';

const member = (id = 'coder-1') =>
  r()
    .crew.view()
    .members.find((one) => one.agent === id);
const state = (id?: string) => member(id)?.state;
const status = async (task = 't') => (await r().p.task(task)).status;
const sleepers = (least: number, most: number) =>
  r()
    .clock.sleeping()
    .some((ms) => ms >= least && ms <= most);

const SWITCH = ['PAUSE', 'CHECKPOINT', 'ABORT'] as const;
type Switch = (typeof SWITCH)[number];
/** By hand: the comfortable commands write the same files. */
const on = (name: Switch): void => fs.writeFileSync(r().p.file('.liza', name), '');
const off = (name: Switch): void => fs.rmSync(r().p.file('.liza', name));

const submits: Part = {
  act: async () => {
    succeeded(await r().p.begin('t'));
    succeeded(await r().p.submit('t', r().p.work('t')));
  },
  end: 'exit 0',
};
const approves: Part = {
  act: () =>
    r().p.run('code-reviewer-1', {
      name: 'submit-verdict',
      task: 't',
      verdict: 'APPROVED',
      reason: SHOWN,
      facts: UNCHANGED,
    }),
  end: 'exit 0',
};

/** All rest, and ten seconds pass: what the crew ended with, if it did. */
async function idleForLong(): Promise<() => string | undefined> {
  let ended: string | undefined;
  void r().crew.ended.then(({ message }) => {
    ended = message;
  });
  await r().until('idle', () => state() === 'idle');
  for (let at = 0; at < 20; at++) {
    r().clock.advance(500);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return () => ended;
}

describe('while it waits for work', () => {
  test.each(['PAUSE', 'CHECKPOINT'] as const)('%s: new work is not taken until it is off', async (name) => {
    await open({ tasks: [{ id: 't', paused: true }], parts: { 'coder-1': [{}] } });
    await r().until('idle', () => state() === 'idle');
    on(name);
    await r().until('halted', () => member()?.why === `${name} is on`);
    fs.rmSync(r().p.file('.liza', name));
    await r().p.run(undefined, { name: 'resume', task: 't' });
    await r().until('working', () => state() === 'working');
  });

  test.each([true, false])(
    'a paused task ends no run but one that was asked to end when idle (%s)',
    async (outlasts) => {
      await open({
        tasks: [{ id: 't', paused: true }],
        parts: { 'coder-1': [{}] },
        crew: { untilIdle: true, outlastsPause: outlasts },
      });
      const ended = await idleForLong();
      if (!outlasts) {
        await r().until('ended', () => ended()?.includes('t is paused') === true);
        return;
      }
      expect(ended()).toBeUndefined();
      await r().p.run(undefined, { name: 'resume', task: 't' });
      await r().until('working', () => state() === 'working');
    },
  );

  test('a run that ends when idle stays while an agent of another process works, and takes over from it', async () => {
    await open({
      parts: { 'coder-1': [{}] },
      crew: { untilIdle: true },
      furnish: async (p) => {
        succeeded(await p.run('coder-2', { name: 'register', agent: 'coder-2', role: 'coder', process: 'another' }));
        await p.claim('t', 'coder-2');
      },
    });
    await idleForLong();
    // A server that announces every change is not asked meanwhile whether there was one.
    const asked: (number | undefined)[] = [];
    const { read } = r().p.store;
    Object.assign(r().p.store, {
      read: (within?: number) => {
        asked.push(within);
        return read(within);
      },
    });
    const ended = await idleForLong();
    expect(ended()).toBeUndefined();
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.filter((within = 0) => within < 10_000)).toEqual([]);
    r().clock.advance(3_600_000);
    await r().until('working', () => state() === 'working');
  });

  test('ABORT: the supervisor ends', async () => {
    await open({ tasks: [{ id: 't', paused: true }] });
    await r().until('idle', () => state() === 'idle');
    on('ABORT');
    expect(await r().crew.ended).toMatchObject({ code: 1, message: expect.stringContaining('ABORT') });
  });
});

describe('while the agent works', () => {
  test.each(['PAUSE', 'CHECKPOINT'] as const)(
    '%s: it may finish within pause_grace, then its tree ends; work and lease stay',
    async (name) => {
      await open({
        parts: { 'coder-1': [{ end: 'echo precious > note.txt; while :; do sleep 0.05; done' }, {}] },
        config: { pause_grace: 50, poll_interval: 1000 },
      });
      await r().until('working', () => fs.existsSync(r().p.folder('t', 'note.txt')));
      on(name);
      await r().until('patience', () => sleepers(40_000, 50_000));
      r().clock.advance(49_000);
      await r().until('a last look', () => sleepers(1, 1000));
      expect(state()).toBe('working');
      r().clock.advance(1000);
      await r().until('ended', () => state() === 'idle');
      expect(r().said().join()).toContain(`stopped: ${name} is on`);
      expect(await status()).toBe('CLAIMED');
      expect(fs.readFileSync(r().p.folder('t', 'note.txt'), 'utf8')).toBe('precious\n');
      expect(r().started).toHaveLength(1);
      off(name);
      await r().until('working again', () => r().started.length === 2);
      // Its model had said nothing yet: its provider may not have the session.
      expect(r().started[1]?.resume).toBeUndefined();
      expect(fs.readFileSync(r().p.folder('t', 'note.txt'), 'utf8')).toBe('precious\n');
    },
  );

  test('PAUSE: a coder that has just started writes its checkpoint and submits; its review waits for resume', async () => {
    await open({ parts: { 'coder-1': [{}] } });
    await r().until('working', () => state() === 'working');
    on('PAUSE');
    succeeded(await r().p.begin('t'));
    succeeded(await r().p.submit('t', r().p.work('t')));
    expect(await status()).toBe('READY_FOR_REVIEW');
  });

  test.each(['PAUSE', 'CHECKPOINT'] as const)(
    '%s: sessions that end while it is on are no spin, however many; afterwards the coder goes on',
    async (name) => {
      const endsAtOnce: Part = { end: `touch ../../.liza/${name}; exit 0` };
      await open({ parts: { 'coder-1': [endsAtOnce, endsAtOnce, endsAtOnce, submits] } });
      for (const sessions of [1, 2, 3]) {
        await r().until('halted', () => r().started.length === sessions && member()?.why === `${name} is on`);
        off(name);
      }
      await r().until('submitted', async () => (await status()) === 'READY_FOR_REVIEW');
      expect(r().started).toHaveLength(4);
    },
  );

  test('PAUSE: a verdict under way is taken; the merge waits for resume, and nobody reviews twice', async () => {
    const judges: Part = {
      act: async (told) => {
        on('PAUSE');
        await approves.act?.(told);
      },
      end: 'exit 0',
    };
    await open({
      agents: ['coder-1', 'code-reviewer-1'],
      parts: { 'coder-1': [submits], 'code-reviewer-1': [judges] },
    });
    const before = r().p.head();
    await r().until('halted', () => member('code-reviewer-1')?.why === 'PAUSE is on');
    expect(await status()).toBe('APPROVED');
    expect(r().p.head()).toBe(before);
    off('PAUSE');
    await r().until('merged', async () => (await status()) === 'MERGED');
    expect(r().started).toHaveLength(2);
  });

  test('ABORT: the tree ends at once, and so does the supervisor', async () => {
    await open({ parts: { 'coder-1': [{}] } });
    await r().until('working', () => state() === 'working');
    on('ABORT');
    expect(await r().crew.ended).toMatchObject({ code: 1 });
    expect(await status()).toBe('CLAIMED');
  });

  test('a paused task: only its own session ends', async () => {
    await open({
      tasks: ['t', 'u'],
      agents: ['coder-1', 'coder-2'],
      parts: { 'coder-1': [{}], 'coder-2': [{}] },
      config: { pause_grace: 50, poll_interval: 1000 },
    });
    await r().until('both work', () => state('coder-1') === 'working' && state('coder-2') === 'working');
    await r().p.run(undefined, { name: 'pause', task: 't' });
    await r().until('patience', () => sleepers(40_000, 50_000));
    r().clock.advance(50_000);
    await r().until('one ended', () => r().said().join().includes('t is paused'));
    expect(state('coder-2')).toBe('working');
  });
});

describe('while a worktree is prepared', () => {
  test.each(SWITCH)('%s: the claim is not committed', async (name) => {
    await open({
      config: { post_worktree_cmd: 'while [ ! -e ../../../go ]; do sleep 0.02; done' },
      parts: { 'coder-1': [{}] },
    });
    await r().until('preparing', () => r().said().join().includes('preparing'));
    on(name);
    fs.writeFileSync(path.join(r().p.base, 'go'), '');
    if (name === 'ABORT') await r().crew.ended;
    else await r().until('halted', () => member()?.why === `${name} is on`);
    expect(await status()).toBe('UNCLAIMED');
    expect(r().started).toHaveLength(0);
    if (name === 'ABORT') return;
    off(name);
    await r().until('begun at once', () => r().started.length === 1);
  });
});

describe('while a merge is tested', () => {
  test.each(SWITCH)('%s: the branch does not move', async (name) => {
    await open({
      agents: ['coder-1', 'code-reviewer-1'],
      files: { 'scripts/integration-test.sh': 'while [ ! -e ../../../go ]; do sleep 0.02; done\n' },
      parts: { 'coder-1': [submits], 'code-reviewer-1': [approves] },
    });
    const before = r().p.head();
    await r().until('testing', () => r().said().join().includes('integration test of t'));
    on(name);
    fs.writeFileSync(path.join(r().p.base, 'go'), '');
    if (name === 'ABORT') await r().crew.ended;
    else await r().until('halted', () => member('code-reviewer-1')?.why === `${name} is on`);
    expect(r().p.head()).toBe(before);
    expect(await status()).toBe('APPROVED');
    if (name === 'ABORT') return;
    off(name);
    await r().until('merged', async () => {
      r().clock.advance(1000);
      return (await status()) === 'MERGED';
    });
  });

  test('several that wait are told as a batch, and of two supervisors that could run it one does', async () => {
    await open({
      agents: ['code-reviewer-1', 'code-reviewer-2'],
      files: {
        'scripts/integration-test.sh': 'echo x >> ../../../runs; while [ ! -e ../../../go ]; do sleep 0.02; done\n',
      },
      tasks: (made) => ['a', 'b'].map((id) => approvedTask(made, id, { [`${id}.txt`]: 'x\n' })),
    });
    const merging = () =>
      r()
        .crew.view()
        .members.filter(({ state }) => state === 'merging');
    await r().until('testing', () => r().said().join().includes('integration test of 2 tasks up to b'));
    expect(
      new Set(
        r()
          .crew.view()
          .events.map(({ agent }) => agent),
      ),
    ).toEqual(new Set([undefined]));
    expect(merging().map(({ why }) => why)).toContain('Liza tests and merges what is approved');
    fs.writeFileSync(path.join(r().p.base, 'go'), '');
    await r().until('merged', async () => {
      r().clock.advance(1000);
      return (await r().p.state()).tasks.every((task) => task.status === 'MERGED');
    });
    expect(fs.readFileSync(path.join(r().p.base, 'runs'), 'utf8')).toBe('x\n');
  });

  test('that one has merged is told before its folder goes, while the rest of its batch is tested', async () => {
    await open({
      agents: ['code-reviewer-2'],
      files: {
        'scripts/integration-test.sh':
          '[ -e b.txt ] || exit 0\n[ ! -e ../../../seen ] || while [ ! -e ../../../go ]; do sleep 0.02; done\ntouch ../../../seen\nexit 1\n',
      },
      tasks: (made) => [
        approvedTask(made, 'first', { 'first.txt': 'x\n' }),
        'a',
        { ...approvedTask(made, 'b', { 'b.txt': 'x\n' }), priority: 5 },
      ],
      furnish: async (made) => void (await made.approved('a')),
    });
    const statuses = async () => (await r().p.state()).tasks.map(({ status }) => status).join();
    await r().until('a landed', async () => (await statuses()) === 'MERGED,MERGED,APPROVED');
    for (let n = 0; n < 10; n += 1) {
      r().clock.advance(1000);
      await new Promise((again) => setTimeout(again, 20));
    }
    expect(fs.existsSync(r().p.folder('a'))).toBe(true);
    fs.writeFileSync(path.join(r().p.base, 'go'), '');
    await r().until('put away', () => !fs.existsSync(r().p.folder('a')));
    expect(r().said().join('\n')).toMatch(/^merged \(.*\) as [0-9a-f]{12}, (?:its tests green|no tests)/m);
  });
});

test.runIf(inFull)(
  'on a full disk ABORT ends the session and its supervisor, though nothing can be recorded (in test:all)',
  async () => {
    await open({ tasks: [{ id: 't' }], parts: { 'coder-1': [{ end: 'trap "" TERM; while :; do sleep 0.05; done' }] } });
    await r().until('working', () => state() === 'working' && r().started.length === 1);
    await r().until('its process is known', () =>
      fs.readdirSync(r().p.file('.liza/agents')).some((name) => name.endsWith('.process')),
    );
    const [, pid] =
      /\.(\d+)\.process$/.exec(
        fs.readdirSync(r().p.file('.liza/agents')).find((name) => name.endsWith('.process')) ?? '',
      ) ?? [];
    const write = (): never => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    Object.assign(r().p.context.files, { write });
    on('ABORT');
    await r().until('its process has ended', () => {
      r().clock.advance(1000);
      return !fs.existsSync(`/proc/${pid}`);
    });
    await r().until('stopped', () => {
      r().clock.advance(1000);
      return state() === 'stopped';
    });
    expect(member()?.why).toBe('ABORT is on');
  },
);
