// Work that is right by itself and wrong beside other work.

import { holds, prevented } from '../harness.mjs';

/** Without an integration test nothing is run on a merge. */
const ONLY_THE_SCRIPT = {
  file: 'src/tasks/merge.ts',
  find: "const tested = scripted || testCommand(set) !== undefined || testFrom === 'candidate';",
  put: 'const tested = scripted;',
};

const task = (id) => ({
  id,
  desc: `make ${id}`,
  done: `${id} is there and exported`,
  validate: `node test/${id}.test.mjs`,
});

export const g101 = {
  id: 'G101',
  agent: '(coder) does two tasks that are green and approved alone, and red together',
  stated: 'the second is not merged; the tests run on the merge',
  plant: [
    { take: ONLY_THE_SCRIPT, red: /both were merged/ },
    { take: ONLY_THE_SCRIPT, red: /both were merged/, sandbox: true },
  ],
  config: { test_command: 'node --test', tdd: 'off' },
  tasks: [task('a'), task('b')],
  coder: `
    id=$(basename "$PWD")
    liza begin $id --intent "$id and its test" --risks none --validation "node test/$id.test.mjs: passes" --file src/$id.mjs --file test/$id.test.mjs
    mkdir -p src test; echo 'export const x = 1;' > src/$id.mjs
    printf '%s\\n' "import assert from 'node:assert/strict';" "import fs from 'node:fs';" "assert.deepEqual(fs.readdirSync('src'), ['$id.mjs']);" > test/$id.test.mjs
    commit "$id: made"; try submit-$id liza submit-for-review $id HEAD; leave 42 submitted`,
  reviewer: `
    for id in a b; do
      if liza show $id --json | grep -q '"reviewing_by"'; then liza submit-verdict $id APPROVED '1: ran command 1 of VALIDATION'; fi
    done
    leave 0 approved`,
  async play(w) {
    for (const id of ['coder-1', 'coder-2']) await w.crew({ roles: ['coder'], env: { LIZA_AGENT_ID: id } });
    const isJudged = (id) => ['MERGED', 'INTEGRATION_FAILED'].includes(w.task(id).status);
    await w.crew({ roles: ['reviewer'], until: () => isJudged('a') && isJudged('b') });
  },
  check(w) {
    for (const id of ['a', 'b']) w.succeeded(`submit-${id}`);
    const last = (id) =>
      w.task(id).history.findLast(({ event }) => event === 'merged' || event === 'integration_failed');
    const [merged, failed] = ['a', 'b'].map(last).sort((one, other) => (one.event > other.event ? -1 : 1));
    holds(failed.event === 'integration_failed', 'both were merged');
    holds(merged.event === 'merged', 'none was merged');
    holds(/node --test was green on the same files/.test(merged.tested), `the history says: ${merged.tested}`);
    holds(/node --test ended with 1/.test(failed.reason) && w.exists(failed.log), `it says: ${failed.reason}`);
    const there = w.git('ls-tree', '--name-only', 'refs/heads/integration', 'src/');
    holds(/^src\/[ab]\.mjs$/.test(there), `integration has ${there}`);
    return prevented('`test_command` was red on the merge of the two; the second is INTEGRATION_FAILED with its log');
  },
};
