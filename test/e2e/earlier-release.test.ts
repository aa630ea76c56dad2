// A project that 0.4.0 made opens, verifies and goes on: read as 0.4.0 itself read it, mended, worked on, undone, and
// brought back from the copy in the git directory.

import { existsSync, rmSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_TEST_PATTERNS } from '../../src/protocol/records/test-patterns.ts';
import { inFull } from '../runs.ts';
import type { BuiltProject, Ran } from '../support/program.ts';
import { answerOf, at, layOut, type Printed, printedBy } from './earlier-release.ts';

type Answer = Readonly<Record<string, unknown>>;
type Listed = readonly Answer[];

const VERSION = '0.4.0';
const PRINTED = printedBy(VERSION);
/** Soon after its last entry: its leases still run. */
let now: number;
let here: BuiltProject;

beforeEach(() => {
  now = Date.parse('2026-11-16T06:45:17Z');
  here = layOut(VERSION);
});
const liza = (argv: readonly string[], agent?: string): Ran =>
  here.liza(argv, { as: agent, env: at(new Date(now).toISOString()) });

/** A second later each time; throws unless it succeeds. */
function ok(argv: readonly string[], agent?: string): Ran {
  now += 1000;
  const ran = liza(argv, agent);
  if (ran.code !== 0) throw new Error(`liza ${argv.join(' ')} ended with ${ran.code}: ${ran.stdout}${ran.stderr}`);
  return ran;
}
const answer = (...argv: readonly string[]): Answer => answerOf(liza([...argv, '--json']));
const printed = (...argv: readonly string[]): Answer =>
  PRINTED.find((one) => one.argv.join(' ') === argv.join(' '))?.answer ?? {};
const picked = (from: Answer, ...keys: readonly string[]): Answer =>
  Object.fromEntries(keys.map((key) => [key, from[key]]));
const files = () => ['state.yaml', 'journal.jsonl', 'log.yaml'].map((name) => here.read('.liza', name));
const listed = (value: unknown): Listed => value as Listed;

/** 0.4.0 did not hold the names in a merge against the commits, the approvals and the trailers. */
const isNewFact = ({ what }: Answer): boolean =>
  /^(?:it names the coders of its commits|it names those who approved it|the trailers of its merge commit say the same)$/.test(
    String(what),
  );

/** What an answer says, whatever words it says it in. */
const SAID: Readonly<Record<string, (answer: Answer) => unknown>> = {
  status: (status) => ({
    ...picked(status, 'goal', 'counts', 'groups', 'agents', 'anomalies', 'switches', 'spending'),
    sprint: sprintOf(status),
    alarms: alarmsOf(status).filter(([name]) => !NEW_ALARMS.has(String(name))),
  }),
  'log verify': (said) => picked(said, 'entries', 'voids', 'head', 'problems', 'remarks'),
  audit: (audit) => {
    const newer = listed(audit['tasks']).flatMap((task) => listed(task['facts']).filter(isNewFact));
    expect(newer.filter(({ mark }) => mark === 'contradicted')).toEqual([]);
    return {
      ...picked(audit, 'unverifiable', 'contradicted', 'unsupervised'),
      verified: Number(audit['verified']) - newer.filter(({ mark }) => mark === 'verified').length,
      tasks: listed(audit['tasks']).map((task) => ({
        ...picked(task, 'task', 'status'),
        marks: listed(task['facts'])
          .filter((fact) => !isNewFact(fact))
          .map(({ time, mark }) => [time, mark]),
      })),
    };
  },
  // Of what Liza stands on; the git, the sandbox and the agents are the machine's. 0.4.0 knew neither base nor pre-flight.
  doctor: (doctor) => levels(doctor),
  blame: (blame) => picked(blame, 'commit', 'part', 'merge', 'task', 'authors', 'iterations', 'rounds'),
};

/** Of notices their levels. */
const wordless = ({ message: _, hint: __, notices, ...rest }: Answer): Answer =>
  notices === undefined ? rest : { ...rest, notices: listed(notices).map(({ level }) => level) };

/** 0.4.0 counted what was abandoned as done. */
function sprintOf({ sprint }: Answer): Answer {
  const { abandoned = 0, done, ...rest } = sprint as Answer;
  return { ...rest, done: Number(done) + Number(abandoned) };
}

/** 0.4.0 had none for what a blocked task asks, nor for steps that no session stands behind. */
const NEW_ALARMS: ReadonlySet<string> = new Set(['QUESTION', 'STEP WITHOUT SESSION']);

const alarmsOf = (status: Answer): readonly (readonly unknown[])[] =>
  listed(status['alarms']).map(({ key, level }) => [String(key).split(':', 1)[0], level]);

const levels = (doctor: Answer): readonly unknown[] =>
  listed(doctor['findings'])
    .filter(({ check }) => !['git', 'sandbox', 'agents', 'base', 'pre-flight'].includes(String(check)))
    .map(({ check, level }) => [check, level]);

const said = ({ argv }: Pick<Printed, 'argv'>, answer: Answer): unknown =>
  (SAID[argv.join(' ')] ?? SAID[argv[0] ?? ''] ?? wordless)(answer);

/** What is typed today for what 0.4.0 answered: it audited all goals at once. */
const TODAY: Readonly<Record<string, readonly string[]>> = { audit: ['audit', '--goal', 'all'] };

/** 0.4.0 counted the merged tasks of the first goal with those of the second, did not tell what the first one used, and
 * printed no default of test_patterns. */
function asToday(old: Answer): Answer {
  const own = (one: Answer) =>
    one['status'] === 'MERGED' ? { ...one, count: Number(one['count']) - FIRST.length } : one;
  return {
    ...old,
    ...(Array.isArray(old['counts']) ? { counts: listed(old['counts']).map(own) } : {}),
    ...(Array.isArray(old['agents']) ? { agents: listed(old['agents']).map(stopped) } : {}),
    ...('config' in old ? { config: { ...(old['config'] as Answer), test_patterns: DEFAULT_TEST_PATTERNS } } : {}),
    ...('unverifiable' in old ? { unverifiable: Number(old['unverifiable']) + 1 } : {}),
  };
}
/** 0.4.0 called an agent that is gone by what it did last. */
const stopped = (one: Answer): Answer => (one['gone'] === true ? { ...one, status: 'STOPPED' } : one);
const FIRST = ['parse', 'money', 'totals', 'report', 'month', 'only'];

test.runIf(inFull)(
  'the first goal, which 0.4.0 archived, is listed, reported and audited by itself (in test:all)',
  () => {
    const { goals } = answer('goals') as { goals: Listed };
    expect(goals).toMatchObject([
      { id: 'goal-1', status: 'COMPLETED', tasks: FIRST.length, merged: FIRST.length, sprints: 1 },
      // Of its two only the last one was kept.
      { id: 'goal-2', status: 'IN_PROGRESS', merged: 3, sprints: 2 },
    ]);
    const report = liza(['report', '--md', '--goal', 'goal-1']).stdout;
    for (const id of FIRST) expect(report).toContain(`| ${id} | MERGED`);
    expect(report).not.toMatch(/^\| (euro|bank|wide) /m);
    expect(liza(['report', '--md']).stdout).not.toMatch(/^\| (parse|money|totals) /m);
    const tasks = (...argv: readonly string[]) => listed(answer('audit', ...argv)['tasks']).map(({ task }) => task);
    expect(tasks('--goal', 'goal-1').toSorted()).toEqual(FIRST.toSorted());
    expect(tasks()).not.toContain('parse');
  },
);

test('a project of 0.4.0 is read as 0.4.0 itself read it, and reading changes nothing', () => {
  const before = files();
  for (const one of PRINTED) {
    const ran = liza([...(TODAY[one.argv.join(' ')] ?? one.argv), '--json']);
    // A later release may say more.
    expect({ argv: one.argv, code: ran.code, said: said(one, answerOf(ran)) }).toMatchObject({
      argv: one.argv,
      code: one.code,
      said: said(one, asToday(one.answer)),
    });
  }
  expect(alarmsOf(answer('status'))).toContainEqual(['QUESTION', 'warning']);
  expect(files()).toEqual(before);
  expect(liza(['validate']).stdout).toBe('VALID\n');
  expect(printed('audit')['contradicted']).toBe(0);
});

describe('a project of 0.4.0 goes on', () => {
  const FOLDERS = ['bank', 'cents', 'euro', 'narrow', 'quotes', 'tabs'];
  const COMMENTS = /# ---- what is to be done; Ada[^\n]*\n|# only if there is time|# notes are never deleted/g;

  test('task folders, hook and exclude lines are laid out by doctor --fix, with the work that git has of them', () => {
    ok(['doctor', '--fix']);
    expect(levels(answer('doctor')).filter((found) => !String(found).endsWith(',ok'))).toEqual([]);
    for (const id of FOLDERS) {
      const { review_commit: reviewed } = here.task(id);
      const git = (...args: readonly string[]) => here.gitIn(here.folder(id), ...args);
      expect(git('branch', '--show-current')).toBe(`task/${id}`);
      if (typeof reviewed === 'string') expect(git('rev-parse', 'HEAD')).toBe(reviewed);
    }
    // Committed and never submitted: 0.4.0 had it on a branch of the repository.
    expect(here.read('.worktrees/cents/src/cents.mjs')).toContain('cents');
    expect(here.git('status', '--porcelain')).toBe('');
  });

  test.runIf(inFull)('every kind of transaction builds on its journal (in test:all)', () => {
    const [journal, comments] = [here.read('.liza/journal.jsonl'), here.read('.liza/state.yaml').match(COMMENTS)];
    expect(comments).toHaveLength(3);
    ok(['doctor', '--fix']);
    ok(['note', 'a newer Liza is at work', '--for', 'years']);
    ok(['unblock', 'bank', '--done', 'the green export is read']);
    ok(['submit-for-review', 'cents', 'HEAD'], 'coder-3');
    ok(['claim-task', 'tabs', 'coder-5'], 'coder-5');
    const plan = [
      '--intent',
      'read the file',
      '--risks',
      'none',
      '--validation',
      'npm test: green',
      '--file',
      'src/tabs.mjs',
    ];
    ok(['begin', 'tabs', ...plan], 'coder-5');
    ok(['claim-review', 'quotes', 'code-reviewer-2'], 'code-reviewer-2');
    ok(['submit-verdict', 'quotes', 'APPROVED', 'Right.\n1: src/quotes.mjs:1'], 'code-reviewer-2');
    ok(['wt', 'merge', 'euro'], 'code-reviewer-2');
    expect(['bank', 'cents', 'tabs', 'quotes', 'euro'].map((id) => [id, here.task(id).status])).toEqual([
      ['bank', 'UNCLAIMED'],
      ['cents', 'READY_FOR_REVIEW'],
      ['tabs', 'CLAIMED'],
      ['quotes', 'APPROVED'],
      ['euro', 'MERGED'],
    ]);
    expect(here.git('show', 'integration:src/euro.mjs')).toContain('euro');
    ok(['note', 'this was a mistake']);
    ok(['undo']);
    expect(here.board().human_notes.map(({ message }) => message)).not.toContain('this was a mistake');
    expect(ok(['report', '--md']).stdout).toContain('Read other ledgers');

    expect(here.read('.liza/journal.jsonl').startsWith(journal)).toBe(true);
    expect(here.read('.liza/state.yaml').match(COMMENTS)).toEqual(comments);
    const verified = answer('log', 'verify');
    expect(verified).toMatchObject({ ok: true, problems: [], remarks: [] });
    expect(verified['entries']).toBe(here.journal().length);
    expect(liza(['validate']).stdout).toBe('VALID\n');
    const audit = answer('audit', '--goal', 'all');
    expect(audit['contradicted']).toBe(0);
    expect(Number(audit['verified'])).toBeGreaterThan(Number(printed('audit')['verified']));
  });

  test.runIf(inFull)('a deleted .liza comes back from the copy in the git directory (in test:all)', () => {
    ok(['doctor', '--fix']);
    const before = files();
    const verified = answer('log', 'verify');
    rmSync(here.file('.liza'), { recursive: true });
    expect(liza(['doctor'])).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('liza doctor --fix restores it'),
    });
    expect(existsSync(here.file('.liza'))).toBe(false);
    ok(['doctor', '--fix']);
    expect(files()).toEqual(before);
    expect(answer('log', 'verify')).toEqual(verified);
    // Notes for a task are shown with it since.
    const notes = expect.arrayContaining([expect.objectContaining({ for: 'totals' })]);
    expect(answer('show', 'totals')).toEqual({ ...printed('show', 'totals'), notes });
    expect(answer('audit')['contradicted']).toBe(0);
  });
});
