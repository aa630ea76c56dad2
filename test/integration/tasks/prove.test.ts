// Liza itself runs what proves a commit: at that very commit, in a clean checkout, and refuses what is red.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { acquireLock } from '../../../src/ports/locks.ts';
import type { Config, Task } from '../../../src/protocol/state.ts';
import { transact } from '../../../src/store/transact.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { refusedBy } from '../../refused-by.ts';
import { firstRow, inFull } from '../../runs.ts';
import { type Project, project, succeeded } from '../../support/project.ts';

let p: Project;

/** A runner that any shell has: each file below test/ must pass. */
const FILES = {
  'run.sh': 'for one in test/*.sh; do sh "$one" || { echo "FAILED $one"; exit 1; }; done\n',
  'src/value': '1\n',
  'lint.sh': '# tests come later\ngrep -q 2 src/value\n',
  Makefile: 'lint:\n\tgrep -q 2 src/value\nci: all\nall:\n\tsh run.sh\n',
  'test/old.sh': 'grep -q 1 src/value\n',
};
/** A change with a test that needs it. */
const GOOD = { 'src/value': '1 2\n', 'test/new.sh': 'grep -q 2 src/value\n' };

async function begun(config: Partial<Config> = {}, task: Partial<Task> = {}): Promise<void> {
  const set: Partial<Config> = { tdd: 'evidence', ...config };
  p = project({ tasks: [{ id: 't', validation: ['sh run.sh'], ...task }], config: set, files: FILES });
  await p.begun('t');
}

const refused = async (): Promise<{ message: string; hint: string; code: number; guard: string; lines: string[] }> => {
  const no = await p.submit('t');
  if (!('message' in no)) throw new Error('it was not refused');
  return no as never;
};
const events = async (name: string): Promise<readonly Record<string, unknown>[]> =>
  ((await p.task('t')).history ?? []).filter(({ event }) => event === name) as never;
const leftovers = (): readonly string[] => fs.readdirSync(p.file('.worktrees')).filter((name) => name.startsWith('.'));

const STRAYS = [
  ['a folder of modules', 'node_modules/fake/index.js'],
  ['settings of a runner', 'conftest.py'],
  ['settings in a folder', '.cargo/config.toml'],
] as const;
const untilGone = ([what]: readonly [string, string]): string =>
  `${what} above the clean checkout: nothing is run there until it is gone`;
firstRow(STRAYS, untilGone, async ([, stray]) => {
  await begun();
  p.work('t', GOOD);
  const file = p.file('.worktrees', stray);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, 'planted\n');
  const no = await refused();
  expect(no.guard).toBe('beside-checkout');
  expect(no.message).toContain(`.worktrees/${stray.split('/')[0]}`);
  expect(await events('submitted')).toEqual([]);
  fs.rmSync(p.file('.worktrees', stray.split('/')[0] ?? ''), { recursive: true });
  succeeded(await p.submit('t'));
});

describe('modules that are there only while the proof runs', () => {
  /** Needs them soon after its start, and ends long after they are gone. */
  const LATE = {
    'test/needs.cjs':
      "setTimeout(() => { if (!require('answers').right) process.exit(1); }, 400); setTimeout(() => {}, 1800);\n",
    'src/value': '1 2\n',
  };
  async function raced(place: string) {
    await begun({ tdd: 'off' }, { validation: ['node test/needs.cjs'] });
    p.work('t', LATE);
    const modules = p.file(place, 'node_modules');
    const script = `until ls -d ${p.file('.worktrees')}/.proof-t-*/test 2>/dev/null; do sleep 0.01; done
      mkdir -p ${modules}/answers; echo 'exports.right = true;' > ${modules}/answers/index.js; sleep 1; rm -rf ${modules}`;
    const racer = spawn('sh', ['-c', script], { stdio: 'ignore' });
    const gone = new Promise((done) => racer.once('exit', done));
    const submitted = await p.submit('t');
    await gone;
    return submitted;
  }
  const told = async () => (await p.state()).anomalies.filter(({ type }) => type === 'planted_above');

  test('beside the checkout: what ran is not believed', async () => {
    expect(await raced('.worktrees')).toMatchObject(refusedBy('beside-checkout'));
    expect(await events('submitted')).toEqual([]);
    expect(await told()).toMatchObject([{ details: { at: p.file('.worktrees/node_modules') } }]);
  });

  test.runIf(inFull)('above it: what ran is not believed either (in test:all)', async () => {
    const no = await raced('.');
    expect(no).toMatchObject(refusedBy('above-checkout'));
    expect(no).toMatchObject({
      message: expect.stringContaining(`${p.file('node_modules')} (came and went while tests ran)`),
    });
    expect(await events('submitted')).toEqual([]);
    expect(await told()).toMatchObject([{ task: 't', details: { at: p.file('node_modules') } }]);
  });

  test('checkouts and folders of Liza’s own, and files of no interest, are not told', async () => {
    await begun({ tdd: 'off' }, { validation: ['node test/needs.cjs'] });
    p.work('t', { 'test/needs.cjs': 'setTimeout(() => {}, 500);\n', 'src/value': '1 2\n' });
    const own = ['.worktrees/.review-u-0a1b2c3d', '.worktrees/other', '.package.json.swp', 'notes.md'].map((name) =>
      p.file(name),
    );
    const racer = spawn(
      'sh',
      ['-c', `for n in 1 2 3 4 5 6 7 8; do mkdir ${own.join(' ')}; sleep 0.05; rmdir ${own.join(' ')}; done`],
      { stdio: 'ignore' },
    );
    const gone = new Promise((done) => racer.once('exit', done));
    succeeded(await p.submit('t'));
    await gone;
    expect((await p.last('t', 'submitted'))?.['proof']).not.toHaveProperty('above');
    expect(await told()).toEqual([]);
  });
});

describe('modules and settings above the checkouts', () => {
  const NEEDS = { 'test/needs.cjs': "process.exit(require('answers').right ? 0 : 1);\n", 'src/value': '1 2\n' };
  const plant = (): void => {
    fs.mkdirSync(p.file('node_modules/answers'), { recursive: true });
    fs.writeFileSync(p.file('node_modules/answers/index.js'), 'exports.right = true;\n');
  };
  /** In a package that was there before agents worked, and that goes as a whole while its tests run. */
  const DEEP = 'node_modules/answers/lib/deep.js';
  const LEAVING = (modules: string): string =>
    `const { right } = require('answers/lib/deep.js');
require('node:fs').rmSync('${modules}/answers', { recursive: true });
process.exit(right ? 0 : 1);
`;
  const alarms = async () => (await p.state()).anomalies.filter(({ type }) => type === 'planted_above');
  const needing = () => begun({ tdd: 'off' }, { validation: ['node test/needs.cjs'] });

  const printed = async (argv: readonly string[]) => (await p.ok(argv)).stdout.replace(/\s+/g, ' ');

  test.runIf(inFull)(
    'a file deep in a package that was there before, also if the package goes while tests run (in test:all)',
    async () => {
      const task = { id: 't', validation: ['node test/needs.cjs'] };
      p = project({ tasks: [task], config: { tdd: 'off' }, files: FILES });
      p.write({ [DEEP]: 'exports.right = false;\n' });
      // Files have the machine's time, and the board tells whole seconds.
      const next = Math.ceil(Date.now() / 1000) * 1000;
      p.pass((next - p.context.clock.now()) / 1000);
      await p.claim('t');
      succeeded(await p.begin('t'));
      p.work('t', { ...NEEDS, 'test/needs.cjs': "process.exit(require('answers/lib/deep.js').right ? 0 : 1);\n" });
      expect((await refused()).guard).toBe('validation');
      await sleep(Math.max(0, next + 50 - Date.now()));
      p.write({ [DEEP]: 'exports.right = true;\n' });
      p.work('t', { 'src/value': '1 2 3\n' });
      expect(await refused()).toMatchObject({
        guard: 'above-checkout',
        message: expect.stringContaining(`${p.file('node_modules')} (answers/lib`),
      });
      p.work('t', { 'test/needs.cjs': LEAVING(p.file('node_modules')) });
      // The agent has used up the system's watches.
      vi.spyOn(p.context.disk, 'watch').mockImplementation(() => {
        throw new Error('ENOSPC: System limit for number of file watchers reached');
      });
      onTestFinished(() => void vi.restoreAllMocks());
      expect(await refused()).toMatchObject({
        guard: 'above-checkout',
        message: expect.stringContaining(`${p.file('node_modules/answers')} (came and went while tests ran)`),
      });
      expect(await events('submitted')).toEqual([]);
    },
  );

  test('what an agent puts there makes no red proof green: nothing is run until a person has looked', async () => {
    await needing();
    p.work('t', NEEDS);
    expect((await refused()).guard).toBe('validation');
    expect(await alarms()).toEqual([]);
    plant();
    const place = `${p.file('node_modules')} (answers)`;
    p.work('t', { 'src/value': '1 2 3\n' });
    expect(await refused()).toMatchObject({
      guard: 'above-checkout',
      code: 3,
      message: expect.stringContaining(place),
      hint: expect.stringContaining('if it is theirs, liza anomaly processed anomaly-1; otherwise remove it'),
    });
    expect(await events('submitted')).toEqual([]);
    expect(await alarms()).toMatchObject([{ task: 't', details: { at: p.file('node_modules'), names: 'answers' } }]);
    expect(await printed(['status'])).toContain(`CHANGED ABOVE CHECKOUTS: ${place}`);
    fs.rmSync(p.file('node_modules'), { recursive: true });
    expect((await refused()).guard).toBe('validation');
  });

  test.runIf(inFull)(
    'settings that the checkout lacks: the same; those of which it has its own are told (in test:all)',
    async () => {
      await begun({ tdd: 'off' }, { scope: 'IN: tsconfig.json, src/, test/. OUT: docs/' });
      p.work('t', { ...GOOD, 'tsconfig.json': '{}\n' });
      p.write({ 'tsconfig.json': '{ "extends": "./planted.json" }\n' });
      succeeded(await p.submit('t'));
      const place = p.file('tsconfig.json');
      expect(await p.last('t', 'submitted')).toMatchObject({ proof: { above: [place] } });
      expect(await printed(['show', 't'])).toContain(`green may rest on it: ${place}`);
      await p.reject('t');
      await p.claim('t');
      succeeded(await p.begin('t'));
      p.work('t', { 'src/value': '1 2 3\n' });
      p.write({ 'babel.config.js': 'module.exports = {};\n' });
      expect((await refused()).guard).toBe('above-checkout');
    },
  );

  test.runIf(inFull)('a merge’s tests, too (in test:all)', async () => {
    await begun({ tdd: 'off' });
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    await p.approve('t');
    await p.accepted({ 'scripts/integration-test.sh': 'sh run.sh\n' });
    plant();
    expect(await p.merge('t')).toMatchObject(refusedBy('above-checkout'));
    expect((await p.task('t')).status).toBe('APPROVED');
    const [told] = await alarms();
    expect(told).toMatchObject({ task: 't', details: { at: p.file('node_modules') } });
    await p.ok(['anomaly', 'processed', told?.id ?? '']);
    succeeded(await p.merge('t'));
  });

  test('what a person has accepted counts, and is not told again', async () => {
    await needing();
    plant();
    p.work('t', NEEDS);
    expect((await refused()).guard).toBe('above-checkout');
    const [told] = await alarms();
    await p.ok(['anomaly', 'processed', told?.id ?? '']);
    succeeded(await p.submit('t'));
    expect((await p.last('t', 'submitted'))?.['proof']).not.toHaveProperty('above');
    expect(await alarms()).toHaveLength(1);
  });
});

test('git says of the clean checkout what it says of the coder’s folder', async () => {
  await begun({}, { validation: ['test "$(git branch --show-current)" = task/t'] });
  p.work('t', GOOD);
  succeeded(await p.submit('t'));
});

test('a folder that Liza itself keeps beside the checkouts stops nothing', async () => {
  await begun();
  fs.mkdirSync(p.file('.worktrees', '.kept-u-0a1b2c3d', 'inner', '.git'), { recursive: true });
  p.work('t', GOOD);
  succeeded(await p.submit('t'));
});

describe('the validation at the submitted commit', () => {
  test('red is refused with the end of the output, recorded, and may be mended; green is recorded with its log', async () => {
    await begun();
    const bad = p.work('t', { ...GOOD, 'src/value': '1\n' });
    const no = await refused();
    expect(no).toMatchObject(refusedBy('validation', { code: 1, lines: ['  FAILED test/new.sh'] }));
    expect(no.message).toContain('"sh run.sh" ended with 1');
    expect(no.hint).toContain('Fix it');
    expect(await p.task('t')).toMatchObject({ status: 'CLAIMED' });
    expect(await events('validation_failed')).toMatchObject([
      { commit: bad, what: 'validation', output: 'FAILED test/new.sh', log: '.liza/evidence/t/1-1.log' },
    ]);
    const good = p.work('t', GOOD);
    succeeded(await p.submit('t'));
    const submitted = await p.last('t', 'submitted');
    expect(submitted).toMatchObject({
      commit: good,
      proof: {
        commit: good,
        commands: ['sh run.sh'],
        runs: [{ command: 'sh run.sh', ok: true, log: '.liza/evidence/t/2-1.log' }],
        tests: { mode: 'evidence', base_alone: 'green', on_base: 'red', base_tests: 'same' },
        file: '.liza/evidence/t/2.json',
      },
    });
    expect(submitted).not.toHaveProperty('red_before');
    const whole = JSON.parse(fs.readFileSync(p.file('.liza/evidence/t/2.json'), 'utf8'));
    expect(whole).toMatchObject({ task: 't', commit: good, diff: { lines: { added: 2, removed: 1 } } });
    expect(fs.readFileSync(p.file('.liza/evidence/t/1-1.log'), 'utf8')).toBe('FAILED test/new.sh\n');
    expect(leftovers()).toEqual([]);
  });

  test('a line that the shell cannot read, or that is red on the base alike, has a hint that asks the planner', async () => {
    await begun({ tdd: 'off' }, { validation: ['if sh run.sh; then echo ok'] });
    p.work('t', GOOD);
    const { hint } = await refused();
    expect(hint).toMatch(/No change of yours makes it green.*liza block t --reason "its validation cannot be run" --q/);
    expect(hint).not.toMatch(/Fix it|"…"/);
    expect(await events('validation_failed')).toMatchObject([{ cannot_run: true }]);
    await begun({ tdd: 'off' }, { validation: ['echo no such table; exit 3'] });
    p.work('t', GOOD);
    expect((await refused()).hint).toMatch(/Fix it.*Whether it is green on the base is not known: .*liza block t --re/);
    const commit = p.git('rev-parse', 'integration');
    const [command = ''] = (await p.task('t')).validation ?? [];
    const runs = [{ command, is: 'red', how: 'ended with 3', seconds: 0, output: 'no such table' }] as const;
    const tried = { name: 'record-trial', task: 't', commit, commands: [command], under: 'x', runs } as const;
    succeeded(await transact({ ...p.as(), actor: { parts: ['supervisor'] } }, tried));
    p.work('t', { 'src/value': '1 2 3\n' });
    expect((await refused()).hint).toMatch(/Fix it.*On the base it was red in the same way.*liza block t --reason/);
    // Red in another way there: it is the task's own check.
    const other = [{ ...runs[0], output: 'value is 0' }];
    succeeded(await transact({ ...p.as(), actor: { parts: ['supervisor'] } }, { ...tried, under: 'y', runs: other }));
    p.work('t', { 'src/value': '1 2 3 4\n' });
    expect((await refused()).hint).not.toMatch(/On the base|liza block/);
  });

  test('a command that names what the change brings is red on the base by nature: its hint is to fix it', async () => {
    await begun({ tdd: 'off' }, { validation: ['sh src/brought.sh'] });
    p.work('t', { ...GOOD, 'src/brought.sh': 'echo wrong; exit 3\n' });
    expect((await refused()).hint).not.toMatch(/on the base|liza block/i);
  });

  test('each command is announced by its number, in whatever order they run', async () => {
    await begun({ tdd: 'off', test_command: 'sh run.sh' }, { validation: ['test -f src/value'] });
    p.work('t', GOOD);
    const said: string[] = [];
    const { submitForReview } = await import('../../../src/tasks/submit.ts');
    succeeded(await submitForReview(p.as('coder-1', { say: (line) => said.push(line) }), 't', 'HEAD'));
    expect(said.filter((line) => line.startsWith('validation'))).toEqual([
      'validation #2 of t: sh run.sh …',
      'validation #1 of t: test -f src/value …',
    ]);
  });

  test('green is red where the runner says at its end that tests failed, and told where another summary follows', async () => {
    await begun({}, { validation: ['sh src/hides.sh'] });
    const frames = 'for n in $(seq 400); do echo "    at frame $n of the failed test"; done\n';
    p.work('t', { ...GOOD, 'src/hides.sh': `printf '# pass 1\\n# fail 1\\n# cancelled 0\\n'\n${frames}` });
    const no = await refused();
    expect(no).toMatchObject(refusedBy('validation', { code: 1 }));
    expect(no.message).toContain('"sh src/hides.sh" ended with 0, but its test runner says “fail 1”');
    await p.config({ tdd: 'off' });
    p.work('t', {
      'src/hides.sh': "printf '# fail 1\\nok 1 - a\\n\\n\\n\\n\\n\\n\\n# pass 1\\n# fail 0\\n# cancelled 0\\n'\n",
    });
    succeeded(await p.submit('t'));
    expect(await p.last('t', 'submitted')).toMatchObject({ proof: { runs: [{ ok: true, said_failed: 'fail 1' }] } });
  });

  test('a line that wants failed tests is not red for their summary', async () => {
    await begun({ tdd: 'off' }, { validation: ['! sh src/red.sh'] });
    p.work('t', { ...GOOD, 'src/red.sh': "printf '# pass 1\\n# fail 1\\n'; exit 1\n" });
    succeeded(await p.submit('t'));
  });

  test('sees the commit alone: no file that was not committed, no credential, no word of the coder', async () => {
    await begun({}, { validation: ['ls -A; git rev-parse HEAD; env; cat secret.txt 2>/dev/null; true'] });
    fs.appendFileSync(p.file('.git', 'info', 'exclude'), 'secret.txt\n');
    const commit = p.work('t', GOOD);
    fs.writeFileSync(p.folder('t', 'secret.txt'), 'not committed');
    const env = { ...p.env, SOME_API_KEY: 'k', LIZA_AGENT_ID: 'coder-1', ANTHROPIC_API_KEY: 'a' };
    const { submitForReview } = await import('../../../src/tasks/submit.ts');
    succeeded(await submitForReview(p.as('coder-1', { env }), 't', 'HEAD'));
    const log = fs.readFileSync(p.file('.liza/evidence/t/1-1.log'), 'utf8');
    expect(log.split('\n')).toEqual(expect.arrayContaining([commit, 'run.sh', 'src', 'test']));
    expect(log).not.toMatch(/not committed|SOME_API_KEY|ANTHROPIC|LIZA_AGENT_ID/);
  });

  test('the task’s own commands come first, then the project’s; the first red one ends it', async () => {
    await begun({ test_command: 'exit 7' }, { validation: ['sh run.sh', '  ', 'sh run.sh'] });
    p.work('t', GOOD);
    expect((await refused()).message).toContain('"exit 7" ended with 7');
    await p.config({ test_command: null });
    succeeded(await p.submit('t'));
    expect(await p.last('t', 'submitted')).toMatchObject({ red_before: 1, proof: { commands: ['sh run.sh'] } });
  });

  test.runIf(inFull)('of several, the red one is named by its number and its first words (in test:all)', async () => {
    const long = `test "${'x'.repeat(10)} ${'y '.repeat(60)}" = no`;
    await begun({ test_command: 'true' }, { validation: ['test -e README.md', long] });
    p.work('t', GOOD);
    const { message } = await refused();
    expect(message).toContain('and #2, "test "xxxxxxxxxx y');
    expect(message).toContain(' …" ended with 1');
    expect(message).not.toContain(long.slice(0, 100));
  });

  test.runIf(inFull)(
    'a short one is named as it is, without a number that only its prompt has (in test:all)',
    async () => {
      await begun({ test_command: 'true' }, { validation: ['test -e README.md', 'test -e no.md'] });
      p.work('t', GOOD);
      const { message } = await refused();
      expect(message).toContain('and "test -e no.md" ended with 1');
    },
  );

  test('one that does not end is ended with all it started, and is red', async () => {
    await begun({ validation_timeout: 1 }, { validation: ['setsid sleep 300 & sleep 300'] });
    p.work('t', GOOD);
    expect((await refused()).message).toContain('did not end within 1 s');
    expect(leftovers()).toEqual([]);
  });

  test('a checkout that cannot be prepared says nothing about the commit', async () => {
    await begun();
    p.work('t', GOOD);
    await p.config({ post_worktree_cmd: 'echo no network; exit 9' });
    const no = await refused();
    expect(no).toMatchObject(refusedBy('post-worktree-cmd', { code: 3, lines: ['  no network'] }));
    // What only a person can read or set is not the coder's next step.
    expect(no.hint).not.toMatch(/\.liza\/|config set/);
    expect(await events('validation_failed')).toEqual([]);
  });

  test('commands that cannot be started at all say nothing about it either, and are not held against the coder', async () => {
    await begun();
    p.work('t', GOOD);
    await p.config({ sandbox: 'require' });
    const no = await refused();
    expect(no).toMatchObject(refusedBy('not-started', { code: 5 }));
    expect(no.message).toContain('config.sandbox is require');
    expect(await events('validation_failed')).toEqual([]);
  });

  test('as many red submissions as iterations are allowed block the task', async () => {
    await begun({ max_coder_iterations: 2 });
    p.work('t', { ...GOOD, 'src/value': '1\n' });
    expect((await refused()).hint).toContain('Fix it');
    p.work('t', { ...GOOD, 'src/value': '1 3\n' });
    expect((await refused()).hint).toContain('BLOCKED');
    expect(await p.task('t')).toMatchObject({
      status: 'BLOCKED',
      failed_by: ['coder-1'],
      blocked_reason: expect.stringContaining('2 submissions of one iteration were refused'),
    });
  });

  test('a green commit whose submission was held up is not run again', async () => {
    await begun({ tdd: 'off' }, { validation: ['echo ran >> ../../../runs; sh run.sh'] });
    const runs = (): number => fs.readFileSync(path.join(p.base, 'runs'), 'utf8').trim().split('\n').length;
    p.work('t', GOOD);
    const pausing = p.as('coder-1', {
      say: () => fs.writeFileSync(p.file('.liza', 'CHECKPOINT'), ''),
    });
    const { submitForReview } = await import('../../../src/tasks/submit.ts');
    expect(await submitForReview(pausing, 't', 'HEAD')).toMatchObject(refusedBy('switches', { ok: false }));
    expect(await events('validated')).toHaveLength(1);
    fs.rmSync(p.file('.liza', 'CHECKPOINT'));
    succeeded(await p.submit('t'));
    expect(runs()).toBe(1);
    expect((await p.submit('t')) as object).toMatchObject({ already: true });
    expect(runs()).toBe(1);
  });

  test('two submissions of one commit at once: run once, both told that it is submitted', async () => {
    await begun({ tdd: 'off' }, { validation: ['echo ran >> ../../../runs; sleep 0.3; test -d .'] });
    p.work('t', GOOD);
    const both = await Promise.all([p.submit('t'), p.submit('t')]);
    expect(both).toMatchObject([{ ok: true }, { ok: true }]);
    expect(fs.readFileSync(path.join(p.base, 'runs'), 'utf8')).toBe('ran\n');
  });

  test('a lease that is lost meanwhile: nothing is submitted', async () => {
    await begun();
    p.work('t', GOOD);
    const late = p.as('coder-1', { say: () => p.pass(100_000) });
    const { submitForReview } = await import('../../../src/tasks/submit.ts');
    expect(await submitForReview(late, 't', 'HEAD')).toMatchObject(refusedBy('holds-task', { ok: false }));
    expect(await p.task('t')).toMatchObject({ status: 'CLAIMED' });
  });

  test('without any command nothing is run, and the reviewer is told so', async () => {
    await begun({}, { validation: [] });
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    expect(await p.last('t', 'submitted')).not.toHaveProperty('proof');
  });

  test('what a killed validation left is swept, but not under one that runs', async () => {
    await begun();
    const left = p.file('.worktrees', '.proof-t-0123abcd');
    fs.mkdirSync(left);
    fs.mkdirSync(p.file('.liza', 'locks'), { recursive: true });
    const lock = await acquireLock(p.file('.liza', 'locks', 't.proof.lock'));
    if (!('release' in lock)) throw new Error('no lock');
    succeeded(await reconcile(p.as('coder-1')));
    expect(fs.existsSync(left)).toBe(true);
    lock.release();
    expect(await reconcile(p.as('coder-1'))).toMatchObject([{ subject: 't', done: 'its checkout is removed' }]);
    expect(fs.existsSync(left)).toBe(false);
    fs.mkdirSync(left);
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    expect(leftovers()).toEqual([]);
  });
});

describe('a runner that names no tests', () => {
  const TEST = { 'src/value': '1 2\n', 'test/new.sh': 'test_two() {\n  grep -q 2 src/value\n}\n' };
  const proofOf = async () => ((await p.last('t', 'submitted')) as unknown as { proof: Record<string, unknown> }).proof;

  test('whether the new tests ran is not known, and that is told', async () => {
    await begun();
    p.work('t', TEST);
    succeeded(await p.submit('t'));
    expect(await proofOf()).toMatchObject({ tests: { on_base: 'unknown' }, untold_tests: ['test/new.sh'] });
  });

  test.each([
    ['its number of tests did not grow', 'echo "Ran 7 tests in 0.1s"', ['test/new.sh']],
    ['its number of tests grew by them', 'echo "Ran $(ls test/*.sh | wc -l) tests in 0.1s"', undefined],
    ['it names the file', 'ls test/*.sh', undefined],
  ])('%s', async (_what, count, untold) => {
    await begun({}, { validation: [`sh run.sh && ${count}`] });
    p.work('t', TEST);
    succeeded(await p.submit('t'));
    expect((await proofOf())['untold_tests']).toEqual(untold);
  });

  test('tests that are red without the change ran', async () => {
    await begun();
    p.work('t', { ...TEST, 'test/new.sh': `${TEST['test/new.sh']}test_two\n` });
    succeeded(await p.submit('t'));
    expect(await proofOf()).toMatchObject({ tests: { on_base: 'red' } });
    expect(await proofOf()).not.toHaveProperty('untold_tests');
  });
});

test('where tests and code are the same files, that is told', async () => {
  await begun({ test_patterns: ['src/**', 'test/**'] });
  p.work('t', GOOD);
  succeeded(await p.submit('t'));
  expect(await p.last('t', 'submitted')).toMatchObject({
    proof: { tests: { on_base: 'green', why: 'the commit changes only files that count as tests' } },
  });
});

test.runIf(inFull)('a script of package.json that cannot fail is told of its command (in test:all)', async () => {
  const scripts = { x: 'exit 0', y: 'sh run.sh' };
  const validation = ['npm run -s x', 'npm run -s y'];
  const files = { ...FILES, 'package.json': JSON.stringify({ name: 'p', version: '1.0.0', scripts }) };
  p = project({ tasks: [{ id: 't', validation }], config: { tdd: 'evidence' }, files });
  await p.begun('t');
  p.work('t', GOOD);
  const said = succeeded(await p.submit('t'));
  const submitted = await p.last('t', 'submitted');
  expect(submitted).toMatchObject({ proof: { runs: [{ idle_script: 'exit 0' }, { command: 'npm run -s y' }] } });
  expect(JSON.stringify(submitted).match(/idle_script/g)).toHaveLength(1);
  expect(JSON.stringify(said)).toContain('`npm run -s x` cannot fail: its script is `exit 0`');
});

describe('tests of a document', () => {
  /** One test for each example of the document. */
  const RUNNER = 'grep -c example README.md | sed "s/^/Ran /; s/$/ tests in 0.1s/"; sh run.sh; ls test/*.sh';
  const README = { 'README.md': 'example 1\n' };
  const docs = async (validation = RUNNER): Promise<void> => {
    p = project({
      tasks: [{ id: 't', validation: [validation], scope: 'IN: src, README.md\nOUT: deploy' }],
      config: { tdd: 'evidence' },
      files: { ...FILES, ...README },
    });
    await p.begun('t');
  };
  const submitted = async () => {
    const said = succeeded(await p.submit('t'));
    return { said, proof: (await p.last('t', 'submitted'))?.['proof'] as { tests: Record<string, unknown> } };
  };

  test('those that exist only with the change are not said to pass without it', async () => {
    await docs();
    p.work('t', { 'src/value': '1 2\n', 'README.md': 'example 1\nexample 2\n', 'test/new.sh': 'grep -q . run.sh\n' });
    const { said, proof } = await submitted();
    expect(proof.tests).toMatchObject({
      on_base: 'unknown',
      because: { on_base: expect.stringMatching(/^1 of the 2 tests .* exist only with the change; the others pass/) },
    });
    expect(JSON.stringify(said)).not.toContain('prove nothing');
  });

  test.runIf(inFull)('one that reads what the change alters is not said to prove nothing (in test:all)', async () => {
    await docs();
    p.work('t', { 'src/value': '1 2\n', 'README.md': 'an example\n', 'test/new.sh': 'grep -q example README.md\n' });
    const { said, proof } = await submitted();
    expect(proof.tests).toMatchObject({ on_base: 'green', reads: ['README.md'] });
    expect(JSON.stringify(said)).not.toContain('prove nothing');
  });

  test.runIf(inFull)('of the others it is said, by their names (in test:all)', async () => {
    await docs('node --test');
    const text =
      "const { test } = require('node:test');\nconst { readFileSync } = require('node:fs');\ntest('adds two numbers', () => {\n  require('node:assert').match(readFileSync('src/value', 'utf8'), /1/);\n});\n";
    p.work('t', { 'src/value': '1 2\n', 'test/new.test.js': text });
    const { said, proof } = await submitted();
    expect(proof.tests).toMatchObject({ on_base: 'green', passed: ['adds two numbers'] });
    expect(proof.tests).not.toHaveProperty('untold');
    expect(JSON.stringify(said)).toContain('prove nothing about the change: adds two numbers; the reviewer is told');
  });

  test.runIf(inFull)('a commit that only takes a row out of a test has no new tests (in test:all)', async () => {
    const text = (rows: string): string =>
      `const { test } = require('node:test');\ntest('one', () => {});\ntest('rows', () => {\n${rows}});\n`;
    const files = { ...FILES, ...README, 'test/rows.test.js': text('  [1].map(Number);\n  [2].map(Number);\n') };
    const tasks = [{ id: 't', validation: ['node --test'], scope: 'IN: src, test\nOUT: deploy' }];
    p = project({ tasks, config: { tdd: 'evidence' }, files });
    await p.begun('t');
    p.work('t', { 'src/value': '1 2\n', 'test/rows.test.js': text('  [1].map(Number);\n') });
    const { said, proof } = await submitted();
    expect(proof.tests).toMatchObject({ on_base: 'green', none_new: true });
    expect(proof.tests).not.toHaveProperty('passed');
    expect(JSON.stringify(said)).toContain('The tests that your commit changes pass on the base too');
  });
});

describe('a validation that spoils its checkout', () => {
  test('never leads Liza’s git to somebody’s own files', async () => {
    const index = (): string => `${p.file('.git', 'index')}`;
    await begun({}, { validation: ['test -d .'] });
    await p.config({ test_command: `sh run.sh && ln -sf '${index()}' .git/index` });
    p.work('t', GOOD);
    p.git('add', '-A');
    const mine = fs.readFileSync(index());
    succeeded(await p.submit('t'));
    expect(fs.readFileSync(index()).equals(mine)).toBe(true);
    expect(await p.last('t', 'submitted')).toMatchObject({ proof: { tests: { base_alone: 'green', on_base: 'red' } } });
  });

  firstRow(
    ['rm -rf .git', 'rm -rf .git/index; mkdir .git/index', 'git rm -rq --cached .', 'touch .git/index.lock'],
    (spoil) => `${spoil}: the commit’s tests are tried on the base all the same`,
    async (spoil) => {
      await begun({}, { validation: [`sh run.sh && ${spoil}`] });
      p.work('t', GOOD);
      succeeded(await p.submit('t'));
      expect(await p.last('t', 'submitted')).toMatchObject({
        proof: { tests: { base_alone: 'green', on_base: 'red' } },
      });
    },
  );

  test('what it made impossible is not known; where it decides, that refuses', async () => {
    await begun({}, { validation: ['sh run.sh && rm -rf "$PWD"'] });
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    const { proof } = (await p.last('t', 'submitted')) as unknown as { proof: { tests: Record<string, string> } };
    expect(proof.tests).toMatchObject({ on_base: 'unknown', why: expect.stringContaining('checkout') });
  });

  test('strict refuses it', async () => {
    await begun({ tdd: 'strict' }, { validation: ['sh run.sh && rm -rf "$PWD"'] });
    p.work('t', GOOD);
    expect((await refused()).message).toContain('tdd is strict, and the base cannot be tried');
  });
});

describe('tdd', () => {
  const tests = async (): Promise<unknown> =>
    ((await p.last('t', 'submitted')) as { proof?: { tests?: unknown } } | undefined)?.proof?.tests;

  test('strict refuses a test that passes without the change', async () => {
    await begun({ tdd: 'strict' });
    p.work('t', { 'src/value': '1 2\n', 'test/new.sh': 'true\n' });
    const no = await refused();
    expect(no).toMatchObject(refusedBy('tests-red-on-base', { code: 1 }));
    expect(no.message).toContain('pass without its change');
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({ mode: 'strict', base_alone: 'green', on_base: 'red', base_tests: 'same' });
  });

  test.each([
    ['weakened', { 'test/old.sh': 'true\n' }],
    ['deleted', { 'test/old.sh': null }],
  ])('strict runs the base’s tests on the new code: one that was %s decides', async (_how, change) => {
    await begun({ tdd: 'strict' });
    p.work('t', { 'src/value': '2\n', 'test/new.sh': 'grep -q 2 src/value\n', ...change });
    const no = await refused();
    expect(no).toMatchObject(refusedBy('base-tests-green', { code: 1, lines: ['  FAILED test/old.sh'] }));
    p.work('t', { 'src/value': '1 2\n' });
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({ on_base: 'red', base_tests: 'green' });
    expect((await p.last('t', 'submitted'))?.['diff']).toMatchObject({
      test_edits: { lines: [expect.stringMatching(/^test\/old\.sh:1 - grep -q 1 src\/value(?: → true)?$/)] },
    });
  });

  test('strict where no command is green on the base compares what fails, and says so', async () => {
    await begun({ tdd: 'strict' }, { validation: ['sh run.sh && test -e src/new'] });
    p.work('t', { ...GOOD, 'src/new': '' });
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({
      base_alone: 'red',
      on_base: 'unknown',
      why: expect.stringContaining('is red on the base without them, too (it ended with 1)'),
    });
  });

  test.runIf(inFull)(
    'strict with a command that proves the task and is red on the base rests on the others (in test:all)',
    async () => {
      await begun({ tdd: 'strict' }, { validation: ['test -e src/new', 'sh run.sh'] });
      p.work('t', { 'src/new': '', 'test/new.sh': 'true\n' });
      expect((await refused()).message).toContain('pass without its change');
      p.work('t', { 'test/new.sh': 'test -e src/new\n' });
      succeeded(await p.submit('t'));
      expect(await tests()).toMatchObject({ base_alone: 'partly', on_base: 'red', base_tests: 'same' });
    },
  );

  test('strict in a project with two runners: the one that runs the new tests decides', async () => {
    const others = 'test -e src/value && echo other tests pass';
    await begun({ tdd: 'strict', test_command: others }, { validation: ['sh run.sh'] });
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({ on_base: 'red', by: 'sh run.sh' });
  });

  test('strict with a command that names the new test: red with it on the base is enough', async () => {
    await begun({ tdd: 'strict' }, { validation: ['sh ./test/new.sh'] });
    p.work('t', { ...GOOD, 'test/new.sh': 'true\n' });
    expect((await refused()).message).toContain('pass without its change');
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({ base_alone: 'partly', on_base: 'red', base_tests: 'same' });
  });

  test('strict with no command that runs the base’s tests does not take them for green', async () => {
    await begun({ tdd: 'strict' }, { validation: ['sh test/new.sh'] });
    p.work('t', { ...GOOD, 'test/old.sh': 'true\n' });
    expect(await refused()).toMatchObject(refusedBy('base-tests-green'));
  });

  test('a command that names a new test within an old file says nothing about the base’s tests', async () => {
    await begun({}, { validation: ['sh run.sh', 'grep -q two test/old.sh && sh test/old.sh'] });
    p.work('t', { 'src/value': '1 2\n', 'test/old.sh': 'grep -q 1 src/value\n# two\ngrep -q 2 src/value\n' });
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({ base_alone: 'partly', on_base: 'red', base_tests: 'green' });
  });

  test('evidence tells the same and decides nothing', async () => {
    await begun();
    p.work('t', { 'src/value': '2\n', 'test/new.sh': 'true\n', 'test/old.sh': null });
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({
      mode: 'evidence',
      base_alone: 'green',
      on_base: 'green',
      base_tests: 'red',
      why: expect.stringContaining('with the base\'s tests "sh run.sh" ended with 1'),
      logs: ['.liza/evidence/t/1-base-tests-1.log'],
    });
  });

  test.runIf(inFull)('evidence stays within its time (in test:all)', async () => {
    await begun({ tdd_timeout: 1 }, { validation: ['sh run.sh; grep -q 2 src/value || sleep 60'] });
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({ base_alone: 'unknown', on_base: 'unknown' });
  });

  test.runIf(inFull)('the time for it is that of the commands: set-up does not count (in test:all)', async () => {
    await begun({ tdd_timeout: 4, post_worktree_cmd: 'sleep 5' });
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({ base_alone: 'green', on_base: 'red' });
  });

  test('where the commands take too long, the limit is named, and the coder is told', async () => {
    await begun({ tdd_timeout: 1 }, { validation: ['sleep 2; sh run.sh'] });
    p.work('t', GOOD);
    const { notes = [] } = succeeded(await p.submit('t'));
    const why = /^the commands took [\d.]+ s at the commit, and above 1 s \(tdd_timeout\) they are not run on the base/;
    expect(await tests()).toMatchObject({ on_base: 'unknown', why: expect.stringMatching(why) });
    expect(notes.join('\n')).toContain(
      'Whether your new tests fail without the change was not tried: the commands took',
    );
  });

  const TESTLESS = [
    ['a script that says nothing of tests', 'sh lint.sh'],
    ['a check of the syntax', 'sh -n test/new.sh'],
    ['a look at a file', 'grep -q 2 src/value && test -f test/new.sh'],
    ['a target of make that runs none', 'make lint || true; grep -q 2 src/value'],
  ] as const;
  const neither = ([what]: readonly [string, string]): string =>
    `where no command can run tests, a failing test is neither green nor red: ${what}`;
  firstRow(TESTLESS, neither, async ([, command]) => {
    await begun({ test_patterns: ['test/**'] }, { validation: [command] });
    p.work('t', {
      'src/value': '1 2\n',
      'test/new.sh': 'exit 1\n',
    });
    succeeded(await p.submit('t'));
    expect(await p.last('t', 'submitted')).toMatchObject({
      proof: { runs_no_tests: true, tests: { on_base: 'not_run', base_tests: 'not_run' } },
    });
  });

  test('a target of make that leads to the tests runs them', async () => {
    const command = 'make ci || sh -c "exit 0"; grep -q 2 src/value';
    await begun({}, { validation: [command] });
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    expect((await p.last('t', 'submitted'))?.proof).not.toHaveProperty('runs_no_tests');
  });

  test('strict, a commit whose tests no command can run is refused', async () => {
    await begun({ tdd: 'strict' }, { validation: ['grep -q 2 src/value'] });
    p.work('t', GOOD);
    const no = await refused();
    expect(no).toMatchObject(refusedBy('tests-red-on-base', { code: 1 }));
    expect(no.message).toContain('no command that Liza runs can run tests');
  });

  const TAP = 'for one in test/*.sh; do sh "$one" && echo "ok - $one" || { echo "not ok 1 - $one"; exit 1; }; done';

  test('tests of the base that the new code fails are named, as far as the runner names them', async () => {
    await begun({ test_command: TAP }, { validation: ['grep -q 2 src/value'] });
    p.work('t', { 'src/value': '2\n', 'test/new.sh': 'grep -q 2 src/value\n', 'test/old.sh': 'true\n' });
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({ base_tests: 'red', base_failed: ['test/old.sh'] });
  });

  test('a command that wants tests red is none by which the tests of the base are judged: they may be weaker', async () => {
    const validation = ['echo 12 > src/value && ! npm test'];
    const files = { ...FILES, 'package.json': '{"scripts":{"test":"sh test/old.sh"}}\n' };
    p = project({ tasks: [{ id: 't', validation }], config: { tdd: 'evidence', test_command: 'npm test' }, files });
    await p.begun('t');
    p.work('t', { 'test/old.sh': 'grep -qx 1 src/value\n' });
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({ base_tests: 'green' });
  });

  test('red on the base is by the test command, with the tests that its runner names; the planner’s own check is not asked', async () => {
    const config = { test_command: TAP };
    await begun(config, { validation: ['grep -q 2 src/value', 'echo ran >> ../../../checks'] });
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    expect(await tests()).toEqual({
      mode: 'evidence',
      base: expect.any(String),
      base_alone: 'partly',
      base_green: ['echo ran >> ../../../checks', TAP],
      on_base: 'red',
      base_tests: 'same',
      by: TAP,
      failed: ['test/new.sh'],
      logs: ['.liza/evidence/t/1-tests-on-base-1.log'],
    });
    // At the commit and on the base alone, and not again with the tests on the base.
    expect(fs.readFileSync(path.join(p.base, 'checks'), 'utf8')).toBe('ran\nran\n');
  });

  test('a runner that names only what fails tells the others by its numbers, and what it skipped of the base', async () => {
    const PYTEST = `many=$(cat test_*.py | grep -c '^def test_')
if grep -q test_needs test_*.py && ! grep -q 2 src/value
then echo 'FAILED test_old.py::test_needs - no'; echo "1 failed, $((many - 1)) passed, 3 skipped in 0.1s"; exit 1
else echo "$many passed, 3 skipped in 0.1s"; fi\n`;
    const OLD = 'def test_old():\n    assert 1\n';
    p = project({
      tasks: [{ id: 't', validation: ['sh pytest.sh'] }],
      config: { tdd: 'evidence' },
      files: { ...FILES, 'pytest.sh': PYTEST, 'test_old.py': OLD },
    });
    await p.begun('t');
    const more = 'def test_needs():\n    assert two()\ndef test_void():\n    assert 1\n';
    p.work('t', { 'src/value': '1 2\n', 'test_old.py': `${OLD}${more}` });
    succeeded(await p.submit('t'));
    const found = await tests();
    expect(found).toMatchObject({ on_base: 'red', failed: ['test_old.py::test_needs'], passed: ['test_void'] });
    expect(found).toMatchObject({ base_tests: 'green', base_skipped: 3 });
    expect(found).not.toHaveProperty('untold');
  });

  test('a new test that stays green on the base is named, beside those that fail there', async () => {
    await begun({ test_command: 'node --test --test-reporter=tap' }, { validation: [] });
    const file = (more: string): string => `import { readFileSync } from 'node:fs';
import assert from 'node:assert';
import { test } from 'node:test';
${more}`;
    const NEEDS = "test('has the two', () => assert.match(readFileSync('src/value', 'utf8'), /2/));\n";
    const VOID = "test('is there', () => assert.ok(readFileSync));\n";
    p.work('t', { 'src/value': '1 2\n', 'test/new.test.mjs': file(`${NEEDS}${VOID}`) });
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({ on_base: 'red', failed: ['has the two'], passed: ['is there'] });
  });

  test.runIf(inFull)(
    'a new test that is called like one of an unchanged file is not said to have passed without the change (in test:all)',
    async () => {
      const file = (more: string): string => `import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
${more}`;
      p = project({
        tasks: [{ id: 't', validation: [] }],
        config: { tdd: 'evidence', test_command: 'node --test --test-reporter=tap' },
        files: { ...FILES, 'test/old.test.mjs': file("test('words', () => assert.ok(readFileSync));\n") },
      });
      await p.begun('t');
      const needs = (name: string): string =>
        `test('${name}', () => assert.match(readFileSync('src/value', 'utf8'), /2/));\n`;
      const added = `throw new Error(readFileSync('src/value', 'utf8').includes('2') ? '' : 'not yet');\n`;
      p.work('t', {
        'src/value': '1 2\n',
        'test/new.test.mjs': file(`if (!readFileSync('src/value', 'utf8').includes('2')) ${added}${needs('words')}`),
      });
      succeeded(await p.submit('t'));
      const proved = await tests();
      expect(proved).toMatchObject({ on_base: 'red' });
      expect(proved).not.toHaveProperty('passed');
    },
  );

  test('a check of the planner that is red on the base makes no test red', async () => {
    await begun({ test_command: TAP }, { validation: ['grep -q 2 src/value'] });
    p.work('t', { 'src/value': '1 2\n', 'test/new.sh': 'true\n' });
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({ base_alone: 'partly', on_base: 'green' });
    // Nothing failed where it should not, so there is nothing to explain.
    expect(await tests()).not.toHaveProperty('because');
  });

  test('what is not known has the reason that was seen', async () => {
    await begun({}, { validation: ['sh run.sh && test -e src/new'] });
    p.work('t', { ...GOOD, 'src/new': '' });
    succeeded(await p.submit('t'));
    expect(await tests()).toMatchObject({
      on_base: 'unknown',
      because: {
        on_base:
          '"sh run.sh && test -e src/new" is red on the base without them, too (it ended with 1), and says nothing that differs with them',
      },
    });
  });

  test('a commit of tests alone is not run a second time under another name', async () => {
    await begun({}, { validation: ['echo ran >> ../../../runs; sh run.sh'] });
    p.work('t', { 'test/more.sh': 'grep -q 1 src/value\n' });
    succeeded(await p.submit('t'));
    expect(fs.readFileSync(path.join(p.base, 'runs'), 'utf8')).toBe('ran\n');
    expect(await tests()).toMatchObject({
      on_base: 'green',
      because: { on_base: 'the commit changes only files that count as tests' },
    });
  });

  test.runIf(inFull)(
    'what another task showed of the base is not run again, command by command (in test:all)',
    async () => {
      const run = 'echo ran >> ../../../runs; sh run.sh';
      p = project({
        tasks: [
          { id: 'a', validation: [run] },
          { id: 'b', validation: ['test -e src/value', run] },
        ],
        config: { tdd: 'evidence' },
        files: FILES,
      });
      const runs = (): number => fs.readFileSync(path.join(p.base, 'runs'), 'utf8').trim().split('\n').length;
      await p.submitted('a', GOOD);
      const before = runs();
      await p.submitted('b', { 'src/b': '', 'test/b.sh': 'test -e src/b\n' }, 'coder-2');
      // At the commit, and with its tests on the base.
      expect(runs() - before).toBe(2);
    },
  );

  test('off does not look; a docs task without tests has none to look at', async () => {
    await begun({ tdd: 'off' });
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    expect(await tests()).toBeUndefined();
    await begun({ tdd: 'strict' }, { type: 'docs', scope: 'IN: README.md' });
    p.work('t', { 'README.md': 'more\n' });
    succeeded(await p.submit('t'));
    expect(await p.last('t', 'submitted')).toMatchObject({ proof: { runs: [{ ok: true }] } });
    expect(await tests()).toBeUndefined();
  });

  test('that the base is green is looked up, not run again', async () => {
    p = project({
      tasks: ['a', 'b'].map((id) => ({ id, validation: ['echo $PWD >> ../../../runs; sh run.sh'] })),
      config: { tdd: 'evidence' },
      files: FILES,
    });
    await p.submitted('a', GOOD);
    const before = fs.readFileSync(path.join(p.base, 'runs'), 'utf8').trim().split('\n').length;
    await p.submitted('b', { 'src/b': '', 'test/b.sh': 'test -e src/b\n' }, 'coder-2');
    const after = fs.readFileSync(path.join(p.base, 'runs'), 'utf8').trim().split('\n').length;
    expect([before, after - before]).toEqual([3, 2]);
  });
});

describe('evidence', () => {
  const put = (name: string, bytes: number, time: number): void => {
    fs.mkdirSync(path.dirname(p.file('.liza/evidence', name)), { recursive: true });
    fs.writeFileSync(p.file('.liza/evidence', name), 'x'.repeat(bytes));
    fs.utimesSync(p.file('.liza/evidence', name), time, time);
  };
  const kept = (): readonly string[] =>
    (fs.readdirSync(p.file('.liza/evidence'), { recursive: true, encoding: 'utf8' }) as string[])
      .filter((name) => fs.lstatSync(p.file('.liza/evidence', name)).isFile())
      .sort();

  test('takes no more than agent_logs_mb: whole submissions go, the oldest first; a person’s files and links stay', async () => {
    await begun({ agent_logs_mb: 1 });
    put('gone/1-1.log', 600_000, 10);
    put('gone/1.json', 100, 10);
    put('gone/2-1.log', 300_000, 20);
    put('gone/mine.txt', 10, 1);
    put('old/1-1.log', 500_000, 5);
    put('t/7-1.log', 500_000, 30);
    fs.writeFileSync(p.file('precious.log'), 'mine');
    fs.symlinkSync(p.file('precious.log'), p.file('.liza/evidence/gone/9-1.log'));
    p.work('t', GOOD);
    succeeded(await p.submit('t'));
    const left = kept();
    expect(left).toEqual(
      expect.arrayContaining(['gone/2-1.log', 'gone/mine.txt', 't/1-1.log', 't/1.json', 't/7-1.log']),
    );
    expect(left.filter((name) => /^gone\/1|^old/.test(name))).toEqual([]);
    expect(fs.existsSync(p.file('.liza/evidence/old'))).toBe(false);
    expect(fs.readFileSync(p.file('precious.log'), 'utf8')).toBe('mine');
    expect(fs.existsSync(p.file('.liza/evidence/gone/9-1.log'))).toBe(true);
  });

  test('holds no secret: neither in logs, nor in what was found, nor in names of files, nor on the board', async () => {
    const value = 'hunter2-hunter2-hunter2';
    const shaped = `ghp_${'a1B2'.repeat(9)}`;
    const files = { 'says.txt': `${value}\n${shaped}\n` };
    await begun(
      { test_command: 'cat src/said' },
      { validation: ['sh run.sh'], scope: 'IN: src, test, says.txt, x, .github' },
    );
    p.work('t', {
      ...GOOD,
      ...files,
      'src/said': `${value}\n${shaped}\n`,
      [`src/${shaped}`]: 'a',
      [`test/${value}.sh`]: 'cat src/said; exit 1\n',
    });
    const env = { ...p.env, DEPLOY_TOKEN: value };
    const { submitForReview } = await import('../../../src/tasks/submit.ts');
    const no = await submitForReview(p.as('coder-1', { env }), 't', 'HEAD');
    expect(JSON.stringify(no)).toContain('[redacted]');
    const told = kept().map((name) => fs.readFileSync(p.file('.liza/evidence', name), 'utf8'));
    expect(kept()).toEqual(['t/1-1.log', 't/1-2.log', 't/1-again-1.log', 't/1.json']);
    expect(told[1]).toBe('[redacted]\n[redacted]\n');
    for (const text of [...told, JSON.stringify(no), JSON.stringify(await p.state())]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(shaped);
    }
    p.gitIn(p.folder('t'), 'rm', '-q', `test/${value}.sh`);
    p.work('t', {
      [`test/${value}.md`]: 'a',
      [`.github/workflows/${shaped}.yml`]: 'a',
      [`x/${shaped}/AGENTS.md`]: 'a',
    });
    succeeded(await submitForReview(p.as('coder-1', { env }), 't', 'HEAD'));
    for (const text of [JSON.stringify(await p.state()), fs.readFileSync(p.file('.liza/journal.jsonl'), 'utf8')]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(shaped);
    }
  });
});
