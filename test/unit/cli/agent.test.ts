// `liza agent` for one named task: what is not ready is refused before anything starts.

import { expect, test } from 'vitest';
import { task } from '../boards/empty-board.ts';
import { aClaim, type Project, project } from './fixtures.ts';

const open = (): Project =>
  project({ tasks: [aClaim('held'), task('new'), task('seen', { status: 'READY_FOR_REVIEW' })] });

test.each(['held', 'new'])(
  'a reviewer for %s, which is not ready, is refused with its state and the way on',
  async (id) => {
    const ran = await open().liza(['agent', 'code-reviewer', id]);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('READY_FOR_REVIEW') });
    expect(ran.stderr).toContain(`liza show ${id}`);
    expect(ran.stderr).toContain('liza agent code-reviewer\n');
  },
);

test('one for a task that does not exist is refused, too', async () => {
  expect(await open().liza(['agent', 'code-reviewer', 'nowhere'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no task nowhere'),
  });
});
