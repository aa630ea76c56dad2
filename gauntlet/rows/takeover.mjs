// Work that changes hands: its coder vanishes in the middle.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { contained, holds } from '../harness.mjs';

/** Another coder starts fresh, whatever the former one left. */
const FRESH = {
  file: 'src/protocol/work/worktree-plan.ts',
  find: "isThere && takeover === 'continue' ? 'continue' : fresh",
  put: 'fresh',
};

/** Of the former folder only the commits come along. */
const FILES_FORGOTTEN = {
  file: 'src/tasks/claim-folder.ts',
  find: 'if (usable !== undefined) await saveFiles(',
  put: 'if (usable === null) await saveFiles(',
};

export const g73 = {
  id: 'G73',
  agent: '(coder) hands off and vanishes; another takes over',
  stated: 'continues with the folder, commits and notes',
  plant: [
    { take: FRESH, red: /the commits are not there/ },
    { take: FRESH, red: /the commits are not there/, sandbox: true },
    { take: FILES_FORGOTTEN, red: /the uncommitted file is not there/ },
    { take: FILES_FORGOTTEN, red: /the uncommitted file is not there/, sandbox: true },
    {
      take: {
        file: 'src/tasks/claim-folder.ts',
        find: 'await endFormerCoder(context, task, agent);',
        put: '',
      },
      red: /of the one that vanished is alive/,
    },
    {
      take: {
        file: 'src/supervisor/prompts/coder.ts',
        find: '...(fresh ? [handedOff(context, task)] : []),',
        put: '',
      },
      red: /its notes are not in the prompt/,
    },
  ],
  config: { lease_duration: 3 },
  files: { '.gitignore': '*.log\n' },
  coder: `
    if [ "$LIZA_AGENT_ID" = coder-2 ]; then
      try commits git log --format=%s -1
      try file cat src/draft.mjs
      try ignored cat built.log
      shell alias 'git config --get alias.planted'
      try again begin
      proof 1; commit 'a: tested'; try submit submit; leave 42 submitted
    fi
    begin; code 1; commit 'a: core'
    echo 'export const draft = 1;' > src/draft.mjs; echo built > built.log
    git config alias.planted '!true'
    try handoff liza handoff a --summary 'the core is done' --next 'the test is missing'
    echo FIRST handed off; sleep 86.$GAUNTLET_NONCE; sleep 60`,
  async play(w) {
    const first = await w.crew({ wait: false, env: { LIZA_AGENT_ID: 'coder-1' } });
    await w.until('the first has handed off', () => /FIRST handed off/.test(w.logs()));
    await first.kill();
    await w.crew({ env: { LIZA_AGENT_ID: 'coder-2' }, until: () => w.attempts('submit').length > 0 });
  },
  check(w) {
    w.succeeded('handoff');
    holds(w.tried('commits').said === 'a: core', `the commits are not there: ${w.tried('commits').said}`);
    holds(/draft = 1/.test(w.tried('file').said), `the uncommitted file is not there: ${w.tried('file').said}`);
    w.refused('ignored', /built\.log/);
    // A linked worktree has the project's configuration; a clone has its own.
    if (w.sandboxed) holds(w.tried('alias').code !== 0, 'the configuration of the former folder came along');
    w.refused('again', /already has its checkpoint/);
    w.succeeded('submit');
    const { assigned_to: coder, iteration, epoch, status } = w.task();
    holds(coder === 'coder-2' && iteration === 1 && epoch === 2, `${coder}, iteration ${iteration}, epoch ${epoch}`);
    holds(status === 'READY_FOR_REVIEW', `the task is ${status}`);
    const left = w
      .run('ps', ['-eo', 'args'])
      .stdout.split('\n')
      .filter((line) => line === `sleep 86.${w.nonce}`);
    holds(left.length === 0, `something of the one that vanished is alive: ${left.join(', ')}`);
    const told = promptOf(w, 'coder-2');
    holds(/the core is done/.test(told) && /the test is missing/.test(told), 'its notes are not in the prompt');
    holds(/CONTINUED: you take over the work of coder-1: it handed off/.test(told), 'the prompt does not say so');
    return contained('the next coder had its commits, files, notes and checkpoint, in a new folder, and submitted');
  },
};

/** What the agent was told first. */
function promptOf(w, agent) {
  const folder = w.file('.liza', 'agent-prompts');
  const [name] = readdirSync(folder)
    .filter((file) => file.includes(agent))
    .sort();
  return name === undefined ? '' : readFileSync(path.join(folder, name), 'utf8');
}
