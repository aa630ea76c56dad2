// Every command a role may use, each as one line to paste: the table's commands for that role, and those
// that only look. The quoted texts say what belongs there. A test holds this against the table and
// reads every line with the real argument parser. `note done` stands with the notes, where there are any.

import { EXAMPLE } from '../../protocol/definition/example-words.ts';
import { openDiscoveries } from '../../protocol/messages/discoveries.ts';
import { fileOf } from '../../protocol/messages/news.ts';
import { ANOMALY_TYPES } from '../../protocol/records/anomaly-types.ts';
import type { Role, State } from '../../protocol/state.ts';

/** `begun`: the iteration has its checkpoint, and a second one would be refused. `task`: the work at hand. The examples name what this project has: its spec and its test command. */
export function commandLines(role: Role, task: string, state: State, begun = false): readonly string[] {
  const examples = EXAMPLES[role](task, state).filter((line) => !begun || line !== begin(task, state));
  return [
    `COMMANDS (replace the quoted texts; more on each: \`liza help ${begun ? 'submit-for-review' : FIRST[role]}\` and so on):`,
    ...examples,
    `ANOMALY TYPES (details): ${anomalies(role)}`,
  ];
}

const FIRST: Readonly<Record<Role, string>> = { coder: 'begin', code_reviewer: 'discover', planner: 'add-task' };

/** A reviewer's verdicts are in its instructions, with the form of a rejection. */
const EXAMPLES: Readonly<Record<Role, (task: string, state: State) => readonly string[]>> = {
  coder: (task, state) => [
    begin(task, state),
    `liza begin ${task} --also ${EXAMPLE.also} --reason "${EXAMPLE.why}"`,
    `liza submit-for-review ${task} HEAD`,
    `liza retract ${task} --reason "${EXAMPLE.retracted}"`,
    `liza block ${task} --reason "${EXAMPLE.blocked}" --question "${EXAMPLE.question}" --attempted "${EXAMPLE.attempted}"`,
    handoff(task),
    ...reports(task),
    'liza exit 42 --reason "submitted"',
    `liza show ${task}`,
    'liza status',
  ],
  code_reviewer: (task) => [
    handoffReview(task),
    ...reports(task),
    'liza exit 42 --reason "verdict given"',
    `liza show ${task}`,
    'liza status',
  ],
  planner: (task, state) => [
    `liza add-task --id new-task --desc "${EXAMPLE.build}" --spec ${specOf(state)}#section --done "${EXAMPLE.done}" --done "${EXAMPLE.ran}" --scope "${EXAMPLE.scope}" --validate "${testCommand(state)}" --depends other-task --priority 2`,
    'liza finalize new-task',
    ...(state.sprint.scope.closed_at === undefined ? ['liza plan done'] : []),
    `liza amend ${task} --add-done "${EXAMPLE.criterion}"`,
    `liza unblock ${task} "${EXAMPLE.answer}" --add-done "${EXAMPLE.missing}"`,
    `liza supersede ${task} --root-cause "${EXAMPLE.cause}" --replacement new-task --replacement other-task`,
    `liza abandon ${task} --reason "${EXAMPLE.abandoned}"`,
    `liza block ${task} --reason "${EXAMPLE.unmended}" --question "${EXAMPLE.undecided}"`,
    'liza discovery list',
    `liza discovery convert ${discovery(state)} new-task`,
    `liza discovery dismiss ${discovery(state)} --reason "${EXAMPLE.dismissed}"`,
    `liza discovery reopen ${discovery(state)} --reason "${EXAMPLE.reopened}"`,
    `liza align "${EXAMPLE.serves}" --event "${EXAMPLE.event}"`,
    `liza ask "${EXAMPLE.open}" --task new-task --assume "${EXAMPLE.planned}"`,
    `liza answer q-1 "${EXAMPLE.says}"`,
    `liza anomaly --type review_deadlock --task ${task} --detail assessment="${EXAMPLE.judgement}"`,
    `liza wt delete ${task}`,
    HANDOFF_PLAN,
    `liza goal complete --summary "${EXAMPLE.reached}"`,
    `liza show ${task}`,
    'liza status',
  ],
};

/** One that is open, where there is one. */
const discovery = (state: State): string => openDiscoveries(state)[0]?.id ?? 'disc-1';

const specOf = ({ goal }: State): string => fileOf(goal.spec_ref) ?? 'specs/vision.md';

/** Only one that can stand between quotes. */
export function testCommand(state: State): string {
  const { test_command: command } = state.config;
  return typeof command === 'string' && /^[\w ./:=@,+-]{1,200}$/.test(command) ? command : 'command';
}

export const begin = (task: string, state: State): string =>
  `liza begin ${task} --intent "${EXAMPLE.intent}" --assume "${EXAMPLE.assume}" --risks "${EXAMPLE.risks}" --validation "${testCommand(state)}: ${EXAMPLE.result}" --file ${EXAMPLE.file} --file ${EXAMPLE.test}`;

export const handoff = (task: string): string =>
  `liza handoff ${task} --summary "${EXAMPLE.state}" --next "${EXAMPLE.next}" --approach "${EXAMPLE.approach}" --step "${EXAMPLE.remains}"`;

/** When a discovery should not wait for the planner's next session. */
const URGENT =
  'Add `--urgency immediate` (it wakes the planner now) only if other work fails or is wasted unless the plan changes first. Critical and high ones must be decided before the goal ends.';

const handoffReview = (task: string): string =>
  `liza handoff ${task} --summary "${EXAMPLE.read}" --next "${EXAMPLE.toRead}" --finding "${EXAMPLE.finding}"`;

const HANDOFF_PLAN = `liza handoff --summary "${EXAMPLE.plan}" --next "${EXAMPLE.next}" --step "${EXAMPLE.remains}"`;

const reports = (task: string): readonly string[] => [
  `liza ask "${EXAMPLE.asked}" --task ${task} --assume "${EXAMPLE.assume}"`,
  `liza discover "${EXAMPLE.problem}" --severity medium --during ${task} --recommendation "${EXAMPLE.advice}"`,
  URGENT,
  `liza anomaly --type retry_loop --task ${task} --detail count=3 --detail error_pattern="${EXAMPLE.failing}"`,
  'liza heartbeat --long "full test suite, about 12 minutes"',
];

const anomalies = (role: Role): string =>
  Object.entries(ANOMALY_TYPES)
    .filter(([, { roles }]) => (roles as readonly Role[]).includes(role))
    .map(([type, { details }]) => (details.length === 0 ? type : `${type} (${details.join(', ')})`))
    .join(', ');
