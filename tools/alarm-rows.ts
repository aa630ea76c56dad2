// Every alarm for people: what it says, when it begins, when it is over. docs/alarms.md is generated from here,
// and a test has a scenario for each row. An alarm without a row is a type error.

import { ALARM_NAMES, type Alarm, type AlarmName, SIGN } from '../src/alarms/rules/alarm.ts';

interface AlarmRow extends Entry {
  readonly name: AlarmName;
  readonly text: string;
}

interface Entry {
  readonly level: Alarm['level'];
  /** What follows the name. */
  readonly words: string;
  readonly begins: string;
  readonly over: string;
}

/** One entry for each thing that an alarm of this name may say. */
const CATALOGUE: Readonly<Record<AlarmName, readonly Entry[]>> = {
  'LEASE EXPIRED': [
    warning(
      '{agent} on {task}',
      'a coder’s lease ended, and whether anybody is behind it is not known',
      'it is claimed or released',
    ),
  ],
  'HOLDER GONE': [
    warning(
      '{agent} on {task} — its supervisor has ended; liza run continues it',
      'the process that held a task or its review has ended, as after Ctrl-C, however long its lease still is',
      'it is claimed or released',
    ),
  ],
  'REVIEW LEASE EXPIRED': [
    warning(
      '{code_reviewer} on {task} — review can be reclaimed',
      'a reviewer’s lease ended, and whether anybody is behind it is not known',
      'the review is claimed or freed',
    ),
  ],
  BLOCKED: [warning('{task} — {reason}', 'a task is BLOCKED', 'it is unblocked, superseded or abandoned')],
  QUESTION: [
    warning(
      '{id} — {asker} on {task}: {question} (continues with: {assumption}) — liza answer {id} "…"',
      'a question is open; those that block a task have no assumption',
      'it is answered, assumed or withdrawn',
    ),
  ],
  'ORPHANED REJECTED': [
    alarm(
      '{task} — assigned to {agent} but agent is {status}',
      '30 s after a rejection, a pause or a halt its coder is not WORKING on it',
      'somebody works on it',
    ),
  ],
  REASSIGNED: [
    warning(
      '{task} — hypothesis exhaustion risk',
      'a second coder has the task (not to mend a merge)',
      'it is approved, blocked or ended',
    ),
  ],
  'REVIEW LOOP': [
    alarm(
      '{task} — {count} cycles (at cliff)',
      'all `max_review_cycles` (5) are used up',
      'the count of cycles starts again, or the task has ended',
    ),
  ],
  'INTEGRATION FAILED': [alarm('{task}', 'a task is INTEGRATION_FAILED', 'a coder takes it, or it is replaced')],
  'MERGE HELD': [
    warning('{task} — {reason}', 'an approved task cannot be merged for now', 'it is merged or no longer held'),
  ],
  'QUEUE HELD': [
    alarm(
      '{reason}',
      'the integration branch itself is red, without any task, or nothing can be tested: Liza blames nobody and holds the merge queue',
      '`liza queue release`',
    ),
  ],
  'NOTHING TESTED': [
    warning(
      '{task} took scripts/integration-test.sh away, and there is no test_command — what lands is not tested any more: liza config set test_command "<command>"',
      'a task that removed the integration test has landed',
      'one that brings a test lands, or `test_command` is set',
    ),
  ],
  'HYPOTHESIS EXHAUSTION': [
    alarm('{task} — requires rescope', 'two coders failed since it was last scoped', 'it is rescoped or ended'),
  ],
  'APPROACHING LIMIT': [
    warning(
      '{task} — {metric}',
      '8/10 of `max_coder_iterations`, 3/5 of `max_review_cycles`, or one coder failed after 3/5 of the cycles',
      'the count starts again, the limit is reached, or the task is blocked or ended',
    ),
  ],
  STALLED: [
    warning(
      'no progress for {duration}',
      '30 min without a change, or since a halt ended, while the goal is meant to progress',
      'anything changes',
    ),
  ],
  'STALE DRAFT': [
    warning('{task} — created {age}min ago (Planner crash?)', 'a DRAFT is 30 min old', 'it is finalized or ended'),
  ],
  'PLAN NOT CLOSED': [
    alarm(
      '{sprint} — {n} planner sessions ended without plan done; close it: liza plan done, or say what is missing: liza note "…" --for planner',
      'two sessions of the planner ended well and left the plan open',
      '`liza plan done` closes it, or the goal ends',
    ),
  ],
  'ENDED EARLY': [
    alarm(
      '{goal} — completed with {n} tasks that agents gave up: {tasks}; see: liza show {task}',
      'the goal is COMPLETED, and agents abandoned tasks of it',
      'the next goal begins',
    ),
  ],
  'IMMEDIATE DISCOVERY': [
    alarm(
      '{id} — {desc} (Planner should wake)',
      'a discovery with urgency immediate waits',
      'it is converted or dismissed',
    ),
  ],
  'INVALID STATE': [
    alarm(
      '{error}',
      'state.yaml is gone, cannot be read, or breaks a rule of `liza validate`; the last good state is watched meanwhile',
      'it is valid again',
    ),
  ],
  'CHECKPOINT STALE': [
    warning('waiting for human', 'CHECKPOINT is on for 30 min', 'it is taken away, or the next one begins'),
  ],
  'CHECKPOINT STUCK': [
    alarm(
      'waiting for human',
      'CHECKPOINT is on for 2 h; `.liza/ESCALATION` is written',
      'it is taken away, or the next one begins',
    ),
  ],
  'CHECKPOINT ABANDONED?': [alarm('waiting for human', 'CHECKPOINT is on for 8 h', 'it is taken away')],
  'STALE PAUSE': [
    warning(
      'the PAUSE file has existed for {age}min',
      'PAUSE is on for 30 min',
      'it is taken away, or the next one begins',
    ),
  ],
  'PAUSE FORGOTTEN': [
    alarm(
      'the PAUSE file has existed for {age}min',
      'PAUSE is on for 2 h; `.liza/ESCALATION` is written',
      'it is taken away',
    ),
  ],
  'CRASH LOOP': [
    alarm(
      '{agent} — {detail}; read its log in .liza/agent-logs, then start one again: liza agent {role}',
      'a supervisor stopped after three crashes in 5 min',
      'it is started again',
    ),
  ],
  SPIN: [
    alarm(
      '{agent} — {detail}; read its log in .liza/agent-logs, then start one again: liza agent {role}',
      'a session ended again and again without progress',
      'the agent is started again',
    ),
  ],
  'PROVIDER QUOTA': [warning('{agent} — {detail} (until {time})', 'a provider is out of quota', 'it serves again')],
  'PROVIDER UNREACHABLE': [
    warning('{agent} — {detail} (until {time})', 'a provider cannot be reached', 'it serves again'),
  ],
  'LOGIN NEEDED': [alarm('{agent} — {detail}', 'a provider needs a login', 'the agent is started again')],
  'PROVIDER MISSING': [
    alarm('{agent} — {detail}', 'an agent CLI is not there or does not start', 'the agent is started again'),
  ],
  'RUBBER STAMP': [
    warning(
      '{n} of {m} verdicts approved, or {task} — {reviewer} approved {n} files (or lines) in {time}',
      'more than 95 % of at least 5 verdicts approve, or 5 files and more are approved in less than 2 s each, or 400 lines and more in less than 5 ms each',
      'the rate falls, or the next sprint begins',
    ),
  ],
  BUDGET: [
    warning(
      '{scope} — {spent} of {limit}, {percent} %',
      '`warn_percent` (80) of a budget of the task, the goal or the day is spent',
      'it is raised or used up, the task has ended, or the next day begins',
    ),
    warning(
      '{scope} — {what} of {count} is not known, so the limit of {limit} counts only the rest',
      'a budget of money or tokens, and sessions whose provider or price list does not tell it',
      'the budget is taken away, the task has ended, or the next day begins',
    ),
    alarm(
      '{scope} — used up: {spent} of {limit}; no session starts',
      'a budget of the task, the goal or the day is used up',
      'it is raised, the task has ended, or the next day begins',
    ),
  ],
  'DISK SPACE': [
    alarm(
      '{free} MB left, a session needs {needed}; no session starts',
      'the disk has less than `min_free_mb` (500) left',
      'there is room again',
    ),
  ],
  'SANDBOX OFF': [
    warning(
      'config.sandbox is off, and agents worked on this goal in a sandbox before: now they run as you',
      'a person turned it off on a goal that agents have worked on in a sandbox',
      '`liza config set sandbox auto`, or the goal ends',
    ),
  ],
  'SET-UP FAILED': [
    alarm(
      'set-up fails for {place} ({commit}): {reason} — {output} — {remedy}',
      '`post_worktree_cmd` or `worktree_files` failed in the checkout of a task, a trial, a review or a merge; no new work starts while it fails on the integration branch',
      'set-up succeeds there; it is tried at once when a setting, a file or the branch has changed',
    ),
    warning(
      'set-up fails for the proof of {task} ({commit}): {reason} — {output} — {remedy}',
      'it failed at a commit that a coder submitted, who is told',
      'set-up of the task succeeds, or the task has ended',
    ),
  ],
  'INTEGRATION GONE': [
    alarm(
      '{branch} was deleted — restore it: {command}',
      'there is no integration branch any more',
      'it is there again',
    ),
  ],
  'INTEGRATION MOVED OUTSIDE LIZA': [
    alarm(
      '{branch} is at {commit}, Liza left it at {commit}',
      'somebody else moved the integration branch',
      '`liza doctor --accept-integration`',
    ),
  ],
  'CIRCUIT BREAKER': [
    alarm(
      '{pattern} ({flaw}) — {n} × {what matched}; read .liza/circuit_breaker_report.md',
      'the circuit breaker trips; one for each cluster of evidence',
      '`liza analyze --resolve "…"`, or the goal has ended',
    ),
  ],
  'DEADLINE PASSED': [
    alarm(
      '{sprint} — {deadline}; continue, or reduce the scope: liza resume',
      'the sprint’s deadline passes and the work is halted',
      '`liza resume`, or a new deadline: `liza sprint deadline`',
    ),
  ],
  IDENTITY: [
    alarm(
      '{agent} tried to act as {whom} ({command}) and was refused',
      'a process below an agent, or a program that Liza runs, acts as the operator, a supervisor or another agent',
      '`liza anomaly processed <id>`',
    ),
  ],
  'BRANCH MOVED BY AN AGENT': [
    alarm(
      '{agent} moved {branch} to {commit}; it is kept as refs/liza/strays/{commit}',
      'an agent moved a branch that is not its task’s, past the hook; or a branch, a tag or a remote of yours holds an agent’s commit that Liza did not merge, whoever moved it (`{branch} holds {commit} of {agent}, …`). Where it was before is said as `git update-ref …`',
      '`liza anomaly processed <id>`; also if it was you',
    ),
  ],
  'PLANTED IN GIT': [
    alarm(
      '{ref} hides {branch}: your git takes {commit} for that name — delete it: git update-ref -d {ref}',
      'a tag or another ref has the short name of the integration branch, of the branch it was made from, of a task’s branch or of a commit that Liza names; plain git takes it before the branch',
      '`liza anomaly processed <id>`; another place of the ref is another alarm',
    ),
    alarm(
      '{file} hides {branch}: your git takes that file for it — delete it: rm -r {file}',
      'a file in the git directory has the name of such a branch',
      '`liza anomaly processed <id>`',
    ),
    alarm(
      '{ref} makes your git show {commit} in place of that object; Liza ignores it — delete it: git update-ref -d {ref}',
      'a ref below refs/replace',
      '`liza anomaly processed <id>`; another place of the ref is another alarm',
    ),
    alarm(
      '{ref} was written by {agent}, and your git log shows it; Liza ignores it — delete it: git update-ref -d {ref}',
      'an agent wrote notes',
      '`liza anomaly processed <id>`; another place of the ref is another alarm',
    ),
    alarm(
      '{file} was put into Liza’s own git directory; Liza has removed it',
      'before a call of Liza’s git there was a file that Liza did not write',
      '`liza anomaly processed <id>`',
    ),
  ],
  'CHANGED ABOVE CHECKOUTS': [
    alarm(
      '{place} ({names}) changed at {time}, while agents work, and programs in checkouts find it: what was green then may rest on it, and no run is believed meanwhile. If it is yours: liza anomaly processed; if not, remove it and have {task} proved again',
      'without the sandbox: modules or settings in the project’s folder, or in one above it, are newer than the first claim when Liza runs a proof, a trial or a merge’s tests',
      '`liza anomaly processed <id>`; another change of the place is another alarm',
    ),
  ],
  'CHANGED WHILE TESTED': [
    alarm(
      '{files} in a checkout of {task} at {time}: nothing that ran there is believed. If no test of yours writes there, another process did: end it, or turn the sandbox on; then: liza anomaly processed',
      'a tracked file of a checkout for a proof, a trial or a merge’s tests is another one before a command starts; or, without the sandbox, a test or what decides how tests are run was written meanwhile and is as before again',
      '`liza anomaly processed <id>`',
    ),
  ],
  'VERDICT DISPUTED': [
    alarm(
      '{task} — {agent} said {verdict} of {commit}, then {verdict}{merged}: one of the two may be the word of a program that it ran',
      'a reviewer’s session gives a second verdict on the same commit that contradicts its first; an approval that is not merged does not count then, and the task is BLOCKED. Or a session that approved did not end by itself (`…, and its session did not end by itself ({how})`): then the task is held until `liza queue release <task>`',
      '`liza anomaly processed <id>`',
    ),
  ],
  'STEP WITHOUT SESSION': [
    alarm(
      'entry {n} — {step} and {k} before it under the id of {agent}, from no session of it: was it you? See: liza log; what it changed: liza audit',
      'somebody gave an agent’s id at a shell, or through a server that was there before (tmux, screen), while supervisors run the agents',
      'half an hour has passed',
    ),
  ],
  'EXTERNAL EDIT': [
    warning(
      'entry {n} — {what}',
      'state.yaml was edited by hand, or settings changed by hand wait for `liza edit --adopt`',
      '30 min later, or once the settings are adopted',
    ),
    alarm(
      '{record} was set aside: {reason} — kept in {file}; delete it when you have handled it',
      'a record of an edit by hand was refused',
      'its file in `.liza/rejected/` is deleted',
    ),
  ],
  'HOST LOST': [
    alarm(
      '{host} — it ran {agents} and is silent; its tasks are free when their leases end; if it does not come back: liza hosts drain {id}',
      'a host was not seen for a minute, did not end in order, and no other host runs its agents by now',
      'it is seen again, other hosts run its agents, or it is drained',
    ),
  ],
  'NO HOST FITS': [
    warning(
      '{task} needs {tags}, and no host that is there has it: liza hosts tag <host> {tags}',
      'no host that is there, and takes work, has every tag of a live task',
      'one has, or the task has ended',
    ),
  ],
  'STORE UNREACHABLE': [
    alarm(
      '{why}; {next step}',
      'the database of the board did not answer for ten seconds, or refuses',
      'it answers; the watcher looks every second',
    ),
  ],
  'STORE SET BACK': [
    alarm(
      'the database was set back: this host has seen entry {n}, and the database {what it has}; {next step}',
      'the database has lost entries that this host, or the exchange, has seen: nothing starts here',
      'the newer database is back, or `liza store accept`',
    ),
  ],
  'EXCHANGE UNREACHABLE': [
    alarm(
      'the exchange {address} cannot be reached: {why}; submissions and merges wait for it',
      'a crew could not reach the exchange for a minute, or it refuses',
      'it is reached, or no crew of this host has tried for three minutes',
    ),
  ],
};

export const ALARM_ROWS: readonly AlarmRow[] = ALARM_NAMES.flatMap((name) =>
  CATALOGUE[name].map((entry) => ({ ...entry, name, text: `${SIGN[entry.level]} ${name}: ${entry.words}` })),
);

function warning(words: string, begins: string, over: string): Entry {
  return { level: 'warning', words, begins, over };
}

function alarm(words: string, begins: string, over: string): Entry {
  return { level: 'alarm', words, begins, over };
}
