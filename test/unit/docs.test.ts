// The pages for people: every link leads somewhere, and every command they name exists. What they say is not looked at.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const below = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const PAGES = ['README.md', 'CHANGELOG.md', 'test/clis/README.md', ...['docs', 'contracts'].flatMap(below)]
  .filter((name) => name.endsWith('.md'))
  .sort();

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

/** As GitHub makes them: words in lower case, joined by hyphens, without punctuation. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ +(.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

function brokenLinks(page: string): readonly string[] {
  const links = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map(
    ([, link, source]) => link ?? source ?? '',
  );
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
    if (!existsSync(join(ROOT, target))) return true;
    return (
      anchor !== undefined && (statSync(join(ROOT, target)).isDirectory() || !anchorsOf(textOf(target)).has(anchor))
    );
  });
}

const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Readonly<Record<string, string>> };

/** `npm run <script>` of this repository, and its programs that are run with node; a *.test.mjs is an example project's. */
function unknownCommands(page: string): readonly string[] {
  const text = textOf(page);
  const named = [...text.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, script = '']) => script);
  const programs = [...text.matchAll(/node ((?:tools|test|bench|planted|gauntlet)\/[\w./-]+\.mjs)/g)];
  return [
    ...named.filter((script) => scripts[script] === undefined),
    ...programs
      .map(([, file = '']) => file)
      .filter((file) => !/\.test\.mjs$/.test(file) && !existsSync(join(ROOT, file))),
  ];
}

describe.each(PAGES)('%s', (page) => {
  test('every link leads to a file and a heading that exist', () => {
    expect(brokenLinks(page)).toEqual([]);
  });
  test('every npm script and program it names exists', () => {
    expect(unknownCommands(page)).toEqual([]);
  });
});

test.each([
  ['docs/cost.md', ['commands', 'git', 'agents', 'alarms', 'identity', 'sandbox']],
  ['docs/gauntlet.md', ['gauntlet']],
])('%s has the places that the bench and the gauntlet fill', (page, markers) => {
  const text = textOf(page);
  for (const marker of markers) expect(text).toMatch(new RegExp(`<!-- ${marker} -->\n[\\s\\S]+\n<!-- /${marker} -->`));
});

test('every page in docs is listed in docs/README.md', () => {
  const listed = textOf('docs/README.md');
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(pages.filter((name) => !listed.includes(`](${name})`))).toEqual([]);
});

test('docs/start.md: each line that installs an agent CLI works without root', () => {
  const installs = textOf('docs/start.md').match(/^\| `\w+` \| `npm install .*?`/gm) ?? [];
  expect(installs).toHaveLength(4);
  for (const line of installs) expect(line).toContain(' -g --prefix ~/.local ');
});
