// Every command a role may use, each as one line to paste: the table's commands for that role, and those
// that only look. The quoted texts say what belongs there. A test holds this against the table and
// reads every line with the real argument parser. `note done` stands with the notes, where there are any.

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
    `liza begin ${task} --also path/of/one/more/file --reason "why the task needs it"`,
    `liza submit-for-review ${task} HEAD`,
    `liza retract ${task} --reason "what is wrong with the submission"`,
    `liza block ${task} --reason "what exactly blocks it" --question "which answer would unblock it?" --attempted "what you tried"`,
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
    `liza add-task --id new-task --desc "what to build" --spec ${specOf(state)}#section --done "one input and its output" --done "a command: its result" --scope "IN: path/of/part. OUT: the rest" --validate "${testCommand(state)}" --depends other-task --priority 2`,
    'liza finalize new-task',
    ...(state.sprint.scope.closed_at === undefined ? ['liza plan done'] : []),
    `liza amend ${task} --add-done "one more criterion"`,
    `liza unblock ${task} "the answer" --add-done "what was missing"`,
    `liza supersede ${task} --root-cause "why it could not work" --replacement new-task --replacement other-task`,
    `liza abandon ${task} --reason "why"`,
    `liza block ${task} --reason "why not to fix the merge" --question "what has to be decided?"`,
    'liza discovery list',
    `liza discovery convert ${discovery(state)} new-task`,
    `liza discovery dismiss ${discovery(state)} --reason "why it needs no task"`,
    `liza discovery reopen ${discovery(state)} --reason "why"`,
    'liza align "how the plan serves the goal" --event "what caused it"',
    `liza ask "what the specs leave open" --spec ${specOf(state)}#section --assume "what you plan with"`,
    'liza answer q-1 "what the spec says"',
    `liza anomaly --type review_deadlock --task ${task} --detail assessment="your judgement"`,
    'liza anomaly processed anomaly-1 --why "what became of it"',
    `liza wt delete ${task}`,
    HANDOFF_PLAN,
    'liza goal complete --summary "what was reached"',
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
  `liza begin ${task} --intent "what you will do" --assume "what you assume" --risks "what could go wrong" --validation "${testCommand(state)}: expected result" --file path/of/file --file path/of/its/test`;

export const handoff = (task: string): string =>
  `liza handoff ${task} --summary "the state of the work" --next "what to do first" --approach "how it is built" --step "what remains"`;

/** When a discovery should not wait for the planner's next session. */
const URGENT =
  'Add `--urgency immediate` (it wakes the planner now) only if other work fails or is wasted unless the plan changes first. Critical and high ones must be decided before the goal ends.';

const handoffReview = (task: string): string =>
  `liza handoff ${task} --summary "what is read so far" --next "what to read next" --finding "file:line — what is wrong"`;

const HANDOFF_PLAN = 'liza handoff --summary "the state of the plan" --next "what to do first" --step "what remains"';

const reports = (task: string): readonly string[] => [
  `liza ask "what you need to know" --task ${task} --assume "what you assume"`,
  `liza discover "a problem outside this task" --severity medium --during ${task} --recommendation "what you would do"`,
  URGENT,
  `liza anomaly --type retry_loop --task ${task} --detail count=3 --detail error_pattern="what kept failing"`,
  'liza heartbeat --long "full test suite, about 12 minutes"',
];

const anomalies = (role: Role): string =>
  Object.entries(ANOMALY_TYPES)
    .filter(([, { roles }]) => (roles as readonly Role[]).includes(role))
    .map(([type, { details }]) => (details.length === 0 ? type : `${type} (${details.join(', ')})`))
    .join(', ');
