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
  liza begin $id --intent $id --risks none --validation "node test/$id.test.mjs: passes" --file src/$id.mjs --file test/$id.test.mjs
  mkdir -p src test; echo 'export const x = 1;' > src/$id.mjs
  printf '%s\\n' "import assert from 'node:assert/strict';" "import { x } from '../src/$id.mjs';" "assert.equal(x, 1);" > test/$id.test.mjs
  ${more}
  commit "$id: made"; try submit-$id liza submit-for-review $id HEAD; leave 42 submitted`;

const reviewer = `
  for id in a b; do
    if liza show $id --json | grep -q '"reviewing_by"'; then liza submit-verdict $id APPROVED '1: ran command 1 of VALIDATION'; fi
  done
  leave 0 approved`;

/** Both are approved before anything lands. */
async function approveBoth(w) {
  w.ok(['queue', 'hold']);
  for (const id of ['coder-1', 'coder-2']) await w.crew({ roles: ['coder'], env: { LIZA_AGENT_ID: id } });
  await w.crew({ roles: ['reviewer'], until: () => ['a', 'b'].every((id) => w.task(id).status === 'APPROVED') });
  for (const id of ['a', 'b']) w.succeeded(`submit-${id}`);
  w.ok(['queue', 'release']);
}

const base = {
  config: { tdd: 'off', merge_batch: 'auto' },
  files: { 'scripts/integration-test.sh': TEST },
  tasks: [task('a'), task('b')],
  reviewer,
};

const statuses = (w) => ['a', 'b'].map((id) => w.task(id).status).join(' ');

export const g120 = {
  ...base,
  id: 'G120',
  agent: '(coder) adds a test that is red the first time it sees a commit, and green then',
  stated: 'nobody is blamed for it; it is recorded as red by chance',
  plant: [
    {
      take: { file: 'src/protocol/queue/search.ts', find: 'const PROOF = 2;', put: 'const PROOF = 1;' },
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
    await approveBoth(w);
    w.liza(['queue', 'run']);
  },
  check(w) {
    holds(statuses(w) === 'MERGED MERGED', `they are ${statuses(w)}`);
    const flakes = w.board().goal.queue.batches.reduce((sum, batch) => sum + batch.flakes, 0);
    holds(flakes === 2, `${flakes} are recorded as red by chance`);
    holds(/% of the runs red by chance/.test(w.ok(['queue']).said), 'liza queue does not tell');
    return detected('each red commit was run again and was green: both landed, and liza queue tells the share');
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
    await approveBoth(w);
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
    await approveBoth(w);
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
