// Who follows a board of thousands looks only at what changed: also where each reading lists archived tasks anew.

import { expect, test } from 'vitest';
import type { Board } from '../../../src/protocol/board.ts';
import { settings, type TaskStatus } from '../../../src/protocol/state.ts';
import { stillThere } from '../../../src/report/steady-tasks.ts';
import { ready } from '../protocol/world.ts';

test('the same archive, listed anew, is the same; another one is not', () => {
  const { board } = ready('a', 'b');
  const limits = settings(board.state);
  const read = (...archived: [string, TaskStatus][]): Board => ({ ...board, archived: new Map(archived) });
  stillThere(read(['x', 'MERGED']), limits);
  expect(stillThere(read(['x', 'MERGED']), limits)).toBe(board.state.tasks);
  expect(stillThere(read(['x', 'ABANDONED']), limits)).toEqual([]);
  expect(stillThere(read(['x', 'ABANDONED'], ['y', 'MERGED']), limits)).toEqual([]);
  expect(stillThere(read(), limits)).toEqual([]);
  expect(stillThere(read(), limits)).toBe(board.state.tasks);
});
