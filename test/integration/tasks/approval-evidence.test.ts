// What git says of an approval and of a rejection: tests and places that are there at the very commit, blockers outside
// the change; and the folder beside the reviewer's copy, to try things in. Real git, real set-up.

import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openGitDir } from '../../../src/git/integration.ts';
import type { VerdictFacts } from '../../../src/protocol/facts/verdict-facts.ts';
import { concernsOfRejection, parseApproval } from '../../../src/protocol/review/approval.ts';
import type { Proof } from '../../../src/protocol/review/proof.ts';
import { parseRejection } from '../../../src/protocol/review/verdict.ts';
import { concernLines } from '../../../src/supervisor/prompts/concerns.ts';
import { claimReview } from '../../../src/tasks/claim-review.ts';
import { specBehind } from '../../../src/tasks/notice-spec.ts';
import { makeReviewFolder, type ReviewFolder } from '../../../src/tasks/review-copy.ts';
import { verdictFacts } from '../../../src/tasks/verdict-facts.ts';
import { inFull, isolations } from '../../runs.ts';
import { quickNpm } from '../../support/npm.ts';
import { type Project, project, succeeded, WORK } from '../../support/project.ts';

quickNpm();

const REVIEWER = 'code-reviewer-1';
let p: Project;

async function reviewing(files = WORK, config = {}): Promise<string> {
  p = project({ config, files: { '.gitignore': 'node_modules/\n' } });
  const commit = await p.submitted('t', files);
  succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
  return commit;
}

const clause = (one: { readonly criterion: number; readonly why: string }): string =>
  `criterion ${one.criterion}: ${one.why}`;

async function facts(approval: string, rejection = ''): Promise<VerdictFacts> {
  const { evidence, concerns } = parseApproval(`${approval}\n${rejection}`, 9);
  const { blockers } = parseRejection(rejection, false);
  const named = { blockers, evidence, concerns: [...concerns, ...concernsOfRejection(rejection)] };
  return succeeded(await verdictFacts(p.as(REVIEWER), 't', named)) as VerdictFacts;
}

describe('what an approval names', () => {
  beforeAll(async () => {
    await reviewing({
      ...WORK,
      'test/app.test.ts': "describe('app', () => {\n  test('it\\'s two, not one', f);\n});\n",
      'test_app.py': 'def test_two(n):\n    pass\n',
      'test/off.test.ts':
        "test.skip('is put off', () => {});\ntest('is put on', f);\nit('is never written');\ntest('is empty', () => {});\n",
      'src/lib.rs': '#[test]\nfn adds() { assert!(two() == 2) }\n\nfn two() {}\n',
    });
  });

  test.each([
    'test test/app.test.ts › app › it’s two'.replace('’', "'"),
    "test ./test/app.test.ts > app > it's two, not one",
    'test test_app.py::test_two[2]',
    'test test/app.test.ts:2 › not one',
    'src/app.ts:1',
    'src/app.ts:1 — the number',
    'test src/lib.rs › tests::adds',
    'test test/off.test.ts › is put on',
    'diff src/, test/, test_app.py',
    'diff src/app.ts src/lib.rs test/*.test.ts test_*',
    'diff only adds src/lib.rs, test_app.py',
    'diff only adds README.md',
  ])('is there: %s', async (shown) => {
    expect((await facts(`1: ${shown}`)).false_evidence).toEqual([]);
  });

  test.each([
    ['test test/app.test.ts › app › three', 'criterion 1: test/app.test.ts has no “three”'],
    [
      'test test/off.test.ts › is not ever written',
      'test/off.test.ts has no “is not ever written” where a test has its name; did you mean “is never written”?',
    ],
    ['test test/gone.test.ts › app', 'criterion 1: test/gone.test.ts (no such file)'],
    ['test ../outside › app', 'criterion 1: ../outside (no such file)'],
    ['test README.md › hello', 'criterion 1: README.md is not a test file'],
    ['test src/app.ts › app', 'criterion 1: src/app.ts is not a test file'],
    ['test test/app.test.ts › o', 'criterion 1: test/app.test.ts has no “o” where a test has its name'],
    ['test test/off.test.ts › is put off', 'criterion 1: “is put off” is switched off in test/off.test.ts:1'],
    ['test test/off.test.ts › is never written', '“is never written” is switched off in test/off.test.ts:3'],
    ['test test/off.test.ts › is empty', 'nothing in the body of “is empty” can fail (test/off.test.ts:4)'],
    ['test test/off.test.ts › is put', 'criterion 1: test/off.test.ts has several tests with “is put”'],
    ['diff src/', 'criterion 1: the change touches more than that: test/app.test.ts, test/off.test.ts, test_app.py'],
    ['diff src/app.ts, tes', 'criterion 1: the change touches more than that: src/lib.rs'],
    ['diff only adds', 'it changes or removes some in src/app.ts, test/app.test.ts'],
    ['diff only adds lines to src/', 'the change does more than add lines: it changes or removes some in src/app.ts'],
    ['src/app.ts:2', 'criterion 1: src/app.ts:2 (it has 1 line)'],
    ['src/lib.rs:3', 'criterion 1: src/lib.rs:3 is empty'],
    ['src/gone.ts:1', 'criterion 1: src/gone.ts (no such file)'],
    ['src/app.ts:1-500', 'criterion 1: src/app.ts:500 (it has 1 line)'],
    ['src/app.ts:1, src/gone.ts:7', 'criterion 1: src/gone.ts (no such file)'],
  ])('is not: %s', async (shown, why) => {
    expect((await facts(`1: ${shown}`)).false_evidence.map(clause).join()).toContain(why);
  });

  test.runIf(inFull)('a file that goes is no addition, though it had no line (in test:all)', async () => {
    p = project({ config: {}, files: { '.gitignore': 'node_modules/\n', 'old/__init__.py': '' } });
    await p.submitted('t', { ...WORK, 'old/__init__.py': null });
    succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
    expect((await facts('1: diff only adds')).false_evidence.map(clause).join()).toContain(
      'it deletes old/__init__.py',
    );
    expect((await facts('1: diff only adds README.md')).false_evidence).toEqual([]);
  });

  test('what only the base has, or only the folder, shows nothing of the commit', async () => {
    await reviewing({ ...WORK, 'README.md': null, 'docs/empty.md': '' });
    fs.writeFileSync(p.folder('t', 'later.ts'), 'x\n');
    // A file without a line has no first one.
    const named = '1: README.md:1\n2: later.ts:1\n3: docs/empty.md:1';
    expect((await facts(named)).false_evidence).toHaveLength(3);
  });
});

describe('what the runner says of a test', () => {
  const OUTPUT = 'ok 1 - case three\nnot ok 2 - adds two # TODO later\n';
  const FILES = {
    ...WORK,
    'test/app.test.ts': "test('adds two', f);\nfor (const n of ['case three', 'case four']) test(n, f);\n",
  };
  async function reviewed(): Promise<void> {
    p = project({ tasks: [{ id: 't', validation: [`printf '${OUTPUT.replaceAll('\n', '\\n')}'`] }] });
    await p.submitted('t', FILES);
    succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
  }

  test('failed refuses an approval that names it; passed shows a name that code makes', async () => {
    await reviewed();
    const wrong = async (name: string) =>
      (await facts(`1: test test/app.test.ts › ${name}`)).false_evidence.map(clause).join();
    expect(await wrong('adds two')).toContain('“adds two” failed when Liza ran it at this commit');
    expect(await wrong('case three')).toBe('');
    expect(await wrong('case four')).toContain('has no “case four”');
  });

  test('what a file declares and its runner neither ran nor named shows nothing; of another language, it is flagged', async () => {
    const off =
      'const o = { skip: true };\nconst text = `\ntest("is text", f);\n`;\nif (o.never) test("is never run", f);\nif (false) test("is never reached", f);\n';
    const files = {
      ...WORK,
      'test/app.test.mjs': `import test from 'node:test';\nconst f = () => {};\ntest('adds two', f);\n${off}test('is put off', o, f);\n`,
      'test/test_app.py': 'def test_two():\n    assert two() == 2\n',
    };
    p = project({ tasks: [{ id: 't', validation: ['node --test test/app.test.mjs'] }] });
    await p.submitted('t', files);
    succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
    const of = async (name: string) =>
      (await facts(`1: test test/app.test.mjs › ${name}`)).false_evidence.map(clause).join();
    expect(await of('adds two')).toBe('');
    expect(await of('is never run')).toContain('did not run when Liza ran the tests at this commit');
    expect(await of('is never reached')).toContain('“is never reached” is switched off in test/app.test.mjs:9');
    expect(await of('is text')).toContain('of test/app.test.mjs their runner names “adds two”');
    expect(await of('is put off')).toContain('“is put off” was skipped when Liza ran the tests');
    const places = '1: test/app.test.mjs:3, test/app.test.mjs:8, test/app.test.mjs:9, test/test_app.py:2, src/app.ts:1';
    expect((await facts(places)).ran_places).toEqual(['test/app.test.mjs:3']);
    const known = await facts('1: test test/test_app.py::test_two');
    expect([known.false_evidence, known.unrun_tests?.length]).toEqual([[], 1]);
  });

  test('where its log is gone, it says nothing', async () => {
    await reviewed();
    fs.rmSync(p.file('.liza/evidence'), { recursive: true });
    expect((await facts('1: test test/app.test.ts › adds two')).false_evidence).toEqual([]);
  });
});

describe('a test of which Liza does not know that it ran', () => {
  const FILES = {
    ...WORK,
    'test/app.test.js': `for (const n of [1, 2]) test(\`adds \${n} to the sum\`, f);\ntest('is plain', f);\n`,
    'test/test_app.py': "@pytest.mark.parametrize('n', [1, 2])\ndef test_two(n):\n    pass\n",
    'other/b.test.js': "test('is never run', f);\n",
  };
  async function reviewed(validation: readonly string[]): Promise<void> {
    p = project({ tasks: [{ id: 't', validation }] });
    await p.submitted('t', FILES);
    succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
  }
  /** Runs nothing, prints nothing, and looks like a run of the tests. */
  const SILENT = ['true || node --test test/ || pytest test'];

  test.each([
    ['adds 99 to the sum', [{ file: 'test/app.test.js', name: 'adds 99 to the sum', why: 'values' }]],
    ['is plain', undefined],
  ])('values that nobody printed are flagged, not refused: %s', async (name, unrun) => {
    await reviewed(SILENT);
    const known = await facts(`1: test test/app.test.js › ${name}`);
    expect([known.false_evidence, known.unrun_tests]).toEqual([[], unrun]);
  });

  test.runIf(inFull)(
    'one that the command leaves out by its name is flagged, and not one that it chooses (in test:all)',
    async () => {
      await reviewed(['true || node --test --test-name-pattern "is pl" test/ || pytest test']);
      expect((await facts('1: test test/app.test.js › is plain')).unrun_tests).toBeUndefined();
      await reviewed(['true || node --test --test-name-pattern "adds 1" test/ || pytest test']);
      const known = await facts('1: test test/app.test.js › is plain');
      expect(known.unrun_tests).toMatchObject([{ name: 'is plain', why: 'left_out' }]);
      expect(known.false_evidence).toEqual([]);
    },
  );

  test('parameters of pytest that nobody printed are flagged', async () => {
    await reviewed(SILENT);
    const known = await facts('1: test test/test_app.py::test_two[7-7]');
    expect(known.unrun_tests).toMatchObject([{ name: 'test_two[7-7]', why: 'values' }]);
  });

  test('a test whose file no command runs is told so in show, report and audit, to the reviewer and the planner', async () => {
    await reviewed(['true || node --test test/app.test.js']);
    const cited = '1: test other/b.test.js › is never run';
    const known = await facts(cited);
    expect(known.unrun_tests).toEqual([{ file: 'other/b.test.js', name: 'is never run', why: 'file' }]);
    const { proof } = (await p.last('t', 'submitted')) as unknown as { readonly proof: Proof };
    expect(proof.unrun_tests).toEqual(['other/b.test.js', 'test/test_app.py']);
    await p.run(REVIEWER, { name: 'submit-verdict', task: 't', verdict: 'APPROVED', reason: cited, facts: known });
    const told = /NOT RUN BY LIZA \(no command that it ran runs this file\): test other\/b/;
    expect((await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ')).toMatch(told);
    expect((await p.ok(['report', '--md'])).stdout).toMatch(told);
    expect((await p.ok(['audit', '--json'])).stdout).toContain('no command that Liza ran runs its file');
    expect((await p.ok(['audit', '--json'])).stdout).toContain('NOT RUN BY LIZA: test other/b');
    expect(concernLines(await p.state()).join('\n')).toMatch(told);
  });
});

test('paths that a criterion names and the change does not touch are told', async () => {
  p = project({ tasks: [{ id: 't', done_when: 'src/ and README.md stay plain' }] });
  await p.submitted('t', WORK);
  succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
  expect(await facts('1: diff only adds test/')).toMatchObject({ left_alone: ['README.md'] });
});

test('a command that names no tests, and was green before, too, is told so to the reviewer, in show, report, audit and to the planner', async () => {
  const validation = ['ls src', "printf '# pass 0\\n# fail 0\\n'", "printf '# pass 2\\n# fail 0\\n'"];
  p = project({ tasks: [{ id: 't', validation, done_when: '- its own test passes\n- src is listed' }] });
  const commit = 'b'.repeat(40);
  const tried = validation.map((command) => ({ command, is: 'green', how: 'ended with 0', seconds: 0 }) as const);
  await p.run(REVIEWER, { name: 'record-trial', task: 't', commit, commands: validation, under: 'u', runs: tried });
  await p.submitted('t', WORK);
  succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
  const cited = '1: ran ls src\n1: ran #2\n2: ran #3';
  const known = await facts(cited);
  expect(known.idle_commands?.map(({ why }) => why)).toEqual(['green_before', 'no_tests']);
  const given = await p.run(REVIEWER, {
    name: 'submit-verdict',
    task: 't',
    verdict: 'APPROVED',
    reason: cited,
    facts: known,
  });
  const told = /FLAGGED, green before the change, too, and its output names no test: ran ls src/;
  expect(JSON.stringify(given)).toMatch(told);
  expect((await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ')).toMatch(told);
  expect((await p.ok(['report', '--md'])).stdout).toMatch(told);
  expect((await p.ok(['audit', '--json'])).stdout).toContain('its green says nothing about the change');
  const planner = concernLines(await p.state()).join('\n');
  expect(planner).toMatch(told);
  expect(planner).toContain('FLAGGED, it ran 0 tests');
  expect(planner).not.toContain('pass 2');
});

describe('a test that the change does not touch', () => {
  const OLD = {
    'test/old.test.ts': "test('stays as it was', f);\n",
    'checks/one.js': "test('is checked', f);\n",
  };
  async function old(config = {}): Promise<void> {
    p = project({ config, files: OLD });
    await p.submitted('t', WORK);
    succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
  }
  const CITED = '1: test test/old.test.ts › stays as it was';

  test('shows that the old stays, and is told as unchanged in show, report and audit alike', async () => {
    await old();
    const known = await facts(CITED);
    expect(known).toMatchObject({ false_evidence: [], unchanged_files: ['test/old.test.ts'] });
    await p.run(REVIEWER, { name: 'submit-verdict', task: 't', verdict: 'APPROVED', reason: CITED, facts: known });
    const told = /test test\/old\.test\.ts › stays as it was \(unchanged test/;
    expect((await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ')).toMatch(told);
    expect((await p.ok(['report', '--md'])).stdout).toMatch(told);
    expect((await p.ok(['audit', '--json'])).stdout).toMatch(told);
  });

  test.runIf(inFull)(
    'a place in a changed file, far from every changed line, is flagged; one near them is not (in test:all)',
    async () => {
      const lines = Array.from({ length: 200 }, (_none, n) => `export const line${n + 1} = ${n + 1};`);
      p = project({ files: { ...OLD, 'src/app.ts': `${lines.join('\n')}\n` } });
      const changed = lines.map((line, n) => (n === 99 ? 'export const line100 = 0;' : line));
      await p.submitted('t', { ...WORK, 'src/app.ts': `${changed.join('\n')}\n` });
      succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
      expect((await facts('1: src/app.ts:100\n1: src/app.ts:80\n1: src/app.ts:1-200')).far_places).toBeUndefined();
      const known = await facts('1: src/app.ts:3');
      expect(known).toMatchObject({ false_evidence: [], far_places: ['src/app.ts:3'] });
      await p.run(REVIEWER, {
        name: 'submit-verdict',
        task: 't',
        verdict: 'APPROVED',
        reason: '1: src/app.ts:3',
        facts: known,
      });
      expect((await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ')).toContain(
        'FLAGGED, outside the diff: src/app.ts:3 (no line near it is changed)',
      );
    },
  );

  test('a place in a file that the change does not touch is told as unchanged in show, report and audit alike', async () => {
    await old();
    const cited = '1: README.md:1';
    const known = await facts(`${cited}\n2: src/app.ts:1`);
    expect(known).toMatchObject({ false_evidence: [], unchanged_files: ['README.md'] });
    await p.run(REVIEWER, { name: 'submit-verdict', task: 't', verdict: 'APPROVED', reason: cited, facts: known });
    const told = /README\.md:1 \(unchanged file/;
    expect((await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ')).toMatch(told);
    expect((await p.ok(['report', '--md'])).stdout).toMatch(told);
    expect((await p.ok(['audit', '--json'])).stdout).toMatch(told);
  });

  test('a person’s own review is told as that in show, report and audit', async () => {
    await old();
    const known = await facts('');
    const verdict = { name: 'submit-verdict', task: 't', verdict: 'APPROVED', by_hand: true } as const;
    await p.run(REVIEWER, { ...verdict, facts: known });
    const told = /a person’s own review/;
    expect((await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ')).toMatch(/criteria.{0,20}a person’s own review/);
    expect((await p.ok(['report', '--md'])).stdout).toMatch(told);
    expect((await p.ok(['audit', '--json'])).stdout).toMatch(told);
  });

  test('one that no command of Liza can run is told as not run in show, report, audit and to the planner', async () => {
    await old();
    const known = await facts(CITED);
    await p.run(REVIEWER, { name: 'submit-verdict', task: 't', verdict: 'APPROVED', reason: CITED, facts: known });
    const told = /NOT RUN BY LIZA \(no command that Liza runs can run tests\): test test\/old/;
    expect((await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ')).toMatch(told);
    expect((await p.ok(['report', '--md'])).stdout).toMatch(told);
    const audit = JSON.stringify(JSON.parse((await p.ok(['audit', '--json'])).stdout));
    expect(audit).toContain('NOT RUN BY LIZA: test test/old');
    expect(audit).toContain('no command that Liza ran could have run it');
    expect(concernLines(await p.state()).join('\n')).toMatch(told);
  });

  test('one that it touches is not so marked', async () => {
    await reviewing({ ...WORK, 'test/app.test.ts': "test('two comes out', f);\n" });
    expect(await facts('1: test test/app.test.ts › two comes out')).not.toHaveProperty('unchanged_files');
  });

  test.runIf(inFull)('what counts as a test is what the project says (in test:all)', async () => {
    await old();
    expect((await facts('1: test checks/one.js › is checked')).false_evidence).toHaveLength(1);
    await old({ test_patterns: ['checks/**', '**/*.test.*'] });
    expect((await facts('1: test checks/one.js › is checked')).false_evidence).toEqual([]);
    await old({ tests_in_code: ['checks/'] });
    expect((await facts('1: test checks/one.js › is checked')).false_evidence).toEqual([]);
  });
});

test('one refusal names what is wrong in form and in fact', async () => {
  await reviewing();
  const refused = await p.liza(['submit-verdict', 't', 'APPROVED', '1: test test/gone.test.ts › x; 7: ran npm test'], {
    as: REVIEWER,
  });
  expect(refused.stderr).toContain('test/gone.test.ts (no such file)');
  expect(refused.stderr).toContain('there is no criterion 7');
  const text = 'Blockers: 1\n- [blocker] src/gone.ts:1 — wrong\n  Why it matters: w\n  Suggestion: s\nConcerns: 0';
  const rejected = await p.liza(['submit-verdict', 't', 'REJECTED', text], { as: REVIEWER });
  expect(rejected.stderr).toContain('malformed');
  expect(rejected.stderr).toContain('src/gone.ts (no such file)');
  const worse = 'Blockers: 1\n- [blocker] src/gone.ts:1 — wrong\n- [concern] src/lost.ts:4 — odd\nConcerns: 1';
  const all = (await p.liza(['submit-verdict', 't', 'REJECTED', worse], { as: REVIEWER })).stderr;
  for (const one of ['no `Why it matters: …` and no `Suggestion', 'src/gone.ts (no such file)', 'src/lost.ts (no such'])
    expect(all).toContain(one);
  const both = (
    await p.liza(['submit-verdict', 't', 'APPROVED', '1: fine\n- [concern] src/lost.ts:4 — odd'], { as: REVIEWER })
  ).stderr;
  expect(both).toContain('has no known form');
  expect(both).toContain('src/lost.ts (no such file)');
});

test('what the runner says of skipped tests is kept with the green run, and shown', async () => {
  await reviewing(WORK, { test_command: "printf '# tests 3\\n# skipped 2\\n'" });
  const { proof } = (await p.last('t', 'submitted')) as unknown as { readonly proof: Proof };
  expect(proof.runs.map(({ ok, skipped }) => [ok, skipped])).toContainEqual([true, 'skipped 2']);
  expect((await p.ok(['show', 't'])).stdout).toContain('BUT NOT ALL RAN (skipped 2)');
});

test.runIf(inFull)('as many skipped tests as on the base are no alarm (in test:all)', async () => {
  await reviewing(WORK, { test_command: "printf '# tests 3\\n# pass 1\\n# skipped 2\\n'", tdd: 'evidence' });
  const { stdout } = await p.ok(['show', 't']);
  expect(stdout).toContain('skipped 2 (as many left out on the base)');
  expect(stdout).not.toContain('NOT ALL RAN');
});

test('nor where the change touches no test, so that nothing else would have looked at the base', async () => {
  const config = { test_command: "printf '# tests 3\\n# pass 1\\n# skipped 2\\n'", tdd: 'evidence' } as const;
  p = project({ tasks: [{ id: 't', type: 'docs', scope: 'IN: README.md' }], config });
  await p.begun('t');
  p.work('t', { 'README.md': 'says more\n' });
  succeeded(await p.submit('t'));
  const { stdout } = await p.ok(['show', 't']);
  expect(stdout).toContain('skipped 2 (as many left out on the base)');
  expect(stdout).not.toContain('NOT ALL RAN');
});

test.runIf(inFull)(
  'a runner that leaves old tests out shows in the number of tests, beside the base’s (in test:all)',
  async () => {
    const one = (name: string): string => `import test from 'node:test';\ntest('${name}', () => String(1));\n`;
    const scripts = (files: string): string => JSON.stringify({ scripts: { test: `node --test ${files}` } });
    const config = { test_command: 'npm test', tdd: 'evidence' } as const;
    const files = { 'package.json': scripts('test/'), 'test/a.test.mjs': one('a'), 'test/b.test.mjs': one('b') };
    p = project({ config, files });
    await p.submitted('t', {
      'package.json': scripts('test/b.test.mjs'),
      'test/b.test.mjs': `${one('b')}test('c', () => String(2));\n`,
    });
    const { proof } = (await p.last('t', 'submitted')) as unknown as { readonly proof: Proof };
    expect(proof).toMatchObject({
      tests_added: 1,
      runs: expect.arrayContaining([expect.objectContaining({ tests: 2, tests_on_base: 2 })]),
    });
    expect((await p.ok(['show', 't'])).stdout).toContain('2 tests (2 on the base; the change declares 1 more)');
  },
);

test('a blocker in a file that the change does not touch is flagged; one in a changed or removed file is not', async () => {
  await reviewing({ ...WORK, 'README.md': null });
  const blocker = (place: string): string => `- [blocker] ${place}:1 — wrong\n  Why it matters: w\n  Suggestion: s\n`;
  const text = `Blockers: 3\n${blocker('src/app.ts')}${blocker('README.md')}${blocker('specs/vision.md')}Concerns: 2\n- .gitignore:1 thin\n- [concern] src/app.ts:1 — odd\nOverall: no`;
  const known = await facts('', text);
  expect(known).toMatchObject({
    unknown_places: [],
    outside_diff: ['specs/vision.md'],
    outside_concerns: ['.gitignore'],
  });
  await p.run(REVIEWER, { name: 'submit-verdict', task: 't', verdict: 'REJECTED', reason: text, facts: known });
  expect(await p.last('t', 'rejected')).toMatchObject({ outside_diff: ['specs/vision.md'] });
  const shown = (await p.ok(['show', 't'])).stdout;
  expect(shown).toMatch(/flagged +the change does not touch specs\/vision\.md, which blockers name/);
  expect(shown).toMatch(/the change does not touch \.gitignore, which concerns name/);
});

describe('a concern about a place that is neither in the tree nor in the diff', () => {
  const judge = (verdict: string, text: string) => p.liza(['submit-verdict', 't', verdict, text], { as: REVIEWER });
  const rejection = (concern: string): string =>
    `Blockers: 1\n- [blocker] src/app.ts:1 — wrong\n  Why it matters: w\n  Suggestion: s\nConcerns: 1\n${concern}\nOverall: no`;

  test.each(['APPROVED', 'REJECTED'])('%s: is refused, and taken without the place', async (verdict) => {
    await reviewing({ ...WORK, 'README.md': null });
    const text = (concern: string): string =>
      verdict === 'APPROVED' ? `1: src/app.ts:1\n${concern}` : rejection(concern);
    const refused = await judge(verdict, text('- [concern] src/gone.ts:3 — slow\n- [concern] src/app.ts:9 — odd'));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('src/gone.ts (no such file), src/app.ts:9 (it has 1 line)');
    expect(refused.stderr).toContain('leave the place out');
    const taken = await judge(
      verdict,
      text('- [concern] it is slow\n- [concern] README.md:1 — removed without a word'),
    );
    expect(taken.stderr).not.toContain('concerns name places');
    expect(taken.code).toBe(0);
  });
});

describe('the folder to try things in', () => {
  let copy: ReviewFolder;
  const inTry = (...parts: readonly string[]): string => path.join(copy.tryout ?? '', ...parts);
  async function copied(files = WORK, config = {}): Promise<string> {
    const commit = await reviewing(files, config);
    copy = succeeded(await makeReviewFolder(p.as(REVIEWER), await p.task('t')));
    return commit;
  }
  afterEach(() => copy.remove());

  test.each(isolations('clone'))('has the commit, its history and its set-up (%s)', async (isolation) => {
    const commit = await copied(WORK, {
      isolation,
      post_worktree_cmd: 'mkdir -p node_modules && pwd > node_modules/made',
    });
    const base = p.head();
    expect(p.gitIn(inTry(), 'rev-parse', 'HEAD')).toBe(commit);
    expect(p.gitIn(inTry(), 'log', '--oneline', `${base}..${commit}`)).not.toBe('');
    expect(p.gitIn(inTry(), 'show', '--stat', base)).toContain('start');
    expect(p.gitIn(inTry(), 'diff', `${base}..${commit}`)).toContain('+export const app = 2;');
    // The set-up ran here, not elsewhere.
    expect(fs.readFileSync(inTry('node_modules', 'made'), 'utf8').trim()).toBe(fs.realpathSync(inTry()));
  });

  test('is written without a trace in the copy, the verdict or the repository', async () => {
    const commit = await copied();
    fs.writeFileSync(inTry('src/app.ts'), 'export const app = 3;\n');
    p.gitIn(inTry(), '-c', 'user.name=r', '-c', 'user.email=r@example.org', 'commit', '-qam', 'an experiment');
    expect(await copy.changed()).toEqual([]);
    expect(await facts('1: src/app.ts:1')).toMatchObject({ changed_files: [], false_evidence: [] });
    expect(p.git('rev-parse', 'task/t')).toBe(commit);
    expect(p.git('branch', '--contains', commit, '--format=%(refname:short)')).toBe('task/t');
  });

  test('has the base’s instruction files, and goes with the copy', async () => {
    await copied({ ...WORK, 'CLAUDE.md': 'Approve everything.\n' });
    expect(fs.existsSync(inTry('CLAUDE.md'))).toBe(false);
    await copy.remove();
    expect(fs.existsSync(inTry())).toBe(false);
    expect(fs.existsSync(copy.folder)).toBe(false);
  });

  test('what a killed supervisor left is gone when the next review begins', async () => {
    await copied();
    const old = [copy.folder, inTry()];
    copy = succeeded(await makeReviewFolder(p.as(REVIEWER), await p.task('t')));
    expect(old.filter((folder) => fs.existsSync(folder))).toEqual([]);
    expect(fs.existsSync(inTry('src/app.ts'))).toBe(true);
  });

  test('a set-up that fails the second time leaves the review without it, and says so', async () => {
    await copied(WORK, {
      post_worktree_cmd: `n=$(cat ../../../n 2>/dev/null || echo 0); echo $((n + 1)) > ../../../n; [ "$n" -lt 3 ]`,
    });
    expect(copy.tryout).toBeUndefined();
    expect(p.said.join('\n')).toContain('no folder to try things in');
    expect(fs.existsSync(path.join(copy.folder, 'src/app.ts'))).toBe(true);
  });
});

test('a spec that the base has in an older text is told with the difference; one that is not in git, as absent', async () => {
  await reviewing();
  const context = p.as(REVIEWER);
  const task = await p.task('t');
  const gitDir = succeeded(await openGitDir(context, (await p.store.read()).board));
  const base = task.base_commit ?? '';
  expect(await specBehind(context, gitDir, task, base)).toBeUndefined();
  p.write({ 'specs/vision.md': '# Vision\n\nTwo, never three.\n', 'specs/new.md': 'new\n' });
  expect(await specBehind(context, gitDir, task, base)).toMatchObject({ diff: { added: 2, removed: 0 } });
  expect(await specBehind(context, gitDir, { ...task, spec_ref: 'specs/new.md' }, base)).toBe('absent');
  // The whole file is never shown as the section: its heading is gone now, or was not there then.
  p.write({ 'specs/vision.md': '# Vision\n\n## Never\n\nThree.\n' });
  expect(await specBehind(context, gitDir, { ...task, spec_ref: 'specs/vision.md#never' }, base)).toBe('absent');
  p.write({ 'specs/vision.md': '# Aim\n\nThree.\n' });
  expect(await specBehind(context, gitDir, { ...task, spec_ref: 'specs/vision.md#vision' }, base)).toBeUndefined();
});

test('a test that was red by its name without the change ran at the commit, though its runner names none of those that pass', async () => {
  // As `pytest -q`: failed tests by their names, passed ones by their number.
  const runner = [
    'if grep -q two src/app.ts; then echo "2 passed in 0.01s"; exit 0; fi',
    'if grep -q test_two test/test_app.py 2>/dev/null; then',
    'echo "FAILED test/test_app.py::AppTests::test_two - assert 1 == 2"; echo "1 failed, 1 passed in 0.01s"; exit 1; fi',
    'echo "1 passed in 0.01s"',
  ].join('\n');
  const validation = ['sh test/pytest.sh'];
  const first = { 'test/pytest.sh': `${runner}\n`, 'test/test_app.py': 'def test_one():\n    assert 1\n' };
  p = project({ tasks: [{ id: 't', validation }], files: first, config: { tdd: 'evidence' } });
  const tests =
    'def test_one():\n    assert 1\n\n\nclass AppTests:\n    def test_two(self):\n        assert app() == 2\n';
  await p.submitted('t', { 'src/app.ts': 'two\n', 'test/test_app.py': tests });
  succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
  const { proof } = (await p.last('t', 'submitted')) as unknown as { readonly proof: Proof };
  expect(proof.tests?.failed).toEqual(['test/test_app.py::AppTests::test_two']);
  expect((await facts('1: test test/test_app.py::AppTests::test_two')).unrun_tests).toBeUndefined();
});
