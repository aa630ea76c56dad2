// `liza show` takes one task from the cache. Where the cache cannot tell it reads the whole board, which costs more the
// larger the board is: that must stay the exception.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import type { BoardContext } from '../../../src/store/context.ts';
import { openYamlStore } from '../../../src/store/open.ts';
import { peekTask } from '../../../src/store/read-one-task.ts';
import { yamlStore } from '../../../src/store/yaml-store.ts';
import { instant } from '../../../src/text/time.ts';
import { hostAt } from '../../host.ts';
import { boardContext } from '../../support/board-context.ts';
import { project } from '../../support/project.ts';

/** The board with this text of its own, written by a command since, and its cache confirmed. */
async function cachedBoard(replace: (text: string) => string): Promise<BoardContext> {
  const here = project({ tasks: ['one', 'two'] });
  here.write({ '.liza/state.yaml': replace(here.read('.liza/state.yaml')) });
  await here.ok(['note', 'the first command']);
  const later = boardContext(here.root, { host: hostAt(() => instant('2100-01-01T00:00:00Z')) });
  for (const _ of ['writes the cache', 'confirms it']) await yamlStore(later).read();
  return later;
}

const disc = '{id: disc-1, by: coder-1, description: slow, severity: high, status: open, during: one}';
const written = (discovered: string) => (text: string) => {
  expect(text).toContain('discovered: []\n');
  return text.replace('discovered: []\n', discovered);
};

test.each([
  ['an empty list, as on every new board', 'discovered: []\n', 0],
  ['nothing', 'discovered:\n', 0],
  ['a list in one line', `discovered: [${disc}]\n`, 1],
  ['a list of lines', `discovered:\n  - ${disc}\n`, 1],
  ['no section at all', '', 0],
])('the cache serves a task whatever way its discoveries are written: %s', async (_, text, count) => {
  const board = await cachedBoard(written(text));
  const cached = peekTask(board, 'one');
  const whole = await yamlStore(board).readTask('one');
  expect(cached?.task).toEqual(whole?.task);
  expect(cached?.discovered ?? []).toHaveLength(count);
  expect(cached?.discovered).toEqual(whole?.discovered);
});

test('a field under its older name and one that is null read the same from the cache and from the whole board', async () => {
  const board = await cachedBoard((text) =>
    text.replace(/^( +)(?:- )?id: one$/m, (line, indent: string) => {
      const inner = line.includes('- ') ? `${indent}  ` : indent;
      return `${line}\n${inner}rejection_feedback: not yet\n${inner}assigned_to: null`;
    }),
  );
  const shown = await openYamlStore(board).readTask('one');
  expect(peekTask(board, 'one')?.task).toBeDefined();
  expect(shown?.task).toEqual((await yamlStore(board).readTask('one'))?.task);
  expect(shown?.task).toMatchObject({ rejection_reason: 'not yet' });
  expect(shown?.task).not.toHaveProperty('assigned_to');
});

test('right after a command the cache serves the task, and an edit in place of the same length at once is not missed', async () => {
  const here = project({ tasks: ['one', 'two'] });
  const board = boardContext(here.root);
  const file = here.file('.liza/state.yaml');
  for (let n = 0; n < 10; n += 1) {
    await here.ok(['note', `before ${n}`]);
    expect(peekTask(board, 'one')?.notes?.at(-1)?.message).toBe(`before ${n}`);
    await here.ok(['note', `then ${n}`]);
    const edited = fs.readFileSync(file, 'utf8').replace(`then ${n}`, `thus ${n}`);
    const descriptor = fs.openSync(file, 'r+');
    fs.writeSync(descriptor, edited);
    fs.closeSync(descriptor);
    expect(peekTask(board, 'one')).toBeUndefined();
    const notes = (await openYamlStore(board).readTask('one'))?.notes;
    expect(notes?.at(-1)?.message).toBe(`then ${n}`);
  }
});
