// Every alarm for people: what it says, when it begins, when it is over. docs/alarms.md is generated from here,
// and a test has a scenario for each row.

export interface AlarmRow {
  /** How its text begins. */
  readonly name: string;
  readonly level: 'warning' | 'alarm';
  readonly text: string;
  readonly begins: string;
  readonly over: string;
}

export const ALARM_ROWS: readonly AlarmRow[] = [
  row(
    'warning',
    'LEASE EXPIRED',
    '{agent} on {task}',
    'a coder’s lease ended, and whether anybody is behind it is not known',
    'it is claimed or released',
  ),
  row(
    'warning',
    'HOLDER GONE',
    '{agent} on {task} — its supervisor has ended; liza run goes on with it',
    'the process that held a task or its review has ended, as after Ctrl-C, however long its lease still is',
    'it is claimed or released',
  ),
  row(
    'warning',
    'REVIEW LEASE EXPIRED',
    '{code_reviewer} on {task} — review can be reclaimed',
    'a reviewer’s lease ended, and whether anybody is behind it is not known',
    'the review is claimed or freed',
  ),
  row('warning', 'BLOCKED', '{task} — {reason}', 'a task is BLOCKED', 'it is unblocked, superseded or abandoned'),
  row(
    'alarm',
    'ORPHANED REJECTED',
    '{task} — assigned to {agent} but agent is {status}',
    '30 s after a rejection, a pause or a halt its coder is not WORKING on it',
    'somebody works on it',
  ),
  row(
    'warning',
    'REASSIGNED',
    '{task} — hypothesis exhaustion risk',
    'a second coder has the task (not to mend a merge)',
    'it is approved, blocked or ended',
  ),
  row(
    'alarm',
    'REVIEW LOOP',
    '{task} — {count} cycles (at cliff)',
    'all `max_review_cycles` (5) are used up',
    'the cycles are counted anew, or the task has ended',
  ),
  row('alarm', 'INTEGRATION FAILED', '{task}', 'a task is INTEGRATION_FAILED', 'a coder takes it, or it is replaced'),
  row(
    'warning',
    'MERGE HELD',
    '{task} — {reason}',
    'an approved task cannot be merged for now',
    'it is merged or no longer held',
  ),
  row(
    'alarm',
    'HYPOTHESIS EXHAUSTION',
    '{task} — requires rescope',
    'two coders failed since it was last scoped',
    'it is rescoped or ended',
  ),
  row(
    'warning',
    'APPROACHING LIMIT',
    '{task} — {metric}',
    '8/10 of `max_coder_iterations`, 3/5 of `max_review_cycles`, or one coder failed after 3/5 of the cycles',
    'the count starts anew, the limit is reached, or the task is blocked or ended',
  ),
  row(
    'warning',
    'STALLED',
    'no progress for {duration}',
    '30 min without a change, or since a halt ended, while the goal is meant to progress',
    'anything changes',
  ),
  row(
    'warning',
    'STALE DRAFT',
    '{task} — created {age}min ago (Planner crash?)',
    'a DRAFT is 30 min old',
    'it is finalized or ended',
  ),
  row(
    'alarm',
    'IMMEDIATE DISCOVERY',
    '{id} — {desc} (Planner should wake)',
    'a discovery with urgency immediate waits',
    'it is converted or dismissed',
  ),
  row(
    'alarm',
    'INVALID STATE',
    '{error}',
    'state.yaml is gone, cannot be read, or breaks a rule of `liza validate`; the last good state is watched meanwhile',
    'it is valid again',
  ),
  row(
    'warning',
    'CHECKPOINT STALE',
    'waiting for human',
    'CHECKPOINT is on for 30 min',
    'it is taken away, or the next one begins',
  ),
  row(
    'alarm',
    'CHECKPOINT STUCK',
    'waiting for human',
    'CHECKPOINT is on for 2 h; `.liza/ESCALATION` is written',
    'it is taken away, or the next one begins',
  ),
  row('alarm', 'CHECKPOINT ABANDONED?', 'waiting for human', 'CHECKPOINT is on for 8 h', 'it is taken away'),
  row(
    'warning',
    'STALE PAUSE',
    'PAUSE file exists for {age}min',
    'PAUSE is on for 30 min',
    'it is taken away, or the next one begins',
  ),
  row(
    'alarm',
    'PAUSE FORGOTTEN',
    'PAUSE file exists for {age}min',
    'PAUSE is on for 2 h; `.liza/ESCALATION` is written',
    'it is taken away',
  ),
  row(
    'alarm',
    'CRASH LOOP',
    '{agent} — {detail}',
    'a supervisor stopped after three crashes in 5 min',
    'it is started again',
  ),
  row(
    'alarm',
    'SPIN',
    '{agent} — {detail}',
    'a session ended again and again without progress',
    'the agent is started again',
  ),
  row(
    'warning',
    'PROVIDER QUOTA',
    '{agent} — {detail} (until {time})',
    'a provider is out of quota',
    'it serves again',
  ),
  row(
    'warning',
    'PROVIDER UNREACHABLE',
    '{agent} — {detail} (until {time})',
    'a provider cannot be reached',
    'it serves again',
  ),
  row('alarm', 'LOGIN NEEDED', '{agent} — {detail}', 'a provider wants a login', 'the agent is started again'),
  row(
    'alarm',
    'PROVIDER MISSING',
    '{agent} — {detail}',
    'an agent CLI is not there or does not start',
    'the agent is started again',
  ),
  row(
    'warning',
    'RUBBER STAMP',
    '{n} of {m} verdicts approved, or {task} — {reviewer} approved {n} files (or lines) in {time}',
    'more than 95 % of at least 5 verdicts approve, or 5 files and more are approved in less than 2 s each, or 400 lines and more in less than 5 ms each',
    'the rate falls, or the next sprint begins',
  ),
  row(
    'warning',
    'BUDGET',
    '{scope} — {spent} of {limit}, {percent} %',
    '`warn_percent` (80) of a budget of the task, the goal or the day is spent',
    'it is raised or used up, the task has ended, or the next day begins',
  ),
  row(
    'warning',
    'BUDGET',
    '{scope} — {what} of {count} is not known, so the limit of {limit} counts only the rest',
    'a budget of money or tokens, and sessions whose provider or price list does not tell it',
    'the budget is taken away, the task has ended, or the next day begins',
  ),
  row(
    'alarm',
    'BUDGET',
    '{scope} — used up: {spent} of {limit}; no session starts',
    'a budget of the task, the goal or the day is used up',
    'it is raised, the task has ended, or the next day begins',
  ),
  row(
    'alarm',
    'DISK SPACE',
    '{free} MB left, a session needs {needed}; none starts',
    'the disk has less than `min_free_mb` (500) left',
    'there is room again',
  ),
  row(
    'alarm',
    'INTEGRATION GONE',
    '{branch} was deleted — bring it back: {command}',
    'there is no integration branch any more',
    'it is there again',
  ),
  row(
    'alarm',
    'INTEGRATION MOVED OUTSIDE LIZA',
    '{branch} is at {commit}, Liza left it at {commit}',
    'somebody else moved the integration branch',
    '`liza doctor --accept-integration`',
  ),
  row(
    'alarm',
    'CIRCUIT BREAKER',
    '{pattern} ({flaw}) — {n} × {what matched}; read .liza/circuit_breaker_report.md',
    'the circuit breaker trips; one for each cluster of evidence',
    '`liza analyze --resolve "…"`, or the goal has ended',
  ),
  row(
    'alarm',
    'DEADLINE PASSED',
    '{sprint} — {deadline}; go on, or cut the scope: liza resume',
    'the sprint’s deadline passes and the work is halted',
    '`liza resume`, or a new deadline: `liza sprint deadline`',
  ),
  row(
    'alarm',
    'IDENTITY',
    '{agent} tried to act as {whom} ({command}) and was refused',
    'a process below an agent, or a program that Liza runs, acts as the operator, a supervisor or another agent',
    '`liza anomaly processed <id>`',
  ),
  row(
    'alarm',
    'BRANCH MOVED BY AN AGENT',
    '{agent} moved {branch} to {commit}; it is kept as refs/liza/strays/{commit}',
    'an agent moved a branch that is not its task’s, past the hook',
    '`liza anomaly processed <id>`',
  ),
  row(
    'warning',
    'EXTERNAL EDIT',
    'entry {n} — {what}',
    'state.yaml was edited by hand, or settings changed by hand wait for `liza edit --adopt`',
    '30 min later, or once the settings are adopted',
  ),
  row(
    'alarm',
    'EXTERNAL EDIT',
    '{record} was set aside: {reason} — kept in {file}; delete it once dealt with',
    'a record of an edit by hand was refused',
    'its file in `.liza/rejected/` is deleted',
  ),
];

function row(level: AlarmRow['level'], name: string, rest: string, begins: string, over: string): AlarmRow {
  const mark = level === 'alarm' ? '🚨' : '⚠️';
  return { name, level, text: `${mark} ${name}: ${rest}`, begins, over };
}
