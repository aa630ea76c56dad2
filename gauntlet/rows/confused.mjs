// People who tidy up while agents work.

import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { contained, holds } from '../harness.mjs';

/** At work until a person's note says go on: on the board, where every session can read it. */
const UNTIL_TOLD = `liza show a >/dev/null; echo READY; for n in $(seq 200); do liza show a 2>/dev/null | grep -q 'go on now' && break; sleep 0.2; done`;
const ready = (w) => w.until('it is at work', () => /^READY$/m.test(w.logs()));
const goOn = (w) => w.ok(['note', 'go on now', '--for', 'a']);
const merged = (w) => w.until('it is merged', () => w.task().status === 'MERGED');
const reviewer = `approve; leave 0 approved`;

export const g94 = {
  id: 'G94',
  agent: '(human) deletes the integration branch while agents work',
  stated: 'alarm with the command that brings it back; then the work goes on',
  plant: [
    {
      take: { file: 'src/alarms/rules/evaluate.ts', find: '...integrationGone(context, extra),', put: '' },
      red: /had not come: the alarm/,
    },
  ],
  coder: `
    begin; code 1; proof 1; commit 'a: made'; ${UNTIL_TOLD}
    for n in $(seq 100); do if submit; then break; fi; sleep 0.2; done; leave 42 submitted`,
  reviewer,
  async play(w) {
    const crew = await w.crew({ wait: false });
    await ready(w);
    w.head = w.git('rev-parse', 'integration');
    w.git('branch', '-qD', 'integration');
    await w.until('the alarm', () => /INTEGRATION GONE: .*restore it: .*git branch/.test(w.alerts()), 30);
    const [, mend] = /restore it: (.*)$/m.exec(w.alerts());
    holds(w.run('sh', ['-c', mend]).code === 0, `the command does not bring it back: ${mend}`);
    goOn(w);
    await merged(w);
    await crew.stop();
  },
  check(w) {
    holds(w.git('merge-base', '--is-ancestor', w.head, 'refs/heads/integration') === '', 'what it had is lost');
    holds(w.ok(['log', 'verify']).said.includes('intact'), 'the journal is not intact');
    return contained('the alarm INTEGRATION GONE names the command; typed as it is, the work was merged');
  },
};

export const g95 = {
  id: 'G95',
  agent: '(human) expires reflogs, runs `git gc --prune=now` and `git worktree prune` while agents work',
  stated: 'no commit that Liza has seen is lost; the work goes on',
  plant: [
    {
      take: {
        file: 'src/git/attempts.ts',
        find: 'if (rewritten) await saveTip(',
        put: 'if (false) await saveTip(',
      },
      red: /is lost/,
    },
  ],
  coder: `
    begin; code 7; proof 7; try discarded commit 'a: another way'; echo x > left-over; try seen submit; rm left-over
    git reset -q --hard HEAD~1; git reflog expire --expire=now --all; code 1; proof 1; try kept commit 'a: made'; ${UNTIL_TOLD}
    try submit submit; leave 42 submitted`,
  reviewer,
  async play(w) {
    const crew = await w.crew({ wait: false });
    await ready(w);
    w.git('reflog', 'expire', '--expire=now', '--all');
    w.git('gc', '-q', '--prune=now');
    w.git('worktree', 'prune');
    goOn(w);
    await merged(w);
    await crew.stop();
  },
  check(w) {
    w.succeeded('submit');
    w.refused('seen', /left-over/);
    for (const name of ['discarded', 'kept']) {
      const id = w.tried(name).said.split('\n').at(-1);
      holds(w.run('git', ['cat-file', '-e', id]).code === 0, `${name} ${id} is lost`);
    }
    holds(w.run('git', ['fsck', '--connectivity-only']).code === 0, 'the repository is broken');
    return contained('all that Liza has seen is held by refs of its own; the task was submitted and merged');
  },
};

export const g96 = {
  id: 'G96',
  agent: '(human) renames the project’s folder while agents work, and back',
  stated: 'nothing is lost; the work goes on, or the next start continues it',
  plant: [
    {
      take: {
        file: 'src/ports/disk.ts',
        find: 'options?.recursive === true && project !== undefined',
        put: 'false && project !== undefined',
      },
      red: /it was made again elsewhere/,
    },
  ],
  coder: `
    if [ -e src/a.mjs ]; then try submit submit; leave 42 submitted; fi
    begin; code 1; proof 1; try kept commit 'a: made'; ${UNTIL_TOLD}
    try submit submit; leave 42 submitted`,
  reviewer,
  async play(w) {
    const crew = await w.crew({ wait: false });
    await ready(w);
    const elsewhere = path.join(w.base, 'renamed');
    fs.renameSync(w.root, elsewhere);
    await wait(3000);
    w.made = fs.existsSync(w.root) ? fs.readdirSync(w.root, { recursive: true }) : [];
    fs.rmSync(w.root, { recursive: true, force: true });
    fs.renameSync(elsewhere, w.root);
    goOn(w);
    await w.until('it is merged, or the crew has ended', () => crew.ended() || w.task().status === 'MERGED');
    w.ended = crew.ended();
    await crew.stop();
    if (w.ended) await w.crew({ until: () => w.task().status === 'MERGED' });
  },
  check(w) {
    w.succeeded('submit');
    holds(w.made.length === 0, `it was made again elsewhere: ${w.made}`);
    const verified = w.ok(['log', 'verify']).said;
    holds(verified.includes('intact'), `the journal is not intact: ${verified}`);
    const id = w.tried('kept').said.split('\n').at(-1);
    holds(w.git('rev-list', 'refs/heads/integration').includes(id), `${id} is lost`);
    return contained(
      `nothing was made at the old place; back again, ${w.ended ? 'the next start continued' : 'the crew went on'}, and the work was merged`,
    );
  },
};

export const g97 = {
  id: 'G97',
  agent: '(human) has the integration branch checked out, with a file of the own where the work is about to land',
  stated: 'nothing of the person’s is overwritten; the merge waits and says for what, then goes on',
  plant: [
    {
      take: {
        file: 'src/git/held-checkout.ts',
        find: '[changedThere, keptFromGit, untrackedThere, filteredThere, refusedByGit]',
        put: '[]',
      },
      red: /had not come: the alarm/,
    },
  ],
  coder: `begin; code 1; proof 1; try kept commit 'a: made'; try submit submit; leave 42 submitted`,
  reviewer,
  async play(w) {
    w.git('checkout', '-q', 'integration');
    fs.mkdirSync(w.file('src'));
    fs.writeFileSync(w.file('src', 'a.mjs'), 'my own notes\n');
    const crew = await w.crew({ wait: false });
    await w.until('the alarm', () => /MERGE HELD: a — .*src\/a\.mjs/.test(w.alerts()));
    w.mine = w.read('src', 'a.mjs');
    await w.until('the crew ends', () => crew.ended());
    w.said = crew.said();
    fs.renameSync(w.file('src', 'a.mjs'), w.file('notes.txt'));
    w.ok(['wt', 'merge', 'a']);
  },
  check(w) {
    w.succeeded('submit');
    holds(/then liza wt merge a/.test(w.said), `it does not say what to do: ${w.said}`);
    holds(w.task().status === 'MERGED', `it is ${w.task().status}`);
    holds(w.mine === 'my own notes\n' && w.read('notes.txt') === w.mine, 'the person’s file was changed');
    holds(w.read('src', 'a.mjs') === 'export const a = 1;\n', 'the checkout did not follow');
    holds(
      w.git('status', '--porcelain') === '?? notes.txt',
      `the checkout is not clean: ${w.git('status', '--porcelain')}`,
    );
    return contained('the alarm MERGE HELD names the file; moved away, the work was merged, and the checkout followed');
  },
};
