// `liza play`: the sessions of a real run are played by hand, with the agent's own identity, folder and sandbox, from
// the plan to the merge.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inFull } from '../runs.ts';
import { type BuiltProject, builtProject } from '../support/program.ts';

const RUN = ['run', '--agent', 'player', '--plain', '--coders', '1', '--until-idle'];

const ADD =
  "liza add-task --id a --desc 'make a' --spec specs/vision.md --done 'src/a.mjs exports the number one' " +
  "--scope 'IN: src/, test/' --validate 'node --test' --ready";
const BEGIN =
  "liza begin a --intent 'a file and its test' --risks none --validation 'node --test passes' " +
  '--file src/a.mjs --file test/a.test.mjs';
const WORK =
  "mkdir -p src test && echo 'export const a = 1;' > src/a.mjs && " +
  `printf "import assert from 'node:assert';\\nimport { a } from '../src/a.mjs';\\nassert.equal(a, 1);\\n" > test/a.test.mjs && ` +
  "git add -A && git commit -qm 'a: made'";

const play = (p: BuiltProject, ...words: readonly string[]) => p.ok(['play', ...words]).stdout;
const next = (p: BuiltProject, agent: string) => play(p, 'next', agent, '--wait', '60');

test.runIf(inFull)(
  'planner, coder and reviewer are played by hand from the plan to the merge (in test:all)',
  async () => {
    const p = builtProject();
    const run = p.start(RUN);

    expect(next(p, 'planner-1')).toContain('INITIAL_PLANNING');
    expect(play(p, 'sh', 'planner-1', ADD)).toContain('[exit 0]');
    expect(play(p, 'sh', 'planner-1', 'liza plan done && liza exit 0 --reason planned')).toContain('[exit 0]');
    play(p, 'end', 'planner-1');

    expect(next(p, 'coder-1')).toContain('TASK ID: a');
    expect(play(p, 'sh', 'coder-1', 'pwd')).toContain(path.join('.worktrees', 'a'));
    expect(play(p, 'sh', 'coder-1', BEGIN)).toContain('[exit 0]');
    expect(play(p, 'sh', 'coder-1', WORK)).toContain('[exit 0]');
    expect(play(p, 'sh', 'coder-1', "printf 'if x:\\n  y\\n'")).toBe('if x:\n  y\n[exit 0]\n');
    // A refusal reaches the player as it reaches an agent.
    expect(play(p, 'sh', 'coder-1', 'liza submit-verdict a APPROVED good')).toContain('[exit 1]');
    expect(play(p, 'sh', 'coder-1', 'liza submit-for-review a HEAD && liza exit 42 --reason submitted')).toContain(
      '[exit 0]',
    );
    play(p, 'end', 'coder-1');

    expect(next(p, 'code-reviewer-1')).toContain('REVIEW TASK');
    play(p, 'say', 'code-reviewer-1', 'reading the diff');
    expect(
      play(p, 'sh', 'code-reviewer-1', 'liza submit-verdict a APPROVED "1: src/a.mjs:1" && liza exit 0'),
    ).toContain('[exit 0]');
    play(p, 'end', 'code-reviewer-1');

    next(p, 'planner-1');
    expect(play(p, 'sh', 'planner-1', 'liza goal complete && liza exit 0')).toContain('[exit 0]');
    play(p, 'end', 'planner-1');
    expect((await run.ended).code).toBe(0);
    const task = p.task('a');
    expect(task.status).toBe('MERGED');
    expect(task.approved_by).toBe('code-reviewer-1');
    const logs = fs.readdirSync(p.file('.liza/agent-logs')).filter((name) => name.startsWith('code-reviewer-1'));
    expect(logs.map((name) => p.read(path.join('.liza/agent-logs', name))).join('')).toContain('reading the diff');
  },
  120_000,
);

test.runIf(inFull)(
  'a session that nobody plays, and one that ended, refuse with the next step (in test:all)',
  async () => {
    const p = builtProject();
    expect(p.liza(['play', 'next', 'coder-1'])).toMatchObject({ code: 1 });
    expect(p.liza(['play', 'sh', 'coder-1', 'true']).stderr).toContain('you play no session of coder-1');
    const run = p.start(RUN);
    next(p, 'planner-1');
    run.child.kill('SIGINT');
    await run.ended;
    expect(p.liza(['play', 'sh', 'planner-1', 'true']).stderr).toMatch(
      /the session of planner-1 has ended|you play no/,
    );
  },
  60_000,
);
