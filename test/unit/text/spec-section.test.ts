// The section of a Markdown spec that an anchor names.

import { describe, expect, it } from 'vitest';
import { anchorOf, specSection } from '../../../src/text/spec-section.ts';
import { cpuTimer } from '../../support/cpu-time.ts';

const SPEC = `# Auth

Intro.

## Retry & Backoff

Three tries.

### Limits

At most 30 s.

## Retry & Backoff

The second of its name.

\`\`\`sh
## no heading
\`\`\`

## Tokens {#token-life}

15 minutes.

<a id="old-name"></a>
## Sessions of \`login()\`

One.

Errors
------

Told.
`;
const firstLine = (anchor: string): string => specSection(SPEC, anchor).text.split('\n')[0] ?? '';

describe('the section of an anchor', () => {
  it('goes from its heading to the next of the same or a higher level', () => {
    expect(specSection(SPEC, 'retry--backoff')).toEqual({
      text: '## Retry & Backoff\n\nThree tries.\n\n### Limits\n\nAt most 30 s.',
    });
    expect(specSection(SPEC, 'limits').text).toBe('### Limits\n\nAt most 30 s.');
  });

  it('is found by GitHub’s slug, by its number among equals, and by an id that is written out', () => {
    expect(specSection(SPEC, 'retry--backoff-1').text).toContain('The second of its name.');
    expect(firstLine('token-life')).toBe('## Tokens {#token-life}');
    expect(firstLine('tokens')).toBe('## Tokens {#token-life}');
    expect(firstLine('old-name')).toBe('## Sessions of `login()`');
    expect(firstLine('sessions-of-login')).toBe('## Sessions of `login()`');
    expect(firstLine('Errors')).toBe('Errors');
  });

  it.each([
    ['before the text of its heading', '## <a id="x"></a>The title'],
    ['before the text, by name', '## <a name="x"></a> The title'],
    ['in a title with a line below', '<a id="x"></a>The title\n---------'],
    ['in a heading as a tag', '<h2 id="x">The title</h2>'],
    ['in a heading as a tag with more', '<h2 align="center" id="x">The title</h2>'],
    ['above its heading, a blank line between', '<a id="x"></a>\n\n## The title'],
  ])('is found by an id %s', (_where, heading) => {
    const { text, anchorMissing } = specSection(`# Auth\n\nFirst.\n\n${heading}\n\nSecond.\n\n## Next\n\nThird.`, 'x');
    expect(anchorMissing).toBeUndefined();
    expect(text).toContain('Second.');
    expect(text).not.toMatch(/First|Third/);
  });

  it('an id of another heading, or within a sentence two lines above, is not its own', () => {
    const document = '<h2 id="x">One</h2>\n## Two\n\nSee <a id="y"></a> here.\n\n## Three\n';
    expect(specSection(document, 'x').text).toBe('<h2 id="x">One</h2>');
    expect(specSection(document, 'y').anchorMissing).toBe(true);
  });

  it('takes no line of a code fence for a heading', () => {
    expect(specSection(SPEC, 'no-heading').anchorMissing).toBe(true);
    expect(specSection(SPEC, 'retry--backoff-1').text).toContain('## no heading');
  });

  it('is the whole document without an anchor, and says so when no heading has it', () => {
    expect(specSection(SPEC, undefined)).toEqual({ text: SPEC.trim() });
    expect(specSection(SPEC, 'gone')).toMatchObject({ text: SPEC.trim(), anchorMissing: true });
    expect(specSection(SPEC, 'gone').anchors).toEqual([
      'auth',
      'retry--backoff',
      'limits',
      'retry--backoff-1',
      'tokens',
      'sessions-of-login',
      'errors',
    ]);
  });

  it('does not change with line ends and blanks at the end', () => {
    const other = SPEC.replaceAll('\n', '  \r\n');
    expect(specSection(other, 'limits')).toEqual(specSection(SPEC, 'limits'));
  });

  it('reads an anchor that cannot be decoded as it is', () => {
    expect(specSection('# 100%\n', '100%').anchorMissing).toBe(true);
    expect(anchorOf('specs/a.md')).toBeUndefined();
    expect(anchorOf('specs/a.md#b#c')).toBe('b#c');
  });
});

describe('the slug of a heading with marks', () => {
  it.each([
    ['__Bold__ part', 'bold-part'],
    ['**Bold** part', 'bold-part'],
    ['*It* and _this_', 'it-and-this'],
    ['___all___ of it', 'all-of-it'],
    ['`code_x` and `__init__`', 'code_x-and-__init__'],
    ['snake_case name', 'snake_case-name'],
    ['_private_name is kept', '_private_name-is-kept'],
    ['__init__.py', 'initpy'],
    ['a _b_, (_c_)', 'a-b-c'],
    ['\\_not\\_ marked', '_not_-marked'],
    ['[link][ref] and [other](x)', 'link-and-other'],
    ['Q&amp;A', 'qa'],
    ['~~gone~~ now', 'gone-now'],
  ])('%s is #%s', (title, anchor) => {
    expect(specSection(`# Spec\n\n## ${title}\n\nText.\n`, anchor).anchorMissing).toBeUndefined();
    expect(specSection(`# Spec\n\n## ${title}\n`, 'no-such').anchors).toEqual(['spec', anchor]);
  });
  it('as an older version read it still names the section', () => {
    expect(specSection('# Spec\n\n## __Bold__ part\n', '__bold__-part').text).toBe('## __Bold__ part');
  });
  it('a heading without a name has no anchor, and an empty anchor names nothing', () => {
    expect(specSection('# Spec\n\n##\n\n## !!!\n', '')).toMatchObject({ anchorMissing: true, anchors: ['spec'] });
  });
  it('a long row of underscores is read at once', () => {
    const spent = cpuTimer();
    for (const title of ['_'.repeat(100_000), '_a '.repeat(330), '_a_'.repeat(330), `__${'a_'.repeat(490)}`])
      specSection(`# ${title}\n`, 'x');
    expect(spent()).toBeLessThan(2_000);
  });
});
