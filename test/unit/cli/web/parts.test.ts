// What of a page is sent again: what looks different, and nothing else.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differenceText } from '../../../../src/cli/web/streams.ts';
import { listsOf } from '../../../../src/cli/web/views/board.ts';
import { html } from '../../../../src/cli/web/views/markup.ts';
import { versionOf } from '../../../../src/cli/web/views/version.ts';
import { part } from '../../../../src/cli/web/views/view.ts';
import type { TaskView } from '../../../../src/report/status-view.ts';

const told = (text: string | undefined) => JSON.parse(/^data: (.*)$/m.exec(text ?? '')?.[1] ?? 'null');
const one = (id: string, text: string) => part(id, html`<p>${text}</p>`);

test('a page that looks the same is told nothing', () => {
  expect(differenceText([one('a', 'x'), one('b', 'y')], [one('a', 'x'), one('b', 'y')])).toBeUndefined();
});

test('of a page of which one part changed, that part is told', () => {
  const text = differenceText([one('a', 'x'), one('b', 'y')], [one('a', 'x'), one('b', 'z')]);
  expect(told(text)).toMatchObject({ whole: false, html: { b: '<p>z</p>' } });
  expect(Object.keys(told(text).html)).toEqual(['b']);
});

test('where parts came, went or moved, their order is told as a whole', () => {
  const [a, b, c] = [one('a', 'x'), one('b', 'y'), one('c', 'z')];
  expect(told(differenceText([a, b], [b, a]))).toMatchObject({ whole: true, html: {} });
  expect(told(differenceText([a, b], [a]))).toMatchObject({ whole: true });
  const grown = told(differenceText([a], [a, c]));
  expect(grown.parts.map(([id]: readonly [string]) => id)).toEqual(['a', 'c']);
  expect(grown.html).toEqual({ c: '<p>z</p>' });
});

test('what is too long to be pushed is named, and is fetched by those who see it', () => {
  const long = (id: string) => one(id, `${id} `.repeat(40_000));
  const text = told(differenceText([], [long('a'), one('b', 'short')]));
  expect(text.html).toEqual({});
  expect(text.parts).toHaveLength(2);
});

const tasks = (ids: readonly string[]): readonly TaskView[] => ids.map((id) => ({ id }) as TaskView);
const idsIn = (list: readonly TaskView[]): string => list.map(({ id }) => id).join();

test('ten thousand rows are in lists of at most ninety-six, none lost, in their order', () => {
  const ids = Array.from({ length: 10_000 }, (_, n) => `task-${n}`);
  const lists = listsOf(tasks(ids));
  expect(lists.flat().map(({ id }) => id)).toEqual(ids);
  const sizes = lists.map(({ length }) => length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(96);
  expect(lists.length).toBeGreaterThan(200);
  expect(lists.length).toBeLessThan(1000);
});

test('a row that leaves changes a list or two, wherever it was', () => {
  const ids = Array.from({ length: 2000 }, (_, n) => `task-${n}`);
  const before = new Set(listsOf(tasks(ids)).map(idsIn));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: ids.length - 1 }), (at) => {
      const after = listsOf(tasks(ids.filter((_, n) => n !== at))).map(idsIn);
      expect(after.filter((list) => !before.has(list)).length).toBeLessThanOrEqual(4);
    }),
    { numRuns: 60 },
  );
});

test('texts of one version are one text', () => {
  const texts = Array.from({ length: 20_000 }, (_, n) => `task-${n} is CLAIMED by coder-${n % 7}`);
  expect(new Set(texts.map(versionOf)).size).toBe(texts.length);
});

test('whatever is put into a page is text: escaped, without colours and turned lines, without known secrets', () => {
  const { markup } = html`<p title="${'" onclick="x'}">${'<b>\u001b[31m\u202e'}${`ghp_${'a1B2'.repeat(9)}`}</p>`;
  expect(markup).toBe('<p title="&quot; onclick=&quot;x">&lt;b&gt;[redacted]</p>');
});
