// What the audit says of the names of a merge, also where an earlier version recorded fewer of them.

import { expect, test } from 'vitest';
import { namesFacts } from '../../../src/audit/rules/merge-names.ts';
import type { HistoryEvent, Task } from '../../../src/protocol/state.ts';
import { mergeTrailers } from '../../../src/protocol/work/merge-names.ts';

const time = '2026-03-01T09:00:00Z';
const COMMIT = 'a'.repeat(40);
const event = (name: string, agent: string, more: object = {}): HistoryEvent => ({
  ...{ time, event: name, agent, commit: COMMIT },
  ...more,
});

interface Given {
  /** Absent: as an earlier version left the submission. */
  readonly recorded?: readonly string[];
  readonly author: string | readonly string[];
  readonly approved_by: string | readonly string[];
  readonly written?: readonly string[];
  readonly approved?: readonly string[];
  /** Instead of those of the event. */
  readonly trailers?: Pick<Given, 'author' | 'approved_by'>;
}

function told({ recorded, author, approved_by, written = ['coder-1'], approved = ['r-1'], trailers }: Given) {
  const merged = event('merged', 'r-1', { author, approved_by });
  const before = [
    event('claimed', 'coder-1'),
    event('claimed', 'coder-2'),
    event('submitted', 'coder-2', recorded === undefined ? {} : { authors: recorded }),
    ...approved.map((agent) => event('approved', agent)),
  ];
  const task = { id: 't', history: [...before, merged] } as unknown as Task;
  const said = mergeTrailers(task, trailers === undefined ? merged : event('merged', 'r-1', trailers));
  const facts = namesFacts(task, merged, before, { authors: written, trailers: said });
  return facts.map(({ mark, why }) => `${mark}: ${why}`);
}

const AGREE = 'verified: they agree with the board';
const TWO = ['coder-1', 'coder-2'];
const BOTH = ['r-1', 'r-2'];

test('all are named', () => {
  expect(told({ recorded: TWO, author: TWO, approved_by: BOTH, written: TWO, approved: BOTH })).toEqual([
    'verified: coder-1, coder-2',
    'verified: r-1, r-2',
    AGREE,
  ]);
});

test('a coder or a reviewer who is left out, or never was one', () => {
  expect(told({ recorded: TWO, author: 'coder-2', approved_by: 'r-1', written: TWO })[0]).toBe(
    'contradicted: it names coder-2, and has commits of coder-1',
  );
  const three = ['r-1', 'r-2', 'r-3'];
  expect(told({ author: 'coder-1', approved_by: ['r-1', 'r-3'], approved: three })[1]).toBe(
    'contradicted: it names r-1, r-3; approved by r-2, too',
  );
  expect(told({ author: 'coder-1', approved_by: 'r-9' })[1]).toBe('contradicted: no approval of r-9 is recorded');
});

test('trailers that name fewer than the board', () => {
  const trailers = { author: 'coder-1', approved_by: 'r-2' };
  expect(told({ recorded: TWO, author: TWO, approved_by: BOTH, written: TWO, approved: BOTH, trailers })[2]).toBe(
    'contradicted: Liza-Author is coder-1, the board says coder-1 and coder-2; Liza-Reviewer is r-2, the board says r-1 and r-2',
  );
});

test('earlier versions named the last coder and the last reviewer: not verified, and no contradiction', () => {
  expect(told({ author: 'coder-2', approved_by: 'r-2', approved: BOTH })).toEqual([
    'unverifiable: it names coder-2, and has commits of coder-1; earlier versions named one',
    'unverifiable: it names r-2; approved by r-1, too; earlier versions named the last one',
    AGREE,
  ]);
});
