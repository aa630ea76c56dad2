// Texts that a careless pattern reads again from each of their characters: what is repeated, and what stands around it.
// `slowTexts` tries them on one reader, by the time of the processor: another's load is no news.

const BLANKS = [' ', '\t', '\n', '\r', '\r\n', '\u00a0', '\n ', ' \n', '\n\n', ' .'];
const SIGNS = [...'a1-_./([{"\'`\\:;$<+@=…é「^~#*|'];
const PAIRS = [
  ...['1.', 'a ', 'a-', '- ', '* ', '# ', ': ', '::', '$(', '${', '&& ', '| ', '<<', '<!--', 'ab ', ' - ', ', ', 'a, '],
  ...[
    '**',
    '(a',
    'a(',
    '1-',
    '1 ',
    '1,',
    '1: ',
    'a/',
    './',
    '../',
    'a\\',
    '# \n',
    '0 ',
    '"a"',
    '=',
    'a=',
    'a: ',
    '{ ',
    '/*',
    '//',
  ],
  ...[
    ' >a',
    ' 2>',
    '\\\n',
    "'a'",
    "a'",
    'a.',
    'a.a',
    'a:1',
    'a:1 ',
    ' and ',
    ';a',
    'a;',
    '; ',
    '()',
    '[]',
    '[a',
    '(a)',
    '`a`',
    '\\"',
  ],
];
const WORDS = [
  ...[
    'and ',
    'criteria 1, ',
    'ran ',
    'seen ',
    'diff a, ',
    'test a › ',
    '- [blocker] a ',
    '- [concern] ',
    'src/a.ts:1 ',
    'if ',
  ],
  ...[
    '0 tests ',
    'ok 1 - ',
    'not ok ',
    '✓ ',
    'FAIL ',
    '1 passed, ',
    '1 failed ',
    'Tests: ',
    'at a (',
    'Error: ',
    '--- ',
    '\u001b[',
  ],
  ...[
    'expect(',
    'it("x"',
    "it('",
    'x.y(',
    'http://',
    'eyJ-',
    '! ',
    'time ',
    'true && ',
    'true; ',
    'a=$?; ',
    'true | ',
    'env ',
    'npx ',
  ],
  ...[
    'only ',
    'no longer ',
    'must ',
    'import ',
    'exit ',
    'exit(',
    'require(',
    'case ',
    'f() { ',
    '<<a\n',
    '$((',
    '$(a) ',
    '\\(',
    '0.1 s ',
    '1 ms ',
  ],
  ...[
    '“',
    'at least ',
    '>=',
    '`a',
    '_a ',
    '[[',
    '<a ',
    '{#',
    'under ',
    '1.1',
    'in 1 ',
    'specs/',
    'at most ',
    '"\\"',
    'n',
    '-n',
    '[1',
  ],
];

export const SEEDS = [...new Set([...BLANKS, ...SIGNS, ...PAIRS, ...WORDS])];

/** Those by which patterns were found, one of each kind: for a test that is fast. */
export const FEW = [...' a1.-["\'`:;n+“', '\t', '\n', '1.', '\\"', ': ', ' >a', '$(', '>=', ', ', 'and ', '1.1', 'a='];

export const HEADS = [
  ...[
    '',
    'node x',
    '1: ran ',
    '1: test a › ',
    '1: a.ts:1 ',
    '1: seen ',
    '1: diff ',
    'Blockers: 1\n- [blocker] ',
    '{"type":"',
    'IN: ',
    '# ',
  ],
  ...['describe("', '`', "node -e '", 'bash -c "', 'if a; then ', 'sed ', 'a=1 ', 'echo a | '],
];

export const TAILS = ['\u0001', 'y', "'"];

const SIZE = 16_000;
/** A text of this length that takes longer than that many milliseconds is tried at full length. */
const [SMALL, SUSPICIOUS] = [2000, 3];
const LONGEST = 200;

/** Those on which it takes too long, at most `most` of them. `read` gets one text. */
export function slowTexts(read, { heads = HEADS, seeds = SEEDS, tails = TAILS, most = 3 } = {}) {
  const found = [];
  for (const head of heads)
    for (const seed of seeds)
      for (const tail of tails) {
        const took = (size) => timed(read, head + seed.repeat(Math.ceil(size / seed.length)) + tail);
        if (took(SMALL) < SUSPICIOUS) continue;
        let ms = took(SIZE);
        // Beside other work a core is slower: the best of a few counts.
        for (let again = 0; ms > LONGEST && again < 4; again += 1) ms = Math.min(ms, took(SIZE));
        if (ms > LONGEST) found.push(`${JSON.stringify([head, seed, tail])} ${Math.round(ms)} ms`);
        if (found.length === most) return found;
      }
  return found;
}

function timed(read, text) {
  const before = process.cpuUsage();
  try {
    read(text);
  } catch {
    // Not a function of such texts.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
