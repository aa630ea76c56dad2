// How each command is typed. Hints, docs and help quote these lines, so that a refusal
// always ends in something a person or an agent can run.

import type { CommandName } from './command.ts';

const USAGE: Readonly<Record<CommandName, string>> = {
  'add-task': 'add-task --id {task} --desc "…" --spec specs/… --done "…" --scope "IN: …"',
  amend: 'amend {task} --done "…" --scope "…"',
  finalize: 'finalize {task}',
  unblock: 'unblock {task}',
  supersede: 'supersede {task} --root-cause "…" --replacement <task>',
  abandon: 'abandon {task} --reason "…"',
  replan: 'replan {task}',
  'plan done': 'plan done',
  align: 'align "…"',
  'discovery convert': 'discovery convert <id> <task>',
  'discovery dismiss': 'discovery dismiss <id> --reason "…"',
  'goal complete': 'goal complete',
  'sprint start': 'sprint start',
  register: 'agent <role>',
  'reserve-claim': 'claim-task {task} <agent>',
  'claim-task': 'claim-task {task} <agent>',
  'release-claim': 'release-claim {task}',
  begin: 'begin {task} --intent "…" --risks "…" --validation "…" --file <path>',
  'submit-for-review': 'submit-for-review {task} <commit>',
  block: 'block {task} --reason "…" --question "…"',
  limit: 'agent coder {task}',
  discover: 'discover "…" --severity high',
  anomaly: 'anomaly --type <type> --task {task}',
  handoff: 'handoff {task} --summary "…" --next "…"',
  'long-heartbeat': 'heartbeat --long "…"',
  exit: 'exit 42 --reason "…"',
  'claim-review': 'claim-review {task} <agent>',
  'submit-verdict': 'submit-verdict {task} APPROVED|REJECTED',
  'clear-stale-review-claims': 'clear-stale-review-claims',
  merge: 'wt merge {task}',
  'merge-failed': 'wt merge {task}',
  note: 'note "…"',
  pause: 'pause {task}',
  resume: 'resume {task}',
  checkpoint: 'checkpoint',
  abort: 'abort',
  'spec-change': 'spec-change <spec> "…"',
  'config set': 'config set <key> <value>',
  metrics: 'metrics',
  archive: 'archive',
};

export const usage = (name: CommandName, task = '<task>'): string => `liza ${USAGE[name].replaceAll('{task}', task)}`;
