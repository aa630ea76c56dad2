// Folders that nobody can look through: they cost their task a turn, and nobody else anything.

import { contained, holds } from '../harness.mjs';

const B = { id: 'b', desc: 'make b', done: 'b is there and exported', validate: 'node test/b.test.mjs' };
const MAKE_B = `
      liza begin b --intent 'b and its test' --risks none --validation 'node test/b.test.mjs: passes' --file src/b.mjs --file test/b.test.mjs
      mkdir -p src test; echo 'export const b = 1;' > src/b.mjs
      echo "import { b } from '../src/b.mjs'; if (b !== 1) throw new Error('b');" > test/b.test.mjs
      commit 'b: made'; try other liza submit-for-review b "$(git rev-parse HEAD)"; leave 42 submitted`;
const REVIEW = `
    sleep 1; case "$PWD" in *review-b*) liza submit-verdict b APPROVED '1: ran command 1 of VALIDATION';; *) approve;; esac
    leave 0 reviewed`;

async function untilOtherIsMerged(w) {
  const crew = await w.crew({ roles: ['planner', 'coder', 'reviewer'], coders: 2, wait: false });
  await w.until('b is merged', () => crew.ended() || w.task('b').status === 'MERGED', 90);
  w.isAlive = !crew.ended();
  await crew.stop();
}

/** What an agent made of its folder is an error of Liza's: where it is looked for, and where a duty ends. */
const THROWN = [
  {
    file: 'src/git/task-folder.ts',
    find: 'if (code === undefined || !path.startsWith(folderOf(gitDir, task))) throw error;',
    put: 'if (code !== path) throw error;',
  },
  {
    file: 'src/supervisor/refusals.ts',
    find: 'if (code === undefined || folder === undefined || isDiskFull(error)) return undefined;',
    put: 'if (code !== path) return undefined;',
  },
];

export const g138 = {
  id: 'G138',
  agent: '(coder) makes a link of .git/objects that leads to itself, and closes a folder',
  stated: 'its task alone waits; the crew goes on',
  plant: [
    { take: THROWN, red: /b is |the crew ended/ },
    { take: THROWN, red: /b is |the crew ended/, sandbox: true },
  ],
  config: { isolation: 'clone', tdd: 'off' },
  tasks: [{}, B],
  coder: `
    case "$PWD" in */a)
      begin; code 1; mkdir -p closed; chmod 000 closed; rm -rf .git/objects; ln -s objects .git/objects; try looped true; exit 0;;
    *) sleep 2; ${MAKE_B};;
    esac`,
  reviewer: REVIEW,
  async play(w) {
    await untilOtherIsMerged(w);
    w.run('chmod', ['-R', 'u+rwx', '.worktrees']);
  },
  check(w) {
    w.succeeded('looped');
    holds(w.isAlive, 'the crew ended');
    holds(w.task('b').status === 'MERGED', `b is ${w.task('b').status}`);
    return contained('the folder of a is made again or waits; b was made, reviewed and merged meanwhile');
  },
};
