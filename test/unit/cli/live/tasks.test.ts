// A task's row uses the room of its line: nothing is cut beside an empty half.

import { expect, it } from 'vitest';
import { taskLines, taskRows } from '../../../../src/cli/live/tasks.ts';
import { pageFor } from '../../../../src/cli/render/layout.ts';
import { columns } from '../../../../src/cli/render/terminal.ts';
import { statusView } from '../../../../src/report/status-view.ts';
import { board, NOW, task } from '../../boards/empty-board.ts';
import { textOf } from './scenes.ts';

const row = (id: string, description: string, width = 79): string => {
  const claimed = task(id, {
    ...{ description, status: 'CLAIMED', assigned_to: 'coder-1' },
    ...{ iteration: 1, review_cycles_current: 1 },
  });
  const rows = taskRows(statusView(board({ tasks: [claimed] }), NOW, []));
  const p = pageFor({ color: false, unicode: true, width });
  return taskLines(rows, undefined, p).map(textOf).join('\n');
};

it.each(['Greet', 'Greet people by their name, whatever it is, in every language that there is'])(
  'names the round of a review whole: %s',
  (description) => {
    expect(row('greet', description)).toMatch(/coder-1 · it 1\/\d+ · rej 1\/\d+ +Greet/);
  },
);

it('names a task whole where its line has room', () => {
  const id = 'greet-people-by-their-name';
  expect(row(id, 'Greet')).toContain(`${id} `);
  expect(columns(row(id, 'Greet'))).toBeLessThanOrEqual(79);
});

it('says of a task that is free that no coder has it yet: an answer frees it while all are at work', () => {
  const rows = taskRows(statusView(board({ tasks: [task('greet', { status: 'UNCLAIMED' })] }), NOW, []));
  expect(
    taskLines(rows, undefined, pageFor({ color: false, unicode: true, width: 79 }))
      .map(textOf)
      .join(),
  ).toContain('no coder yet');
});
