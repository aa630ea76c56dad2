import { beforeEach, describe, expect, test } from 'vitest';
import { openSession } from '../../../src/identity/agent-sessions.ts';
import {
  agents,
  aReview,
  aTask,
  BASE,
  COMMIT,
  NOW,
  type Project,
  project,
  sessionsAt,
  withWorktree,
} from './fixtures.ts';

const reviewer = { as: 'code_reviewer-1' };
let here: Project;
let commit: string;

beforeEach(() => {
  here = project((repo) => {
    const base = withWorktree(repo, 'judged');
    commit = repo.commit({ 'src.ts': 'retry();\n' }, 'work', repo.file('.worktrees/judged'));
    const task = { ...aReview('judged'), base_commit: base, review_commit: commit };
    return { agents: agents({ reviewer: 'judged' }), tasks: [task] };
  });
});

const rejection = (file: string): string =>
  [
    'Blockers: 1',
    `- [blocker] ${file}:1 — 401 is retried too`,
    '  Why it matters: a locked account is hammered',
    '  Suggestion: retry 5xx only',
    'Concerns: 0',
    'Overall: one defect.',
  ].join('\n');

test('APPROVED binds to the commit under review', async () => {
  const ran = await here.liza(['submit-verdict', 'judged', 'APPROVED', '1: src.ts:1', '--commit', commit], reviewer);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(await here.task('judged')).toMatchObject({ status: 'APPROVED', approved_by: 'code-reviewer-1' });
});

test.each(['argument', 'stdin'])('APPROVED takes what shows it as %s, and names what is not there', async (way) => {
  const told = (reason: string) =>
    here.liza(['submit-verdict', 'judged', 'APPROVED', way === 'stdin' ? '-' : reason], {
      ...reviewer,
      ...(way === 'stdin' ? { stdin: `${reason}\n` } : {}),
    });
  expect((await told('good')).stderr).toContain('no evidence is named for criterion 1');
  expect((await told('good\n1: src.ts:2')).stderr).toContain('criterion 1: src.ts:2');
  expect(await told('good\n1: src.ts:1')).toMatchObject({ code: 0, stderr: '' });
});

test('a person’s approval needs none', async () => {
  expect(await here.liza(['submit-verdict', 'judged', 'APPROVED', '--by-hand'], reviewer)).toMatchObject({ code: 0 });
  expect((await here.task('judged')).history?.at(-1)).toMatchObject({ event: 'approved', by_hand: true });
});

test('another commit is refused', async () => {
  const ran = await here.liza(['submit-verdict', 'judged', 'APPROVED', '--commit', 'c'.repeat(40)], reviewer);
  expect(ran.code).toBe(1);
  expect((await here.task('judged')).status).toBe('READY_FOR_REVIEW');
});

test.each(['argument', 'stdin'])('REJECTED takes its reason as %s', async (way) => {
  const reason = rejection('src.ts');
  const argv = ['submit-verdict', 'judged', 'REJECTED', way === 'stdin' ? '-' : reason];
  const ran = await here.liza(argv, { ...reviewer, ...(way === 'stdin' ? { stdin: `${reason}\n` } : {}) });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(await here.task('judged')).toMatchObject({ status: 'REJECTED', rejection_reason: reason });
});

test('a blocker in a file that is nowhere is refused, naming it', async () => {
  const before = await here.state();
  const ran = await here.liza(['submit-verdict', 'judged', 'REJECTED', '-'], {
    ...reviewer,
    stdin: rejection('ghost.ts'),
  });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('ghost.ts');
  expect(await here.state()).toBe(before);
});

test('a malformed rejection shows the form, indented below the arrow', async () => {
  const ran = await here.liza(['submit-verdict', 'judged', 'REJECTED', '-'], { ...reviewer, stdin: 'looks wrong' });
  expect(ran.stderr).toMatch(/\n {2}→ [^\n]+\n {4}Blockers: 1\n {4}- \[blocker\]/);
});

test('show has the blanks within a criterion as they are stored', async () => {
  const shown = [{ n: 1, criterion: "pad('a') gives 'a   |'", kind: 'test', file: 't.mjs', name: 'two  blanks' }];
  const history = [
    { time: '2026-03-01T11:30:00Z', event: 'approved', agent: 'code-reviewer-1', commit: COMMIT, reason: 'ok', shown },
  ];
  const there = aTask('padded', { status: 'APPROVED', review_commit: COMMIT, history });
  const { stdout } = await project({ tasks: [there] }).liza(['show', 'padded']);
  expect(stdout).toContain("1. pad('a') gives 'a   |'");
});

test('show lists each criterion with what shows it, and the concerns', async () => {
  const reason = '1: seen it with my own eyes\n- [concern] src.ts:1 — empty';
  await here.liza(['submit-verdict', 'judged', 'APPROVED', reason], reviewer);
  const { stdout } = await here.liza(['show', 'judged']);
  expect(stdout).toMatch(/criteria +1\. .*\n +→ FLAGGED, only seen: it with my own eyes/);
  expect(stdout).toMatch(/concerns +- src\.ts:1 — empty \(code-reviewer-1\)/);
});

test('show has every verdict of a task, whole, in a section of its own', async () => {
  const long = `Blockers: 1\n- [blocker] a.ts:1 — ${'word '.repeat(200).trim()} the-end`;
  const history = [
    { time: '2026-03-01T11:00:00Z', event: 'rejected', agent: 'code-reviewer-1', commit: BASE, reason: long },
    { time: '2026-03-01T11:30:00Z', event: 'approved', agent: 'code-reviewer-2', commit: COMMIT, reason: 'all shown' },
  ];
  const shown = (await project({ tasks: [aTask('judged', { status: 'MERGED', history })] }).liza(['show', 'judged']))
    .stdout;
  const section = shown.slice(shown.indexOf('\nReviews\n'), shown.indexOf('\nHistory'));
  expect(section).toContain(`REJECTED of ${BASE.slice(0, 12)} by code-reviewer-1`);
  expect(section).toContain('the-end');
  expect(section.match(/\bword\b/g)).toHaveLength(200);
  expect(section).toContain(`APPROVED of ${COMMIT.slice(0, 12)} by code-reviewer-2`);
});

describe('a session that says both things of one commit', () => {
  const inSession = () => {
    const about = {
      agent: 'code-reviewer-1',
      role: 'code_reviewer',
      task: 'judged',
      epoch: 1,
      pid: process.pid,
    } as const;
    const { credential } = openSession(sessionsAt(here.root), about, NOW);
    return { env: { LIZA_AGENT_ID: 'code-reviewer-1', LIZA_SESSION: credential } };
  };
  const approved = ['submit-verdict', 'judged', 'APPROVED', '1: src.ts:1'];
  const rejected = ['submit-verdict', 'judged', 'REJECTED', rejection('src.ts')];

  test('the rejection counts, whatever came first, and a person is told', async () => {
    const session = inSession();
    expect((await here.liza(approved, session)).code).toBe(0);
    const told = { code: 1, stderr: expect.stringContaining('it is BLOCKED, and a person is told') };
    expect(await here.liza(rejected, session)).toMatchObject(told);
    expect(await here.task('judged')).toMatchObject({ status: 'BLOCKED', rejection_reason: rejection('src.ts') });
    const { stderr } = await here.liza(rejected, session);
    expect(stderr).toContain('both verdicts are on record');
    expect((await here.liza(['status'])).stdout).toContain('VERDICT DISPUTED: judged');
  });

  test('an approval after the rejection changes nothing, and a person is told', async () => {
    const session = inSession();
    expect((await here.liza(rejected, session)).code).toBe(0);
    expect(await here.liza(approved, session)).toMatchObject({ stderr: expect.stringContaining('it is REJECTED') });
    expect((await here.liza(['status'])).stdout).toContain('VERDICT DISPUTED: judged');
  });

  test('a person who changes its mind is only refused', async () => {
    expect((await here.liza(approved, reviewer)).code).toBe(0);
    expect((await here.liza(rejected, reviewer)).code).toBe(1);
    expect((await here.task('judged')).status).toBe('APPROVED');
  });
});
