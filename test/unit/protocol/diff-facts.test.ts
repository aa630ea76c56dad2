// What a diff says about itself, file by file.

import { describe, expect, it } from 'vitest';
import { type DiffFacts, diffFacts } from '../../../src/protocol/facts/diff-facts.ts';
import type { FileChange } from '../../../src/protocol/facts/file-change.ts';
import { isInstruction } from '../../../src/protocol/facts/instruction-files.ts';
import { DEFAULT_TEST_PATTERNS } from '../../../src/protocol/records/test-patterns.ts';
import { begin, CHECKPOINT, CODER, changes, claimed } from './world.ts';

function factsOf(given: readonly FileChange[], files_to_modify: readonly string[] = ['src/']): DiffFacts {
  const w = claimed();
  w.run(CODER, begin('a', undefined, { ...CHECKPOINT, files_to_modify }));
  return diffFacts(w.task('a'), { changes: given }, DEFAULT_TEST_PATTERNS);
}

describe('diffFacts', () => {
  it('empty lists are left out', () => {
    expect(factsOf(changes('src/a.ts'))).toEqual({ files: 1 });
  });

  it('deleted files, with where they went, and paths that became something else', () => {
    const given: readonly FileChange[] = [
      { path: 'src/__init__.py', kind: 'removed' },
      { path: 'src/a.ts', kind: 'removed' },
      { path: 'src/b.ts', kind: 'added', moved_from: 'src/a.ts' },
      { path: 'src/run.sh', kind: 'changed', becomes: 'not executable' },
    ];
    expect(factsOf(given)).toEqual({
      files: 4,
      deleted: { paths: ['src/__init__.py', 'src/a.ts (now src/b.ts)'] },
      modes: { paths: ['src/run.sh (not executable)'] },
    });
  });

  it('undeclared: outside every path, folder and glob of the checkpoint', () => {
    const touched = changes('src/a.ts', 'lib/b.ts', 'lib/deep/c.ts', 'README.md', 'src2/x.ts');
    expect(factsOf(touched, ['src', 'lib/*.ts', '*.md']).undeclared).toEqual({ paths: ['lib/deep/c.ts', 'src2/x.ts'] });
  });

  it('declared is what any checkpoint since the base named: of earlier iterations and of the approved work too', () => {
    const plan = (...files: string[]) => ({
      event: 'pre_execution_checkpoint',
      checkpoint: { files_to_modify: files },
      time: '2026-03-01T09:00:00Z',
    });
    const claim = (more: object = {}) => ({ event: 'claimed', time: '2026-03-01T09:00:00Z', ...more });
    const undeclared = (...history: object[]) =>
      diffFacts({ ...claimed().task('a'), history: history as never }, { changes: changes('a.ts', 'b.ts') }, [])
        .undeclared?.paths;
    expect(undeclared(claim(), plan('a.ts'), claim({ from: 'REJECTED' }), plan('b.ts'))).toBeUndefined();
    expect(undeclared(claim(), plan('a.ts', 'b.ts'), claim({ from: 'INTEGRATION_FAILED' }), plan())).toBeUndefined();
    expect(undeclared(claim(), plan('a.ts'), claim({ fresh: true }), plan('b.ts'))).toEqual(['a.ts']);
    expect(undeclared(claim(), plan('a.ts'), { ...claim({ fresh: true }), event: 'worktree_created' })).toHaveLength(2);
  });

  it('without a checkpoint everything is undeclared', () => {
    expect(diffFacts(claimed().task('a'), { changes: changes('src/a.ts') }, []).undeclared).toEqual({
      paths: ['src/a.ts'],
    });
  });

  it('tests that were added, changed and removed', () => {
    const given: readonly FileChange[] = [
      { path: 'test/new.ts', kind: 'added' },
      { path: 'src/a.test.ts', kind: 'changed' },
      { path: 'tests/old.py', kind: 'removed' },
      { path: 'src/a.ts', kind: 'removed' },
    ];
    expect(factsOf(given, ['src/**', 'test/', 'tests'])).toEqual({
      files: 4,
      deleted: { paths: ['tests/old.py', 'src/a.ts'] },
      tests_added: { paths: ['test/new.ts'] },
      tests_changed: { paths: ['src/a.test.ts'] },
      tests_removed: { paths: ['tests/old.py'] },
    });
  });

  it('files that a plan names and the commit does not touch; of a folder or a pattern nothing is said', () => {
    const given = changes('src/a.ts');
    expect(factsOf(given, ['src/a.ts', 'README.md', 'guide/', 'lib/**']).untouched).toEqual({ paths: ['README.md'] });
    expect(factsOf(given, ['src/a.ts']).untouched).toBeUndefined();
  });

  it('fixtures, snapshots and documents among the tests are no tests', () => {
    const data = ['test/fixtures/a.js', 'test/__snapshots__/a.test.ts.snap', 'tests/README.md', 'test/a.json'];
    const given = ['test/a.test.ts', ...data].map((path): FileChange => ({ path, kind: 'added' }));
    expect(factsOf(given, ['src/**', 'test/', 'tests'])).toEqual({
      files: 5,
      tests_added: { paths: ['test/a.test.ts'] },
      test_data_added: { paths: data },
      // What is written for people comes with no test.
      beyond_scope: { paths: ['tests/README.md'] },
    });
  });

  it('outside the paths of scope IN, tests apart; words that are no paths say nothing', () => {
    const given: readonly FileChange[] = [
      { path: 'src/auth/a.ts', kind: 'changed' },
      { path: 'src/other.ts', kind: 'changed' },
      { path: 'test/auth.test.ts', kind: 'added' },
      { path: 'test/other.test.ts', kind: 'changed' },
    ];
    const beyond = (scope: string) =>
      diffFacts({ ...claimed().task('a'), scope }, { changes: given }, DEFAULT_TEST_PATTERNS).beyond_scope;
    expect(beyond('IN: src/auth. OUT: the UI')).toEqual({ paths: ['src/other.ts'] });
    expect(beyond('IN: src')).toBeUndefined();
    expect(beyond('IN: parser, the retry logic')).toBeUndefined();
    expect(beyond('OUT: lib/')).toBeUndefined();
    expect(beyond('IN: lib/')?.paths).toHaveLength(2);
  });

  it('links and submodules are called that', () => {
    const given: readonly FileChange[] = [
      { path: 'src/link', kind: 'added', form: 'link' },
      { path: 'src/sub', kind: 'changed', form: 'submodule' },
    ];
    expect(factsOf(given)).toMatchObject({ links: { paths: ['src/link'] }, submodules: { paths: ['src/sub'] } });
  });

  it('5,000 files keep to 100 paths a list, and say how many more there are', () => {
    const many = changes(...Array.from({ length: 5000 }, (_, n) => `test/generated/${n}.test.ts`));
    const facts = factsOf(many);
    expect(facts.files).toBe(5000);
    expect(facts.undeclared?.paths).toHaveLength(100);
    expect(facts.undeclared?.more).toBe(4900);
    expect(facts.tests_changed?.more).toBe(4900);
  });

  it('long paths shorten the list further', () => {
    const long = changes(...Array.from({ length: 50 }, (_, n) => `${'d'.repeat(4000)}/${n}`));
    expect(factsOf(long).undeclared).toMatchObject({ paths: { length: 4 }, more: 46 });
  });
});

describe('files that steer agents, CI or git', () => {
  it.each([
    'CLAUDE.md',
    'packages/api/AGENTS.md',
    'GEMINI.md',
    'claude.md',
    '.cursorrules',
    '.claude/settings.json',
    'packages/api/.claude/commands/x.md',
    '.codex/config.toml',
    '.gemini/settings.json',
    '.opencode/agent.md',
    'opencode.json',
    '.mcp.json',
    '.github/workflows/ci.yml',
    '.github/copilot-instructions.md',
    '.gitlab-ci.yml',
    '.circleci/config.yml',
    'Jenkinsfile',
    '.gitattributes',
    'assets/.gitattributes',
    '.gitmodules',
    'scripts/integration-test.sh',
    '.husky/pre-commit',
    'lefthook.yml',
    '.pre-commit-config.yaml',
  ])('%s', (path) => {
    expect(isInstruction(path)).toBe(true);
    expect(factsOf(changes(path), [path]).instructions).toEqual({ paths: [path] });
  });

  it.each([
    'src/claude.ts',
    'docs/claude.md.txt',
    'src/agents.ts',
    '.github/CODEOWNERS',
    'fixtures/.github/workflows/ci.yml',
    'scripts/integration-test.sh.md',
    'claude/settings.json',
  ])('not %s', (path) => expect(isInstruction(path)).toBe(false));
});

describe('paths in lists', () => {
  it('are in quotes where they could be taken for something else, and none is two lines', () => {
    const odd = [
      'CLAUDE.md',
      'a b/CLAUDE.md',
      'x\nTESTS REMOVED: none/CLAUDE.md',
      'y, z/CLAUDE.md',
      'u\u202ev/CLAUDE.md',
    ];
    expect(factsOf(changes(...odd)).instructions?.paths).toEqual([
      'CLAUDE.md',
      '"a b/CLAUDE.md"',
      '"x\\nTESTS REMOVED: none/CLAUDE.md"',
      '"y, z/CLAUDE.md"',
      '"u\\u{202e}v/CLAUDE.md"',
    ]);
  });

  it('are cut for the board, and whole where that is asked for', () => {
    const many = changes(...Array.from({ length: 300 }, (_, n) => `p${n}/AGENTS.md`));
    const cut = factsOf(many).instructions;
    expect([cut?.paths.length, cut?.more]).toEqual([100, 200]);
    const task = claimed().task('a');
    const whole = diffFacts(task, { changes: many }, DEFAULT_TEST_PATTERNS, Number.POSITIVE_INFINITY).instructions;
    expect([whole?.paths.length, whole?.more]).toEqual([300, undefined]);
  });
});

describe('files that steer agent CLIs of every kind', () => {
  it.each(
    (
      '.goosehints .kiro/steering/a.md .qwen/settings.json QWEN.md .roo/rules/a.md .roomodes .roorules-code CRUSH.md crush.json ' +
      '.cursor/rules/a.mdc .cursorrules .windsurfrules .clinerules/a.md .aider.conf.yml .aiderignore GEMINI.md AGENTS.md ' +
      '.github/copilot-instructions.md .junie/guidelines.md .augment/rules.md .augment-guidelines .amazonq/rules/a.md ' +
      '.trae/rules/a.md .continue/config.yaml .continuerules .kilocode/rules/a.md sub/.goosehints sub/.kiro/x.md'
    ).split(' '),
  )('%s', (path) => expect(isInstruction(path)).toBe(true));
});
