// A large section that a command does not need is not parsed; whatever needs it gets all of it, as if it always had been.

import fs from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { OPERATOR } from '../../../src/protocol/board.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { decide } from '../../../src/protocol/decide.ts';
import { freshState } from '../../../src/protocol/records/new-board.ts';
import { RECORD_SECTIONS } from '../../../src/protocol/state.ts';
import { deltaOf } from '../../../src/store/cache-delta.ts';
import { normalise } from '../../../src/store/file-values.ts';
import type { Store } from '../../../src/store/store.ts';
import { allRead, isTouched, isUnread, readable, unread } from '../../../src/store/unread.ts';
import { type BoardDocument, boardDocument, parseDocument, partsOf } from '../../../src/store/yaml/document.ts';
import { emitEntries } from '../../../src/store/yaml/emit.ts';
import { withValue } from '../../../src/store/yaml/layout.ts';
import { yamlStore } from '../../../src/store/yaml-store.ts';
import { runs } from '../../runs.ts';
import { boardContext } from '../../support/board-context.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const TASKS = Array.from({ length: 80 }, (_, n) => ({
  id: `task-${n}`,
  description: `Part ${n} ${'of a long description '.repeat(30)}`,
  status: 'UNCLAIMED',
  priority: (n % 5) + 1,
  spec_ref: 'specs/vision.md',
  done_when: `part ${n} answers`,
  scope: 'IN: src',
  ...(n % 10 === 0 ? {} : { depends_on: [`task-${n - 1}`] }),
}));

function largeBoard(): { readonly root: string; readonly store: Store } {
  const root = temporaryFolder();
  fs.mkdirSync(join(root, '.liza'));
  const state = { ...freshState({ goal: 'Many', spec_ref: 'specs/vision.md', now: Date.now() }), tasks: TASKS };
  fs.writeFileSync(join(root, '.liza', 'state.yaml'), `${emitEntries(state, 0).join('\n')}\n`);
  return { root, store: yamlStore(boardContext(root)) };
}

const act = (store: Store, command: Command) =>
  store.transact({ actor: OPERATOR, command: command.name }, (board, now) =>
    decide(board, command, { actor: OPERATOR, now }),
  );

/** This process knows the sections of the board that it read last: those of another one from now on. */
async function forget(): Promise<void> {
  const { store } = largeBoard();
  await act(store, { name: 'note', message: `another board ${Math.random()}` });
  await store.read();
}

async function inFile(root: string) {
  const text = fs.readFileSync(join(root, '.liza', 'state.yaml'), 'utf8');
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (!parsed.ok) throw new Error(parsed.message);
  return normalise(parsed.doc.value).state;
}

test('a note parses no task, and its caller still sees all of the state', async () => {
  const { root, store } = largeBoard();
  // The journal's first line has the whole board; it must be far enough back.
  for (let n = 0; n < 40; n += 1) await act(store, { name: 'note', message: `note ${n}` });
  await forget();
  const parse = vi.spyOn(JSON, 'parse');
  const noted = await act(store, { name: 'note', message: 'the last' });
  const largest = Math.max(...parse.mock.calls.map(([text]) => String(text).length));
  parse.mockRestore();
  expect(largest).toBeLessThan(10_000);
  if (!noted.ok) throw new Error(noted.message);
  expect(noted.state.human_notes).toHaveLength(41);
  expect(noted.state).toEqual(await inFile(root));
});

test('whatever is done, known or unread before, the file has it and a reader reads it', async () => {
  const some = fc.nat(TASKS.length - 1).map((n) => `task-${n}`);
  const commands: fc.Arbitrary<Command> = fc.oneof(
    fc.string({ minLength: 1 }).map((text): Command => ({ name: 'note', message: `about ${text}` })),
    some.map((task): Command => ({ name: 'note', message: `for ${task}`, for: task })),
    some.map((task): Command => ({ name: 'abandon', task, rationale: 'not needed' })),
    fc.nat(1e6).map(
      (n): Command => ({
        name: 'add-task',
        facts: { spec_exists: true },
        definition: {
          id: `new-${n}`,
          description: 'More',
          done_when: 'it answers',
          spec_ref: 'specs/vision.md',
          scope: 'IN: src',
        },
      }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(commands, fc.boolean()), { minLength: 1, maxLength: 6 }), async (steps) => {
      const { root, store } = largeBoard();
      for (const [command, anew] of steps) {
        if (anew) await forget();
        const done = await act(store, command);
        const file = await inFile(root);
        if (done.ok) expect(done.state).toEqual(file);
        if (anew) await forget();
        expect((await store.read()).board.state).toEqual(file);
      }
    }),
    { numRuns: runs(25) },
  );
});

test('a stand-in may be handed on, and says what it stands for to nobody but its reader', () => {
  const tasks = unread('list', () => [{ id: 'a' }]);
  const state = { version: 1, tasks };
  const next = { ...state, version: 2 };
  expect(next.tasks === tasks && Array.isArray(tasks) && isUnread(tasks)).toBe(true);
  expect(isTouched(next)).toBe(false);
  for (const look of [
    () => (tasks as unknown[]).length,
    () => [...(tasks as unknown[])],
    () => JSON.stringify(next),
    () => Object.keys(tasks as object),
    () => structuredClone(next),
    () => 0 in (tasks as object),
  ])
    expect(look).toThrow();
  expect(isTouched(next)).toBe(true);
  expect(allRead(next)).toEqual({ version: 2, tasks: [{ id: 'a' }] });
  expect(readable(next).tasks).toEqual([{ id: 'a' }]);
});

test('a change is told whichever side of it was read: the cache never looks into a stand-in', async () => {
  const text = (tasks: readonly object[]): string => `${emitEntries({ tasks }, 0).join('\n')}\n`;
  const first = await parseDocument(text(TASKS), { recordSections: RECORD_SECTIONS });
  if (!('doc' in first)) throw new Error('it does not parse');
  const docOf = async (tasks: readonly object[]): Promise<BoardDocument> => {
    const read = await parseDocument(text(tasks), { recordSections: RECORD_SECTIONS, previous: first.doc });
    if (!('doc' in read)) throw new Error('it does not parse');
    return read.doc;
  };
  const [was, now] = [
    await docOf(TASKS),
    await docOf(TASKS.map((task, n) => (n === 7 ? { ...task, priority: 1 } : task))),
  ];
  const unreadIn = (doc: BoardDocument): BoardDocument =>
    boardDocument({
      ...partsOf(doc),
      sections: doc.sections.map((section) =>
        withValue(
          section,
          unread('list', () => section.value),
        ),
      ),
    });
  const told = deltaOf(was, now);
  expect(told?.changes).toHaveLength(1);
  expect(deltaOf(unreadIn(was), now)).toEqual(told);
  expect(deltaOf(was, unreadIn(now))).toEqual(told);
  expect(deltaOf(unreadIn(was), unreadIn(now))).toEqual(told);
});
