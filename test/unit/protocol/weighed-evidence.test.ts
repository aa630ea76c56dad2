// What an approval names for one criterion, judged together: places and paths do not show what a program does, a place
// outside the diff is told as one, and what was seen beside a test is no matter.

import { describe, expect, it, test } from 'vitest';
import { isAboutBehaviour, isAboutTheDiff, saysThatItStays } from '../../../src/protocol/definition/criterion-kinds.ts';
import { approvalForm } from '../../../src/protocol/review/approval.ts';
import { besideTheChange, isFlagged, shownIn } from '../../../src/protocol/review/approval-record.ts';
import { shownText } from '../../../src/protocol/review/shown-text.ts';
import type { HistoryEvent, TASK_TYPES } from '../../../src/protocol/state.ts';
import { newConcerns } from '../../../src/supervisor/prompts/concerns.ts';
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

const ANSWERS = 'an unknown job answers 404';
const KEPT = 'no existing line of src/jobs.ts is changed';

interface Approved {
  readonly w: World;
  readonly notes: readonly string[];
  readonly told: HistoryEvent;
}

function approve(
  done_when: string,
  reason: string,
  { type, facts = {} }: { readonly type?: (typeof TASK_TYPES)[number]; readonly facts?: object } = {},
): Approved {
  const w = world();
  w.run(PLANNER, addReady('a', { done_when }));
  if (type !== undefined) w.edit((state) => ({ ...state, tasks: state.tasks.map((task) => ({ ...task, type })) }));
  toReady(w, 'a');
  w.pass(60);
  w.run(SUPERVISOR, claimReview('a'));
  const { notes = [] } = w.run(REVIEWER, {
    name: 'submit-verdict',
    task: 'a',
    verdict: 'APPROVED',
    reason,
    facts: { ...UNCHANGED, ...facts },
  });
  const told = w.task('a').history?.findLast(({ event }) => event === 'approved') as HistoryEvent;
  return { w, notes, told };
}

const flags = ({ told }: Approved): readonly boolean[] => shownIn(told).map(isFlagged);

describe('what a program does', () => {
  it.each([
    ['a place', '1: src/jobs.ts:3', 'FLAGGED, nothing that ran shows it: src/jobs.ts:3'],
    ['paths', '1: diff src/jobs.ts', 'FLAGGED, nothing that ran shows it: the change touches only src/jobs.ts'],
  ])('is not shown by %s alone, and everybody is told', (_what, reason, text) => {
    const given = approve(ANSWERS, reason);
    expect(shownIn(given.told).map(shownText)).toEqual([text]);
    expect(given.notes).toContain(`flagged: criterion 1: ${text}`);
    expect(newConcerns(given.w.state).flatMap(({ lines }) => lines)).toEqual([`a, criterion 1 (${ANSWERS}): ${text}`]);
  });

  it('is shown by a place in a test file that ran', () => {
    const given = approve(ANSWERS, '1: test/jobs.test.ts:3', { facts: { ran_places: ['test/jobs.test.ts:3'] } });
    expect(shownIn(given.told).map(shownText)).toEqual(['test/jobs.test.ts:3 (in a test file that ran)']);
    expect(flags(given)).toEqual([false]);
  });

  it('is shown by them where something ran, too, and in a task without code nobody runs anything', () => {
    expect(flags(approve(ANSWERS, '1: src/jobs.ts:3\n1: ran npm test'))).toEqual([false, false]);
    expect(flags(approve(ANSWERS, '1: diff src/jobs.ts\n1: test test/jobs.test.ts › answers 404'))).toEqual([
      false,
      false,
    ]);
    expect(flags(approve(ANSWERS, '1: docs/jobs.md:3', { type: 'docs' }))).toEqual([false]);
  });

  it('what can be read is shown by a place', () => {
    expect(flags(approve('src/jobs.ts exports find and list', '1: src/jobs.ts:3'))).toEqual([false]);
  });
});

describe('a place in a file that the change does not touch', () => {
  const facts = { unchanged_files: ['src/other.ts'] };

  it('is told as outside the diff, to who gave it, to the planner and to the audit', () => {
    const given = approve('src/jobs.ts exports find and list', '1: src/other.ts:3', { facts });
    const text = 'FLAGGED, outside the diff: src/other.ts:3 (unchanged file: the change does not touch it)';
    expect(shownIn(given.told).map(shownText)).toEqual([text]);
    expect(given.notes).toEqual([
      `flagged: criterion 1: ${text}`,
      'flagged: the change does not touch src/other.ts, which places of the evidence name',
      'What is flagged is kept beside the verdict for its readers, and refuses nothing: there is nothing for you to do about it',
    ]);
    expect(besideTheChange(given.told)).toEqual(['src/other.ts, which places of the evidence name']);
    expect(newConcerns(given.w.state)).toHaveLength(1);
  });

  it('is no flag beside something that ran, and none where the criterion says that it stays', () => {
    const beside = approve(ANSWERS, '1: src/other.ts:3\n1: ran npm test', { facts });
    expect(flags(beside)).toEqual([false, false]);
    expect(besideTheChange(beside.told)).toHaveLength(1);
    const stays = approve('src/other.ts is unchanged', '1: src/other.ts:3', { facts });
    expect(flags(stays)).toEqual([false]);
    expect(stays.notes).toEqual([]);
  });
});

describe('what was seen', () => {
  it('is no flag beside a test, a command, or paths for what did not change', () => {
    expect(flags(approve(ANSWERS, '1: ran npm test\n1: seen the page says not found'))).toEqual([false, false]);
    expect(flags(approve(KEPT, '1: diff only adds src/jobs.ts\n1: seen I read the diff'))).toEqual([false, false]);
    const { told } = approve(ANSWERS, '1: ran npm test\n1: seen the page says not found');
    expect(shownIn(told).map(shownText)).toEqual(['ran npm test', 'seen, too: the page says not found']);
  });

  it('is one alone, and beside what shows nothing', () => {
    expect(flags(approve(ANSWERS, '1: seen the page says not found'))).toEqual([true]);
    expect(flags(approve(ANSWERS, '1: src/jobs.ts:3\n1: seen the page says not found'))).toEqual([true, true]);
  });
});

describe('what did not change', () => {
  it('is shown by the diff, and the form says so', () => {
    const given = approve(KEPT, '1: diff only adds src/jobs.ts');
    expect(shownIn(given.told).map(shownText)).toEqual(['within src/jobs.ts, the change only adds lines']);
    expect(given.notes).toEqual([]);
    expect(approvalForm(given.w.task('a'), false)).toContain('\n1: diff <paths>\n');
  });

  it.each([
    ['the functions in src/jobs.ts stay unchanged', 'diff only adds test/', 'src/jobs.ts'],
    ['no existing line of src/ and package.json is changed', 'diff only adds src/a.ts', 'src, package.json'],
  ])('is not shown by the diff of another path: %s', (criterion, said, path) => {
    const given = approve(criterion, `1: ${said}\n1: seen I read it`);
    expect(flags(given)).toEqual([true, true]);
    expect(shownIn(given.told).map(shownText)[0]).toBe(
      `FLAGGED, the criterion is about ${path}, and this says nothing of it: within ${said.slice('diff only adds '.length)}, the change only adds lines`,
    );
  });

  it('is shown of a file that the change does not touch, where that must stay', () => {
    const facts = { left_alone: ['package.json'] };
    const said = '1: diff only adds index.js';
    const stays = 'index.js and the tests stay ES5 (package.json engines), with no new dependency';
    expect(flags(approve(stays.replace('index.js and ', ''), said, { facts }))).toEqual([false]);
    expect(flags(approve(stays, said, { facts }))).toEqual([false]);
    expect(flags(approve(stays, said))).toEqual([true]);
    expect(flags(approve('package.json names the engine', said, { facts }))).toEqual([true]);
  });

  it.each([
    [KEPT, '1: diff only adds src/'],
    [KEPT, '1: diff only adds'],
    [KEPT, '1: diff only adds test/\n1: diff only adds src/jobs.ts'],
    ['the existing lines of jobs.ts stay untouched', '1: diff only adds src/jobs.ts'],
    ['no existing line changes under Node.js and/or Deno', '1: diff only adds src/jobs.ts'],
  ])('is shown where the paths are those of the criterion: %s, %s', (criterion, said) => {
    expect(flags(approve(criterion, said))).not.toContain(true);
  });

  it.each(['diff only adds', 'diff only added lines', 'diff only adds lines to src/, test/'])(
    'in words: %s',
    (said) => {
      expect(shownIn(approve(KEPT, `1: ${said}`).told)).toMatchObject([{ by: 'diff', adds: true }]);
    },
  );
});

test.each([
  'no existing line changed',
  'no existing line is changed',
  'no other file is touched',
  'nothing else changes',
  'src/api.ts is unchanged',
  'existing functions must not be changed',
  'only src/a.ts and its test are changed',
  'the change only adds lines',
])('about the diff: %s', (criterion) => {
  expect([isAboutTheDiff(criterion), saysThatItStays(criterion), isAboutBehaviour(criterion)]).toEqual([
    true,
    true,
    false,
  ]);
});

test.each(['an empty list is left unchanged', 'an unknown key returns undefined', 'the sum stays the same as before'])(
  'not about the diff: %s',
  (criterion) => expect(isAboutTheDiff(criterion)).toBe(false),
);

test.each(['`node cli.js 2 3` prints 5', 'add(2, 3) is 5', 'calls are retried three times', ANSWERS])(
  'about behaviour: %s',
  (criterion) => expect(isAboutBehaviour(criterion)).toBe(true),
);

test.each(['README documents --retry', 'src/a.ts exports add', 'the lockfile is committed', 'src/old.ts is gone'])(
  'not about behaviour: %s',
  (criterion) => expect(isAboutBehaviour(criterion)).toBe(false),
);
