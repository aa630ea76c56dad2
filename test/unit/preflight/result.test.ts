// The words of pre-flight, and the two checks that are rules alone.

import { describe, expect, test } from 'vitest';
import {
  checkBase,
  checkBudget,
  fine,
  isUntouched,
  lastResultText,
  redTestsMend,
  standingChecks,
  startLine,
  stop,
  verdictText,
  warn,
} from '../../../src/preflight/rules/result.ts';
import { distanceLines } from '../../../src/protocol/goal/base-distance.ts';

const TEMPLATE = '# Vision: <name of the goal>\n\n## Why\n\nWho has which problem.\n';

describe('the template of the goal’s document', () => {
  test.each([
    ['as it was written', '# Vision: Greet people\n\n## Why\n\nWho has which problem.\n', true],
    ['with other blanks and line ends', '# Vision: x\r\n## Why\r\n  Who has which problem.  \r\n\r\n', true],
    ['with a word in it', '# Vision: x\n\n## Why\n\nWho has which problem. Me.\n', false],
    ['without a heading of its own', '## Why\n\nWho has which problem: me.\n', false],
    ['of one line', '# Vision\n', false],
  ])('%s', (_how, text, untouched) => expect(isUntouched(text, TEMPLATE)).toBe(untouched));
});

test('the verdict counts what stops and what warns', () => {
  expect(verdictText([fine('disk', 'x')])).toBe('nothing stops a run');
  expect(verdictText([warn('base', 'x', 'y')])).toBe('nothing stops a run, 1 warning');
  expect(verdictText([stop('disk', 'x', 'y'), warn('base', 'x', 'y'), warn('tests', 'x', 'y')])).toBe(
    '1 problem stops the run, 2 warnings',
  );
  expect(verdictText([stop('disk', 'x', 'y'), stop('vision', 'x', 'y')])).toBe('2 problems stop the run');
});

test('what was found on another commit, or was mended since, no longer stops or warns', () => {
  const checks = [
    stop('set-up', 'npm ci fails', 'y'),
    warn('tests', 'red', 'y'),
    warn('registry', 'needs a login', 'y'),
    stop('disk', 'full', 'y'),
  ];
  const names = (head: string, setupFails: boolean): readonly string[] =>
    standingChecks({ commit: 'a', checks }, { head, setupFails }).map(({ check }) => check);
  expect(names('a', true)).toEqual(['set-up', 'tests', 'registry', 'disk']);
  expect(names('a', false)).toEqual(['tests', 'registry', 'disk']);
  expect(names('b', true)).toEqual(['set-up', 'disk']);
  expect(names('b', false)).toEqual(['disk']);
});

test('tests that were ended for what they took are not to be fixed: the mend names the limit', () => {
  const mend = (how: Parameters<typeof redTestsMend>[0]['how']): string =>
    redTestsMend({ how }, { validation_timeout: 600 });
  expect(mend('exited')).toMatch(/^fix them in your branch, then: liza sync/);
  expect(mend('over-limit')).toMatch(/^raise the limit that it names: liza config set/);
  expect(mend('timed-out')).toMatch(/^give them more time: liza config set validation_timeout 1200/);
});

test('the last result names its commit, and where the branch is now if that is another', () => {
  const result = { time: '2026-01-01T00:00:00Z', commit: 'a'.repeat(40), checks: [fine('disk', 'x')] };
  const now = Date.parse('2026-01-01T00:02:00Z');
  expect(lastResultText(result, { now, head: 'a'.repeat(40) })).toBe('nothing stops a run, 2m ago on aaaaaaaaaaaa');
  expect(lastResultText(result, { now, head: 'b'.repeat(40) })).toContain('; integration is at bbbbbbbbbbbb now');
});

test('a budget counts as soon as one limit is a number', () => {
  expect(checkBudget({})).toMatchObject({ level: 'warning' });
  expect(checkBudget({ budgets: { day: { usd: null }, warn_percent: 50 } })).toMatchObject({ level: 'warning' });
  expect(checkBudget({ budgets: { tasks: { a: { sessions: 3 } } } })).toMatchObject({ level: 'ok' });
});

test('a base that is not known is no line', () => {
  const open = { status: 'IN_PROGRESS' };
  expect(checkBase(undefined, open)).toEqual([]);
  const apart = { branch: 'main', integration: 'integration', lacks: 2, ahead: 0 };
  expect(checkBase(apart, open)).toMatchObject([{ level: 'warning', mend: 'liza sync' }]);
  expect(checkBase({ ...apart, lacks: 0 }, open)).toMatchObject([{ level: 'ok' }]);
  expect(checkBase({ ...apart, ahead: 3 }, open)).toMatchObject([
    { message: 'main has 2 commits that integration lacks; integration has 3 that main lacks', mend: 'liza sync' },
  ]);
});

test('after the goal’s end liza finish is the step, which is no warning, however far main went on; after that there is none', () => {
  const apart = { branch: 'main', integration: 'integration', lacks: 2, ahead: 3 };
  const complete = { status: 'COMPLETED' };
  const fact = 'integration has 3 commits that main lacks';
  expect(checkBase(apart, complete)).toMatchObject([
    {
      level: 'ok',
      message: `${fact}; main has 2 that integration lacks: liza finish brings both together, no liza sync is needed first`,
      mend: 'liza finish',
    },
  ]);
  expect(distanceLines(apart, complete)).toEqual([`${fact}: liza finish`]);
  const finished = { ...apart, ahead: 0 };
  expect(checkBase(finished, complete)).toMatchObject([{ level: 'ok', message: 'main has all of integration' }]);
});

test.each([
  [checkBudget({}), 'budget: none is set: liza config set budgets.day.usd 20'],
  [
    warn('base', 'main has 1 commit that integration lacks', 'liza sync'),
    'base: main has 1 commit that integration lacks; liza sync',
  ],
  [
    warn('own tests', 'a long fact '.repeat(9), 'a long mend '.repeat(9), 'yours run agents’ drafts as well'),
    'own tests: yours run agents’ drafts as well: liza run --check',
  ],
])('a run tells a warning on one line of 80 columns: %o', (check, line) => {
  expect(startLine(check)).toBe(line);
  expect(`20:54:34 warning ${line}`.length).toBeLessThan(80);
});

test('without a budget one limit is named that a person can type as it is', () => {
  expect(checkBudget({}).mend).toBe('stop them at 20 dollars a day, for example: liza config set budgets.day.usd 20');
});
