// What set-up made is made once for a whole submission, under the real `liza run` with agents in the sandbox: counted
// through claim, trial, proof, review and merge. Without bubblewrap nothing is reused, and there is nothing to show.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type BuiltProject, builtProject } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0;

/** Where set-up ran is written down, as a tool does that builds with full paths. */
const INSTALL =
  'echo run >> {counted}/runs; mkdir -p installed/deep; echo good > installed/deep/ok; ln -s "$PWD/installed/deep" installed/link; pwd > installed/where';
const CHECK = `import fs from 'node:fs';
import assert from 'node:assert/strict';
import { a } from '../src/a.mjs';
assert.equal(a, 1);
assert.equal(fs.readFileSync('installed/deep/ok', 'utf8'), 'good\\n');
assert.equal(fs.readFileSync('installed/link/ok', 'utf8'), 'good\\n');
assert.ok(fs.existsSync(fs.readFileSync('installed/where', 'utf8').trim() + '/src'));
`;

const AGENT = `exec 2>&1
begin() { liza begin a --intent 'a and its test' --risks none --validation 'node test/a.test.mjs: passes' --file src/a.mjs --file test/a.test.mjs; }
leave() { liza exit "$1" --reason "$2"; exit 0; }
`;
const CODER = `begin; mkdir -p src; echo 'export const a = 1;' > src/a.mjs; mkdir -p test; cat > test/a.test.mjs <<'END'
${CHECK}END
node test/a.test.mjs || echo "NOT READY IN THE WORKTREE"
echo poisoned > installed/deep/ok
git add -A && git commit -qm 'a: made'; liza submit-for-review a "$(git rev-parse HEAD)"; leave 42 submitted`;
const REVIEWER = `cat installed/deep/ok; liza submit-verdict a APPROVED '1: ran command 1 of VALIDATION'; leave 0 approved`;

interface Scene {
  readonly p: BuiltProject;
  readonly runs: () => number;
  readonly said: () => string;
}

function scene(config: Readonly<Record<string, unknown>>): Scene {
  const p = builtProject(undefined, {
    'specs/vision.md': '# Vision\n',
    '.gitignore': 'installed/\n',
    'deps.txt': 'one\n',
    'scripts/integration-test.sh':
      '#!/bin/sh\ngrep -q good installed/deep/ok && test -d "$(cat installed/where)/src"\n',
  });
  const counted = path.join(temporaryFolder(), 'counted');
  fs.mkdirSync(counted);
  const script = `${AGENT}
case $LIZA_AGENT_ID in
  planner*) leave 0 'nothing to plan' ;;
  coder*) ${CODER} ;;
  *) ${REVIEWER} ;;
esac`;
  const settings = {
    sandbox: 'require',
    sandbox_write: [counted],
    post_worktree_cmd: INSTALL.replace('{counted}', counted),
    providers: { mine: { kind: 'command', argv: ['sh', '-c', script] } },
    ...config,
  };
  for (const [key, value] of Object.entries(settings))
    p.ok(['config', 'set', key, typeof value === 'string' ? value : JSON.stringify(value)]);
  p.ok([
    ...['add-task', '--id', 'a', '--desc', 'make a', '--spec', 'specs/vision.md', '--done', 'a is there and exported'],
    ...['--scope', 'IN: src/, test/', '--validate', 'node test/a.test.mjs', '--ready'],
  ]);
  const logs = p.file('.liza/agent-logs');
  return {
    p,
    runs: () => fs.readFileSync(path.join(counted, 'runs'), 'utf8').split('\n').length - 1,
    said: () =>
      fs
        .readdirSync(logs)
        .map((name) => fs.readFileSync(path.join(logs, name), 'utf8'))
        .join('\n'),
  };
}

const RUN = ['run', '--agent', 'mine', '--plain', '--coders', '1', '--until-idle'];

describe.skipIf(!works)('set-up of one small submission, from claim to merge', () => {
  test('runs once where its inputs are declared, and an agent’s own copy reaches nobody else', () => {
    const { p, runs, said } = scene({ setup_inputs: ['deps.txt'] });
    const ran = p.liza(RUN);
    expect(p.board().tasks[0], `${ran.stdout}${ran.stderr}${said()}`).toMatchObject({ status: 'MERGED' });
    expect(said()).not.toContain('NOT READY');
    expect(said()).toMatch(/^good$/m);
    expect(said()).not.toMatch(/^poisoned$/m);
    expect(runs()).toBe(1);
  });

  test('runs in every checkout where it is turned off', () => {
    const { p, runs, said } = scene({ setup_inputs: ['deps.txt'], setup_reuse: false });
    const ran = p.liza(RUN);
    expect(p.board().tasks[0], `${ran.stdout}${ran.stderr}${said()}`).toMatchObject({ status: 'MERGED' });
    expect(runs()).toBeGreaterThanOrEqual(5);
  });
});
