// What an agent can do to its own folder, by accident or not: neither its supervisor nor the crew may fall over it, and
// the task goes on.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { claimTask } from '../../../src/tasks/claim.ts';
import { inFull, isolations } from '../../runs.ts';
import { succeeded } from '../../support/project.ts';
import { open, r } from './harness.ts';

const ended = (): number =>
  r()
    .said()
    .filter((text) => text.startsWith('session ended')).length;

const POISON = `echo mine > notes.txt
blob=$(git rev-parse HEAD:README.md)
hooks=$(printf '100755 blob %s\\tpre-commit\\n' $blob | git mktree)
tree=$({ git ls-tree HEAD; printf '040000 tree %s\\t.git\\n' $hooks; } | git mktree)
git update-ref refs/heads/task/t $(git commit-tree $tree -p HEAD -m poison); exit 0`;

describe.each(isolations('clone'))('%s', (isolation) => {
  test('the crew works on, and another coder gets the task, with nothing lost', async () => {
    await open({ config: { isolation }, parts: { 'coder-1': [{ end: POISON }, {}] } });
    let accident: unknown;
    r().crew.ended.catch((error: unknown) => {
      accident = error;
    });
    await r().until('the first session’s end', () => ended() === 1 || accident !== undefined);
    expect(accident).toBeUndefined();
    r().clock.advance(2000);
    await r().until('the next session', () => r().started.length === 2);
    if (isolation === 'clone') expect(r().started[1]?.prompt).toContain('CREATED AGAIN');

    const { p } = r();
    await p.run(undefined, { name: 'release-claim', task: 't', reason: 'poisoned' });
    const claimed = succeeded(await claimTask(p.as('coder-2'), 't', 'coder-2'));
    expect(p.gitIn(p.folder('t'), 'rev-parse', 'HEAD')).toBe(claimed.base);
    const aside = fs.readdirSync(p.file('.worktrees')).filter((name) => name.startsWith('.kept-'));
    const kept = Object.values(p.refs('refs/liza/attempts/t'));
    const notes =
      isolation === 'clone'
        ? p.git('show', `${kept[0]}:notes.txt`)
        : fs.readFileSync(p.file('.worktrees', aside[0] ?? '', 'notes.txt'), 'utf8').trim();
    expect(notes).toBe('mine');
  }, 40_000);

  test.runIf(inFull)(
    'folders in folders, deeper than a path can say: the crew works on, and they are kept whole (in test:all)',
    async () => {
      const deep =
        'i=0; while [ $i -lt 400 ]; do mkdir dddddddddd && cd dddddddddd; i=$((i+1)); done; echo x > f; exit 0';
      await open({ config: { isolation }, parts: { 'coder-1': [{ end: deep }, {}] } });
      await r().until('the first session’s end', () => ended() === 1);
      r().clock.advance(2000);
      await r().until('the next session', () => r().started.length === 2);
      const { p } = r();
      await p.run(undefined, { name: 'release-claim', task: 't', reason: 'too deep' });
      succeeded(await claimTask(p.as('coder-2'), 't', 'coder-2'));
      expect(fs.readdirSync(p.folder('t'))).not.toContain('dddddddddd');
      const [aside = ''] = fs.readdirSync(p.file('.worktrees')).filter((name) => name.startsWith('.kept-'));
      expect(fs.readdirSync(p.file('.worktrees', aside))).toContain('dddddddddd');
      // Neither Node nor the test's own clean-up gets that deep.
      execFileSync('rm', ['-rf', p.file('.worktrees', aside)]);
    },
    40_000,
  );

  test.each([
    ['torn', 'index=$(git rev-parse --git-path index); echo torn > "$index"'],
    ['a folder', 'index=$(git rev-parse --git-path index); rm "$index"; mkdir "$index"'],
  ])(
    'an index that is %s begins again at the commit, and no file is touched',
    async (_name, line) => {
      const looks = 'git status --porcelain > ../said 2>&1; exit 0';
      await open({
        config: { isolation },
        parts: { 'coder-1': [{ end: `echo mine > notes.txt; ${line}; exit 0` }, { end: looks }, {}] },
      });
      await r().until('the second session’s end', () => ended() === 2);
      expect(fs.readFileSync(r().p.file('.worktrees', 'said'), 'utf8')).toBe('?? notes.txt\n');
    },
    40_000,
  );
});

const COMMIT = 'echo good > good.txt && git add good.txt && git commit -q -m good';

test.each([
  ['empty', ': > .git/HEAD'],
  ['torn', 'git checkout -q --detach HEAD~1; echo zzz > .git/HEAD'],
  ['gone', 'rm .git/HEAD'],
  ['gone, with packed branches', 'git pack-refs --all; rm .git/HEAD'],
])(
  'a clone whose HEAD is %s keeps its commits',
  async (_how, spoil) => {
    await open({ config: { isolation: 'clone' }, parts: { 'coder-1': [{ end: `${COMMIT}; ${spoil}; exit 0` }, {}] } });
    await r().until('the first session’s end', () => ended() === 1);
    r().clock.advance(2000);
    await r().until('the next session', () => r().started.length === 2);
    expect(r().p.gitIn(r().p.folder('t'), 'show', 'task/t:good.txt')).toBe('good');
    expect(r().p.gitIn(r().p.folder('t'), 'symbolic-ref', 'HEAD')).toBe('refs/heads/task/t');
  },
  40_000,
);

test('good commits below one that git does not take are kept', async () => {
  await open({
    config: { isolation: 'clone' },
    parts: { 'coder-1': [{ end: `${COMMIT}; git rm -q good.txt; ${POISON}` }, {}] },
  });
  await r().until('the first session’s end', () => ended() === 1);
  r().clock.advance(2000);
  await r().until('the next session', () => r().started.length === 2);
  const [kept = ''] = Object.values(r().p.refs('refs/liza/attempts/t'));
  expect(r().p.git('log', '--format=%s', kept)).toContain('good');
}, 40_000);
