// Boards of any size for the benches: live tasks in chains of ten, with the fields and history that a
// task of that state has after a few days of work.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An agent that holds a task without dependencies, for as long as a bench may take; only on boards that ask for it. */
export const WORKER = 'coder-1';

export function makeBoard(tasks, { worker = false } = {}) {
  const root = mkdtempSync(join(tmpdir(), `liza-bench-${tasks}-`));
  const git = (...args) => execFileSync('git', ['-C', root, ...args], { stdio: 'ignore' });
  git('init', '-q');
  git('-c', 'user.name=b', '-c', 'user.email=b@b', 'commit', '-q', '--allow-empty', '-m', 'start');
  mkdirSync(join(root, '.liza'));
  mkdirSync(join(root, '.git', 'liza'));
  writeFileSync(join(root, '.git', 'liza', 'owner'), '.\n');
  mkdirSync(join(root, 'specs'));
  writeFileSync(join(root, 'specs', 'vision.md'), '# Vision\n');
  writeFileSync(join(root, '.liza', 'state.yaml'), worker ? withWorker(boardText(tasks), tasks) : boardText(tasks));
  return root;
}

export function boardText(tasks) {
  const ids = Array.from({ length: tasks }, (_, n) => `task-${n}`);
  return `${HEAD}tasks:\n${ids.map(taskText).join('')}${TAIL(ids)}`;
}

function withWorker(text, tasks) {
  const id = `task-${Math.floor(tasks / 20) * 10}`;
  const lease = 'lease_expires: "2099-01-01T00:00:00Z"\n';
  const agent = `    role: coder\n    status: WORKING\n    current_task: ${id}\n    epoch: 1\n    ${lease}`;
  const at = text.indexOf(`  - id: ${id}\n`);
  const claim = `    assigned_to: ${WORKER}\n    worktree: .worktrees/${id}\n    base_commit: "${'a'.repeat(40)}"\n    epoch: 1\n    ${lease}`;
  const claimed = text.slice(at).replace('    status: UNCLAIMED\n', `    status: CLAIMED\n${claim}`);
  return `${text.slice(0, at)}${claimed}`.replace('agents: {}\n', `agents:\n  ${WORKER}:\n${agent}`);
}

const HEAD = `# made by bench/boards.mjs
version: 1
goal:
  id: goal-1
  description: A goal of many tasks
  spec_ref: specs/vision.md
  created: "2026-01-01T00:00:00Z"
  status: IN_PROGRESS
  alignment_history: []
`;

const TAIL = (ids) => `agents: {}
discovered: []
handoff: {}
human_notes: []
spec_changes: []
anomalies: []
sprint:
  id: sprint-1
  goal_ref: goal-1
  scope:
    planned:
${ids.map((id) => `      - ${id}\n`).join('')}    stretch: []
  timeline:
    started: "2026-01-01T00:00:00Z"
  status: IN_PROGRESS
circuit_breaker:
  status: OK
  history: []
config:
  integration_branch: integration
`;

function taskText(id, n) {
  const depends = n % 10 === 0 ? '[]' : `\n      - task-${n - 1}`;
  return `  - id: ${id}
    description: Implement part ${n} of the goal, with its tests and its documentation
    type: code
    status: UNCLAIMED
    priority: ${(n % 5) + 1}
    spec_ref: specs/vision.md#part-${n}
    done_when: |
      - part ${n} answers within a second
      - part ${n} refuses bad input with a clear sentence
    scope: "IN: src/part-${n}.ts, test/part-${n}.test.ts; OUT: docs"
    depends_on: ${depends}
    validation:
      - npm test -- part-${n}
    created: "2026-01-01T00:00:00Z"
    history:
      - time: "2026-01-01T00:00:00Z"
        event: created
        agent: planner-1
      - time: "2026-01-01T00:05:00Z"
        event: finalized
        agent: planner-1
`;
}
