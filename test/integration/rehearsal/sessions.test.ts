// Single sessions in a real worktree: what goes as written, and above all what does not.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { inFull, ways } from '../../runs.ts';
import { PACKAGE } from '../../support/build.ts';
import { addTask } from '../../support/core.mjs';
import { type BuiltProject, builtProject, type Ran } from '../../support/program.ts';
import { coderPrompt, events, plannerPrompt, reviewerPrompt, session } from './stage.ts';

let p: BuiltProject;
beforeEach(() => {
  p = builtProject();
});

const BEGIN = { begin: { intent: 'a file', risks: 'none', validation: 'node --test: passes', files: ['src/a.mjs'] } };
const CODE = { write: 'src/a.mjs', text: 'export const a = 1;' };
const TEST = { write: 'test/a.test.mjs', text: "import '../src/a.mjs';" };

const worktree = (): string => p.folder('greet');
const write = (...scenes: readonly object[]): string => {
  const file = join(p.base, 'script.json');
  writeFileSync(file, JSON.stringify({ scenes }));
  return file;
};

function claimed(): void {
  p.ok(addTask('greet'));
  p.ok(['register', 'coder-1'], { as: 'coder-1' });
  p.ok(['claim-task', 'greet', 'coder-1'], { as: 'coder-1' });
}

async function code(...steps: readonly object[]): Promise<Ran> {
  claimed();
  return session(p, 'coder-1', coderPrompt('greet'), { cwd: worktree(), script: write({ role: 'coder', steps }) });
}

const said = (ran: Ran): unknown => events(ran).findLast(({ kind }) => kind === 'result');

test.runIf(inFull)('the example of the documentation is played to its end (in test:all)', async () => {
  const example = /```json\n([\s\S]*?)```/.exec(readFileSync(join(PACKAGE, 'docs/rehearsal.md'), 'utf8'))?.[1] ?? '';
  const script = join(p.base, 'example.json');
  writeFileSync(script, example);
  const play = async (agent: string, prompt: string, cwd = p.root): Promise<void> => {
    const ran = await session(p, agent, prompt, { script, cwd });
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  };
  for (const agent of ['planner-1', 'coder-1', 'code-reviewer-1']) p.ok(['register', agent], { as: agent });
  await play('planner-1', plannerPrompt('INITIAL_PLANNING'));
  p.ok(['claim-task', 'greet', 'coder-1'], { as: 'coder-1' });
  await play('coder-1', coderPrompt('greet'), worktree());
  p.ok(['claim-review', 'greet', 'code-reviewer-1'], { as: 'code-reviewer-1' });
  await play('code-reviewer-1', reviewerPrompt('greet'), worktree());
  p.ok(['wt', 'merge', 'greet'], { as: 'code-reviewer-1' });
  await play('planner-1', plannerPrompt('ALL_TERMINAL'));
  expect(p.board()).toMatchObject({ goal: { status: 'COMPLETED' }, tasks: [{ status: 'MERGED' }] });
});

test.runIf(inFull)(
  'code without a test: the submission is refused, and that ends the session (in test:all)',
  async () => {
    const ran = await code(BEGIN, CODE, { commit: 'a' }, { submit: '{commit}' }, { exit: 42 });
    expect(ran.code).toBe(1);
    expect(said(ran)).toMatchObject({ ok: false });
    expect(ran.stderr).toContain('coder, task greet, start, time 1: step 4: liza submit-for-review greet');
    expect(ran.stderr).toContain('a code task without a changed test file');
    expect(p.board().tasks[0]?.status).toBe('CLAIMED');
    expect(p.board().agents['coder-1']?.declared_exit).toBeUndefined();
  },
);

test.each(
  ways([
    [
      'a test that fails',
      [{ run: ['node', '-e', 'console.log("2 of 3 passed"); process.exit(1)'] }],
      'ended with 1, not 0:\n2 of 3 passed',
    ],
    ['a program that is not there', [{ run: ['no-such-program'] }], 'not started'],
    ['a program without end', [{ run: ['sleep', '60'], seconds: 0.2 }], 'not ended after 0.2 s'],
    ['another output', [{ run: ['echo', 'no'], prints: 'yes' }], 'did not print "yes"'],
    ['code before the checkpoint', [CODE, BEGIN], 'these files are changed already'],
    ['a refusal that does not come', [{ ...BEGIN, expect: 'refused' }], 'should have been refused, but it succeeded'],
    [
      'a refusal for another reason',
      [{ submit: 'HEAD', expect: 'refused', because: 'the moon' }],
      'but not because of "the moon"',
    ],
    ['a commit of nothing', [{ commit: 'x' }], 'git x failed'],
    ['a path that leads out', [{ write: '../../a', text: 'x' }], 'is outside '],
    [
      'a state that does not come',
      [{ until: 'greet', is: ['MERGED'], seconds: 0.3 }],
      'greet is CLAIMED after 0.3 s, not MERGED',
    ],
  ]),
)('%s ends it with the reason', async (_name, steps, reason) => {
  const ran = await code(...steps, { exit: 42 });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(reason);
  expect(events(ran).find(({ kind }) => kind === 'failure')?.['text']).toContain(reason.split('\n')[0]);
});

test('no scene, no prompt, no agent: each is one sentence', async () => {
  claimed();
  const script = write({ role: 'coder', when: 'rejected', steps: [{ say: 'x' }] });
  const none = await session(p, 'coder-1', coderPrompt('greet'), { cwd: worktree(), script });
  expect(none.stderr).toContain('the script has no scene for coder, task greet, start, time 1');
  expect((await session(p, 'coder-1', 'hello', { script })).stderr).toContain('no section "=== ASSIGNED TASK ==="');
  const nobody = p.liza(['rehearse', `--script=${script}`]);
  expect(nobody).toMatchObject({ code: 1, stdout: '' });
  expect(nobody.stderr).toContain('LIZA_AGENT_ID is not set');
  expect(p.liza(['rehearse', '--script=nowhere.json', '--check']).stderr).toContain(
    '"nowhere.json" cannot be read (ENOENT)',
  );
});

test('it dies, quits and fails as it is written, and declares nothing', async () => {
  expect(await code(BEGIN, { die: true })).toMatchObject({ code: null, signal: 'SIGKILL' });
  const again = (step: object): Promise<Ran> =>
    session(p, 'coder-1', coderPrompt('greet'), {
      cwd: worktree(),
      script: write({ role: 'coder', when: 'interrupted', steps: [step] }),
    });
  expect(await again({ quit: 7 })).toMatchObject({ code: 7 });
  const failed = await again({ fail: 'quota', text: 'come back later', seconds: 60 });
  expect(failed.code).toBe(1);
  expect(events(failed).at(-1)).toEqual({ kind: 'failure', failure: 'quota', text: 'come back later', seconds: 60 });
  expect(p.board().agents['coder-1']?.declared_exit).toBeUndefined();
});

test('whoever comes after a dead session goes on with what is there; usage adds up; a resumed one says so', async () => {
  await code(BEGIN, CODE, { die: true });
  const script = write({
    role: 'coder',
    when: 'interrupted',
    steps: [
      BEGIN,
      TEST,
      { usage: { input: 10, output: 1 } },
      { usage: { input: 5, output: 2 } },
      { commit: 'a' },
      { submit: '{commit}' },
      { exit: 42, reason: 'done' },
    ],
  });
  const ran = await session(p, 'coder-1', coderPrompt('greet'), { cwd: worktree(), script, resume: 'former-1' });
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(events(ran).slice(0, 2)).toEqual([
    { kind: 'session', id: 'former-1' },
    { kind: 'activity', text: 'continues its earlier session' },
  ]);
  expect(events(ran).findLast(({ kind }) => kind === 'usage')).toMatchObject({ input: 15, output: 3 });
  expect(existsSync(join(worktree(), 'src/a.mjs'))).toBe(true);
  expect(p.board()).toMatchObject({
    tasks: [{ status: 'READY_FOR_REVIEW' }],
    agents: { 'coder-1': { declared_exit: { code: 42, reason: 'done' } } },
  });
});
