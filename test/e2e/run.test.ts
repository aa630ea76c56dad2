// `liza run` and `liza agent` as processes: killed, interrupted, started twice, started wrongly. Whatever is
// done to them, no process of theirs is left, nothing is lost, and the next start goes on.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { firstRow, inFull } from '../runs.ts';
import { agentsOf } from '../support/background-crew.ts';
import { type BuiltProject, builtIn, builtProject, until } from '../support/program.ts';
import { repository } from '../support/repository.ts';

const BEGIN = {
  begin: { intent: 'a file and its test', risks: 'none', validation: 'node --test passes', files: ['src/a.mjs'] },
};
const WORK = [
  { write: 'src/a.mjs', text: 'export const a = 1;\n' },
  { write: 'test/a.test.mjs', text: "import '../src/a.mjs';\n" },
  { commit: 'a: made' },
];
/** Works, leaves a child in a session of its own, says so, and never ends. */
const HANGS = [
  BEGIN,
  ...WORK,
  { write: 'note.txt', text: 'not committed\n' },
  { run: ['sh', '-c', 'setsid sleep 1000 >/dev/null 2>&1 & echo $! > ../../../child'] },
  { hang: true },
];
const GOES_ON = [{ remove: 'note.txt' }, { submit: 'HEAD' }, { exit: 42, reason: 'submitted' }];
const SCENES = [
  { role: 'coder', when: 'interrupted', steps: GOES_ON },
  { role: 'coder', steps: HANGS },
  { role: 'code-reviewer', steps: [{ approve: 'good\n1: src/a.mjs:1' }, { exit: 0 }] },
  { role: 'planner', when: 'ALL_TERMINAL', steps: [{ liza: ['goal', 'complete'] }, { exit: 0 }] },
  { role: 'planner', steps: [{ exit: 0 }] },
];

/** A project with one task and a rehearsal of it. */
function rehearsed(scenes: readonly object[] = SCENES): BuiltProject {
  const made = builtProject();
  // Its agents leave marks outside of the project. What holds in a sandbox: sandbox.test.ts.
  made.ok(['config', 'set', 'sandbox', 'off']);
  const script = made.file('.liza', 'rehearsal.json');
  fs.writeFileSync(script, JSON.stringify({ scenes }));
  made.ok(['config', 'set', 'providers', JSON.stringify({ rehearsal: { script, pace: 0 } })]);
  made.ok([
    ...['add-task', '--id', 'a', '--desc', 'make a', '--spec', 'specs/vision.md', '--done', 'a is there and exported'],
    ...['--scope', 'IN: src/, test/', '--validate', 'test -d .', '--ready'],
  ]);
  return made;
}

const RUN = ['run', '--agent', 'rehearsal', '--plain', '--coders', '1'];
const note = (p: BuiltProject) => p.file('.worktrees/a/note.txt');
const atWork = (p: BuiltProject) => until(() => fs.existsSync(p.file('../child')));
const child = (p: BuiltProject) => Number(p.read('../child'));

function nothingHalfDone(p: BuiltProject): void {
  expect(agentsOf(p)).toEqual([]);
  const left = fs.readdirSync(p.file('.worktrees')).filter((name) => name.startsWith('.'));
  expect(left).toEqual([]);
  expect(p.ok(['doctor']).stdout).not.toContain('broken');
  // Whoever held a lock is gone, so that it can be had.
  expect(p.ok(['note', 'still here']).code).toBe(0);
}

describe('the supervisor is killed -9 while its agent works', () => {
  test('the agent lives on alone; the next start ends it, takes over and finishes; nothing is lost', async () => {
    const p = rehearsed();
    const first = p.start(RUN);
    await atWork(p);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(agentsOf(p)).toContain(child(p));
    const commit = p.gitIn(p.folder('a'), 'rev-parse', 'HEAD');
    const next = p.liza([...RUN, '--until-idle']);
    expect(next.code, next.stderr).toBe(0);
    expect(agentsOf(p)).toEqual([]);
    expect(p.task('a').status).toBe('MERGED');
    expect(p.git('rev-list', 'integration').split('\n')).toContain(commit);
    nothingHalfDone(p);
    // The session that nobody ended is on record, too, with its sandbox; no step is without one.
    const audit = JSON.parse(p.ok(['audit', 'a', '--json']).stdout) as {
      unsupervised: number;
      tasks: { facts: { what: string }[] }[];
    };
    expect(audit.unsupervised).toBe(0);
    const told = audit.tasks
      .flatMap(({ facts }) => facts.map(({ what }) => what))
      .filter((what) => /^session /.test(what));
    expect(told.length).toBe((p.task('a').usage as { sessions: number }).sessions);
    for (const what of told) expect(what).toMatch(/, (not confined|confined \(\w+\))$/);
  });

  const ways = [
    ['and continues its work', 'continue', GOES_ON],
    ['in a fresh folder, with takeover: fresh', 'fresh', [BEGIN, ...WORK, { submit: 'HEAD' }, { exit: 42 }]],
  ] as const;
  const title = ([how]: (typeof ways)[number]) =>
    `another coder takes over at once ${how}; the first one’s work is kept`;
  firstRow(ways, title, async ([_how, takeover, steps]) => {
    const p = rehearsed([
      { role: 'coder', nth: 1, when: 'start', steps: HANGS },
      { role: 'coder', steps },
    ]);
    p.ok(['config', 'set', 'takeover', takeover]);
    const first = p.start(['agent', 'coder', '--agent', 'rehearsal'], { as: 'coder-1' });
    await atWork(p);
    const commit = p.gitIn(p.folder('a'), 'rev-parse', 'HEAD');
    first.child.kill('SIGKILL');
    await first.ended;
    const second = p.liza(['agent', 'coder', '--agent', 'rehearsal', '--until-idle'], {
      env: { LIZA_AGENT_ID: 'coder-2' },
    });
    expect(second.stdout).toContain('coder-2');
    expect(agentsOf(p)).toEqual([]);
    expect(p.task('a')).toMatchObject({ status: 'READY_FOR_REVIEW', assigned_to: 'coder-2' });
    expect(p.task('a').review_commit === commit).toBe(takeover === 'continue');
    expect(p.ok(['attempts', 'a']).stdout).toContain('1 uncommitted');
  });
});

/** Hears the request to end, and does not. */
const STUBBORN = `const fs = require('node:fs');
process.on('SIGTERM', () => fs.writeFileSync('../asked', ''));
fs.writeFileSync('../../../child', String(process.pid));
setInterval(() => {}, 1000);`;

describe('Ctrl-C', () => {
  test('once: ends in order within the grace, the work stays, the next start goes on with it', async () => {
    const p = rehearsed();
    const running = p.start(RUN);
    await atWork(p);
    const begun = performance.now();
    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('stopped') });
    expect(fs.readFileSync(note(p), 'utf8')).toBe('not committed\n');
    expect(p.task('a').status).toBe('CLAIMED');
    // Its lease lies in the future, and nobody is behind it.
    const said = p.ok(['status']).stdout.replace(/\s+/g, ' ');
    expect(said).toContain('stopped in order');
    expect(said).toContain('liza run');
    expect(said).not.toContain('HOLDER GONE');
    expect(said).not.toContain('LEASE EXPIRED');
    nothingHalfDone(p);
    expect(p.liza([...RUN, '--until-idle']).code).toBe(0);
    expect(p.task('a').status).toBe('MERGED');
  });

  test('twice: at once', async () => {
    const p = rehearsed([
      {
        role: 'coder',
        steps: [{ run: ['node', '-e', STUBBORN], seconds: 2000 }],
      },
    ]);
    const running = p.start(RUN);
    await atWork(p);
    running.child.kill('SIGINT');
    const first = performance.now();
    // Two signals within 50 ms are one press (show-crew.ts).
    await until(() => fs.existsSync(p.file('.worktrees/asked')) && performance.now() - first > 100);
    const begun = performance.now();
    running.child.kill('SIGINT');
    await running.ended;
    expect(performance.now() - begun).toBeLessThan(5000);
    nothingHalfDone(p);
  });
});

test.runIf(inFull)('a reader that goes away: the run ends in order, and leaves no agent (in test:all)', async () => {
  const talks = Array.from({ length: 100 }, (_, n) => ({ run: ['sleep', `0.2${n}`] }));
  const child = { run: ['sh', '-c', 'setsid sleep 1000 >/dev/null 2>&1 & echo $! > ../../../child'] };
  const p = rehearsed([
    { role: 'coder', steps: [BEGIN, child, ...talks] },
    { role: 'planner', steps: [{ exit: 0 }] },
  ]);
  const running = p.start(RUN);
  await atWork(p);
  running.child.stdout.destroy();
  // The next line that it would print tells it.
  await running.ended;
  nothingHalfDone(p);
  expect(p.task('a').status).toBe('CLAIMED');
});

test.runIf(inFull)(
  'eight supervisors that start at once: each gets an id of its own (in test:all)',
  { timeout: 120_000 },
  async () => {
    const p = rehearsed([{ role: 'coder', steps: [{ hang: true }] }]);
    p.ok(['pause', 'a']);
    const crew = Array.from({ length: 8 }, () => p.start(['agent', 'coder', '--agent', 'rehearsal']));
    const ids = () => Object.keys(p.board()['agents'] as object).filter((id) => id.startsWith('coder-'));
    const early = (): boolean => crew.some(({ child }) => child.exitCode !== null);
    await until(() => ids().length === 8 || early());
    for (const one of crew) one.child.kill('SIGINT');
    if (early())
      expect((await Promise.all(crew.map(({ ended }) => ended))).filter(({ code }) => code !== 0)).toEqual([]);
    // null: it was still starting, and had nothing to end.
    for (const one of crew) expect([0, null]).toContain((await one.ended).code);
    expect(agentsOf(p)).toEqual([]);
  },
);

describe('one clear sentence', () => {
  const agent = (p: BuiltProject, argv: readonly string[], env: Record<string, string> = {}) => {
    const { code, stderr } = p.liza(['agent', ...argv, '--agent', 'rehearsal', '--until-idle'], { env });
    return { code, said: stderr };
  };

  test('two supervisors with one id', async () => {
    const p = rehearsed();
    const first = p.start(['agent', 'coder', '--agent', 'rehearsal'], { as: 'coder-1' });
    await atWork(p);
    const { code, said } = agent(p, ['coder'], { LIZA_AGENT_ID: 'coder-1' });
    expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('coder-1 is alive in another process') });
    expect(agentsOf(p)).toContain(child(p));
    first.child.kill('SIGINT');
    await first.ended;
  });

  test.each([
    ['a wrong id', ['coder'], { LIZA_AGENT_ID: 'bob' }, '"bob" is not an agent id'],
    ['a role that does not fit', ['planner'], { LIZA_AGENT_ID: 'coder-1' }, 'does not fit the role planner'],
    ['a task that is not there', ['coder', 'nowhere'], {}, 'there is no task nowhere'],
    ['a task for a planner', ['planner', 'a'], {}, 'a planner takes no task'],
  ])('%s', (_name, argv, env, said) => {
    expect(agent(rehearsed(), argv, env as Record<string, string>)).toEqual({
      code: 1,
      said: expect.stringContaining(said),
    });
  });

  test('a provider that is not installed, or not known, or none at all', () => {
    const p = builtProject();
    const run = (...argv: readonly string[]) => {
      const { code, stderr } = p.liza(['run', '--until-idle', ...argv], {
        env: { PATH: path.dirname(process.execPath) },
      });
      return { code, said: stderr };
    };
    expect(run('--agent', 'codex')).toEqual({ code: 5, said: expect.stringContaining('is not installed') });
    expect(run('--agent', 'nobody')).toEqual({
      code: 1,
      said: expect.stringContaining('there is no provider "nobody"'),
    });
    expect(run()).toEqual({ code: 5, said: expect.stringContaining('no agent CLI was found') });
  });

  test('no blackboard here', () => {
    const p = builtIn(repository());
    expect(p.liza(['run'])).toMatchObject({ code: 1, stderr: expect.stringContaining('liza init') });
  });
});
