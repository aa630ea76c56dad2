// One test per rule about what the words of a task must mean before anyone may claim it, each with its mend.

import { describe, expect, it } from 'vitest';
import { withTask } from '../../../src/protocol/change.ts';
import type { Command, SubmitFacts } from '../../../src/protocol/command.ts';
import { asDoneWhen, criteriaOf } from '../../../src/protocol/definition/criteria.ts';
import type { Definition } from '../../../src/protocol/definition/payloads.ts';
import type { SpecFacts } from '../../../src/protocol/facts/spec-facts.ts';
import { DEFAULT_TEST_PATTERNS } from '../../../src/protocol/records/test-patterns.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { alwaysGreen } from '../../../src/protocol/shell/always-green.ts';
import { isCommand } from '../../../src/protocol/shell/shell-words.ts';
import {
  addDraft,
  addReady,
  BASE,
  begin,
  CHECKPOINT,
  CODER,
  changes,
  commit,
  declare,
  finalize,
  HUMAN,
  PLANNER,
  SPEC,
  submit,
  toClaimed,
  world,
} from './world.ts';

function refusedAtFinalize(more: Partial<Definition>, facts: SpecFacts = SPEC) {
  const w = world();
  w.run(PLANNER, addDraft('a', more));
  const refusal = w.refused(PLANNER, { name: 'finalize', task: 'a', facts });
  expect(w.task('a').status).toBe('DRAFT');
  return refusal;
}

const passes = (more: Partial<Definition>): readonly string[] => {
  const w = world();
  w.run(PLANNER, addDraft('a', more));
  return w.run(PLANNER, finalize('a')).notes ?? [];
};

describe('criteria', () => {
  it('two that say the same are refused with the ones that remain', () => {
    const done_when = asDoneWhen(['three 503s still log in', 'a 401 is not retried', 'three 503s still log in']) ?? '';
    const no = refusedAtFinalize({ done_when });
    expect(no).toMatchObject({ guard: 'criteria', message: expect.stringContaining('criterion 3 says the same') });
    expect(no.hint).toContain('--done "three 503s still log in" --done "a 401 is not retried"');
  });
  it.each([
    ['echo npm run lint && npm test', true],
    ['npm run lint && npm test', false],
    ['cd pkg && CI=1 npm run lint', false],
    ['npm run lint -- --quiet', false],
    ["bash -c 'npm run lint'", false],
    ['sh -c "cd pkg && npm run lint && npm test"', false],
    ["bash -euo pipefail -c 'npm run lint | tee out.txt'", false],
    ["timeout --signal=KILL 60 bash -lc 'npm run lint'", false],
    ['timeout 60 npm run lint', false],
    ['env CI=1 npm run lint', false],
    ["bash <<'END'\nnpm run lint\nEND", false],
    ["eval 'npm run lint'", false],
    ["bash -c 'echo npm run lint; npm test'", true],
    ["bash -c 'echo now npm run lint is due; npm test'", true],
    ["grep -q 'see npm run lint for more' README.md", true],
    ["bash -c 'npm test'", true],
  ])('a command of a criterion that is only printed is told: %s %s', (line, isTold) => {
    const notes = passes({ done_when: '`npm run lint` is green', validation: [line] });
    expect(notes.some((note) => note.includes('checked by no command'))).toBe(isTold);
  });
  it('a description that is empty is refused', () => {
    expect(refusedAtFinalize({ description: ' ' }).guard).toBe<RefusalName>('description');
  });
  it('each top-level item is one, continued lines and items below it included; else the whole is', () => {
    expect(criteriaOf('calls are retried')).toEqual(['calls are retried']);
    expect(criteriaOf('Done when:\n- one\n  more of one\n  - below one\n- two')).toEqual([
      'one\nmore of one\n- below one',
      'two',
    ]);
    expect(criteriaOf(undefined)).toEqual([]);
  });
  it('several become items, a single one stays as it was written', () => {
    expect(asDoneWhen(['- a list\n- of two'])).toBe('- a list\n- of two');
    expect(asDoneWhen(['one\ntwo', 'three'])).toBe('- one\n  two\n- three');
    expect(asDoneWhen(['- a list\n- of two', 'three'])).toBe('- a list\n- of two\n- three');
  });
  it.each([
    ['a dash', '-', 'placeholder'],
    ['one word', 'done', 'criteria'],
    ['three words', 'login is retried', 'criteria'],
    ['praise', 'the retry of the login call works well', 'criteria'],
    ['praise after a fact', '- a 503 is retried three times\n- it all looks good.', 'criteria'],
    ['what says only that it is done', 'the whole new feature is implemented', 'criteria'],
    ['everything works', 'everything works in the code now', 'criteria'],
    ['words that fit any task', 'handles edge cases correctly', 'criteria'],
    ['words that fit any task, without praise', 'all errors and edge cases are handled', 'criteria'],
    ['praise of the tests', 'the code is clean and well tested', 'criteria'],
    ['a criterion still to be written', 'TODO fill in the criteria later', 'criteria'],
    ['a criterion that is to be decided', 'the limit of retries is TBD', 'criteria'],
    ['praise of no case', 'error handling is improved and robust', 'criteria'],
    ['a pointer at the spec', 'it does what the spec says', 'criteria'],
    ['good manners', 'code follows best practices and conventions', 'criteria'],
    ['a short one that says only that it is done', 'v2 is done', 'criteria'],
  ])('%s is refused', (_what, done_when, guard) => {
    const w = world();
    if (guard === 'placeholder') {
      expect(w.refused(PLANNER, addDraft('a', { done_when })).guard).toBe(guard);
    } else expect(refusedAtFinalize({ done_when }).guard).toBe(guard);
  });
  it.each([
    ['four words', 'a 503 is retried'],
    ['a command alone', '`npm test`'],
    ['a condition behind the praise', 'login works as expected when the server answers 503 twice'],
    ['another script', '再試行は三回まで行われる'],
    ['a state inside a condition', 'GET /jobs/1 answers 200 once the job is done'],
    ['an expression with its value', 'add(2,3) is 5'],
    ['an expression with its value, as code', 'add(2,3) === 5'],
    ['code in backticks with its value', '`add(2,3)` is 5'],
    ['a request with its answer', 'GET / → 200'],
    ['an option with what it prints', '--version prints 1.2'],
    ['a limit', 'x_max >= 3'],
    ['a result that is only called correct', 'leap years are parsed correctly in February'],
    ['one word of its own', 'the output is valid JSON'],
    ['what is about TODO comments', 'TODO comments are gone from src/client.ts'],
    ['a program called todo', 'todo add milk prints the new item'],
    ['one word of its own beside the spec', 'the header has what the spec says about caching'],
    ['errors of one kind', 'an unknown option ends with a message on stderr'],
  ])('%s passes', (_what, done_when) => {
    expect(() => passes({ done_when })).not.toThrow();
  });
  it('the mend keeps the other criteria, in one line that can be pasted', () => {
    const { hint, message } = refusedAtFinalize({ done_when: '- a 503 is retried, `npm test` is green\n- works well' });
    expect(message).toContain('criterion 2 of 2');
    expect(hint).toContain(`liza amend a --done 'a 503 is retried, \`npm test\` is green' --done "…"`);
  });
  it('of a task that is added with --ready the mend is the same command', () => {
    expect(world().refused(PLANNER, addReady('a', { done_when: 'works' })).hint).toContain(
      'the same command with --done',
    );
  });
});

describe('the anchor of a spec', () => {
  it('that is not there is refused, naming the nearest that is', () => {
    const refusal = refusedAtFinalize(
      { spec_ref: 'specs/retry.md#retires' },
      { ...SPEC, dead_anchor: ['retries', 'limits'] },
    );
    expect(refusal.guard).toBe<RefusalName>('anchor');
    expect(refusal.message).toContain('no section #retires: it has #retries, #limits');
    expect(refusal.hint).toContain('liza amend a --spec specs/retry.md#retries');
  });
  it('says how many more there are than it names', () => {
    const facts = { ...SPEC, dead_anchor: ['retries', 'limits'], more_anchors: 7 };
    expect(refusedAtFinalize({ spec_ref: 'specs/retry.md#x' }, facts).message).toContain('#limits and 7 more');
  });
  it('that is empty names no section', () => {
    const facts = { ...SPEC, dead_anchor: ['retries'], more_anchors: 0 };
    const { message } = refusedAtFinalize({ spec_ref: 'specs/retry.md#' }, facts);
    expect(message).toContain('specs/retry.md# names no section: it has #retries');
  });
});

describe('type, test rule and scope', () => {
  it.each([
    'IN: package.json, README.md',
    'IN: docs/',
    'IN: package.json, .github/workflows/ci.yml',
    'IN: src/**. OUT: **',
    'IN: src/a.js. OUT: **/*',
    'IN: src/a.js. OUT: *',
    'IN: src/a.js. OUT: .',
    'IN: src/a.js\nOUT: /',
  ])('nothing could be submitted: %s', (scope) => {
    expect(refusedAtFinalize({ scope }).guard).toBe<RefusalName>('type-and-scope');
  });
  it('all that IN has on the base may not be OUT; a part may', () => {
    const scope = 'IN: src/**, test/**. OUT: **/*.js';
    const facts = (...base_files: readonly string[]): SpecFacts => ({ ...SPEC, base_files });
    expect(refusedAtFinalize({ scope }, facts('src/a.js', 'test/a.test.js')).message).toContain('is OUT');
    const w = world();
    w.run(PLANNER, addDraft('a', { scope }));
    w.run(PLANNER, { name: 'finalize', task: 'a', facts: facts('src/a.js', 'src/b.ts', 'test/a.test.ts') });
  });
  it('a folder of documents with code may be that of a code task', () => {
    const w = world();
    w.run(PLANNER, addDraft('a', { scope: 'IN: docs/' }));
    w.run(PLANNER, { name: 'finalize', task: 'a', facts: { ...SPEC, base_files: ['docs/site.js', 'docs/a.md'] } });
  });
  it.each(['everything else', 'the UI, other packages', 'docs/**', '*.md'])('OUT: %s leaves something', (out) => {
    passes({ scope: `IN: src/a.js, test/a.test.js. OUT: ${out}` });
  });
  it.each<[string, Partial<Definition>]>([
    ['a code task with every test file OUT', { scope: `IN: src/\nOUT: ${DEFAULT_TEST_PATTERNS.join(', ')}` }],
    ['a code task with tests OUT, in a word', { scope: 'IN: src/a.ts\nOUT: tests' }],
    ['a code task with the test folder OUT', { scope: 'IN: src/\nOUT: test/' }],
    ['a code task with the test folder OUT, by a glob', { scope: 'IN: src/\nOUT: tests/**, docs/' }],
    ['a code task with its kind of test OUT', { scope: 'IN: src/\nOUT: *.test.mjs' }],
    ['a code task with tests beside code OUT', { scope: 'IN: pkg/\nOUT: **/*_test.go' }],
    ['a code task with the one test file of a library OUT', { scope: 'IN: index.js\nOUT: test.js' }],
    ['a code task of a package with its test folder OUT', { scope: 'IN: packages/a/src\nOUT: packages/a/test' }],
    ['a code task in words with the test folder OUT', { scope: 'IN: the retry logic\nOUT: test' }],
    ['a code task with tests OUT, in words', { scope: 'IN: src/a.ts\nOUT: any unit tests, the UI' }],
    ...[
      'IN: src/a.ts\nOUT: test changes',
      'IN: src/a.ts\nOUT: changes to the tests',
      'IN: src/a.ts\nOUT: no test changes',
      'IN: src/a.ts\nNOT: tests',
      'IN: src/a.ts\nExcluded: tests/',
      'IN: src/a.ts NOT: tests',
      'IN: src/a.ts (no test changes)',
      'IN: src/a.ts, without touching tests',
      'IN: the retry logic without touching the tests',
      'IN: src/a.ts. Do not touch any tests.',
      'IN: src/a.ts\nNo new tests.',
      'IN: src/a.ts; never edit test files',
      'IN: src/a.ts\nLeave the tests alone',
      'IN: src/a.ts\nThe tests are off limits',
      'IN: src/a.ts\nTests must not be changed',
      'IN: src/a.ts, not the tests',
    ].map((scope): [string, Partial<Definition>] => [`a code task of “${scope.replace('\n', ' / ')}”`, { scope }]),
    ['a code task whose IN is a document', { scope: 'IN: README.md' }],
    ['a code task whose IN is styles', { scope: 'IN: web/styles.css\nOUT: src/' }],
    ['a docs task whose IN is code', { type: 'docs', scope: 'IN: docs/, src/a.ts' }],
    ['a config task whose IN is code by a glob', { type: 'config', scope: 'IN: src/**/*.py' }],
    ['what is IN and OUT at once', { scope: 'IN: src/auth/login.ts\nOUT: src/auth' }],
    ['a test task whose IN has code', { type: 'test', scope: 'IN: src/a.ts, test/a.test.ts' }],
    ['a test task whose IN has no test', { type: 'test', scope: 'IN: docs/a.md' }],
  ])('%s is refused with the mend', (_what, more) => {
    const refusal = refusedAtFinalize(more);
    expect(refusal.guard).toBe<RefusalName>('type-and-scope');
    expect(refusal.hint).toMatch(/liza amend a --(scope|type)/);
  });
  it.each<[string, Partial<Definition>]>([
    ['a code task with one of two test folders OUT', { scope: 'IN: src/\nOUT: test/legacy' }],
    ...['*.md', '**/*.md', '*.json', '*.lock', '*.css', '*.sql', '*.d.ts', 'all *.md files'].map(
      (out): [string, Partial<Definition>] => [`${out} OUT`, { scope: `IN: src/\nOUT: ${out}` }],
    ),
    ['a document beside code', { scope: 'IN: README.md, src/' }],
    ['a document and its test', { scope: 'IN: README.md, test/readme.test.js' }],
    ['data, which code may read', { scope: 'IN: data/rates.json' }],
    ['a document with something in words', { scope: 'IN: README.md, the parser' }],
    ['one test file OUT', { scope: 'IN: src/\nOUT: test/add.test.mjs' }],
    ['the test folder OUT where another test is IN', { scope: 'IN: src/a.ts, src/a.test.ts\nOUT: test/' }],
    ['the test folder of another package OUT', { scope: 'IN: packages/a/\nOUT: packages/b/test' }],
    ['Rust, whose tests stand within the code', { scope: 'IN: src/lib.rs\nOUT: tests/' }],
    ['tests that IN names in words', { scope: 'IN: src/, the unit tests beside it\nOUT: test/' }],
    ['an IN that names no place for a test', { scope: 'IN: src/a.ts' }],
    ['tests OUT in a word where a test is IN', { scope: 'IN: src/a.go, src/a_test.go\nOUT: tests' }],
    ['a docs task about documents', { type: 'docs', scope: 'IN: docs/, README.md\nOUT: src/' }],
    [
      'declarations that a validation checks',
      { scope: 'IN: types/index.d.ts\nOUT: tests', validation: ['tsc --noEmit'] },
    ],
    [
      'declarations that a script may check',
      { scope: 'IN: types/index.d.ts\nOUT: tests', validation: ['npm run types'] },
    ],
    ...[
      'IN: src/a.ts\nNo failing tests.',
      'IN: src/a.ts, without breaking tests',
      'IN: src/a.ts. Do not change the existing tests.',
      'IN: src/a.ts, no changes to existing tests',
      'IN: src/a.ts, without touching the tests of the parser',
      'IN: src/a.ts, test/a.test.ts. Do not touch other tests.',
      'IN: src/a.ts (no test dependencies)',
      'IN: src/a.ts. No test framework is added.',
      'IN: src/a.ts, tests\nOUT: docs/',
      'IN: src/a.ts, not the docs',
    ].map((scope): [string, Partial<Definition>] => [`“${scope.replace('\n', ' / ')}”`, { scope }]),
    ['a test task', { type: 'test', scope: 'IN: test/client.test.ts' }],
    ['a docs task with code and its test', { type: 'docs', scope: 'IN: src/add.js, test/add.test.js' }],
    ['a config task of settings written as code', { type: 'config', scope: 'IN: eslint.config.js, .mocharc.cjs' }],
  ])('%s passes', (_what, more) => {
    expect(() => passes(more)).not.toThrow();
  });
  it('declarations that no type checker checks, with tests OUT, are refused with both mends', () => {
    for (const [file, command] of [
      ['types/index.d.ts', 'grep -c function types/index.d.ts'],
      ['types/index.d.ts', 'mypy stubs'],
      ['stubs/a.pyi', 'tsc --noEmit'],
    ] as const) {
      const refusal = refusedAtFinalize({ scope: `IN: ${file}\nOUT: tests`, validation: [command] });
      expect(refusal.guard).toBe<RefusalName>('type-and-scope');
      expect(refusal.hint).toMatch(
        /a type checker \(tsc, .*mypy.*\).*liza amend a --validate "…".*liza amend a --scope/,
      );
    }
  });
  it('declarations alone that no command can check are refused with both mends, though no word forbids a test', () => {
    for (const scope of ['IN: types/index.d.ts', 'IN: stubs/a.pyi, stubs/b.pyi', 'IN: types/**/*.d.ts']) {
      const w = world({ test_command: null });
      w.run(PLANNER, addDraft('a', { scope, validation: ['grep -c function types/index.d.ts'] }));
      const refusal = w.refused(PLANNER, finalize('a'));
      expect(refusal.guard).toBe<RefusalName>('type-and-scope');
      expect(refusal.message).toContain('is declarations of types alone');
      expect(refusal.hint).toMatch(/a type checker \(tsc, .*liza amend a --validate "…".*liza amend a --scope/);
    }
    for (const scope of [
      'IN: types/index.d.ts, test/types.test.ts',
      'IN: types/index.d.ts, src/',
      'IN: types/a.d.ts, a',
    ]) {
      const w = world({ test_command: null });
      w.run(PLANNER, addDraft('a', { scope, validation: ['grep -c function types/index.d.ts'] }));
      expect(() => w.run(PLANNER, finalize('a'))).not.toThrow();
    }
  });
  it('declarations with tests OUT, and a script of the base that checks no types: refused as the submission would be', () => {
    const told = (scripts: Readonly<Record<string, string>> | undefined, validation: readonly string[], more = {}) => {
      const w = world({ test_command: null });
      w.run(PLANNER, addDraft('a', { scope: 'IN: index.d.ts, package.json\nOUT: test/', validation, ...more }));
      return w.tell(PLANNER, { name: 'finalize', task: 'a', facts: { ...SPEC, scripts } });
    };
    const mocha = { test: 'mocha --reporter spec', types: 'tsc -p .' };
    const own = ['npm test', "node -e 'require(1)'", 'npm pack --dry-run --json'];
    expect(told(mocha, own)).toMatchObject({
      guard: 'type-and-scope',
      hint: expect.stringMatching(/^Name a type checker \(tsc,.*liza amend a --validate "…"/),
    });
    for (const validation of [['npm run types'], ['npx tsc --noEmit index.d.ts'], ['npm run new-script']])
      expect(told(mocha, validation)).toMatchObject({ ok: true });
    expect(told(undefined, own)).toMatchObject({ ok: true });
  });
  it('a config task about declarations is sent to what the submission takes: a type checker, or a test', () => {
    const refusal = (validation: string) =>
      refusedAtFinalize({ type: 'config', scope: 'IN: index.d.ts', validation: [validation] });
    expect(refusal('grep -q bytes index.d.ts')).toMatchObject({
      message: expect.stringContaining('declarations of types (index.d.ts) are code'),
      hint: expect.stringMatching(/type checker \(tsc,.*liza amend a --type code --validate "…"; .*<its test file>/),
    });
    expect(refusal('npx tsc --noEmit').hint).toContain('as one here may: liza amend a --type code;');
  });
  it.each([
    ['README.md, docs/guide.md', 'docs'],
    ['.github/workflows/ci.yml', 'config'],
    ['Dockerfile', 'config'],
  ])('a code task of %s alone is refused with --type %s as the mend', (paths, type) => {
    const refusal = refusedAtFinalize({ scope: `IN: ${paths}` });
    expect(refusal.message).toContain('its IN has no code and no test');
    expect(refusal.hint).toContain(`liza amend a --type ${type};`);
  });
  it.each<[string, Partial<Definition>, readonly string[]]>([
    ['a docs task in a folder of code', { type: 'docs', scope: 'IN: src/\nOUT: test/' }, ['src/add.js', 'src/b/c.js']],
    ['a spec task in a folder of code', { type: 'spec', scope: 'IN: src' }, ['src/add.js']],
    ['a config task by a glob of code', { type: 'config', scope: 'IN: lib/**' }, ['lib/a.py']],
    ['one whose documents are OUT', { type: 'docs', scope: 'IN: src/\nOUT: *.md' }, ['src/add.js', 'src/README.md']],
  ])('%s, as the base has it, is refused', (_what, more, base_files) => {
    const w = world();
    w.run(PLANNER, addDraft('a', more));
    const no = w.refused(PLANNER, { name: 'finalize', task: 'a', facts: { ...SPEC, base_files } });
    expect(no.guard).toBe<RefusalName>('type-and-scope');
    expect(no.message).toContain('could not be submitted without a test, and its IN has none');
  });
  it('a docs task in a folder of code and documents passes, and is told what may be touched', () => {
    const w = world();
    w.run(PLANNER, addDraft('a', { type: 'docs', scope: 'IN: src/' }));
    const facts = { ...SPEC, base_files: ['src/add.js', 'src/README.md'] };
    const notes = w.run(PLANNER, { name: 'finalize', task: 'a', facts }).notes ?? [];
    expect(notes.join()).toContain('src/ holds code beside other files: a docs task that touches code is refused');
  });
  it('Rust below a folder has its tests within the code', () => {
    const w = world();
    w.run(PLANNER, addDraft('a', { scope: 'IN: rs/src/\nOUT: rs/tests/' }));
    expect(w.refused(PLANNER, finalize('a')).guard).toBe<RefusalName>('type-and-scope');
    w.run(PLANNER, { name: 'finalize', task: 'a', facts: { ...SPEC, base_files: ['rs/src/lib.rs'] } });
  });
  it('tests OUT are no contradiction where tests_in_code has the file', () => {
    const w = world({ tests_in_code: ['sds.c'] });
    w.run(PLANNER, addReady('a', { scope: 'IN: sds.c\nOUT: test/' }));
  });
  it('a code task of tests alone is refused, and the mend makes a test task of it', () => {
    const refusal = refusedAtFinalize({ scope: 'IN: test/client.test.ts' });
    expect(refusal.guard).toBe<RefusalName>('tests-included');
    expect(refusal.hint).toContain('liza amend a --type test');
  });
  it('a test task in a file that holds code and tests is led to a code task', () => {
    const w = world({ tests_in_code: ['sds.c'] });
    w.run(PLANNER, addDraft('a', { type: 'test', scope: 'IN: sds.c' }));
    const no = w.refused(PLANNER, finalize('a'));
    expect(no.message).toContain('cannot tell from the code in sds.c');
    expect(no.hint).toContain('--type code');
  });

  it('a test task needs a command that proves it, as code does', () => {
    const w = world({ test_command: undefined });
    w.run(PLANNER, addDraft('a', { type: 'test', scope: 'IN: test/' }));
    expect(w.refused(PLANNER, finalize('a')).guard).toBe<RefusalName>('proof');
  });
});

describe('commands that cannot fail', () => {
  it.each([
    'true',
    ' : ',
    '/bin/true',
    'exit 0',
    'exit',
    'echo ok',
    'echo a && echo b',
    'npm test || true',
    'npm test || echo "red, never mind"',
    'npm test; exit 0',
    'npm test; echo done',
    'npm test &',
    'npm test | tail -5',
    'npm test 2>&1 | tee log',
    'true # npm test',
    'sh -c "exit 0"',
    'node -e "process.exit(0)"',
    "python3 -c 'pass'",
    '[ 1 ]',
  ])('%s', (command) => {
    expect(alwaysGreen(command)).toEqual(expect.any(String));
    const refusal = refusedAtFinalize({ validation: ['npm run lint', command] });
    expect(refusal.guard).toBe<RefusalName>('always-green');
    expect(refusal.hint).toContain('liza amend a --validate "npm run lint"');
  });
  it.each([
    'npm test',
    'npm run build && npm test',
    'echo start && npm test',
    'echo start; npm test',
    'npm test 2>&1',
    'grep -q "a || true" src/a.ts',
    "sh -c 'npm test || exit 1'",
    'node dist/cli.js | grep -q ready',
    'set -e; npm test; echo done',
    'bash -o pipefail -c "npm test | tail -5"',
    'set -o pipefail; npm test | tail -5',
    'test -f README.md',
    'diff <(a) <(b)',
    'npm test && echo "$(date)"',
    '! grep -rn TODO src',
  ])('%s may fail', (command) => {
    expect(alwaysGreen(command)).toBeUndefined();
  });
  it('a line that the shell cannot run is refused in its own words, with the line that bash can', () => {
    const line = 'set -o pipefail; npm test | tee out.log';
    const unread = { line, said: 'it does not know `set -o pipefail`', bash: true };
    const facts: SpecFacts = { ...SPEC, shell: { unread: [unread] } };
    const refusal = refusedAtFinalize({ validation: ['npm run lint', line] }, facts);
    expect(refusal).toMatchObject({ guard: 'unrunnable', message: expect.stringContaining(unread.said) });
    expect(refusal.hint).toContain(
      `liza amend a --validate "npm run lint" --validate "bash -c 'set -o pipefail; npm test | tee out.log'"`,
    );
    const other = refusedAtFinalize(
      { validation: ['if'] },
      { ...SPEC, shell: { unread: [{ ...unread, line: 'if', bash: false }] } },
    );
    expect(other.hint).toContain('Name a command that sh can run: liza amend a --validate "…"');
  });
  it('so is a task that only a test_command proves which the shell cannot run', () => {
    const w = world({ test_command: 'diff <(a) b' });
    w.run(PLANNER, addDraft('a'));
    const shell = { unread: [{ line: 'diff <(a) b', said: 'Syntax error: "(" unexpected', bash: true }] };
    const facts: SpecFacts = { ...SPEC, shell };
    expect(w.refused(PLANNER, { name: 'finalize', task: 'a', facts })).toMatchObject({ guard: 'unrunnable' });
    const set: Command = { name: 'config set', key: 'test_command', value: 'diff <(a) b ', facts: { shell } };
    expect(w.run(HUMAN, set).notes).toEqual([
      expect.stringContaining(`config set test_command "bash -c 'diff <(a) b '"`),
    ]);
    expect(w.run(HUMAN, { ...set, value: 'true', facts: {} }).notes).toEqual([
      expect.stringContaining('proves nothing'),
    ]);
    expect(w.run(HUMAN, { ...set, value: 'npm test', facts: {} }).notes ?? []).toEqual([]);
  });
  it('a test_command that cannot fail proves no task that has nothing else', () => {
    const w = world({ test_command: 'exit 0' });
    w.run(PLANNER, addDraft('a'));
    expect(w.refused(PLANNER, finalize('a'))).toMatchObject({ guard: 'always-green' });
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { validation: ['npm test'] }, facts: SPEC });
    w.run(PLANNER, finalize('a'));
  });
});

describe('what the gates judge', () => {
  const old = (more: object) => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toClaimed(w, 'a');
    w.edit((state) => withTask(state, { ...w.task('a'), ...more }));
    w.run(CODER, { name: 'block', task: 'a', reason: 'no limit is named', questions: ['How many?'] });
    return w;
  };
  const VACUOUS = { done_when: 'works', validation: ['true'], scope: 'IN: src/\nOUT: tests' };

  it('a task of an older board that is merely unblocked goes on', () => {
    const w = old(VACUOUS);
    w.run(PLANNER, {
      name: 'unblock',
      task: 'a',
      withdraw: 'the spec says it now',
      facts: { ...SPEC, dead_anchor: [] },
    });
    expect(w.task('a').status).toBe('UNCLAIMED');
  });
  it.each<[string, object, RefusalName]>([
    ['done_when', { done_when: 'works' }, 'criteria'],
    ['validation', { validation: ['true'] }, 'always-green'],
    ['scope', { scope: 'IN: src/\nOUT: tests' }, 'type-and-scope'],
    ['spec_ref', { spec_ref: 'specs/b.md#gone' }, 'anchor'],
  ])('a %s that an unblock or an amendment changes is judged, the rest is not', (field, change, guard) => {
    const facts = { ...SPEC, dead_anchor: [] };
    const w = old({ ...VACUOUS, done_when: 'it just works', validation: [':'], scope: 'IN: a\nOUT: tests' });
    expect(w.refused(PLANNER, { name: 'unblock', task: 'a', changes: change, facts }).guard).toBe(guard);
    expect(w.refused(PLANNER, { name: 'amend', task: 'a', changes: change, facts }).guard).toBe(guard);
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { priority: 1 }, facts });
    expect(w.task('a')[field as 'scope']).not.toBe(undefined);
  });
  it('a draft is judged when it is finalized, not while it is written', () => {
    const w = world();
    w.run(PLANNER, addDraft('a'));
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { done_when: 'works' }, facts: SPEC });
    expect(w.refused(PLANNER, finalize('a')).guard).toBe<RefusalName>('criteria');
  });
});

describe('a criterion more', () => {
  it('keeps those there are; the same one is not added twice', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    const add = (...add_done: readonly string[]) =>
      w.run(PLANNER, { name: 'amend', task: 'a', changes: { add_done }, facts: SPEC });
    add('a 401 is not retried');
    expect(w.task('a').done_when).toBe('- calls are retried three times\n- a 401 is not retried');
    expect(add('a 401 is not retried').already).toBe(true);
    expect(w.task('a').history?.at(-1)).toMatchObject({
      event: 'amended',
      was: { done_when: 'calls are retried three times' },
    });
  });
  it('is a changed definition for an unblock after two failures', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toClaimed(w, 'a');
    w.run(CODER, { name: 'block', task: 'a', reason: 'no limit is named', questions: ['How many?'] });
    w.run(PLANNER, { name: 'unblock', task: 'a', changes: { add_done: ['at most three tries'] }, facts: SPEC });
    expect(criteriaOf(w.task('a').done_when)).toHaveLength(2);
  });
});

describe('one criterion in place of another', () => {
  const TWO = '- calls are retried three times\n- a 401 is\n  not retried\n- `npm test` is green';
  const replace = (criterion: number, text: string) =>
    ({ name: 'amend', task: 'a', changes: { replace_done: [{ criterion, text }] }, facts: SPEC }) as const;
  const written = (done_when: string, status: 'DRAFT' | 'UNCLAIMED' = 'UNCLAIMED') => {
    const w = world();
    w.run(PLANNER, (status === 'DRAFT' ? addDraft : addReady)('a', { done_when }));
    return w;
  };
  it('keeps the others, whatever stands before them, and the former text in history', () => {
    const w = written(`All of:\n${TWO}`);
    w.run(PLANNER, replace(2, 'a 401 is answered\nat once'));
    expect(w.task('a').done_when).toBe(
      'All of:\n- calls are retried three times\n- a 401 is answered\n  at once\n- `npm test` is green',
    );
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'amended', was: { done_when: `All of:\n${TWO}` } });
    w.run(PLANNER, replace(3, '`npm test` prints 3 passed'));
    expect(criteriaOf(w.task('a').done_when)[2]).toBe('`npm test` prints 3 passed');
    expect(w.run(PLANNER, replace(3, '`npm test` prints 3 passed')).already).toBe(true);
  });
  it('a text without items is its first', () => {
    const w = written('calls are retried three times');
    w.run(PLANNER, replace(1, 'calls are retried five times'));
    expect(w.task('a').done_when).toBe('calls are retried five times');
    expect(w.refused(PLANNER, replace(2, 'a 401 is not retried')).guard).toBe<RefusalName>('criterion');
  });
  it.each([0, 4])('number %i that is none is refused with the list', (number) => {
    for (const status of ['DRAFT', 'UNCLAIMED'] as const) {
      const refusal = written(TWO, status).refused(PLANNER, replace(number, 'a 401 is not retried'));
      expect(refusal.guard).toBe<RefusalName>('criterion');
      expect(refusal.message).toContain(
        `a has no criterion ${number}; it has these:\n  1: calls are retried three times\n  2: a 401 is\n     not retried\n  3: \`npm test\` is green`,
      );
      expect(refusal.hint).toContain('--replace-done "3: …"');
    }
  });
  it('is judged like any other, and not given together with all', () => {
    const w = written(TWO);
    expect(w.refused(PLANNER, replace(1, 'works well')).guard).toBe<RefusalName>('criteria');
    const both = {
      ...replace(1, 'x is 5 now'),
      changes: { ...replace(1, 'x is 5 now').changes, done_when: 'a 503 is retried' },
    };
    expect(w.refused(PLANNER, both).guard).toBe<RefusalName>('criterion');
  });
  it.each(['amend', 'unblock'] as const)(
    '%s: a refused one is mended by its own option, which goes with the rest',
    (name) => {
      const w = written(TWO);
      toClaimed(w, 'a');
      w.run(CODER, { name: 'block', task: 'a', reason: 'no limit is named', questions: ['How many?'] });
      const wants = (changes: object) => w.refused(PLANNER, { name, task: 'a', changes, facts: SPEC } as Command).hint;
      expect(wants({ replace_done: [{ criterion: 2, text: 'works well' }] })).toMatch(/ --replace-done "2: …"$/);
      expect(wants({ add_done: ['works well'] })).toMatch(/ --add-done "…"$/);
      expect(wants({ done_when: 'a 503 is retried', add_done: ['works well'] })).toMatch(/ --add-done "…"$/);
      expect(wants({ done_when: 'works well' })).toMatch(/ --done "…"$/);
      w.edit((state) => withTask(state, { ...w.task('a'), done_when: '- works well\n- a 401 is not retried' }));
      expect(wants({ add_done: ['a 503 is retried'] })).toMatch(/ --replace-done "1: …"$/);
    },
  );
  it.each(['amend', 'unblock'] as const)(
    '%s: two texts for one number are refused, whichever is there already',
    (name) => {
      const w = written(TWO);
      toClaimed(w, 'a');
      w.run(CODER, { name: 'block', task: 'a', reason: 'no limit is named', questions: ['How many?'] });
      const replace_done = ['a 402 is not retried', 'calls are retried three times'].map((text) => ({
        criterion: 1,
        text,
      }));
      const refusal = w.refused(PLANNER, { name, task: 'a', changes: { replace_done }, facts: SPEC });
      expect(refusal.guard).toBe<RefusalName>('criterion');
      expect(refusal.message).toContain('criterion 1 is replaced 2 times, by “a 402 is not retried” and by');
    },
  );
  it('also with unblock, where a wrong number is refused, too', () => {
    const w = written(TWO);
    toClaimed(w, 'a');
    w.run(CODER, { name: 'block', task: 'a', reason: 'no limit is named', questions: ['How many?'] });
    const unblock = (criterion: number) =>
      ({ ...replace(criterion, 'at most three tries are made'), name: 'unblock' }) as const;
    expect(w.refused(PLANNER, unblock(9)).guard).toBe<RefusalName>('criterion');
    w.run(PLANNER, unblock(1));
    expect(criteriaOf(w.task('a').done_when)[0]).toBe('at most three tries are made');
  });
  it('is the mend where all criteria together are too long to be given again', () => {
    const long = `calls are retried ${'again and '.repeat(80)}again`;
    expect(refusedAtFinalize({ done_when: `- ${long}\n- works well` }).hint).toContain(
      'liza amend a --replace-done "2: …"',
    );
  });
});

describe('told at finalize', () => {
  it.each([
    ['words', 'IN: the parser, error messages\nOUT: the UI', 'the parser, error messages'],
    ['one word that is nothing there', 'IN: parser', 'parser'],
    ['no IN at all', 'everything about the login', 'no files: Liza'],
  ])('a scope that names areas (%s) is allowed and warned of', (_what, scope, named) => {
    const w = world();
    w.run(PLANNER, addDraft('a', { scope }));
    const told = (w.run(PLANNER, { name: 'finalize', task: 'a', facts: { ...SPEC, there: [] } }).notes ?? []).join();
    expect(told).toContain('its scope names areas, no files');
    expect(told).toContain(named);
  });
  it.each([
    ['a folder', 'IN: src/ and the parser', []],
    ['a glob', 'IN: *.md, the guide', []],
    ['one word that is there', 'IN: parser', ['parser']],
    ['a file within words that is there', 'IN: the options of cli.js', ['cli.js']],
    ['one word where nobody looked', 'IN: parser', undefined],
  ])('a scope that names %s is not warned of', (_what, scope, there) => {
    const { notes = [] } = world().run(PLANNER, {
      ...addReady('a', { scope }),
      facts: { ...SPEC, there },
    } as Parameters<ReturnType<typeof world>['run']>[1]);
    expect(notes).toEqual([]);
  });
  it('an OUT that means a part of a file is a reader’s to judge; one that forbids it is not told', () => {
    const scope = 'IN: src/, test/\nOUT: package.json: its scripts, README.md and docs/';
    const told = world().run(PLANNER, addReady('a', { scope })).notes?.join() ?? '';
    expect(told).toContain('of OUT only the reviewer can check this: "package.json: its scripts"');
    expect(told).not.toContain('README.md');
  });
  it('a command in backticks that no validation runs is named with its criterion', () => {
    const done_when = '- calls are retried three times\n- `npm run bench` prints one line\n- `npm run  test` is green';
    const notes = passes({ done_when, validation: ['cd . && npm test'] });
    expect(notes.join()).toContain('checked by no command: criterion 2 `npm run bench`.');
  });
  it('nothing is told where every command is run', () => {
    expect(passes({ done_when: '`npm test` is green', validation: ['npm test'] })).toEqual([]);
  });
  it.each(['a search of 10,000 rows takes 200 ms', 'it answers within 2 seconds', 'parsing is faster than before'])(
    '%s asks for repeats and a margin',
    (done_when) => {
      expect(passes({ done_when }).join()).toContain('criterion 1 is about time');
    },
  );
  it.each([
    'a request without an answer is aborted after 5 s',
    'the timeout is 30 seconds by default',
    'a session expires 20 minutes later',
    'retries wait 100 ms, then 200 ms',
    "what is no rate gives null: '1KB', '1KB/60s' and `1KB / 5 minutes`",
    'after a run of 0.05 s last_duration is at least 0.04 and below 5 s',
  ])('%s is about a setting, and asks for nothing', (done_when) => {
    expect(passes({ done_when })).toEqual([]);
  });
  it('a limit is a limit, also after something', () => {
    expect(passes({ done_when: 'the list is shown within 200 ms after a click' }).join()).toContain('about time');
  });
  it('one that says how often and how much is not asked again', () => {
    expect(passes({ done_when: 'the median of 5 runs is at most 200 ms' })).toEqual([]);
  });
  it('a criterion about time is told as soon as it is written: in a draft, and when it changes', () => {
    const w = world();
    expect((w.run(PLANNER, addDraft('a', { done_when: 'it answers within 2 seconds' })).notes ?? []).join()).toContain(
      'about time',
    );
    expect(w.run(PLANNER, addDraft('b')).notes ?? []).toEqual([]);
    const changes = { add_done: ['a search takes at most 200 ms'] };
    const { notes = [] } = w.run(PLANNER, { name: 'amend', task: 'b', changes, facts: SPEC });
    expect(notes.join()).toContain('criterion 2 is about time');
    const other = w.run(PLANNER, { name: 'amend', task: 'a', changes: { priority: 1 }, facts: SPEC });
    expect(other.notes ?? []).toEqual([]);
  });
  it('also with add-task --ready', () => {
    const { notes = [] } = world().run(PLANNER, addReady('a', { done_when: 'it answers within 2 seconds' }));
    expect(notes.join()).toContain('about time');
  });
});

describe('what in backticks is a command', () => {
  it.each(['npm test', './run.sh', 'pytest', 'mycli show a --json', 'node --test test/'])('%s is one', (code) => {
    expect(isCommand(code)).toBe(true);
  });
  it.each(['src/a.ts', 'login()', 'null', 'return null', 'const x = 1', 'a + b', 'Retry-After: 3', 'npm'])(
    '%s is none',
    (code) => {
      expect(isCommand(code)).toBe(false);
    },
  );
});

describe('submitting', () => {
  const TESTS_PLANNED = { ...CHECKPOINT, files_to_modify: ['test/a.test.ts'] };
  const submitted = (more: Partial<Definition>, facts: Partial<SubmitFacts>, ...paths: readonly string[]) => {
    const w = world();
    w.run(PLANNER, addReady('a', more));
    toClaimed(w, 'a');
    w.run(CODER, begin('a', BASE, TESTS_PLANNED));
    w.tell(CODER, declare('a', ...paths));
    return w.tell(CODER, submit('a', commit(1), { ...facts, changes: changes(...paths) }));
  };
  it('type declarations need no test where a command that Liza runs checks every one of them', () => {
    const scope = 'IN: types/, stubs/, src/, README.md, test/';
    const declared = ['types/a.d.ts', 'types/a.d.mts', 'stubs/a.pyi'];
    const checked = (checked_types: readonly string[], ...paths: readonly string[]) =>
      submitted({ scope, validation: ['npm run types'] }, { checked_types }, ...paths);
    for (const file of declared) expect(checked(declared, file)).toMatchObject({ guard: 'proof' });
    for (const refused of [
      checked([], 'types/a.d.ts'),
      checked(['types/a.d.ts'], 'types/a.d.ts', 'stubs/a.pyi'),
      checked(['types/a.d.ts'], 'types/a.d.ts', 'src/a.ts'),
      checked([], 'README.md'),
    ])
      expect(refused).toMatchObject({ guard: 'tests-with-code' });
    expect(checked([], 'types/a.d.ts', 'test/a.test.ts')).toMatchObject({ guard: 'proof' });
  });
  it('declarations that nothing checks: the coder adds a test, or the planner a type checker; with tests OUT only that', () => {
    const told = (scope: string) => submitted({ scope, validation: ['npm run types'] }, {}, 'types/a.d.ts');
    expect(told('IN: types/, test/')).toMatchObject({
      message: expect.stringContaining('no command that Liza runs checks types: types/a.d.ts'),
      hint: expect.stringMatching(/^Add a test that uses them.*a type checker \(tsc,.*liza block a/),
    });
    expect(told('IN: types/index.d.ts, types/a.d.ts. OUT: tests')).toMatchObject({
      hint: expect.stringMatching(/^They need no test where .*liza block a/),
    });
  });
  it('a test task submits tests alone', () => {
    const test = { type: 'test', scope: 'IN: test/' } as const;
    expect(submitted(test, {}, 'test/a.test.ts')).toMatchObject({ ok: true });
    expect(submitted({ ...test, scope: 'IN: the client' }, {}, 'test/a.test.ts', 'src/a.ts')).toMatchObject({
      guard: 'tests-with-code',
      message: expect.stringContaining('touches code other than tests (src/a.ts)'),
    });
    expect(submitted(test, {}, 'docs/a.md')).toMatchObject({ guard: 'tests-with-code' });
  });
  it('a test task is never led to declare code: taking it out or a block is what is left', () => {
    const w = world();
    w.run(PLANNER, addReady('a', { type: 'test', scope: 'IN: test/' }));
    toClaimed(w, 'a');
    w.run(CODER, begin('a', BASE, TESTS_PLANNED));
    const submitting = submit('a', commit(1), { changes: changes('test/a.test.ts', 'lib/a.ts') });
    for (const command of [submitting, declare('a', 'lib/a.ts')]) {
      const refusal = w.refused(CODER, command);
      expect(refusal.guard).toBe<RefusalName>('in-scope');
      expect(refusal.hint).toContain('liza block a --reason "…" --question "…"');
      expect(refusal.hint).not.toContain('--also');
    }
    w.run(CODER, declare('a', 'fixtures/a.json', 'test/helper.ts'));
  });
  it.each([
    ['code', true],
    ['test', false],
  ] as const)('new tests that are green on the base: a %s task is told so: %s', (type, told) => {
    const w = world();
    w.run(PLANNER, addReady('a', { type, scope: type === 'test' ? 'IN: test/' : 'IN: src/' }));
    toClaimed(w, 'a');
    w.run(CODER, begin('a', BASE, TESTS_PLANNED));
    const tests = { mode: 'evidence', base: BASE, base_alone: 'green', on_base: 'green', base_tests: 'same' } as const;
    const command = submit('a', commit(1), { changes: changes('test/a.test.ts') });
    if (command.name !== 'submit-for-review' || command.facts.proof === undefined) throw new Error('no proof');
    const proof = { ...command.facts.proof, tests };
    const { notes = [] } = w.run(CODER, { ...command, facts: { ...command.facts, proof } });
    expect(notes.join().includes('pass on the base too')).toBe(told);
  });
});
