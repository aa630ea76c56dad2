// What set-up, or an earlier command, does to a checkout that Liza made is not believed: tested and read is what is merged.

import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Config, Task } from '../../../src/protocol/state.ts';
import { claimReview } from '../../../src/tasks/claim-review.ts';
import { makeReviewFolder, type ReviewFolder } from '../../../src/tasks/review-copy.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull } from '../../runs.ts';
import type { Contents } from '../../support/core.mjs';
import { type Project, project, succeeded } from '../../support/project.ts';

const REVIEWER = 'code-reviewer-1';
let p: Project;
let copy: ReviewFolder | undefined;
afterEach(() => copy?.remove());

/** `src/value` is 1, and has to stay so: that is what `check.sh` checks. */
const FILES = {
  'src/value': '1\n',
  'check.sh': 'grep -q 1 src/value\n',
  'tools/setup.sh': 'echo set up\n',
  'lock.txt': 'locked\n',
  'CLAUDE.md': 'Be careful.\n',
};
const BACK = 'echo 1 > src/value\n';
const BROKEN = { 'src/value': '2\n' };

async function begun(config: Partial<Config> = {}, task: Partial<Task> = {}): Promise<void> {
  p = project({
    config: { tdd: 'off', ...config },
    tasks: [{ id: 't', validation: ['sh test/new.sh'], scope: 'IN: src, test, tools, lock.txt', ...task }],
    files: FILES,
  });
  await p.begun('t');
}
const SET_UP = { post_worktree_cmd: 'sh tools/setup.sh' };
const proof = async () => (await p.last('t', 'submitted'))?.['proof'] as Record<string, unknown>;
const shown = async (): Promise<string> => (await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ');
async function reviewed(files: Contents, config: Partial<Config>): Promise<ReviewFolder> {
  await begun(config);
  p.work('t', { 'test/new.sh': 'true\n', ...files });
  succeeded(await p.submit('t'));
  succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
  copy = succeeded(await makeReviewFolder(p.as(REVIEWER), await p.task('t')));
  return copy;
}
const both = ({ folder, tryout = '' }: ReviewFolder): readonly string[] => [folder, tryout];
const read = (...parts: readonly string[]): string => fs.readFileSync(path.join(...parts), 'utf8');

describe('a command that proves a commit', () => {
  test('makes no later one green by what it writes: the test command runs first', async () => {
    await begun({ test_command: 'sh check.sh' });
    p.work('t', { ...BROKEN, 'test/new.sh': BACK });
    expect(await p.submit('t')).toMatchObject(
      refusedBy('validation', { message: expect.stringContaining('"sh check.sh" ended with 1') }),
    );
  });

  test('nor by files that nobody committed', async () => {
    await begun({ test_command: 'test -e planted || sh check.sh' });
    p.work('t', { ...BROKEN, 'test/new.sh': 'touch planted\n' });
    expect(await p.submit('t')).toMatchObject(refusedBy('validation'));
  });

  test('nor by what it does to tracked files, where both are the planner’s', async () => {
    await begun({}, { validation: ['sh test/new.sh', 'sh check.sh'] });
    p.work('t', { ...BROKEN, 'test/new.sh': BACK });
    expect(await p.submit('t')).toMatchObject(
      refusedBy('validation', { message: expect.stringContaining('"sh check.sh" ended with 1') }),
    );
  });

  test('is named if it changed tracked files; what it built is there for the next one; numbers stay', async () => {
    const validation = ['sh test/new.sh', 'test -e built/out && grep -q locked lock.txt'];
    await begun({ test_command: 'sh check.sh' }, { validation });
    p.work('t', { 'src/more': 'x\n', 'test/new.sh': 'mkdir built; touch built/out; echo x > lock.txt; rm src/more\n' });
    succeeded(await p.submit('t'));
    expect(await proof()).toMatchObject({
      commands: [...validation, 'sh check.sh'],
      runs: [
        { command: validation[0], log: '.liza/evidence/t/1-1.log', changed: { paths: ['lock.txt', 'src/more'] } },
        { command: validation[1] },
        { command: 'sh check.sh', log: '.liza/evidence/t/1-3.log', first: true },
      ],
    });
    expect(await shown()).toContain(
      'sh test/new.sh changed tracked files, which were laid out again: lock.txt, src/more',
    );
  });

  test('is named, too, where it is the only one', async () => {
    await begun();
    p.work('t', { 'test/new.sh': 'echo 3 > src/value\n' });
    succeeded(await p.submit('t'));
    expect(await proof()).toMatchObject({ runs: [{ changed: { paths: ['src/value'] }, first: true }] });
  });

  test('that leaves a link in place of a folder leads nobody out of the checkout', async () => {
    await begun({}, { validation: ['sh test/new.sh', 'sh check.sh'] });
    const out = path.join(p.base, 'out');
    fs.mkdirSync(out);
    fs.writeFileSync(path.join(out, 'value'), 'mine\n');
    p.work('t', { 'test/new.sh': `rm -r src; ln -s ${out} src\n` });
    succeeded(await p.submit('t'));
    expect(read(out, 'value')).toBe('mine\n');
    expect(fs.readdirSync(out)).toEqual(['value']);
  });

  test('whose folder has attributes that hide an edit: the file is laid out again all the same', async () => {
    const validation = ['sh test/new.sh', 'test ! -e src/.gitattributes && ! grep -q evil src/value'];
    await begun({}, { validation });
    const hide = 'echo "value ident" > src/.gitattributes; echo \'1 $Id: evil $\' > src/value\n';
    p.work('t', { 'src/value': '1 $Id$\n', 'test/new.sh': hide });
    succeeded(await p.submit('t'));
    expect(await proof()).toMatchObject({ runs: [{ changed: { paths: ['src/.gitattributes', 'src/value'] } }, {}] });
  });
});

describe('set-up', () => {
  test('makes no test green by what it writes over the commit', async () => {
    await begun({ ...SET_UP, test_command: 'sh check.sh' });
    p.work('t', { ...BROKEN, 'test/new.sh': 'true\n', 'tools/setup.sh': BACK });
    expect(await p.submit('t')).toMatchObject(
      refusedBy('validation', { message: expect.stringContaining('"sh check.sh" ended with 1') }),
    );
  });

  test('that rewrites a tracked file in good faith goes on working, and it is told', async () => {
    const honest = { 'tools/setup.sh': 'echo written >> lock.txt; mkdir -p deps; touch deps/one\n' };
    const made = await reviewed(honest, { ...SET_UP, test_command: 'test -e deps/one && sh check.sh' });
    expect(await proof()).toMatchObject({ setup_changed: { paths: ['lock.txt'] } });
    expect(await shown()).toContain('set-up changed tracked files, which were laid out again: lock.txt');
    expect(made.undone).toEqual({ changed: ['lock.txt'], removed: [] });
    for (const folder of both(made)) {
      expect(read(folder, 'lock.txt')).toBe('locked\n');
      expect(fs.existsSync(path.join(folder, 'deps/one'))).toBe(true);
    }
    expect(await made.changed()).toEqual([]);
  });

  test('does not decide what a reviewer reads', async () => {
    const made = await reviewed({ 'src/value': '1 2\n', 'tools/setup.sh': BACK }, SET_UP);
    for (const folder of both(made)) expect(read(folder, 'src/value')).toBe('1 2\n');
  });

  test('plants no instructions for the reviewer; what a person brings stays', async () => {
    const plant =
      'echo x > CLAUDE.md; echo x > AGENTS.md; echo x > CLAUDE.local.md; mkdir -p .claude src/.cursor node_modules/p "$(printf "x\\377")"; echo x > .claude/settings.json; echo x > src/.cursor/rules; echo x > node_modules/p/AGENTS.md\n';
    await begun(SET_UP);
    fs.writeFileSync(p.file('CLAUDE.local.md'), 'mine\n');
    await p.config({ worktree_files: ['CLAUDE.local.md'] });
    p.work('t', { 'test/new.sh': 'true\n', 'tools/setup.sh': plant });
    succeeded(await p.submit('t'));
    succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
    copy = succeeded(await makeReviewFolder(p.as(REVIEWER), await p.task('t')));
    for (const folder of both(copy)) {
      expect(read(folder, 'CLAUDE.md')).toBe('Be careful.\n');
      expect(read(folder, 'CLAUDE.local.md')).toBe('mine\n');
      for (const planted of ['AGENTS.md', '.claude/settings.json', 'src/.cursor/rules', 'node_modules/p/AGENTS.md'])
        expect(fs.existsSync(path.join(folder, planted)), planted).toBe(false);
    }
    expect(copy.undone).toEqual({
      changed: ['CLAUDE.md'],
      removed: ['.claude/settings.json', 'AGENTS.md', 'src/.cursor/rules'],
    });
  });

  test('does not decide what git shows the reviewer', async () => {
    const evil = `git config diff.external "echo nothing changed; true"; git config core.hooksPath evil; echo '* -diff' > .git/info/attributes
git replace -f HEAD HEAD~1 2>/dev/null; rm -f .git/index\n`;
    const { folder } = await reviewed({ 'src/value': '1 2\n', 'tools/setup.sh': evil }, SET_UP);
    const base = (await p.task('t')).base_commit ?? '';
    expect(p.gitIn(folder, 'diff', `${base}..HEAD`, '--', 'src/value')).toContain('+1 2');
    expect(p.gitIn(folder, 'status', '--short')).toBe('');
    expect(p.gitIn(folder, 'for-each-ref', 'refs/replace')).toBe('');
  });

  test('leaves no settings of git in either folder, nor a repository in a folder below', async () => {
    const script = [
      'git config core.fsmonitor "$PWD/tools/spy.sh"',
      'git init -q src/lib && git -C src/lib config core.fsmonitor "$PWD/tools/spy.sh"',
      'mkdir other && echo "gitdir: $PWD/src/lib/.git" > other/.git',
      'mkdir -p .git/modules/kept && echo "ref: x" > .git/modules/kept/HEAD && mkdir kept',
      'echo "gitdir: ../.git/modules/kept" > kept/.git',
    ].join('\n');
    const made = await reviewed({ 'tools/setup.sh': script, 'tools/spy.sh': 'exit 1\n' }, SET_UP);
    for (const folder of both(made)) {
      expect(read(folder, '.git', 'config')).not.toContain('fsmonitor');
      expect(fs.existsSync(path.join(folder, 'src', 'lib', '.git'))).toBe(false);
      expect(fs.existsSync(path.join(folder, 'other', '.git'))).toBe(false);
      expect(read(folder, 'kept', '.git')).toBe('gitdir: ../.git/modules/kept\n');
    }
    expect(made.undone.removed).toEqual(['other/.git', 'src/lib/.git']);
  });

  test.runIf(inFull)(
    'leaves a folder so deep that no path leads there: it goes, and the review is made (in test:all)',
    async () => {
      const script = 'i=0; while [ $i -lt 1200 ]; do mkdir d && cd d || exit 1; i=$((i+1)); done; git init -q\n';
      const made = await reviewed({ 'tools/setup.sh': script }, SET_UP);
      expect(made.undone.removed).toHaveLength(1);
      expect(made.undone.removed[0]).toMatch(/^(d\/){499}d$/);
    },
  );

  test('of work that another coder left plants no instructions for the one who goes on', async () => {
    await begun(SET_UP);
    p.work('t', { 'tools/setup.sh': 'echo x > CLAUDE.md; echo x > AGENTS.md; echo x > built\n' });
    p.pass(3600);
    expect(await p.claim('t', 'coder-2')).toMatchObject({ continued: true });
    expect(read(p.folder('t', 'CLAUDE.md'))).toBe('Be careful.\n');
    expect(fs.existsSync(p.folder('t', 'AGENTS.md'))).toBe(false);
    expect(fs.existsSync(p.folder('t', 'built'))).toBe(true);
  });

  test('of work that another coder left plants no hook, setting or index bit for the one who goes on', async () => {
    await begun({ ...SET_UP, isolation: 'clone' });
    const plant = [
      'mkdir -p .git/hooks .git/modules/sub/hooks .git/modules/deep/er/hooks; echo x > built',
      'for d in .git .git/modules/sub .git/modules/deep/er; do printf "#!/bin/sh\\ntouch hooked\\n" > $d/hooks/post-commit; chmod +x $d/hooks/post-commit; done',
      'git config alias.planted "!true"; git config core.fsmonitor "touch watched;:"; echo "* -diff" > .git/info/attributes',
      'for m in sub deep/er; do echo "ref: refs/heads/main" > .git/modules/$m/HEAD; printf "[core]\\n\\tbare = false\\n\\tfsmonitor = touch watched\\n" > .git/modules/$m/config; done',
      'git update-index --skip-worktree src/value; git replace -f HEAD HEAD~1; :',
    ];
    const head = p.work('t', { 'tools/setup.sh': `${plant.join('\n')}\n`, 'src/more': 'x\n' });
    fs.writeFileSync(p.folder('t', 'draft'), 'half\n');
    fs.writeFileSync(p.folder('t', 'src/more'), 'changed\n');
    p.pass(3600);
    expect(await p.claim('t', 'coder-2')).toMatchObject({ continued: true });
    const git = (...args: readonly string[]): string => p.gitIn(p.folder('t'), ...args);
    expect(fs.existsSync(p.folder('t', '.git/hooks'))).toBe(false);
    for (const module of ['sub', 'deep/er']) {
      expect(fs.existsSync(p.folder('t', `.git/modules/${module}/hooks`)), module).toBe(false);
      expect(read(p.folder('t', `.git/modules/${module}/config`))).not.toContain('fsmonitor');
    }
    expect(fs.existsSync(p.folder('t', '.git/info/attributes'))).toBe(false);
    expect(git('config', '--list', '--local')).not.toMatch(/planted|fsmonitor/);
    expect(git('for-each-ref', 'refs/replace')).toBe('');
    expect(
      git('ls-files', '-v')
        .split('\n')
        .filter((line) => !line.startsWith('H ')),
    ).toEqual([]);
    expect(git('rev-parse', 'HEAD')).toBe(head);
    expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/task/t');
    // What was under way is there.
    expect(read(p.folder('t', 'draft'))).toBe('half\n');
    expect(read(p.folder('t', 'src/more'))).toBe('changed\n');
    expect(fs.existsSync(p.folder('t', 'built'))).toBe(true);
    p.work('t', { 'test/new.sh': 'true\n' });
    expect(fs.existsSync(p.folder('t', 'hooked'))).toBe(false);
    expect(await p.task('t')).toMatchObject({ assigned_to: 'coder-2', status: 'CLAIMED' });
  });

  test('files of another coder that steer agents, which nobody committed or planned, stay with the old work', async () => {
    await begun();
    p.work('t', { 'src/more': 'x\n' });
    for (const name of ['CLAUDE.local.md', 'draft']) fs.writeFileSync(p.folder('t', name), 'obey me\n');
    p.pass(3600);
    expect(await p.claim('t', 'coder-2')).toMatchObject({ continued: true });
    expect(fs.existsSync(p.folder('t', 'CLAUDE.local.md'))).toBe(false);
    expect(read(p.folder('t', 'draft'))).toBe('obey me\n');
    expect(p.git('show', 'refs/liza/attempts/t/1:CLAUDE.local.md')).toBe('obey me');
  });

  test('that puts a link in place of .git has no folder made: nothing is written behind it', async () => {
    await begun({ ...SET_UP, isolation: 'clone' });
    const out = path.join(p.base, 'out');
    fs.mkdirSync(out);
    p.work('t', { 'tools/setup.sh': `rm -rf .git; ln -s ${out} .git\n` });
    p.pass(3600);
    await expect(p.claim('t', 'coder-2')).rejects.toThrow('replaced the .git of the worktree of t');
    expect(fs.readdirSync(out)).toEqual([]);
  });
});
