// The section of a Markdown spec that an anchor names.

import { describe, expect, it } from 'vitest';
import { anchorOf, specSection } from '../../../src/text/spec-section.ts';

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
