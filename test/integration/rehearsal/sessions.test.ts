// Single sessions in a real worktree: what goes as written, and above all what does not.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  buildProgram,
  coderPrompt,
  events,
  openStage,
  plannerPrompt,
  type Ran,
  ROOT,
  reviewerPrompt,
  type Stage,
} from './stage.ts';

let program: ReturnType<typeof buildProgram>;
let content: string;
let stage: Stage;
beforeAll(() => {
  program = buildProgram();
  content = temporaryFolder();
  mkdirSync(join(content, 'specs'));
  writeFileSync(join(content, 'specs', 'vision.md'), '# Vision\n');
});
afterAll(() => {
  program.remove();
});
beforeEach(async () => {
  stage = openStage(program.bundle, content, 'rehearsal.json');
  await stage.ok(['init', 'Greet people']);
});
afterEach(() => stage.remove());

const ADD = [
  'add-task',
  '--id=greet',
  '--desc=d',
  '--spec=specs/vision.md',
  '--done=x',
  '--scope=IN: src/, test/',
  '--validate=true',
  '--ready',
];
const BEGIN = { begin: { intent: 'i', risks: 'r', validation: 'v', files: ['src/a.mjs'] } };
const CODE = { write: 'src/a.mjs', text: 'export const a = 1;' };
const TEST = { write: 'test/a.test.mjs', text: "import '../src/a.mjs';" };

const worktree = (): string => join(stage.root, '.worktrees', 'greet');
const write = (...scenes: readonly object[]): string => {
  const file = join(stage.root, '..', 'script.json');
  writeFileSync(file, JSON.stringify({ scenes }));
  return file;
};

async function claimed(): Promise<void> {
  await stage.ok(ADD);
  await stage.ok(['register', 'coder-1'], { as: 'coder-1' });
  await stage.ok(['claim-task', 'greet', 'coder-1'], { as: 'coder-1' });
}

async function code(...steps: readonly object[]): Promise<Ran> {
  await claimed();
  return stage.session('coder-1', coderPrompt('greet'), { cwd: worktree(), script: write({ role: 'coder', steps }) });
}

const said = (ran: Ran): unknown => events(ran).findLast(({ kind }) => kind === 'result');

test('the example of the documentation is played to its end', async () => {
  const example = /```json\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/rehearsal.md'), 'utf8'))?.[1] ?? '';
  const script = join(stage.root, '..', 'example.json');
  writeFileSync(script, example);
  const play = async (agent: string, prompt: string, cwd = stage.root): Promise<void> => {
    const ran = await stage.session(agent, prompt, { script, cwd });
    expect(ran, ran.err).toMatchObject({ code: 0 });
  };
  for (const agent of ['planner-1', 'coder-1', 'code-reviewer-1']) await stage.ok(['register', agent], { as: agent });
  await play('planner-1', plannerPrompt('INITIAL_PLANNING'));
  await stage.ok(['claim-task', 'greet', 'coder-1'], { as: 'coder-1' });
  await play('coder-1', coderPrompt('greet'), worktree());
  await stage.ok(['claim-review', 'greet', 'code-reviewer-1'], { as: 'code-reviewer-1' });
  await play('code-reviewer-1', reviewerPrompt('greet'), worktree());
  await stage.ok(['wt', 'merge', 'greet'], { as: 'code-reviewer-1' });
  await play('planner-1', plannerPrompt('ALL_TERMINAL'));
  expect(stage.state()).toMatchObject({ goal: { status: 'COMPLETED' }, tasks: [{ status: 'MERGED' }] });
});

test('code without a test: the submission is refused, and that ends the session', async () => {
  const ran = await code(BEGIN, CODE, { commit: 'a' }, { submit: '{commit}' }, { exit: 42 });
  expect(ran.code).toBe(1);
  expect(said(ran)).toMatchObject({ ok: false });
  expect(ran.err).toContain('coder, task greet, start, time 1: step 4: liza submit-for-review greet');
  expect(ran.err).toContain('a code task without a changed test file');
  expect(stage.state().tasks[0]?.status).toBe('CLAIMED');
  expect(stage.state().agents['coder-1']?.declared_exit).toBeUndefined();
});

test.each([
  [
    'a test that fails',
    [{ run: ['node', '-e', 'console.log("2 of 3 passed"); process.exit(1)'] }],
    'ended with 1, not 0:\n2 of 3 passed',
  ],
  ['a program that is not there', [{ run: ['no-such-program'] }], 'not started'],
  ['a program without end', [{ run: ['sleep', '60'], seconds: 0.2 }], 'not ended after 0.2 s'],
  ['another output', [{ run: ['echo', 'no'], prints: 'yes' }], 'did not print "yes"'],
  ['code before the checkpoint', [CODE, BEGIN], 'these files are changed already'],
  ['a refusal that does not come', [{ ...BEGIN, expect: 'refused' }], 'was to be refused, but it was done'],
  [
    'a refusal for another reason',
    [{ submit: 'HEAD', expect: 'refused', because: 'the moon' }],
    'but not because of "the moon"',
  ],
  ['a commit of nothing', [{ commit: 'x' }], 'git x failed'],
  ['a path that leads out', [{ write: '../../a', text: 'x' }], 'lies outside of'],
  [
    'a state that does not come',
    [{ until: 'greet', is: ['MERGED'], seconds: 0.3 }],
    'greet is CLAIMED after 0.3 s, not MERGED',
  ],
])('%s ends it with the reason', async (_name, steps, reason) => {
  const ran = await code(...steps, { exit: 42 });
  expect(ran.code).toBe(1);
  expect(ran.err).toContain(reason);
  expect(events(ran).find(({ kind }) => kind === 'failure')?.['text']).toContain(reason.split('\n')[0]);
});

test('no scene, no prompt, no agent: each is one sentence', async () => {
  await claimed();
  const script = write({ role: 'coder', when: 'rejected', steps: [{ say: 'x' }] });
  const none = await stage.session('coder-1', coderPrompt('greet'), { cwd: worktree(), script });
  expect(none.err).toContain('the script has no scene for coder, task greet, start, time 1');
  expect((await stage.session('coder-1', 'hello', { script })).err).toContain('no section "=== ASSIGNED TASK ==="');
  const nobody = await stage.liza(['rehearse', `--script=${script}`]);
  expect(nobody).toMatchObject({ code: 1, out: '' });
  expect(nobody.err).toContain('LIZA_AGENT_ID names none');
  expect((await stage.liza(['rehearse', '--script=nowhere.json', '--check'])).err).toContain(
    '"nowhere.json" cannot be read (ENOENT)',
  );
});

test('it dies, quits and fails as it is written, and declares nothing', async () => {
  expect(await code(BEGIN, { die: true })).toMatchObject({ code: null, signal: 'SIGKILL' });
  const again = (step: object): Promise<Ran> =>
    stage.session('coder-1', coderPrompt('greet'), {
      cwd: worktree(),
      script: write({ role: 'coder', when: 'interrupted', steps: [step] }),
    });
  expect(await again({ quit: 7 })).toMatchObject({ code: 7 });
  const failed = await again({ fail: 'quota', text: 'come back later', seconds: 60 });
  expect(failed.code).toBe(1);
  expect(events(failed).at(-1)).toEqual({ kind: 'failure', failure: 'quota', text: 'come back later', seconds: 60 });
  expect(stage.state().agents['coder-1']?.declared_exit).toBeUndefined();
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
  const ran = await stage.session('coder-1', coderPrompt('greet'), { cwd: worktree(), script, resume: 'former-1' });
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(events(ran).slice(0, 2)).toEqual([
    { kind: 'session', id: 'former-1' },
    { kind: 'activity', text: 'goes on with its former session' },
  ]);
  expect(events(ran).findLast(({ kind }) => kind === 'usage')).toMatchObject({ input: 15, output: 3 });
  expect(existsSync(join(worktree(), 'src/a.mjs'))).toBe(true);
  expect(stage.state()).toMatchObject({
    tasks: [{ status: 'READY_FOR_REVIEW' }],
    agents: { 'coder-1': { declared_exit: { code: 42, reason: 'done' } } },
  });
});
