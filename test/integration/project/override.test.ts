// The overrides of docs/governance.md, each row by hand with an editor, `touch`, `rm` and `kill` on a real repository
// while a crew is running, and then by its command: each has the stated effect, and no work is lost.

import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { inFull, ways } from '../../runs.ts';
import { open as openRoom, type Part, type RoomOptions, r } from '../supervisor/harness.ts';

const open = (options: RoomOptions): Promise<void> =>
  openRoom({ config: { pause_grace: 50, poll_interval: 5 }, ...options });
const member = (id = 'coder-1') =>
  r()
    .crew.view()
    .members.find((one) => one.agent === id);
const status = async (task = 't') => (await r().p.task(task)).status;
const sessions = (id: string) => r().started.filter(({ agent }) => agent === id);
/** Waits for it while time passes. */
const eventually = (what: string, holds: () => boolean | Promise<boolean>, step = 1000) =>
  r().until(what, async () => {
    if (await holds()) return true;
    r().clock.advance(step);
    return false;
  });

/** Leaves a file in its worktree, and its process id, and works on until it is ended. */
const BUSY: Part = { end: 'echo precious > note.txt; echo $$ > pid.txt; while :; do sleep 0.05; done' };
const busy = async (): Promise<void> => {
  await r().until('at work', () => fs.existsSync(r().p.folder('t', 'pid.txt')));
};
const precious = (): string => fs.readFileSync(r().p.folder('t', 'note.txt'), 'utf8');

/** As an editor saves: the text changed, the file replaced. */
function save(change: (text: string) => string): void {
  const file = r().p.file('.liza/state.yaml');
  const before = fs.readFileSync(file, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  fs.writeFileSync(`${file}~`, after);
  fs.renameSync(`${file}~`, file);
}

const touch = (name: string): void => fs.closeSync(fs.openSync(r().p.file('.liza', name), 'a'));
const remove = (name: string): void => fs.rmSync(r().p.file('.liza', name));

describe('kill agent', () => {
  test('its supervisor restarts it, and it reads the blackboard again', async () => {
    await open({ parts: { 'coder-1': [BUSY] } });
    await busy();
    await r().p.run(undefined, { name: 'note', message: 'use the helper', for: 't' });
    process.kill(Number(fs.readFileSync(r().p.folder('t', 'pid.txt'), 'utf8')), 'SIGKILL');
    await eventually('restarted', () => r().started.length === 2);
    expect(r().started[1]?.prompt).toContain('use the helper');
    expect(await status()).toBe('CLAIMED');
    expect(precious()).toBe('precious\n');
  });
});

describe.each(
  ways([
    ['touch and rm', async () => touch('PAUSE'), async () => remove('PAUSE')],
    ['pause and resume', () => r().p.run(undefined, { name: 'pause' }), () => r().p.run(undefined, { name: 'resume' })],
  ] as const),
)('pause all, by %s', (_how, pause, resume) => {
  test('agents end, supervisors wait, nothing is lost; then agents are started again', async () => {
    await open({ tasks: ['t', 'u'], parts: { 'coder-1': [BUSY] } });
    await busy();
    await pause();
    await eventually('ended', () => member()?.state === 'idle');
    expect(r().said().join()).toContain('stopped: PAUSE is on');
    r().clock.advance(60_000);
    expect(r().started).toHaveLength(1);
    expect([await status('t'), await status('u')]).toEqual(['CLAIMED', 'UNCLAIMED']);
    await resume();
    await eventually('started again', () => r().started.length === 2);
    expect(precious()).toBe('precious\n');
  });
});

describe.each(
  ways([
    [
      'an editor',
      async () =>
        save((text) =>
          text.replace(/^ {4}status: CLAIMED$/m, '    status: BLOCKED\n    blocked_reason: human override'),
        ),
    ],
    ['replan', () => r().p.run(undefined, { name: 'replan', task: 't' })],
  ] as const),
)('force replan, by %s', (_how, replan) => {
  test('the task is BLOCKED, its session ends, its work stays, and the planner is woken for it', async () => {
    await open({ agents: ['coder-1', 'planner-1'], parts: { 'coder-1': [BUSY], 'planner-1': [{}] } });
    await busy();
    expect(sessions('planner-1')).toEqual([]);
    await replan();
    await eventually('the planner at work', () => sessions('planner-1').length === 1);
    expect(sessions('planner-1')[0]?.prompt).toContain('WAKE TRIGGER: BLOCKED_TASKS (t)');
    expect(sessions('planner-1')[0]?.prompt).toContain('human override');
    await eventually('the coder let go', () => member()?.state === 'idle');
    expect(await r().p.task('t')).toMatchObject({ status: 'BLOCKED', blocked_reason: 'human override' });
    expect(precious()).toBe('precious\n');
    expect(sessions('coder-1')).toHaveLength(1);
  });
});

const INJECTED = `  - id: injected
    description: From a person
    status: UNCLAIMED
    priority: 1
    spec_ref: specs/vision.md
    done_when: its own test passes
    scope: "IN: src, test"
    validation:
      - npm test
`;

describe.each(
  ways([
    ['an editor', async () => save((text) => text.replace(/^agents:$/m, `${INJECTED}agents:`))],
    [
      'add-task --ready',
      () =>
        r().p.run(undefined, {
          name: 'add-task',
          ready: true,
          facts: { spec_exists: true },
          definition: {
            id: 'injected',
            description: 'From a person',
            spec_ref: 'specs/vision.md',
            done_when: 'its own test passes',
            scope: 'IN: src, test',
            validation: ['npm test'],
            priority: 1,
          },
        }),
    ],
  ] as const),
)('inject task, by %s', (_how, inject) => {
  test('a new task can be claimed, and an idle coder takes it', async () => {
    await open({ tasks: [{ id: 't', paused: true }], parts: { 'coder-1': [{}] } });
    await r().until('idle', () => member()?.state === 'idle');
    await inject();
    await eventually('claimed', async () => (await r().p.store.readTask('injected'))?.task.status === 'CLAIMED');
    await r().until('at work', () => r().started.length === 1);
    expect(r().started[0]?.prompt).toContain('From a person');
    expect((await r().p.state()).sprint.scope.planned).toContain('injected');
  });
});

describe.each(
  ways([
    ['touch', async () => touch('ABORT')],
    ['abort', () => r().p.run(undefined, { name: 'abort', reason: 'wrong goal' })],
    [
      'resume --decision stop',
      async () => {
        await r().p.run(undefined, { name: 'checkpoint' });
        await r().p.run(undefined, { name: 'resume', decision: 'stop', note: 'wrong goal' });
      },
    ],
  ] as const),
)('abort goal, by %s', (_how, abort) => {
  test('all agents end and all supervisors stop; tasks and worktrees stay', async () => {
    await open({ agents: ['coder-1', 'planner-1', 'code-reviewer-1'], parts: { 'coder-1': [BUSY] } });
    await busy();
    await abort();
    let over = false;
    void r().crew.ended.then(() => {
      over = true;
    });
    await eventually('all over', () => over);
    expect(await r().crew.ended).toMatchObject({ code: 1 });
    expect(await status()).toBe('CLAIMED');
    expect(precious()).toBe('precious\n');
  });
});

describe.each(
  ways([
    ['touch and rm', async () => touch('CHECKPOINT'), async () => remove('CHECKPOINT')],
    [
      'checkpoint and resume',
      () => r().p.run(undefined, { name: 'checkpoint' }),
      () => r().p.run(undefined, { name: 'resume', decision: 'replan', note: 'smaller steps' }),
    ],
  ] as const),
)('checkpoint, by %s', (how, halt, resume) => {
  test('agents end at a safe point, nothing is lost, and the decision lets them go on', async () => {
    await open({ agents: ['coder-1', 'planner-1'], parts: { 'coder-1': [BUSY], 'planner-1': [{}] } });
    await busy();
    await halt();
    await eventually('ended', () => member()?.state === 'idle');
    expect(await status()).toBe('CLAIMED');
    await resume();
    await eventually('started again', () => sessions('coder-1').length === 2);
    expect(precious()).toBe('precious\n');
    if (how !== 'touch and rm') {
      await eventually('the planner woken', () => sessions('planner-1').length === 1);
      expect(sessions('planner-1')[0]?.prompt).toContain('Decided at the CHECKPOINT, replan: smaller steps');
    }
  });
});

describe('one task, by pause <task>', () => {
  test.runIf(inFull)('only its agent ends; resume <task> lets it go on (in test:all)', async () => {
    await open({ parts: { 'coder-1': [BUSY] } });
    await busy();
    await r().p.run(undefined, { name: 'pause', task: 't' });
    await eventually('ended', () => member()?.state === 'idle');
    await r().p.run(undefined, { name: 'resume', task: 't' });
    await eventually('started again', () => r().started.length === 2);
    expect(precious()).toBe('precious\n');
  });
});

describe('with the watcher beside the crew', () => {
  const crew = { watcher: true };
  const report = () => r().p.file('.liza/circuit_breaker_report.md');
  const papers = () => fs.readdirSync(r().p.file('.liza/checkpoints'));

  test('a pattern halts the crew by itself, and its resolution lets it go on', async () => {
    await open({ crew, parts: { 'coder-1': [BUSY] } });
    await busy();
    for (const error_pattern of ['queue lock timeout', 'lock timeout in the queue', 'the queue lock timed out']) {
      await r().p.run('coder-1', {
        name: 'anomaly',
        type: 'retry_loop',
        task: 't',
        details: { count: 3, error_pattern },
      });
    }
    await eventually('tripped', () => fs.existsSync(report()));
    await eventually('ended', () => member()?.state === 'idle');
    expect(r().said().join()).toContain('circuit breaker TRIGGERED: retry_cluster');
    await eventually('summed up', () => papers().length === 1);
    await r().p.run(undefined, { name: 'resolve', resolution: 'one lock per queue' });
    await r().p.run(undefined, { name: 'resume', decision: 'continue' });
    await eventually('started again', () => r().started.length === 2);
    expect(precious()).toBe('precious\n');
  });

  test.runIf(inFull)('a touched CHECKPOINT is summed up, and rm lets the sprint go on, too (in test:all)', async () => {
    await open({ crew, parts: { 'coder-1': [BUSY] } });
    await busy();
    touch('CHECKPOINT');
    await eventually('summed up', () => fs.existsSync(r().p.file('.liza/checkpoints')) && papers().length === 1);
    expect((await r().p.state()).sprint.status).toBe('CHECKPOINT');
    remove('CHECKPOINT');
    await eventually('going on', async () => (await r().p.state()).sprint.status === 'IN_PROGRESS');
    expect(await status()).toBe('CLAIMED');
  });
});
