// A unified diff of git, side by side: every line of both files stands where it belongs, whatever the lines look like.

import { expect, test } from 'vitest';
import { readSideBySide } from '../../../../src/cli/web/views/diff.ts';

const diff = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;
const rows = (text: string) => readSideBySide(text)[0]?.hunks.flatMap((hunk) => hunk.rows);

test('lines that went and came stand beside each other, those around on both sides', () => {
  const text = diff(
    'diff --git a/src/a.ts b/src/a.ts',
    'index 111..222 100644',
    '--- a/src/a.ts',
    '+++ b/src/a.ts',
    '@@ -1,4 +1,5 @@ function a',
    ' one',
    '-two',
    '-three',
    '+2',
    '+3',
    '+new',
    ' four',
  );
  expect(rows(text)).toEqual([
    { old: { at: 1, text: 'one' }, new: { at: 1, text: 'one' } },
    { old: { at: 2, text: 'two' }, new: { at: 2, text: '2' } },
    { old: { at: 3, text: 'three' }, new: { at: 3, text: '3' } },
    { new: { at: 4, text: 'new' } },
    { old: { at: 4, text: 'four' }, new: { at: 5, text: 'four' } },
  ]);
});

test('a line that looks like a header is a line', () => {
  const text = diff(
    'diff --git a/a.md b/a.md',
    '--- a/a.md',
    '+++ b/a.md',
    '@@ -1,3 +1,3 @@',
    '--- a/secret',
    '+++ b/secret',
    ' diff --git a/x b/x',
    '-@@ -1 +1 @@',
    '+@@ -9 +9 @@',
  );
  const files = readSideBySide(text);
  expect(files.map(({ path }) => path)).toEqual(['a.md']);
  expect(rows(text)).toEqual([
    { old: { at: 1, text: '-- a/secret' }, new: { at: 1, text: '++ b/secret' } },
    { old: { at: 2, text: 'diff --git a/x b/x' }, new: { at: 2, text: 'diff --git a/x b/x' } },
    { old: { at: 3, text: '@@ -1 +1 @@' }, new: { at: 3, text: '@@ -9 +9 @@' } },
  ]);
});

test('new, deleted, renamed and binary files are named, with a blank in the name and without a last line break', () => {
  const text = diff(
    'diff --git a/new file.ts b/new file.ts',
    'new file mode 100644',
    '--- /dev/null',
    '+++ b/new file.ts\t',
    '@@ -0,0 +1 @@',
    '+one',
    '\\ No newline at end of file',
    'diff --git a/gone.ts b/gone.ts',
    'deleted file mode 100755',
    '--- a/gone.ts',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
    '-one',
    'diff --git a/old.ts b/now.ts',
    'rename from old.ts',
    'rename to now.ts',
    'diff --git a/pic.png b/pic.png',
    'Binary files a/pic.png and b/pic.png differ',
  );
  expect(readSideBySide(text).map(({ path, what, hunks }) => [path, what, hunks.length])).toEqual([
    ['new file.ts', ['new'], 1],
    ['gone.ts', ['deleted, mode 100755'], 1],
    ['now.ts', ['renamed from old.ts'], 0],
    ['pic.png', ['Binary files a/pic.png and b/pic.png differ'], 0],
  ]);
});

test('an empty line of a hunk is a line, and nothing is no file', () => {
  const text = diff('diff --git a/a b/a', '--- a/a', '+++ b/a', '@@ -1,3 +1,3 @@', ' one', ' ', '-x', '+y');
  expect(rows(text)).toHaveLength(3);
  expect(readSideBySide('')).toEqual([]);
});
