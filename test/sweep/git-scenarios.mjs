// What the git sweep kills, and in which project: one line each, in both isolations.

export const ISOLATIONS = ['worktree', 'clone'];
export const CODER = { LIZA_AGENT_ID: 'coder-1' };
export const OTHER = { LIZA_AGENT_ID: 'coder-2' };
export const REVIEWER = { LIZA_AGENT_ID: 'code-reviewer-1' };
export const claim = { task: 'greet', argv: ['claim-task', 'greet', 'coder-1'], env: CODER, ends: 'CLAIMED' };
export const merge = { task: 'greet', argv: ['wt', 'merge', 'greet'], env: REVIEWER, ends: 'MERGED' };
const doctor = { task: 'greet', argv: ['doctor', '--fix'], env: {} };

/** What is killed, in which project. `ends`: the task's status when it was repeated to success. */
export const SCENARIOS = [
  { name: 'claim', from: 'ready', ...claim, another: { argv: ['claim-task', 'greet', 'coder-2'], env: OTHER } },
  { name: 'claim-taken', from: 'expired', ...claim, argv: ['claim-task', 'greet', 'coder-2'], env: OTHER },
  {
    ...{ name: 'claim-continued', from: 'left', ...claim, argv: ['claim-task', 'greet', 'coder-2'], env: OTHER },
    continues: true,
  },
  { name: 'claim-fix', from: 'conflict', ...claim },
  { name: 'submit', from: 'worked', ...claim, argv: ['submit-for-review', 'greet', 'HEAD'], ends: 'READY_FOR_REVIEW' },
  { name: 'merge-forward', from: 'approved', ...merge },
  { name: 'merge-true', from: 'diverged', ...merge },
  { name: 'merge-test', from: 'tested', ...merge },
  { name: 'merge-checkout', from: 'checkout', ...merge },
  { name: 'delete', from: 'blocked', task: 'greet', argv: ['wt', 'delete', 'greet'], env: {}, ends: 'BLOCKED' },
  { name: 'release', from: 'dirty', task: 'greet', argv: ['release-claim', 'greet'], env: {}, ends: 'UNCLAIMED' },
  { name: 'create-fresh', from: 'dirty', ...claim, argv: ['wt', 'create', '--fresh', 'greet'] },
  { name: 'doctor-claim', from: 'claim-killed', ...doctor, ends: 'UNCLAIMED' },
  { name: 'doctor-merge', from: 'merge-killed', ...doctor, ends: 'MERGED' },
  { name: 'doctor-stray', from: 'release-killed', ...doctor, ends: 'UNCLAIMED' },
  { name: 'doctor-missing', from: 'missing', ...doctor, ends: 'CLAIMED' },
  { name: 'sync', from: 'apart', task: 'greet', argv: ['sync'], env: {}, ends: 'UNCLAIMED' },
  { name: 'finish', from: 'apart', task: 'greet', argv: ['finish', '--yes'], env: {}, ends: 'UNCLAIMED' },
].flatMap((scenario) => ISOLATIONS.map((isolation) => ({ ...scenario, isolation })));

export const titleOf = ({ name, isolation }) => `${name}/${isolation}`;
