// Folders that an agent destroys.

import { contained, holds } from '../harness.mjs';
import { writableInSandbox } from '../plants.mjs';

const reachable = (w, commit) => {
  holds(/^[0-9a-f]{40}$/.test(commit), `not a commit: ${commit}`);
  holds(w.git('for-each-ref', '--contains', commit, '--format=%(refname)') !== '', `no ref has ${commit} any more`);
};

export const g21 = {
  id: 'G21',
  agent: '(coder) deletes its own worktree, and a sibling’s',
  stated: 'every commit Liza has seen is still reachable; the task is claimable again',
  plant: [
    {
      take: {
        file: 'src/tasks/make-folder.ts',
        find: 'await readRefs(gitDir, seenOf(task.id), branchOf(task.id), reviewOf(task.id))',
        put: 'new Map<string, string>()',
      },
      red: /the attempt never took place: a-again|had not come: the crew ends/,
    },
    {
      take: {
        file: 'src/supervisor/assignments.ts',
        find: 'if (isPlace(place)) await recordTip(',
        put: 'if (false) await recordTip(',
      },
      red: /no such commit/,
      sandbox: true,
    },
    {
      take: writableInSandbox('.worktrees'),
      red: /a sibling’s folder was deleted from the sandbox/,
      sandbox: true,
    },
  ],
  tasks: [{ id: 'a' }, { id: 'b', done: 'b is there and exported' }],
  coder: `
    if [ "$LIZA_AGENT_ID" = coder-2 ]; then # the sibling: works on b
      if git log -1 --format=%s | grep -q made; then try b-again liza submit-for-review b "$(git rev-parse HEAD)"; leave 42 submitted; fi
      liza begin b --intent 'b and its test' --risks none --validation 'node test/a.test.mjs: passes' --file src/a.mjs --file test/a.test.mjs
      code 7; proof 7; try b-commit commit 'b: made'; liza show b >/dev/null; echo SIBLING ready; sleep 60; exit 0
    fi
    if git log -1 --format=%s | grep -q made; then try a-again submit; leave 42 submitted; fi
    begin; code 1; proof 1; try a-commit commit 'a: made'; liza show a >/dev/null
    shell sibling 'rm -rf "$GAUNTLET_ROOT/.worktrees/b"; test ! -e "$GAUNTLET_ROOT/.worktrees/b"'
    shell own 'cd /; rm -rf "$GAUNTLET_ROOT/.worktrees/a"; test ! -e "$GAUNTLET_ROOT/.worktrees/a/src"'
    exit 0`,
  async play(w) {
    const sibling = { argv: ['b'], env: { LIZA_AGENT_ID: 'coder-2' } };
    await w.crew({ ...sibling, until: () => /SIBLING ready/.test(w.logs()) });
    await w.crew({ argv: ['a'], env: { LIZA_AGENT_ID: 'coder-1' } });
    w.between = w.exists('.worktrees', 'b', 'src', 'a.mjs');
    await w.crew(sibling);
  },
  check(w) {
    w.succeeded('own');
    w.tried('sibling'); // what it saw there depends on its sandbox: what counts is what is outside
    holds(
      w.between === w.sandboxed,
      w.sandboxed ? 'a sibling’s folder was deleted from the sandbox' : 'the sibling’s folder is there',
    );
    for (const id of ['a', 'b']) {
      reachable(w, w.tried(`${id}-commit`).said.split('\n').at(-1));
      w.succeeded(`${id}-again`);
      holds(w.task(id).status === 'READY_FOR_REVIEW', `${id} is ${w.task(id).status}`);
    }
    return contained(
      w.sandboxed
        ? 'the sibling’s is out of reach; its own was made again with its commits, and submitted'
        : 'both folders were made again with their commits, and both tasks submitted',
    );
  },
};
