// An approval is an argument: what its text may name for a criterion, and which approvals the table takes.

import { describe, expect, it, test } from 'vitest';
import type { Actor } from '../../../src/protocol/board.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { approvalForm, parseApproval, remarksIn, testNames } from '../../../src/protocol/review/approval.ts';
import { concernsOf, concernText, isFlagged, shownIn, whatOf } from '../../../src/protocol/review/approval-record.ts';
import { proofOf } from '../../../src/protocol/review/proof.ts';
import { shownText } from '../../../src/protocol/review/shown-text.ts';
import type { Config, HistoryEvent, Task } from '../../../src/protocol/state.ts';
import { refusedBy } from '../../refused-by.ts';
import { cpuTimer } from '../../support/cpu-time.ts';
import {
  addReady,
  claimReview,
  PLANNER,
  REVIEWER,
  SUPERVISOR,
  toReady,
  UNCHANGED,
  type World,
  world,
} from './world.ts';

const evidence = (text: string, criteria = 3) => parseApproval(text, criteria).evidence;

test('a line that names thousands of criteria and of commands is refused before they are multiplied', () => {
  const text = `${Array(100).fill('1-200').join()}: ran ${Array(2400).fill('#1-50').join()}`;
  const { evidence, problems } = parseApproval(text, Number.POSITIVE_INFINITY);
  expect(evidence).toHaveLength(200);
  expect(problems.map((one) => one.text)).toEqual(['more than 200 are named: name the strongest ones']);
  const many = `${Array(100).fill('1-9999,9,3-9').join()}: ran #1`;
  expect(parseApproval(`${many}\n`.repeat(10), Number.POSITIVE_INFINITY).evidence.length).toBeLessThanOrEqual(200);
});

test('a criterion that is named twice in a line is shown once', () => {
  expect(evidence('1, 1-2: ran npm test').map(({ criterion }) => criterion)).toEqual([1, 2]);
});

describe('what shows a criterion', () => {
  test.each([
    [
      'a test',
      '1: test test/a.test.ts › retries › three times',
      { by: 'test', file: 'test/a.test.ts', name: 'retries › three times' },
    ],
    [
      'a test as vitest prints it',
      '1: test test/a.test.ts > three times',
      { by: 'test', file: 'test/a.test.ts', name: 'three times' },
    ],
    [
      'a test as pytest prints it',
      '1: test tests/test_a.py::test_retry',
      { by: 'test', file: 'tests/test_a.py', name: 'test_retry' },
    ],
    ['a command', '1: ran npm test -- src/*.ts', { by: 'ran', command: 'npm test -- src/*.ts' }],
    ['a command in backticks', '1: ran `npm test`', { by: 'ran', command: 'npm test' }],
    ['a place', '1: src/a.ts:12', { by: 'place', file: 'src/a.ts', line: 12 }],
    ['a place in tests', '1: test/a.js:19-20', { by: 'place', file: 'test/a.js', line: 19, to: 20 }],
    ['a range of lines', '1: src/a.ts:10-20', { by: 'place', file: 'src/a.ts', line: 10, to: 20 }],
    ['a place with a remark', '- 1: `src/a.ts:12` — the guard', { by: 'place', file: 'src/a.ts', line: 12 }],
    ['what was seen', '1: seen the page turns red', { by: 'seen', text: 'the page turns red' }],
    ['a list with dots', '1. ran npm test', { by: 'ran', command: 'npm test' }],
    ['a bracket', '1) ran npm test', { by: 'ran', command: 'npm test' }],
    ['a dash', '1 - ran npm test', { by: 'ran', command: 'npm test' }],
    ['a long dash', '1 — ran npm test', { by: 'ran', command: 'npm test' }],
    ['a bold number', '**1:** ran npm test', { by: 'ran', command: 'npm test' }],
    ['a bold number in a list', '- **1**: ran npm test', { by: 'ran', command: 'npm test' }],
    ['a bold word', '1: **ran** npm test', { by: 'ran', command: 'npm test' }],
    ['its name in full', '**Criterion 1:** ran npm test', { by: 'ran', command: 'npm test' }],
    ['a number with its sign', '#1: ran npm test', { by: 'ran', command: 'npm test' }],
    ['no blank', '1:ran npm test', { by: 'ran', command: 'npm test' }],
    ['a glob, which is no bold word', '1: ran npx vitest test/**', { by: 'ran', command: 'npx vitest test/**' }],
    ['a test with a dash', '1: test a.test.ts - three times', { by: 'test', file: 'a.test.ts', name: 'three times' }],
    ['a test in quotes', '1: test a.test.ts "three times"', { by: 'test', file: 'a.test.ts', name: 'three times' }],
    ['the paths of the change', '1: diff src/a.ts, `test/`', { by: 'diff', paths: ['src/a.ts', 'test/'] }],
  ])('%s', (_name, line, shown) => {
    expect(evidence(line)).toEqual([{ criterion: 1, ...shown }]);
  });

  test.each([
    ['1: src/a.ts:1, src/b.ts:7', ['src/a.ts:1', 'src/b.ts:7']],
    ['1: `src/a.ts:1`, `src/b.ts:7-9` — both guards', ['src/a.ts:1', 'src/b.ts:7-9']],
    ['1: src/a.ts:1 and src/b.ts:7', ['src/a.ts:1', 'src/b.ts:7']],
    ['1: src/a.ts:1, the same as in src/b.ts:7', ['src/a.ts:1']],
    ['1: src/a.ts:3:14', ['src/a.ts:3']],
  ])('each place of a line is read: %s', (line, places) => {
    expect(evidence(line).map(whatOf)).toEqual(places);
  });

  test.each([
    '1: test a.test.ts › reads; a.test.ts › writes, b.test.ts › ends',
    '1: test a.test.ts › reads, test a.test.ts › writes and test b.test.ts › ends',
    '1: test `a.test.ts` › "reads" & `a.test.ts` › "writes" + b.test.ts › ends',
  ])('each of several tests in one line is looked up: %s', (line) => {
    expect(evidence(line).map((one) => whatOf(one))).toEqual([
      'a.test.ts › reads',
      'a.test.ts › writes',
      'b.test.ts › ends',
    ]);
  });

  test.each([
    ['1: ran #1, #2, #4', ['#1', '#2', '#4']],
    ['1: ran #1, 2 and 4', ['#1', '#2', '#4']],
    ['1: ran #1-#3', ['#1', '#2', '#3']],
    ['1: ran #1 to 3 (all green)', ['#1', '#2', '#3']],
    ['1: ran #1 #2/#4', ['#1', '#2', '#4']],
    ['1: ran commands #1 and #2', ['#1', '#2']],
    ['1: ran #1, 5 tests', ['#1, 5 tests']],
    ['1: ran #3 and test test/sum.js › Should sum', ['#3', 'test/sum.js › Should sum']],
    ['1: ran npm run lint; test a.test.ts › x, and ran #2', ['npm run lint', 'a.test.ts › x', '#2']],
    ['1: ran `npm run lint` and `npm test`', ['npm run lint', 'npm test']],
    ['1: src/a.ts:3, ran #2 and test a.test.ts › x', ['src/a.ts:3', '#2', 'a.test.ts › x']],
    ['1: test a.test.ts › x, src/a.ts:3', ['a.test.ts › x', 'src/a.ts:3']],
    ['1: test a.test.ts › x, seen I ran it, too', ['a.test.ts › x', 'I ran it, too']],
    ['1: src/a.ts:3-5, seen it prints 3', ['src/a.ts:3-5', 'it prints 3']],
    ['1: test a.test.ts › counts hits, seen once', ['a.test.ts › counts hits, seen once']],
    ['1: test a.test.ts › reads once, ran twice', ['a.test.ts › reads once, ran twice']],
    ['1: diff src/a.ts, ran npm test', ['src/a.ts', 'npm test']],
    ['1: ran #1, diff only adds src/a.ts', ['#1', 'src/a.ts']],
    ['1: ran npm test; diff only adds lines to src/a.ts', ['npm test', 'src/a.ts']],
    ['1: test a.test.ts › x, diff only adds', ['a.test.ts › x', '']],
    ['1: seen I opened it and ran npm test', ['I opened it and ran npm test']],
    ['1: ran `node -e "a, #2"`', ['node -e "a, #2"']],
  ])('every item of a line is read: %s', (line, items) => {
    expect(evidence(line).map((one) => whatOf(one))).toEqual(items);
  });

  test.each(['1: ran #1 then #2', '1: ran `npm test` / `npm run lint`', '1: ran #1 with a.test.ts › x'])(
    'a line of which an item cannot be read is refused as a whole: %s',
    (line) => {
      expect(parseApproval(line, 3)).toMatchObject({
        evidence: [],
        problems: [{ text: expect.stringContaining('has no known form'), criteria: [1] }],
      });
    },
  );

  test.each(['1: seen . . .', '1: seen - - - -', '1: seen ok ok ok', '1: seen 1 2 3'])('%s is no sentence', (line) => {
    expect(evidence(line)).toEqual([]);
  });

  test('several criteria by one thing, several things for one, several on a line', () => {
    expect(
      evidence('1, 2: ran npm test; 3: src/a.ts:1\n3: seen it with eyes').map(({ criterion, by }) => [criterion, by]),
    ).toEqual([
      [1, 'ran'],
      [2, 'ran'],
      [3, 'place'],
      [3, 'seen'],
    ]);
  });

  test.each([
    ['1-3: ran npm test', [1, 2, 3]],
    ['1–2: ran npm test', [1, 2]],
    ['1 to 3: ran npm test', [1, 2, 3]],
    ['1 and 3: ran npm test', [1, 3]],
    ['1 & 3) ran npm test', [1, 3]],
    ['1, 2-3: ran npm test', [1, 2, 3]],
  ])('several criteria at once: %s', (line, criteria) => {
    expect(evidence(line).map(({ criterion }) => criterion)).toEqual(criteria);
  });

  test.each([
    ['paths that are all there is', '1: diff **', 'has no known form'],
    ['a range beyond the criteria', '1-9: ran npm test', 'there is no criterion 4'],
    ['a criterion that there is not', '4: ran npm test', 'there is no criterion 4'],
    ['words in no form', '1: looks good', 'has no known form'],
    ['a test without a name', '1: test test/a.test.ts', 'has no known form'],
    ['what was seen, in two words', '1: seen it', 'is too short'],
  ])('%s is a problem', (_name, line, problem) => {
    expect(parseApproval(line, 3)).toMatchObject({
      evidence: [],
      problems: [{ text: expect.stringContaining(problem) }],
    });
  });

  test('a list of remarks is none', () => {
    expect(parseApproval('1. I read the diff\n2) I ran it', 3)).toEqual({ evidence: [], concerns: [], problems: [] });
  });

  test('what it says besides is kept apart', () => {
    expect(remarksIn('Small.\n1: ran npm test; 2: src/a.ts:3\n- [concern] src/a.ts:3 — slow')).toBe(
      'Small.\n- [concern] src/a.ts:3 — slow',
    );
  });

  test('a hostile text takes no time', () => {
    const spent = cpuTimer();
    parseApproval(`${'1, '.repeat(5000)}\n${'1: test '.padEnd(8000, '>')}\n${'[concern] '.repeat(1500)}`, 3);
    expect(spent()).toBeLessThan(500);
  });
});

test.each([
  ['the last part of its name', 'a.test.ts', 'retries › three times', ['three times']],
  ['without the parameters of a runner', 't.py', 'test_x[1-2]', ['test_x[1-2]', 'test_x']],
  [
    'a subtest of Go, with its blanks',
    'a_test.go',
    'TestX/three_times',
    ['TestX/three_times', 'three_times', 'three times'],
  ],
])('the file of a test has %s', (_name, file, name, names) => {
  expect(testNames({ file, name })).toEqual(expect.arrayContaining(names));
});

describe('concerns', () => {
  test.each([
    ['with its place', '- [concern] src/a.ts:9 — no jitter', { file: 'src/a.ts', line: 9, text: 'no jitter' }],
    ['with a range', '- [concern] src/a.ts:9-14 — slow', { file: 'src/a.ts', line: 9, to: 14, text: 'slow' }],
    ['without one', '[Concern] the names differ', { text: 'the names differ' }],
    ['by its word', 'Concern: src/a.ts:9 — no jitter', { file: 'src/a.ts', line: 9, text: 'no jitter' }],
    ['by its word, bold', '- **Concern:** the names differ', { text: 'the names differ' }],
    [
      'over lines',
      '- [concern] src/a.ts:9 — no jitter\n  all wait at once\nOverall: good',
      { file: 'src/a.ts', line: 9, text: 'no jitter\nall wait at once' },
    ],
    ['with a time', '- [concern] at 10:30 it was slow', { text: 'at 10:30 it was slow' }],
    ['with a port', '- [concern] localhost:80 is fixed', { text: 'localhost:80 is fixed' }],
    ['with an address', '- [concern] http://a.example:80 is fixed', { text: 'http://a.example:80 is fixed' }],
  ])('%s', (_name, text, concern) => {
    expect(parseApproval(text, 1).concerns).toEqual([concern]);
  });
  test('the form as it was pasted is none', () => {
    expect(parseApproval('- [concern] file:1 — …', 1).concerns).toEqual([]);
  });
});

const SESSION: Actor = { ...REVIEWER, session: 'session-1' };
const TWO = '- calls are retried three times\n- `npm test` passes';

function reviewing(config: Partial<Config> = {}, done = TWO): World {
  const w = world(config);
  w.run(PLANNER, addReady('a', { done_when: done }));
  toReady(w, 'a');
  w.run(SUPERVISOR, claimReview('a'));
  return w;
}
const approval = (reason?: string, more: object = {}): Command => ({
  name: 'submit-verdict',
  task: 'a',
  verdict: 'APPROVED',
  ...(reason === undefined ? {} : { reason }),
  facts: UNCHANGED,
  ...more,
});
const approved = (w: World): HistoryEvent =>
  w.task('a').history?.findLast(({ event }) => event === 'approved') as HistoryEvent;

describe('a blocker within an approval', () => {
  const GREEN = '1-2: ran npm test\n';
  it.each([
    '- [blocker] src/db.py:1 — still called',
    '**[BLOCKER]** it is still called',
    '1. [blocker] src/db.py:1 — still called',
    'Blocker: src/db.py:1 — still called',
  ])('refuses it: %s', (line) => {
    for (const config of [{}, { approval_evidence: 'told' }, { approval_evidence: 'off' }] as const) {
      const { guard, message } = reviewing(config).refused(SESSION, approval(GREEN + line));
      expect(guard).toBe('criteria-shown');
      expect(message).toContain('a blocker means REJECTED; if it blocks nothing, write [concern]');
    }
  });
  it.each(['Blockers: none', 'No [blocker] was left.', 'The blocker: gone'])('is none: %s', (line) => {
    const w = reviewing();
    w.run(SESSION, approval(GREEN + line));
    expect(w.task('a').status).toBe('APPROVED');
  });
});

describe('a test where no command of Liza can run tests', () => {
  const NAMED = '1: test test/client.test.ts › three times\n2: ran npm test';
  function untested(): World {
    const w = reviewing();
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({
        ...task,
        history: (task.history ?? []).map((entry) =>
          entry.event === 'submitted'
            ? { ...entry, proof: { ...((entry as HistoryEvent).proof as object), runs_no_tests: true } }
            : entry,
        ),
      })) as never,
    }));
    return w;
  }
  it('is taken, and the record says that Liza did not run it', () => {
    const w = untested();
    w.run(SESSION, approval(NAMED));
    const [first, second] = shownIn(approved(w));
    expect(first).toMatchObject({ by: 'test', not_run: true });
    expect(isFlagged(first as never)).toBe(true);
    expect(shownText(first as never)).toContain('NOT RUN BY LIZA (no command that Liza runs can run tests): test ');
    expect(second).not.toHaveProperty('not_run');
  });
  it('is not marked where one can', () => {
    const w = reviewing();
    w.run(SESSION, approval(NAMED));
    expect(shownIn(approved(w))[0]).not.toHaveProperty('not_run');
  });
});

describe('the guard', () => {
  it.each([undefined, 'good', '1: ran npm test'])(
    'an approval that leaves a criterion open is refused: %s',
    (reason) => {
      const w = reviewing();
      expect(w.refused(SESSION, approval(reason))).toMatchObject(
        refusedBy('criteria-shown', { message: expect.stringMatching(/no evidence is named for criteri.* 2/) }),
      );
    },
  );

  it('the refusal has the whole form for this task, with each criterion’s words, and the green command filled in', () => {
    const { hint } = reviewing().refused(SESSION, approval());
    expect(hint).toContain('liza submit-verdict a APPROVED - --commit');
    expect(hint).toContain('(criterion 1: calls are retried three times)\n1: test <file> › <name>');
    expect(hint).toContain('(criterion 2: `npm test` passes)\n2: ran npm test');
    expect(hint).toContain('- [concern] file:line — ');
    expect(hint).not.toContain('--by-hand');
  });

  it('the form asks for what fits each criterion: a test, a run by its number, a line of a text', () => {
    const w = reviewing();
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({
        ...task,
        done_when: '- calls are retried three times\n- `npm test` passes\n- README.md describes the option',
      })),
    }));
    const form = approvalForm(w.task('a'), false);
    expect(form).toContain('\n1: test <file> › <name>\n2: ran #1\n3: <file>:<line>\n');
  });

  it.each([
    ['`npm pack --dry-run` lists it', 'code', 'ran #1'],
    ['what is published stays small: npm pack --dry-run && npm test', 'code', 'ran #1'],
    ['without the option nothing changes: "12 abc" 12, "" null; no existing test is changed', 'code', 'test <file>'],
    ['src/a.ts: no other line is changed', 'code', 'diff <paths>'],
    ['Readme.md: the heading shows the options, which returns null', 'code', '<file>:<line>'],
    ['10,000 entries: the median of 21 runs is below 25 ms', 'code', '<test …, ran #…'],
    ['package.json: "types" names index.d.ts', 'config', '<test …, ran #…'],
  ] as const)('the form for “%s” of a %s task: %s', (criterion, type, way) => {
    const w = reviewing();
    const command = 'npm pack --dry-run && npm test';
    const given = (task: Task): Task => ({
      ...task,
      type,
      done_when: `- ${criterion}`,
      history: (task.history ?? []).map((one) =>
        one.event === 'submitted'
          ? {
              ...one,
              proof: { ...proofOf(one), runs: [{ command, ok: true, how: '', seconds: 1, log: '' }] },
            }
          : one,
      ),
    });
    w.edit((state) => ({ ...state, tasks: state.tasks.map(given) }));
    expect(approvalForm(w.task('a'), false)).toContain(`\n1: ${way}`);
    expect(parseApproval(approvalForm(w.task('a'), false), 1).evidence).toHaveLength(/^(?:test|ran)/.test(way) ? 1 : 0);
  });

  it('the form, filled in, is taken; as it was pasted it names no test', () => {
    const w = reviewing();
    const form = approvalForm(w.task('a'), true).split('\n').slice(1, -1).join('\n');
    expect(evidence(form, 2)).toContainEqual({ criterion: 1, by: 'test', file: '<file>', name: '<name>' });
    w.run(SESSION, approval(form.replace('test <file> › <name>', 'test test/client.test.ts › three times')));
    expect(w.task('a').status).toBe('APPROVED');
  });

  it('where some lines are right, only those that are not are asked for again', () => {
    const facts = { ...UNCHANGED, false_evidence: [{ criterion: 1, why: 'a.test.ts has no “x”; did you mean “y”?' }] };
    const refused = reviewing().refused(SESSION, approval('1 looks good\n2: ran npm test'));
    expect(refused.message).toContain('what the approval names is not all so: ');
    expect(refused.hint).toContain('Correct this line, and send the verdict again with the others as they are:\n');
    expect(refused.hint).toContain('\n1: test <file> › <name>\n');
    expect(refused.hint).not.toContain('\n2: ');
    // A mistyped name is told with the right one, and with no form that says something else.
    const typo = reviewing().refused(SESSION, approval('1: test a.test.ts › x\n2: ran npm test', { facts }));
    expect(typo.message).toContain('did you mean “y”?');
    expect(typo.hint).toBe('Correct this line, and send the verdict again with the others as they are');
  });

  it('what was seen in fewer words than a sentence is told as too short', () => {
    const { message } = reviewing().refused(SESSION, approval('1: seen ok\n2: ran npm test'));
    expect(message).toContain('criterion 1: “seen ok” is too short: say in a sentence of 3 words or more');
    expect(message).not.toContain('“seen ok” has no known form');
  });

  it('a command that Liza did not run green at this commit shows nothing', () => {
    expect(reviewing().refused(SESSION, approval('1: ran npm run bench\n2: ran npm test'))).toMatchObject(
      refusedBy('criteria-shown', {
        message: expect.stringContaining('criterion 1: Liza did not run “npm run bench” green'),
      }),
    );
  });

  it('a line that seems meant for an open criterion is named with what is wrong', () => {
    const { message } = reviewing().refused(SESSION, approval('1 npm test is green\n2 - looks good'));
    expect(message).toContain('no evidence is named for criteria 1, 2');
    expect(message).toContain('“1 npm test is green” has no known form');
    expect(message).toContain('“2 - looks good” has no known form');
  });

  it('a line about several criteria asks for those alone', () => {
    const done = '- one works as said\n- two works as said\n- three works as said';
    const { message, hint } = reviewing({}, done).refused(SESSION, approval('1-2: looks fine\n3: ran npm test'));
    expect(message).toContain('what the approval names is not all so: ');
    expect(hint).toContain('Correct these lines');
    expect(hint).not.toContain('three works');
  });

  it('all that is wrong is named at once, however much it is', () => {
    const done = Array.from({ length: 12 }, (_none, n) => `- item number ${n + 1} works`).join('\n');
    const text = Array.from({ length: 11 }, (_none, n) => `${n + 1}: ran make ${n}`).join('\n');
    const facts = { ...UNCHANGED, false_evidence: [{ criterion: 3, why: 'no such test' }] };
    const { message } = reviewing({}, done).refused(SESSION, approval(text, { facts }));
    expect(message.match(/Liza did not run/g)).toHaveLength(11);
    expect(message).toContain('no evidence is named for criterion 12');
    expect(message).toContain('criterion 3: no such test');
  });

  it('a person is told what to write for a command that only it ran', () => {
    expect(reviewing().refused(SESSION, approval('1-2: ran npm run bench')).hint).toContain('n: seen I ran');
  });

  it('command n is the one that Liza ran as the n-th, and the record has it whole', () => {
    const w = reviewing();
    w.run(SESSION, approval('1: ran command 1 of VALIDATION\n2: ran command 1'));
    expect(shownIn(approved(w)).map(({ what }) => what)).toEqual(['npm test', 'npm test']);
    expect(reviewing().refused(SESSION, approval('1: ran command 7\n2: ran npm test')).guard).toBe('criteria-shown');
  });

  it('#n is the same', () => {
    const w = reviewing();
    w.run(SESSION, approval('1: ran #1\n2: ran command #1 (all green)'));
    expect(shownIn(approved(w)).map(({ what }) => what)).toEqual(['npm test', 'npm test']);
    expect(
      reviewing()
        .refused(SESSION, approval('1: ran #2\n2: ran #0'))
        .message.match(/did not run/g),
    ).toHaveLength(2);
  });

  it('a command with a remark behind it is the command', () => {
    const w = reviewing();
    w.run(SESSION, approval('1: ran npm test (all green)\n2: ran `npm test` — twice'));
    expect(w.task('a').status).toBe('APPROVED');
  });

  it('a test or place that git does not find is refused, in both modes that look', () => {
    for (const approval_evidence of ['required', 'told'] as const) {
      const facts = { ...UNCHANGED, false_evidence: [{ criterion: 1, why: 'test/a.ts has no “x”' }] };
      expect(
        reviewing({ approval_evidence }).refused(
          SESSION,
          approval('1: test test/a.ts › x\n2: ran npm test', { facts }),
        ),
      ).toMatchObject(
        refusedBy('criteria-shown', { message: expect.stringContaining('criterion 1: test/a.ts has no “x”') }),
      );
    }
  });

  it('a board without the setting asks for it; told takes a bare one and flags each criterion; off looks at nothing', () => {
    expect(reviewing().state.config.approval_evidence).toBeUndefined();
    const told = reviewing({ approval_evidence: 'told' });
    told.run(SESSION, approval('fine'));
    expect(shownIn(approved(told)).map(({ n, by }) => [n, by])).toEqual([
      [1, 'nothing'],
      [2, 'nothing'],
    ]);
    const off = reviewing({ approval_evidence: 'off' });
    off.run(SESSION, approval('1: ran nothing'));
    expect(approved(off)).not.toHaveProperty('shown');
  });

  it('a person says so, and needs none; an agent’s session cannot say so', () => {
    const w = reviewing();
    expect(w.refused(REVIEWER, approval()).hint).toContain('--by-hand');
    expect(w.refused(SESSION, approval(undefined, { by_hand: true }))).toMatchObject(refusedBy('criteria-shown'));
    w.run(REVIEWER, approval(undefined, { by_hand: true }));
    expect(approved(w)).toMatchObject({ by_hand: true });
  });
});

it('what is named twice for one criterion is kept once', () => {
  const w = reviewing();
  w.run(SESSION, approval('1: ran npm test\n1: ran #1\n1: src/a.ts:1\n2: ran #1'));
  expect(shownIn(approved(w)).map(({ n, what }) => [n, what])).toEqual([
    [1, 'npm test'],
    [1, 'src/a.ts:1'],
    [2, 'npm test'],
  ]);
});

it('a test of an unchanged file is marked as one, in what history keeps and says', () => {
  const w = reviewing();
  const facts = { ...UNCHANGED, unchanged_files: ['test/old.test.ts'] };
  w.run(
    SESSION,
    approval('1: test test/old.test.ts › old\n1: test test/new.test.ts › new\n2: ran npm test', { facts }),
  );
  expect(shownIn(approved(w)).map(({ unchanged }) => unchanged)).toEqual([true, undefined, undefined]);
  expect(shownIn(approved(w)).map(shownText)).toEqual([
    'test test/old.test.ts › old (unchanged test: the change does not touch its file)',
    'test test/new.test.ts › new',
    'ran npm test',
  ]);
});

it.each([
  ['`a` is exported from src/a.ts and equals 1', true],
  ['the module exports a limit', true],
  ['src/old.ts is removed', undefined],
  ['only files in src/ and test/ change', undefined],
])('which paths change does not show what a file says: %s', (criterion, alone) => {
  const w = reviewing({}, `- ${criterion}\n- \`npm test\` passes`);
  w.run(SESSION, approval('1: diff src, test\n2: ran npm test'));
  expect(shownIn(approved(w))[0]?.alone).toBe(alone);
});

it('history keeps criterion, evidence and concerns', () => {
  const w = reviewing();
  w.run(SESSION, approval('1: src/client.ts:3\n2: ran npm test\n- [concern] src/client.ts:9 — no jitter'));
  expect(shownIn(approved(w))).toEqual([
    { n: 1, criterion: 'calls are retried three times', by: 'place', what: 'src/client.ts:3', alone: true },
    { n: 2, criterion: '`npm test` passes', by: 'ran', what: 'npm test' },
  ]);
  expect(concernsOf(approved(w))).toEqual([{ file: 'src/client.ts', line: 9, text: 'no jitter' }]);
});

describe('forms that are clear', () => {
  const RAN = 'ran|npm test';
  const PLACE = 'place|src/a.ts|3';
  const TEST = 'test|test/a.test.ts|x';
  test.each([
    ['1) ran npm test', RAN],
    ['1 - ran npm test', RAN],
    ['1. ran npm test', RAN],
    ['(1) ran npm test', RAN],
    ['[1] ran npm test', RAN],
    ['1/ ran npm test', RAN],
    ['1 = ran npm test', RAN],
    ['C1: ran npm test', RAN],
    ['AC-1: ran npm test', RAN],
    ['criterion 1: ran npm test', RAN],
    ['Criterion 1 - ran npm test', RAN],
    ['**Criterion 1** — ran npm test', RAN],
    ['- 1: ran npm test', RAN],
    ['| 1 | ran npm test |', RAN],
    ['1: ✓ ran npm test', RAN],
    ['1: met: ran npm test', RAN],
    ['1: the number is two — ran npm test', RAN],
    ['1. a 401 is not retried — test test/a.test.ts › x', TEST],
    ['1: PASS — src/a.ts:3', PLACE],
    ['1: evidence: src/a.ts:3', PLACE],
    ['1: see src/a.ts:3', PLACE],
    ['1: shown by test test/a.test.ts › x', TEST],
    ['1: test/a.test.ts › x', TEST],
    ['1: `test/a.test.ts` › x', TEST],
    ['1: the number is two (test/a.test.ts › x)', TEST],
    ['1:\n  ran npm test\n  src/a.ts:3', `${RAN} ${PLACE}`],
    ['1:\n- test test/a.test.ts › x', TEST],
    ['Criterion 1: 401 is not retried\n  - test test/a.test.ts › x\n  - ran npm test', `${TEST} ${RAN}`],
    ['### Criterion 1\n\nran npm test', RAN],
    ['### 1. The number is two\n- ran npm test', RAN],
    ['1: src/a.ts:3\n   test test/a.test.ts › x', `${PLACE} ${TEST}`],
    ['1: ran npm test, src/a.ts:3', `${RAN} ${PLACE}`],
    ['1: ran npm test and src/a.ts:3', `${RAN} ${PLACE}`],
  ])('%j', (text, shown) => {
    const { evidence, problems } = parseApproval(text, 1);
    expect(problems).toEqual([]);
    expect(evidence.map(({ criterion: _n, ...one }) => Object.values(one).join('|')).join(' ')).toBe(shown);
  });

  test.each([
    ['Everything is fine.\n1. read the code', []],
    ['1: works for me', ['criterion 1: “works for me” has no known form']],
    ['1: looks good — nice work', ['criterion 1: “looks good — nice work” has no known form']],
    ['1:\n\nOverall it is fine: src/a.ts looks odd', []],
    ['1: src/a.ts:3\n- [concern] src/b.ts:4 — the limit is written twice', []],
  ])('no more than that is read into %j', (text, problems) => {
    const read = parseApproval(text, 1);
    expect(read.problems.map((one) => one.text)).toEqual(problems);
    expect(read.evidence.filter((one) => one.by !== 'place' || one.file !== 'src/a.ts')).toEqual([]);
  });

  test('a remark behind the name of a test is none of its name', () => {
    const name = 'is two — it fails without the change';
    expect(testNames({ file: 'test/a.test.ts', name })).toContain('is two');
  });
});

test('a concern about several lines is told with all of them', () => {
  expect(concernText({ file: 'src/a.ts', line: 9, to: 14, text: 'slow' })).toBe('src/a.ts:9-14 — slow');
});
