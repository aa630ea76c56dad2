// The world again: a board that nobody can read, a lock that somebody holds, a machine that sleeps, a disk that is slow, a
// branch that is written anew, and a person's files where a submodule comes.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { contained, detected, holds, processesOf } from '../harness.mjs';

const HERE = path.join(import.meta.dirname, '..');
const coder = `begin; code 1; proof 1; commit 'a: made'; try submit submit; leave 42 submitted`;
const reviewer = `sleep 1; approve; leave 0 approved`;

export const g142 = {
  id: 'G142',
  agent: '(coder) commits a submodule where the person, on the integration branch, has a file that git ignores',
  stated: 'nothing of the person’s is removed; the merge waits and says for what, then goes on',
  plant: [
    {
      take: {
        file: 'src/git/tree-changes.ts',
        find: 'const added = changes.filter((change) => change.old === undefined);',
        put: 'const added = changes.filter((change) => change.old === undefined && !isSubmodule(change.new));',
      },
      red: /had not come: the alarm/,
    },
  ],
  files: { '.gitignore': 'src/lib\n' },
  coder: `begin; code 1; proof 1; mkdir src/lib; git add -A; git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),src/lib"
    git commit -qm 'a: made'; try submit submit; leave 42 submitted`,
  reviewer,
  async play(w) {
    w.git('checkout', '-q', 'integration');
    fs.mkdirSync(w.file('src'));
    fs.writeFileSync(w.file('src', 'lib'), 'the only copy\n');
    const crew = await w.crew({ wait: false });
    await w.until('the alarm', () => /MERGE HELD: a — .*src\/lib/.test(w.alerts()));
    w.mine = w.read('src', 'lib');
    await crew.stop();
    fs.renameSync(w.file('src', 'lib'), path.join(w.base, 'kept'));
    w.ok(['wt', 'merge', 'a']);
  },
  check(w) {
    w.succeeded('submit');
    holds(w.mine === 'the only copy\n', 'the person’s file was removed');
    holds(w.task().status === 'MERGED', `it is ${w.task().status}`);
    return contained('the alarm MERGE HELD names the file; moved away, the work was merged');
  },
};

export const g143 = {
  id: 'G143',
  agent: '(human) cannot have the board any more (a broken line, then a full disk), and wants the crew to stop',
  stated: 'pause and stop act all the same, and say what is not recorded',
  plant: [
    {
      take: [
        {
          file: 'src/cli/kill-switch.ts',
          find: 'return await fileAlone(context, setting, explain(error));',
          put: 'throw error;',
        },
        {
          file: 'src/cli/kill-switch.ts',
          find: 'return result.ok || isDecided ? result : await fileAlone(context, setting, result);',
          put: 'return result;',
        },
      ],
      red: /pause ended with/,
    },
  ],
  coder: `begin; echo AT WORK; for n in $(seq 600); do echo tick; sleep 0.1; done`,
  async play(w) {
    const disk = path.join(w.base, 'full');
    const env = { NODE_OPTIONS: `--import ${path.join(HERE, 'faults.mjs')}`, GAUNTLET_DISK: disk };
    const crew = await w.crew({ roles: ['coder', 'planner'], wait: false, env });
    await w.until('it is at work', () => /^AT WORK$/m.test(w.logs()));
    fs.appendFileSync(w.file('.liza', 'state.yaml'), '\nx: &a [1\n');
    fs.writeFileSync(disk, '');
    w.paused = w.liza(['pause'], { env });
    w.isPaused = w.exists('.liza', 'PAUSE');
    w.stopped = w.liza(['stop'], { env });
    await w.until('the crew ends', () => crew.ended(), 40);
    fs.rmSync(disk);
  },
  check(w) {
    holds(w.paused.code === 0 && w.isPaused, `pause ended with ${w.paused.code}: ${w.paused.said}`);
    holds(/does not record it/.test(w.paused.said), `it does not say so: ${w.paused.said}`);
    holds(w.stopped.code === 0, `stop ended with ${w.stopped.code}: ${w.stopped.said}`);
    return contained('the switch’s file was set, and the crew ended by a signal; both said why');
  },
};

export const g144 = {
  id: 'G144',
  agent: '(human) has a process that holds the lock of merges and merges nothing',
  stated: 'who waits is told for whom; freed, the work is merged',
  plant: [
    {
      take: { file: 'src/tasks/context.ts', find: 'const SILENT_MS = 2000;', put: 'const SILENT_MS = 2_000_000;' },
      red: /had not come: it says for whom it waits/,
    },
  ],
  coder,
  reviewer,
  async play(w) {
    await w.crew({ roles: ['coder'] });
    const lock = w.file('.liza', 'locks', '_integration.lock');
    fs.mkdirSync(path.dirname(lock), { recursive: true });
    const holder = spawn('flock', [lock, 'sleep', `87.${w.nonce}`], { detached: true, stdio: 'ignore' });
    try {
      await w.crew({ roles: ['reviewer'], until: () => w.task().status === 'APPROVED' });
      const merging = w.start(['wt', 'merge', 'a']);
      await w.until('it says for whom it waits', () => /waiting for it/.test(merging.said()), 20);
      w.said = merging.said();
      process.kill(-holder.pid, 'SIGKILL');
      await w.until('it ends', () => merging.ended());
      w.code = merging.code();
    } finally {
      try {
        process.kill(-holder.pid, 'SIGKILL');
      } catch {} // ended above
    }
  },
  check(w) {
    w.succeeded('submit');
    holds(/flock|pid \d+/.test(w.said), `it does not name who holds it: ${w.said}`);
    holds(w.code === 0 && w.task().status === 'MERGED', `it ended with ${w.code}, the task is ${w.task().status}`);
    return contained('after two seconds it named the process; when that had ended, the work was merged');
  },
};

export const g147 = {
  id: 'G147',
  agent:
    '(world) the machine sleeps longer than every lease: crew and agents stand still, then go on, in another time zone',
  stated: 'nothing is lost or done twice; the work goes on and is merged',
  plant: [
    {
      take: {
        file: 'src/protocol/leases.ts',
        find: "return lease.expired ? lost(renewal.agent, task.id, 'its lease has expired') : undefined;",
        put: 'return undefined;',
      },
      red: /under a lease that was over/,
    },
  ],
  config: { lease_duration: 3 },
  coder: `
    if [ -e src/a.mjs ]; then try submit submit; leave 42 submitted; fi
    begin; code 1; proof 1; try kept commit 'a: made'; echo ASLEEP; sleep 4; try submit submit; leave 42 submitted`,
  reviewer,
  async play(w) {
    const crew = await w.crew({ wait: false, env: { TZ: 'Pacific/Kiritimati' } });
    await w.until('it is at work', () => /^ASLEEP$/m.test(w.logs()));
    const all = [...new Set([crew.pid, ...processesOf(w.root)])];
    const each = (signal) => {
      for (const pid of all)
        try {
          process.kill(pid, signal);
        } catch {} // ended meanwhile
    };
    each('SIGSTOP');
    await wait(10_000);
    w.asleep = w.liza(['status'], { env: { TZ: 'America/Los_Angeles' } });
    each('SIGCONT');
    await w.until('it is merged', () => w.task().status === 'MERGED' || crew.ended(), 60);
    await crew.stop();
  },
  check(w) {
    holds(w.asleep.code === 0, `status ended with ${w.asleep.code}: ${w.asleep.said}`);
    holds(w.task().status === 'MERGED', `it is ${w.task().status}`);
    const times = w.journal().map(({ time }) => time);
    holds(
      times.every((time, at) => /Z$/.test(time) && (at === 0 || time >= times[at - 1])),
      'the journal’s times do not follow each other',
    );
    const often = (event) => w.events().filter((one) => one === event).length;
    holds(often('claimed') > 1, 'it went on under a lease that was over');
    holds(often('submitted') === 1 && often('merged') === 1, `it was done twice: ${w.events()}`);
    const verified = w.ok(['log', 'verify']).said;
    holds(verified.includes('intact'), `the journal is not intact: ${verified}`);
    return contained('its lease was over: it claimed its task again and went on; merged once, all times in one zone');
  },
};

export const g148 = {
  id: 'G148',
  agent:
    '(human) takes a commit off the own branch by `reset --hard`, as a force-push does, while Liza’s work rests on it',
  stated: 'reviewed work stays; what would come back is named before it does',
  plant: [
    {
      take: {
        file: 'src/git/rewritten-branch.ts',
        find: 'if (theirs.length === 0) return [];',
        put: 'if (theirs.length >= 0) return [];',
      },
      red: /does not say what it brings back/,
    },
  ],
  coder,
  reviewer,
  async play(w) {
    fs.writeFileSync(w.file('token.txt'), 'a secret\n');
    w.git('add', '-A');
    w.git('commit', '-qm', 'by mistake');
    w.ok(['sync']);
    await w.crew({ until: () => w.task().status === 'MERGED' });
    w.git('reset', '-q', '--hard', 'HEAD~1');
    fs.writeFileSync(w.file('README.md'), '# written anew\n');
    w.git('commit', '-qam', 'anew');
    w.before = w.liza(['finish']);
    w.isBack = w.exists('token.txt');
  },
  check(w) {
    w.succeeded('submit');
    holds(
      /brings back 1 commit[\s\S]*by mistake/.test(w.before.said),
      `it does not say what it brings back: ${w.before.said}`,
    );
    holds(!w.isBack && w.before.code !== 0, `it came back without a yes: ${w.before.said}`);
    holds(w.git('log', '--format=%s', 'refs/heads/integration').includes('a: made'), 'the reviewed work is lost');
    return detected('liza finish names the commit that it would bring back, and waits for a yes');
  },
};

export const g149 = {
  id: 'G149',
  agent: '(world) every write to the disk takes a third of a second',
  stated: 'everybody waits longer; no lease is lost, nothing is refused or done twice',
  plant: [
    {
      take: {
        file: 'src/ports/locks.ts',
        find: 'acquireLock(path: string, timeoutMs = 10_000)',
        put: 'acquireLock(path: string, timeoutMs = 0)',
      },
      red: /had not come|was to succeed|it took more/,
    },
  ],
  config: { lease_duration: 6 },
  // Others write meanwhile.
  coder: `(for n in 1 2 3 4 5 6; do liza note "still here $n"; done) & ${coder}`,
  reviewer,
  async play(w) {
    const env = { NODE_OPTIONS: `--import ${path.join(HERE, 'slow.mjs')}` };
    await w.crew({ env, until: () => w.task().status === 'MERGED', seconds: 180 });
  },
  check(w) {
    w.succeeded('submit');
    const events = w.events();
    for (const one of ['claimed', 'submitted', 'approved', 'merged'])
      holds(events.filter((event) => event === one).length === 1, `it took more than one turn: ${events}`);
    return contained('claimed, submitted, approved and merged once each, under the first lease');
  },
};
