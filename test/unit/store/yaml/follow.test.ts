// Following the lines of another process's change must give what reading the whole text gives, or nothing at all.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BoardDocument, parseDocument } from '../../../../src/store/yaml/document.ts';
import { sameValue } from '../../../../src/store/yaml/equal.ts';
import { documentFollowing } from '../../../../src/store/yaml/follow.ts';
import { applyHunks, type Hunk } from '../../../../src/store/yaml/hunks.ts';
import { updateDocument } from '../../../../src/store/yaml/update.ts';
import { runs } from '../../../runs.ts';
import { board, layOut, RECORD_SECTIONS, randomOf, shapeOf, step } from './boards.ts';
import { plainValue } from './samples.ts';

async function open(text: string): Promise<BoardDocument> {
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (!parsed.ok) throw new Error(`${parsed.line}:${parsed.column} ${parsed.message}\n${text}`);
  return parsed.doc;
}

async function followed(doc: BoardDocument, hunks: readonly Hunk[]): Promise<BoardDocument | undefined> {
  const quick = documentFollowing(doc, hunks);
  if (quick === undefined) return undefined;
  const text = applyHunks(doc.text, hunks);
  const whole = await open(text);
  expect(quick.text).toBe(text);
  expect(shapeOf(quick), text).toEqual(shapeOf(whole));
  expect(sameValue(quick.value, whole.value), text).toBe(true);
  return quick;
}

test('random changes are followed one after the other', async () => {
  const tries = runs(600);
  let quick = 0;
  let all = 0;
  await fc.assert(
    fc.asyncProperty(board, fc.nat(), plainValue, async (value, seed, drawn) => {
      const random = randomOf(seed);
      let theirs = await open(layOut(value, seed, true));
      let ours = theirs;
      for (let change = 0; change < 4; change++) {
        const next = step(theirs.value as never, random, { id: `fresh-${change}`, status: 'DRAFT' }, drawn);
        const { doc, edits } = await updateDocument(theirs, next);
        theirs = doc;
        all += 1;
        const found = await followed(ours, edits);
        if (found !== undefined) quick += 1;
        ours = found ?? (await open(applyHunks(ours.text, edits)));
        expect(ours.text).toBe(theirs.text);
      }
    }),
    { numRuns: tries },
  );
  expect(quick).toBeGreaterThan(all / 3);
});

test('of a long list only the records around the change are read', async () => {
  const records = (note: string) =>
    Array.from({ length: 50 }, (_, n) => `  - id: t${n}\n    status: ${n === 25 ? note : 'DRAFT'}\n`).join('');
  const doc = await open(`version: 1\ntasks:\n${records('DRAFT')}config: {}\n`);
  const [line] = doc.text.split('\n').flatMap((text, at) => (text.includes('t25') ? [at + 1] : []));
  const hunk: Hunk = { at: line ?? 0, del: ['    status: DRAFT'], ins: ['    status: UNCLAIMED'] };
  const found = await followed(doc, [hunk]);
  const tasks = (of: BoardDocument | undefined) => (of?.value['tasks'] ?? []) as readonly { readonly id: string }[];
  expect(tasks(found).map(({ id }) => id)).toEqual(tasks(doc).map(({ id }) => id));
  // All others are the very objects that were there, those beside it too: otherwise all of the list is read after all.
  for (const [at, task] of tasks(found).entries()) expect([at, task === tasks(doc)[at]]).toEqual([at, at !== 25]);
});

test('what is added at the end of a long list, below which others follow, is followed too', async () => {
  const records = Array.from({ length: 50 }, (_, n) => `  - id: t${n}\n    status: DRAFT\n`).join('');
  const doc = await open(`version: 1\ntasks:\n${records}config: {}\n`);
  const found = await followed(doc, [{ at: 102, del: [], ins: ['  - id: t50', '    status: DRAFT'] }]);
  const tasks = (found?.value['tasks'] ?? []) as readonly unknown[];
  expect(tasks).toHaveLength(51);
  expect(tasks[10]).toBe((doc.value['tasks'] as readonly unknown[])[10]);
});
