// A long-lived reader parses a board once, and still never shows an old one.

import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { OPERATOR } from '../../../src/protocol/board.ts';
import { decide } from '../../../src/protocol/decide.ts';
import { freshState } from '../../../src/protocol/records/new-board.ts';
import { load } from '../../../src/store/load.ts';
import type { Store } from '../../../src/store/store.ts';
import { emitEntries } from '../../../src/store/yaml/emit.ts';
import { yamlStore } from '../../../src/store/yaml-store.ts';
import { boardContext } from '../../support/board-context.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let root = '';
let mine: Store;
let others: Store;

beforeEach(async () => {
  root = temporaryFolder();
  fs.mkdirSync(join(root, '.liza'));
  const state = freshState({ goal: 'Read', spec_ref: 'specs/vision.md', now: Date.now() });
  fs.writeFileSync(join(root, '.liza', 'state.yaml'), `${emitEntries(state, 0).join('\n')}\n`);
  const open = () => yamlStore(boardContext(root));
  [mine, others] = [open(), open()];
  await note('the first');
});

const note = (message: string) =>
  others.transact({ actor: OPERATOR, command: 'note' }, (board, now) =>
    decide(board, { name: 'note', message }, { actor: OPERATOR, now }),
  );
const notes = async () => (await mine.read()).board.state.human_notes.map(({ message }) => message);

test('what did not change is the very same state; leases and switches are looked at each time', async () => {
  await wait(60);
  const first = await mine.read();
  expect((await mine.read()).board.state).toBe(first.board.state);
  fs.writeFileSync(join(root, '.liza', 'PAUSE'), '');
  const paused = await mine.read();
  expect(paused.board.state).toBe(first.board.state);
  expect(Object.keys(paused.board.switches)).toEqual(['PAUSE']);
});

test('every change of somebody else’s is seen at once', async () => {
  for (let n = 0; n < 30; n += 1) {
    await mine.read();
    await note(`note ${n}`);
    expect((await notes()).at(-1)).toBe(`note ${n}`);
  }
});

test.each(['has no cache yet', 'is not in state.yaml yet'])(
  'a change that %s is followed: what it did not touch is not read again',
  async (how) => {
    const state = join(root, '.liza', 'state.yaml');
    for (let n = 0; n < 10; n += 1) await note(`note ${n}`);
    const [before] = (await mine.read()).board.state.human_notes;
    const text = fs.readFileSync(state, 'utf8');
    await note('the last');
    fs.rmSync(join(root, '.liza', 'cache'), { recursive: true });
    if (how === 'is not in state.yaml yet') fs.writeFileSync(state, text);
    const { human_notes: now } = (await mine.read()).board.state;
    expect([now.length, now.at(-1)?.message]).toEqual([12, 'the last']);
    expect(now[0]).toBe(before);
    // The cache is left to whoever made the change.
    expect(fs.existsSync(join(root, '.liza', 'cache'))).toBe(false);
  },
);

test('an edit by hand is seen: in place, of the same length, right after a commit', async () => {
  for (let n = 0; n < 10; n += 1) {
    await note(`aaaa ${n}`);
    await mine.read();
    const file = join(root, '.liza', 'state.yaml');
    const descriptor = fs.openSync(file, 'r+');
    const text = fs.readFileSync(file, 'utf8');
    fs.writeSync(descriptor, text.replace(`aaaa ${n}`, `bbbb ${n}`), 0);
    fs.closeSync(descriptor);
    await wait(120);
    const { notices } = await mine.read();
    expect(notices.map(({ kind }) => kind)).toEqual(['edit-pending']);
    expect(notices.map(({ message }) => message).join()).toContain('edited outside liza');
    await note('go on');
  }
});

test('a check reads a board once, and once more after a change', async () => {
  const { files, paths } = boardContext(root);
  const found = async () => {
    const loaded = await load(files, paths, 'ignore');
    if (!('doc' in loaded)) throw new Error('no board');
    return loaded.doc;
  };
  const first = await found();
  expect(await found()).toBe(first);
  await note('the second');
  const second = await found();
  expect(second.value['human_notes']).toHaveLength(2);
  expect((await mine.read()).board.state.human_notes).toBe(second.value['human_notes']);
});
