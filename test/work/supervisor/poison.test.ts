// A commit that git itself does not take: with a path into .git, as plumbing can make it. Neither its coder's
// supervisor nor the crew may fall over it, and the task goes on.

import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { claimTask } from '../../../src/workflows/claim.ts';
import { succeeded } from '../workflows/project.ts';
import { open, r } from './room.ts';

const ended = (): number =>
  r()
    .said()
    .filter((text) => text.startsWith('session ended')).length;

const POISON = `echo mine > notes.txt
blob=$(git rev-parse HEAD:README.md)
hooks=$(printf '100755 blob %s\\tpre-commit\\n' $blob | git mktree)
tree=$({ git ls-tree HEAD; printf '040000 tree %s\\t.git\\n' $hooks; } | git mktree)
git update-ref refs/heads/task/t $(git commit-tree $tree -p HEAD -m poison); exit 0`;

describe.each(['worktree', 'clone'] as const)('%s', (isolation) => {
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
    if (isolation === 'clone') expect(r().started[1]?.prompt).toContain('MADE AGAIN');

    const { p } = r();
    await p.run(undefined, { name: 'release-claim', task: 't', reason: 'poisoned' });
    const claimed = succeeded(await claimTask(p.hands('coder-2'), 't', 'coder-2'));
    expect(p.gitIn(p.folder('t'), 'rev-parse', 'HEAD')).toBe(claimed.base);
    const aside = fs.readdirSync(p.file('.worktrees')).filter((name) => name.startsWith('.kept-'));
    const kept = Object.values(p.refs('refs/liza/attempts/t'));
    const notes =
      isolation === 'clone'
        ? p.git('show', `${kept[0]}:notes.txt`)
        : fs.readFileSync(p.file('.worktrees', aside[0] ?? '', 'notes.txt'), 'utf8').trim();
    expect(notes).toBe('mine');
  }, 40_000);
});
