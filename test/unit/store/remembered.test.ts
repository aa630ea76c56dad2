// A process that wrote last goes on from its memory, and from nothing but the disk once somebody else wrote.

import fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { OPERATOR } from '../../../src/protocol/board.ts';
import { decide } from '../../../src/protocol/decide.ts';
import { freshState } from '../../../src/protocol/records/new-board.ts';
import type { Store } from '../../../src/store/store.ts';
import { emitEntries } from '../../../src/store/yaml/emit.ts';
import { yamlStore } from '../../../src/store/yaml-store.ts';
import { boardContext } from '../../support/board-context.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let root = '';
let reads: string[] = [];
let mine: Store;
let others: Store;

/** Notes which files are read whole. */
function watched(): Store {
  const context = boardContext(root);
  const { files } = context;
  const read: typeof files.read = (path) => {
    reads.push(path);
    return files.read(path);
  };
  return yamlStore({ ...context, files: { ...files, read } });
}

beforeEach(async () => {
  root = temporaryFolder();
  fs.mkdirSync(join(root, '.liza'));
  const state = freshState({ goal: 'Remember', spec_ref: 'specs/vision.md', now: Date.now() });
  fs.writeFileSync(join(root, '.liza', 'state.yaml'), `${emitEntries(state, 0).join('\n')}\n`);
  mine = watched();
  others = yamlStore(boardContext(root));
  await note(mine, 'first');
  reads = [];
});

const note = (store: Store, message: string) =>
  store.transact({ actor: OPERATOR, command: 'note' }, (board, now) =>
    decide(board, { name: 'note', message }, { actor: OPERATOR, now }),
  );
const notesIn = async (store: Store) => (await store.read()).board.state.human_notes.map(({ message }) => message);
const inLiza = (name: string): string => join(root, '.liza', name);

test('between its own transactions state.yaml is not read again', async () => {
  for (let n = 0; n < 100; n += 1) {
    expect(await note(mine, `note ${n}`)).toMatchObject({ ok: true });
    expect((await notesIn(mine)).at(-1)).toBe(`note ${n}`);
  }
  expect(reads.filter((path) => path.endsWith('state.yaml'))).toEqual([]);
  expect(await notesIn(yamlStore(boardContext(root)))).toEqual(await notesIn(mine));
  expect(fs.readFileSync(inLiza('log.yaml'), 'utf8')).toContain('note 99');
});

test('what another process wrote in between stays', async () => {
  for (let n = 0; n < 20; n += 1) {
    await note(mine, `mine ${n}`);
    await note(others, `theirs ${n}`);
  }
  const all = ['first', ...Array.from({ length: 20 }, (_, n) => [`mine ${n}`, `theirs ${n}`]).flat()];
  expect(await notesIn(mine)).toEqual(all);
  expect(await notesIn(others)).toEqual(all);
});

test('an edit by hand since its last transaction is noticed by its next one', async () => {
  const text = fs.readFileSync(inLiza('state.yaml'), 'utf8');
  fs.writeFileSync(inLiza('state.yaml'), text.replace('Remember', 'Recollect'));
  await note(mine, 'second');
  const commands = fs
    .readFileSync(inLiza('journal.jsonl'), 'utf8')
    .match(/"command":"\w+"/g)
    ?.slice(-2);
  expect(commands).toEqual(['"command":"external_edit"', '"command":"note"']);
  expect(await notesIn(mine)).toEqual(['first', 'second']);
});

test('a log that was deleted is written again from the first entry on', async () => {
  await note(mine, 'second');
  const before = fs.readFileSync(inLiza('log.yaml'), 'utf8');
  fs.rmSync(inLiza('log.yaml'));
  await note(mine, 'third');
  expect(fs.readFileSync(inLiza('log.yaml'), 'utf8')).toContain(before);
});

test('a journal that was cut is completed from its copy, or refused, never continued blindly', async () => {
  await note(mine, 'second');
  const journal = fs.readFileSync(inLiza('journal.jsonl'), 'utf8');
  fs.writeFileSync(inLiza('journal.jsonl'), journal.slice(0, journal.trimEnd().lastIndexOf('\n') + 1));
  await note(mine, 'third');
  const valid = fs.readFileSync(inLiza('journal.jsonl'), 'utf8').trimEnd().split('\n');
  const seqs = valid.map((line) => (JSON.parse(line) as { seq: number }).seq);
  expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  expect(await notesIn(yamlStore(boardContext(root)))).toEqual(await notesIn(mine));
});
