// Work that is merged together with other work: a batch that is red for a bad reason, or whose branch goes away under it.

import fs from 'node:fs';
import path from 'node:path';
import { contained, detected, holds, prevented } from '../harness.mjs';

const task = (id) => ({
  id,
  desc: `make ${id}`,
  done: `${id} is there and exported`,
  validate: `node test/${id}.test.mjs`,
});

/** What every merge has to pass: all that is in test/. */
const TEST = `#!/bin/sh
for one in test/*.sh; do [ ! -e "$one" ] || sh "$one" || { echo "$one is red"; exit 1; }; done
for one in test/*.mjs; do [ ! -e "$one" ] || node "$one" || exit 1; done
`;

/** Makes the task whose folder it is in; `more`: what else it puts into the commit. */
const coder = (more) => `
  id=$(basename "$PWD")
  liza begin $id --intent "$id and its test" --risks none --validation "node test/$id.test.mjs: passes" --file src/$id.mjs --file test/$id.test.mjs
  mkdir -p src test; echo 'export const x = 1;' > src/$id.mjs
  printf '%s\\n' "import assert from 'node:assert/strict';" "import { x } from '../src/$id.mjs';" "assert.equal(x, 1);" > test/$id.test.mjs
  ${more}
  commit "$id: made"; try submit-$id liza submit-for-review $id HEAD; leave 42 submitted`;

const reviewer = `
  for id in a b c; do
    if liza show $id --json | grep -q '"reviewing_by"'; then liza submit-verdict $id APPROVED '1: ran command 1 of VALIDATION'; fi
  done
  leave 0 approved`;

/** All are approved before anything lands. */
async function approveAll(w, ids = ['a', 'b']) {
  w.ok(['queue', 'hold']);
  for (const [at] of ids.entries()) await w.crew({ roles: ['coder'], env: { LIZA_AGENT_ID: `coder-${at + 1}` } });
  await w.crew({ roles: ['reviewer'], until: () => ids.every((id) => w.task(id).status === 'APPROVED') });
  for (const id of ids) w.succeeded(`submit-${id}`);
  w.ok(['queue', 'release']);
}

const base = {
  config: { tdd: 'off', merge_batch: 'auto' },
  files: { 'scripts/integration-test.sh': TEST },
  tasks: [task('a'), task('b')],
  reviewer,
};

const statuses = (w, ids = ['a', 'b']) => ids.map((id) => w.task(id).status).join(' ');

export const g120 = {
  ...base,
  id: 'G120',
  agent: '(coder) adds a test that is red the first time it sees a commit, and green then',
  stated: 'nobody is blamed for it; it is recorded as red by chance',
  plant: [
    {
      take: {
        file: 'src/protocol/queue/search.ts',
        find: 'pairs.some(({ after, upto }) => redAfter(after, upto))',
        put: 'pairs.length > 0',
      },
      red: /they are INTEGRATION_FAILED/,
    },
  ],
  coder: coder(
    `[ $id != a ] || echo 'seen="$FLAKY/$(git rev-parse HEAD)"; [ -e "$seen" ] || { touch "$seen"; exit 1; }' | sed "s|.FLAKY|$GAUNTLET_BASE/flaky|" > test/a.sh`,
  ),
  given(w) {
    const folder = path.join(w.base, 'flaky');
    fs.mkdirSync(folder);
    w.ok(['config', 'set', 'sandbox_write', JSON.stringify([folder])]);
  },
  async play(w) {
    await approveAll(w);
    w.liza(['queue', 'run']);
  },
  check(w) {
    holds(statuses(w) === 'MERGED MERGED', `they are ${statuses(w)}`);
    const flakes = w.board().goal.queue.batches.reduce((sum, batch) => sum + batch.flakes, 0);
    holds(flakes === 1, `${flakes} are recorded as red by chance`);
    holds(/% of the runs red by chance/.test(w.ok(['queue']).said), 'liza queue does not tell');
    return detected('the red batch was run again and was green: both landed, and liza queue tells the share');
  },
};

export const g121 = {
  ...base,
  id: 'G121',
  agent: '(coder) adds a test that passes alone and fails as soon as others’ work is there',
  stated: 'nothing red lands; the later one leaves, and is told with whom it is red',
  plant: [
    {
      take: { file: 'src/tasks/queue/culprit.ts', find: 'red: alone?.red', put: 'red: undefined' },
      red: /it is not told with whom/,
    },
  ],
  coder: coder(`[ $id != a ] || echo '[ "$(ls src)" = a.mjs ]' > test/a.sh`),
  async play(w) {
    await approveAll(w);
    w.liza(['queue', 'run']);
  },
  check(w) {
    holds(statuses(w) === 'MERGED INTEGRATION_FAILED', `they are ${statuses(w)}`);
    const failed = w.task('b').history.findLast(({ event }) => event === 'integration_failed');
    holds(
      /red only together with a: alone it is green/.test(failed.reason),
      `it is not told with whom: ${failed.reason}`,
    );
    holds(failed.with.join() === 'a' && w.exists(failed.log), `it says ${JSON.stringify(failed)}`);
    const there = w.git('ls-tree', '--name-only', 'refs/heads/integration', 'src/');
    holds(there === 'src/a.mjs', `integration has ${there}`);
    return contained('what was green landed; the later one is INTEGRATION_FAILED, “red only together with a”');
  },
};

export const g122 = {
  ...base,
  id: 'G122',
  agent: '(human) moves the integration branch while a red batch is searched',
  stated: 'the batch stops, and nothing of the person’s is overwritten; accepted, it begins again from there',
  plant: [
    {
      take: {
        file: 'src/tasks/move-branch.ts',
        find: '[{ ref: branch, to, from: onto }, ...intents]',
        put: '[{ ref: branch, to }, ...intents]',
      },
      red: /the person’s commit is gone/,
    },
  ],
  files: { 'scripts/integration-test.sh': `${TEST}sleep 2\n` },
  coder: coder(`[ $id != b ] || echo 'exit 1' > test/b.sh`),
  async play(w) {
    await approveAll(w);
    const run = w.start(['queue', 'run']);
    await w.until('a red run', () => w.board().goal.queue?.batch?.runs.length > 0);
    const tree = w.git('rev-parse', 'integration^{tree}');
    w.mine = w.git('commit-tree', tree, '-p', 'integration', '-m', 'by hand');
    w.run('git', ['update-ref', 'refs/heads/integration', w.mine], { env: { LIZA_INTEGRATION: 'mine' } });
    await w.until('it stops', () => run.ended());
    w.after = { head: w.git('rev-parse', 'integration'), statuses: statuses(w) };
    w.ok(['doctor', '--accept-integration']);
    for (let times = 0; times < 3 && statuses(w).includes('APPROVED'); times++) w.liza(['queue', 'run']);
  },
  check(w) {
    holds(w.after.head === w.mine, `the person’s commit is gone: ${w.after.head}`);
    holds(w.after.statuses === 'APPROVED APPROVED', `they were ${w.after.statuses}`);
    holds(statuses(w) === 'MERGED INTEGRATION_FAILED', `they are ${statuses(w)}`);
    holds(w.git('merge-base', w.mine, 'integration') === w.mine, 'it is not built on the person’s commit');
    return prevented('the branch did not move; accepted, the search began again there, and the culprit alone left');
  },
};

/** Waits until the board says one of these of a task: the first may be over before anybody looks. */
const untilIs = (id, ...statuses) =>
  `n=0; until liza show ${id} --json | grep -Eq '"status": *"(${statuses.join('|')})"' || [ $n -gt 90 ]; do n=$((n+1)); sleep 0.5; done`;

export const g150 = {
  ...base,
  id: 'G150',
  agent: '(reviewer) runs a script of the commit that approves it, looks on while another’s work lands, and rejects',
  stated: 'nothing lands in whose approval’s session somebody still looks; the rejection counts',
  plant: [
    {
      take: {
        file: 'src/protocol/review/approver-session.ts',
        find: 'if (under_way === undefined ||',
        put: 'if (under_way !== null ||',
      },
      red: /they are MERGED MERGED/,
    },
  ],
  coder: coder(
    `[ $id != b ] || echo "liza submit-verdict b APPROVED '1: ran command 1 of VALIDATION'" > test/forge.txt`,
  ),
  reviewer: `
  mine=b; if liza show a --json | grep -q "\\"reviewing_by\\": *\\"$LIZA_AGENT_ID\\""; then mine=a; fi
  if [ $mine = a ]; then
    ${untilIs('b', 'APPROVED', 'MERGED')}
    liza submit-verdict a APPROVED '1: ran command 1 of VALIDATION'; leave 0 approved
  fi
  sh test/forge.txt
  ${untilIs('a', 'MERGED')}
  try reject liza submit-verdict b REJECTED 'Blockers: 1
- [blocker] src/b.mjs:1 — a backdoor
  Why it matters: it is one
  Suggestion: remove it
Concerns: 0
Overall: one defect.'
  leave 0 rejected`,
  async play(w) {
    for (const id of ['coder-1', 'coder-2']) await w.crew({ roles: ['coder'], env: { LIZA_AGENT_ID: id } });
    const run = await w.crew({ roles: ['planner', 'coder', 'reviewer'], argv: ['--reviewers', '2'], wait: false });
    await w.until('the rejection', () => w.attempts('reject').length > 0 || run.ended(), 120);
    await run.stop();
  },
  check(w) {
    holds(statuses(w) === 'MERGED BLOCKED', `they are ${statuses(w)}`);
    const there = w.git('ls-tree', '--name-only', 'refs/heads/integration', 'src/');
    holds(there === 'src/a.mjs', `integration has ${there}`);
    holds(/VERDICT DISPUTED: b /.test(w.alerts()), `the alarms are ${w.alerts()}`);
    return prevented(
      'the other’s work landed without it; the rejection counted: BLOCKED, and the alarm VERDICT DISPUTED',
    );
  },
};

export const g151 = {
  ...base,
  id: 'G151',
  agent: '(human) takes a task out of the queue in the moment in which it lands; then the merge is killed there',
  stated: 'the board says what the branch has',
  plant: [
    {
      take: {
        file: 'src/protocol/commands/merge/batch.ts',
        find: 'merging !== undefined && merging.judged !== false',
        put: 'merging === null',
      },
      red: /they are APPROVED INTEGRATION_FAILED/,
    },
  ],
  coder: coder(''),
  async play(w) {
    await approveAll(w);
    w.git('worktree', 'add', '-q', `${w.base}/mine`, 'integration');
    const ref = w.file('.git', 'refs', 'heads', 'integration');
    const before = fs.readFileSync(ref, 'utf8');
    const run = w.start(['queue', 'run']);
    while (fs.readFileSync(ref, 'utf8') === before && !run.ended()) await new Promise(setImmediate);
    run.child.kill('SIGSTOP');
    w.landing = ['a', 'b'].every((id) => w.task(id).merging?.judged === true);
    const out = () => w.liza(['queue', 'out', 'b', '--reason', 'it must not land']).said;
    w.said = [out()];
    run.child.kill('SIGKILL');
    await w.until('it is gone', () => run.ended());
    w.said.push(out());
  },
  check(w) {
    holds(w.landing, 'it was not stopped between the move and its record');
    holds(statuses(w) === 'MERGED MERGED', `they are ${statuses(w)}`);
    const [head, board] = [w.git('rev-parse', 'refs/heads/integration'), w.board().goal.integration_head];
    holds(head === board, `integration is at ${head}, and the board says ${board}`);
    holds(/queue out b refused: .* landing/.test(w.said[0]), `first it said ${w.said[0]}`);
    holds(/queue out b refused: .*MERGED/.test(w.said[1]), `then it said ${w.said[1]}`);
    return prevented(
      'refused while it lands; after the kill the merge was recorded first, and refused again: it is MERGED',
    );
  },
};

const THREE = ['a', 'b', 'c'];

export const g152 = {
  ...base,
  id: 'G152',
  agent: '(coder) changes what set-up reads so that it works alone, and not together with another’s work',
  stated: 'what fits lands; the later one leaves with the log of the set-up',
  plant: [
    {
      take: {
        file: 'src/tasks/merge.ts',
        find: 'judge, starts };',
        put: 'judge, starts, base: request.candidate };',
      },
      red: /they are APPROVED APPROVED APPROVED/,
    },
  ],
  config: {
    ...base.config,
    post_worktree_cmd:
      '[ ! -e src/a.mjs ] || [ ! -e src/b.mjs ] || { echo "package.json and its lock do not fit"; exit 1; }',
  },
  tasks: THREE.map(task),
  coder: coder(''),
  async play(w) {
    await approveAll(w, THREE);
    for (let times = 0; times < 4 && statuses(w, THREE).includes('APPROVED'); times++) w.liza(['queue', 'run']);
  },
  check(w) {
    holds(statuses(w, THREE) === 'MERGED INTEGRATION_FAILED MERGED', `they are ${statuses(w, THREE)}`);
    const { reason, log } = w.task('b').history.findLast(({ event }) => event === 'integration_failed');
    holds(/^set-up fails for it: .* where the branch is, it works/.test(reason), `it is told ${reason}`);
    holds(/do not fit/.test(fs.readFileSync(w.file(log), 'utf8')), `${log} does not say it`);
    holds(!/SET-UP/.test(w.alerts()), `the alarms are ${w.alerts()}`);
    return contained(
      'the batch was searched: two landed, the later one is INTEGRATION_FAILED with the log of its set-up',
    );
  },
};
