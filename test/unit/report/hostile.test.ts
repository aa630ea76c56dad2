// Nothing on the board is trusted: whatever agents wrote, the page has only our tags, runs nothing, loads nothing.

import { expect, it } from 'vitest';
import { reportOf } from '../../../src/report/facts.ts';
import { markdownReport } from '../../../src/report/markdown.ts';
import { inlineMarkdown } from '../../../src/report/markup.ts';
import { page } from '../../../src/report/page.ts';
import { NOW } from '../boards/empty-board.ts';
import { EVIL, hostile, large, SECRET } from './boards.ts';
import { tagsOf, textOf } from './pages.ts';

const report = reportOf({ state: hostile(), archived: [], now: NOW, secrets: [SECRET] });
const text = page(report);

const TAGS =
  '!doctype html html head meta title style body header main footer nav section h1 h2 h3 p ul ol li b i a code span div time figure figcaption table caption thead tbody tr th td details summary svg defs pattern rect path line circle text desc';

it('has only the tags that we write', () => {
  const known = new Set(['!doctype html', ...TAGS.split(' ')]);
  const found = new Set(tagsOf(text).map(({ name }) => name.replace('/', '')));
  expect([...found].filter((name) => !known.has(name))).toEqual([]);
  expect(found.has('script')).toBe(false);
});

it('has no attribute that runs or loads anything', () => {
  for (const { name, attributes } of tagsOf(text)) {
    for (const [key, value] of Object.entries(attributes)) {
      expect(key, `<${name} ${key}>`).not.toMatch(/^on|^src|^xlink|^action|^formaction|^srcset|^data$/i);
      if (key === 'href') expect(value).toMatch(/^#[a-z]+$/);
      if (key === 'style') expect(value).toMatch(/^fill:var\(--[A-Z_]+\)$|^--ticks:(none|[a-z0-9(),.%/ -]+)$/);
      if (key === 'fill') expect(value).toMatch(/^url\(#p-[A-Z_]+\)$/);
      if (key === 'id') expect(value).toMatch(/^[a-zA-Z_-]+$/);
    }
  }
});

it('has a policy before anything else could be loaded', () => {
  const policy = tagsOf(text).find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy');
  expect(policy?.attributes['content']?.replaceAll('&#39;', "'")).toContain(
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  );
  expect(text.indexOf('Content-Security-Policy')).toBeLessThan(text.indexOf('<style>'));
  expect(text.slice(text.indexOf('<style>'), text.indexOf('</style>'))).not.toMatch(/url\(|@import|https?:/);
});

it('still shows what was written', () => {
  expect(textOf(text)).toContain('<script>alert(1)</script><img src=x onerror=alert(1)>');
  expect(textOf(text)).toContain('What waits for a person');
});

for (const [name, shown] of [
  ['page', text],
  ['Markdown', markdownReport(report)],
] as const) {
  it(`has no control or bidi characters: ${name}`, () => {
    expect(shown.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/g)).toBe(null);
    expect(shown.match(/\p{Surrogate}/gu)).toBe(null);
  });

  it(`tells no secret, however it was hidden: ${name}`, () => {
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain('abcdefghijk4mnopqrstu');
    expect(shown).not.toContain('abcdef1234567');
    expect(shown).toMatch(/\[redacted\\?\]/);
  });
}

it('Markdown has no markup of theirs', () => {
  const lines = markdownReport(report).split('\n').slice(1);
  expect(lines.filter((line) => /<[a-z/!]/i.test(line.replaceAll(/`[^`]*`/g, '')))).toEqual([]);
  expect(lines.filter((line) => /(?<!\\)\]\(/.test(line))).toEqual([]);
});

it('a line of Markdown becomes HTML by its code alone', () => {
  expect(inlineMarkdown('see `liza show <task>` \\`x\\` &lt;b> &amp;lt; <i>').markup).toBe(
    'see <code>liza show &lt;task&gt;</code> `x` &lt;b&gt; &amp;lt; &lt;i&gt;',
  );
  expect(inlineMarkdown('` and \\').markup).toBe('` and \\');
});

it('shows 300 tasks in less than 2 MB, most of them folded', () => {
  const made = page(reportOf({ state: large(300), archived: [], now: NOW }));
  expect(Buffer.byteLength(made)).toBeLessThan(2_000_000);
  expect(made).toContain('Tasks 41 to 80 of 300');
  expect(tagsOf(made).length).toBeGreaterThan(10_000);
});

it('a text of 16 KB in every field stays bounded', () => {
  const state = large(60);
  const tasks = state.tasks.map((task) => ({
    ...task,
    description: EVIL.repeat(40),
    history: (task.history ?? []).map((entry) => ({ ...entry, reason: EVIL.repeat(40) })),
  }));
  expect(Buffer.byteLength(page(reportOf({ state: { ...state, tasks }, archived: [], now: NOW })))).toBeLessThan(
    2_000_000,
  );
});
