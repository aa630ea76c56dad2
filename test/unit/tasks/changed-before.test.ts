// What a change does to what was there: lines are not all of it.

import { expect, test } from 'vitest';
import { becomes, doneText, doneToOld } from '../../../src/tasks/rules/changed-before.ts';

const FILE = { mode: '100644' };
const RUNS = { mode: '100755' };
const LINK = { mode: '120000' };
const SIZES = new Map<string, { readonly removed: number } | 'binary'>([
  ['old/__init__.py', { removed: 0 }],
  ['lines.ts', { removed: 2 }],
  ['grown.ts', { removed: 0 }],
  ['logo.png', 'binary'],
  ['new.png', 'binary'],
]);
const said = (...steps: Parameters<typeof doneToOld>[0]) =>
  doneText(
    doneToOld(steps, (path) => SIZES.get(path)),
    (paths) => paths.join(', '),
  );

test('what goes, becomes another kind, or loses lines is told, each with its paths', () => {
  expect(said({ path: 'old/__init__.py', old: FILE })).toBe('it deletes old/__init__.py');
  expect(said({ path: 'run.sh', old: RUNS, new: FILE })).toBe('it makes not executable: run.sh');
  expect(said({ path: 'a.ts', old: FILE, new: LINK })).toBe('it makes a link: a.ts');
  expect(said({ path: 'logo.png', old: FILE, new: FILE })).toBe('it changes the binary logo.png');
  expect(
    said({ path: 'a.ts', old: FILE }, { path: 'b.ts', new: FILE }, { path: 'lines.ts', old: FILE, new: FILE }),
  ).toBe('it deletes a.ts; it changes or removes some in lines.ts');
});

test('what only comes does nothing to what existed', () => {
  const grown = { path: 'grown.ts', old: FILE, new: FILE };
  expect(said({ path: 'new.ts', new: FILE }, { path: 'new.png', new: FILE }, grown)).toBe('');
});

test('what a path became', () => {
  expect(becomes('100644', '100755')).toBe('executable');
  expect(becomes('120000', '100644')).toBe('a file');
  expect(becomes('100644', '100644')).toBeUndefined();
  expect(becomes(undefined, '100755')).toBeUndefined();
});
