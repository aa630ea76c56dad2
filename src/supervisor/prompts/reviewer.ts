// What a reviewer's session is told: one exact commit, what it was meant to do, and the facts Liza itself
// recorded about the diff. The form of a rejection is the one the verdict is parsed by.

import { uncheckedCommands } from '../../protocol/definition/unchecked.ts';
import { historyOf, lastCoder } from '../../protocol/leases.ts';
import { APPROVAL_WAYS, approvalForm, CONCERN_FORM } from '../../protocol/review/approval.ts';
import { NO_TEST_COMMAND, proofCommands, proofOf, type TestProof } from '../../protocol/review/proof.ts';
import { reportedOn } from '../../protocol/review/reported.ts';
import { isLittle, sinceRedOf, sinceRedText } from '../../protocol/review/since-red.ts';
import { skippedText } from '../../protocol/review/skip-count.ts';
import { runsFewer, testCount } from '../../protocol/review/test-count.ts';
import { REJECTION_FORMAT } from '../../protocol/review/verdict.ts';
import { type HistoryEvent, type Settings, type State, settings, type Task } from '../../protocol/state.ts';
import { isFields } from '../../protocol/values.ts';
import { approvedBefore } from '../../protocol/work/worktree-plan.ts';
import { counted, gist } from '../../text/format.ts';
import { checkoutChanges } from './checkout-changes.ts';
import { commandLines, testCommand } from './commands.ts';
import { concernsBefore } from './concerns.ts';
import { handedOff } from './handoff.ts';
import { lastOnTask } from './last-session.ts';
import { ownDiscoveries } from './last-verdict.ts';
import type { PromptContext, ReviewWork } from './prompt.ts';
import { inline, pathList, quote, quoteList } from './quote.ts';
import {
  assemble,
  bootstrap,
  humanNotes,
  notesFor,
  priorRejection,
  rejectionOf,
  type Section,
  section,
} from './sections.ts';
import {
  amendedFields,
  answerFields,
  checkpointFields,
  definitionFields,
  firstPlan,
  iterationLine,
  retractedFields,
  showTask,
  specDiffLines,
  specNews,
} from './task-fields.ts';
import { trialLines } from './trial.ts';

export function reviewerPrompt(context: PromptContext, work: ReviewWork): string {
  const { task } = work;
  const fresh = work.resumed !== true;
  const incomplete = '`liza exit 1 --reason "bootstrap incomplete"`.';
  return assemble([
    ...(fresh ? [bootstrap(context, incomplete, work.named ? task.id : undefined)] : []),
    priorRejection(task),
    lastOnTask(context, task, !fresh),
    ...(fresh ? [handedOff(context, task)] : []),
    humanNotes(context, notesFor(context, task), task),
    reviewTask(context, work, fresh),
    evidence(context, work),
  ]);
}

function reviewTask(context: PromptContext, work: ReviewWork, fresh: boolean): Section {
  const { board, places } = context;
  const { task, base, commit, tryout } = work;
  return section('REVIEW TASK', [
    `TASK ID: ${task.id}`,
    `WORKTREE: ${inline(work.worktree)} (for this review; change no file in it)`,
    ...(tryout === undefined
      ? []
      : [
          `TRY IT IN: ${inline(tryout)} (the same commit with its set-up, to write in; deleted after this session, never counts). Run code of the commit only by liza try, as in \`liza try ${testCommand(board.state)}\`: it runs there, but apart from your session, so that it cannot give a verdict as you`,
        ]),
    `BASE: ${base}`,
    `COMMIT TO REVIEW: ${commit}`,
    `AUTHOR: ${lastCoder(task) ?? 'unknown'}${begunBy(task)}`,
    iterationLine(board.state, task),
    ...(fresh
      ? [`TYPE: ${task.type ?? 'code'}`, ...definitionFields(board.state, task, places)]
      : answerFields(board.state, task)),
    ...amendedFields(task),
    ...specNews(task, work.spec),
    ...behind(work),
    ...integrationFix(work),
    ...(checkpointFields(task) ?? ['PLAN: no checkpoint is recorded for this iteration']),
    ...(fresh ? firstPlan(task) : []),
    ...(fresh ? concernsBefore(board.state, task) : []),
    ...reported(board.state, task),
    ...ownDiscoveries(context, task, false),
    ...retractedFields(task),
    'INSTRUCTIONS:',
    ...instructions(work, fresh),
    ...(fresh ? commandLines('code_reviewer', task.id, board.state) : []),
  ]);
}

/** The plan and the first commits may be another coder's. */
function begunBy(task: Task): string {
  const from = historyOf(task).findLast(({ event, continued }) => event === 'reassigned' && continued === true)?.from;
  return typeof from === 'string' ? `, who continued the work of ${inline(from)}` : '';
}

/** The spec that the commit was built upon is not the one that it is judged by. */
function behind({ task, spec, specBehind }: ReviewWork): readonly string[] {
  if (specBehind === undefined) return [];
  if (specBehind === 'absent') return ['WORKTREE has no copy of SPEC: it is not in git, or not at BASE.'];
  const { diff } = specBehind;
  if (diff === undefined || spec?.diff !== undefined) return ['WORKTREE’s copy of SPEC is older: do not judge by it.'];
  return specDiffLines(task, 'WORKTREE’s copy of SPEC is older; since then', diff);
}

const MOST_REPORTED = 10;

/** What its coder or others said of the work, also after it was submitted. */
function reported(state: State, task: Task): readonly string[] {
  const all = reportedOn(state, task);
  if (all.length === 0) return [];
  const shown = all.slice(-MOST_REPORTED).map(({ id, kind, by, late, text }) => {
    const when = late ? ', AFTER THE SUBMISSION' : '';
    return `${id} (${kind}) by ${by}${when}: ${gist(text, LONGEST)}`;
  });
  const more = all.length - shown.length;
  return [
    `REPORTED ON THIS TASK (is the change still right?${more === 0 ? '' : ` ${more} older: \`liza show ${task.id}\``}):`,
    ...quoteList(shown, 'liza status --json'),
  ];
}
const LONGEST = 1000;

function integrationFix({ task, commit }: ReviewWork): readonly string[] {
  const approved = approvedBefore(task);
  if (task.integration_fix !== true || approved === undefined) return [];
  return [
    `INTEGRATION FIX: ${approved} was approved but did not merge; only the reconciliation may be new: \`git diff ${approved}..${commit}\``,
  ];
}

interface Compared {
  readonly prior: string;
  readonly base: string;
  readonly commit: string;
}

/** After a rebase the plain difference holds what others merged meanwhile. */
function sinceRejection(task: Task, { prior, base, commit }: Compared): string {
  const history = historyOf(task);
  const rejected = history.findLastIndex(({ event }) => event === 'rejected');
  const former = history.slice(0, rejected).findLast(({ event }) => event === 'submitted')?.base;
  return typeof former !== 'string' || former === base
    ? `\`git diff ${prior}..${commit}\``
    : `BASE moved since, so compare the commits: \`git range-diff ${former}..${prior} ${base}..${commit}\``;
}

function instructions({ task, base, commit, tryout }: ReviewWork, fresh: boolean): readonly string[] {
  const rejection = rejectionOf(task);
  const prior = rejection?.former === true ? undefined : rejection?.commit;
  const steps = [
    `${fresh ? 'Read SPEC, then the' : 'Read the'} whole change: \`git diff ${base}..${commit}\``,
    ...(prior === undefined
      ? []
      : [
          `What changed since the rejection: ${sinceRejection(task, { prior, base, commit })}. Only unresolved prior findings and new serious ones may block now; the rest are concerns.`,
        ]),
    `Read the EVIDENCE${fresh ? ': Liza ran VALIDATION itself' : ''}; ${tryout === undefined ? 'there is no folder to run the commit in now, so judge by it' : 'run again in TRY IT IN what you doubt'}. Check each criterion of DONE WHEN and the PLAN.`,
    `If good: name the evidence for each criterion, in one or more lines: ${APPROVAL_WAYS}. A concern has its own line and goes to the planner: ${CONCERN_FORM}`,
  ];
  return [
    ...steps.map((step, at) => `${at + 1}. ${step}`),
    approvalForm(task, false),
    `${steps.length + 1}. If not good: reject in exactly this form, with the real count and one entry per blocker:`,
    `liza submit-verdict ${task.id} REJECTED - --commit ${commit} <<'VERDICT'`,
    rejectionForm(task),
    'VERDICT',
    `${steps.length + 2}. \`liza exit 42 --reason "verdict given"\`, and stop.`,
  ];
}

/** From iteration 2 on the parser also wants the status of the prior feedback. */
export function rejectionForm(task: Task): string {
  if ((task.iteration ?? 1) < 2) return REJECTION_FORMAT;
  const prior =
    rejectionOf(task) === undefined
      ? '- RESOLVED: no finding was open'
      : '- RESOLVED: …\n- STILL PRESENT: …\n- PARTIAL: …';
  return `${REJECTION_FORMAT}\nPrior Feedback Status:\n${prior}`;
}

function evidence({ board }: PromptContext, work: ReviewWork): Section {
  const { task, commit, resumed, lists, lostVerdicts = [] } = work;
  const submitted = historyOf(task).findLast((entry) => entry.event === 'submitted' && entry.commit === commit);
  return section('EVIDENCE', [
    ...diffLines(task, submitted),
    ...(lists === undefined ? [] : [`LISTS THAT ARE CUT ABOVE, whole, one path to a line: ${inline(lists)}`]),
    ...trialLines(board.state, task, task.type === 'docs' ? { title: BEFORE.title } : BEFORE, resumed !== true),
    ...proofLines(task, submitted, resumed === true ? [] : proofCommands(settings(board.state), task)),
    ...checkoutChanges(submitted && proofOf(submitted), work.undone),
    ...uncheckedLines(settings(board.state), task),
    ...lostVerdicts.flatMap((text) => [
      'A VERDICT THAT CAME TOO LATE TO COUNT SAID (check each point):',
      ...quote(text, showTask(task)),
    ]),
  ]);
}

/** A criterion whose own command nobody ran is the reviewer's to run. */
function uncheckedLines(config: Settings, task: Task): readonly string[] {
  const unchecked = uncheckedCommands(config, task);
  const said = unchecked.map(({ criterion, command }) => `criterion ${criterion}: ${command}`).join('\n');
  return [
    'CRITERIA WHOSE COMMAND NOBODY RAN; run each yourself:',
    ...quote(said === '' ? 'none' : said, showTask(task)),
  ];
}

function diffLines(task: Task, submitted: HistoryEvent | undefined): readonly string[] {
  const facts = submitted?.diff;
  if (!isFields(facts)) return ['Liza has no facts about this diff: look at every file yourself.'];
  const { lines, test_edits: edits } = facts;
  const size = isFields(lines) ? `, ${Number(lines['added'])} lines added, ${Number(lines['removed'])} removed` : '';
  return [
    'Recorded by Liza from git, not by the coder:',
    `FILES CHANGED: ${Number(facts['files'] ?? 0)}${size}`,
    ...FACTS.map(([key, label]) => `${label}: ${paths(facts[key])}`),
    ...RARE.flatMap(([key, label]) => (isFields(facts[key]) ? [`${label}: ${paths(facts[key])}`] : [])),
    ...(isFields(facts['instructions']) ? ['WORKTREE has the base’s version of files that steer agents.'] : []),
    ...lineList(task, 'LINES REMOVED FROM EXISTING TESTS (-), OR THAT SWITCH TESTS OFF (+); is each one right?', edits),
    ...lineList(task, 'NEW LINES THAT POSTPONE WORK OR SILENCE A CHECK; is each one right?', facts['marks']),
  ];
}

function lineList(task: Task, title: string, list: unknown): readonly string[] {
  const lines = isFields(list) && Array.isArray(list['lines']) ? list['lines'].map(String) : [];
  if (lines.length === 0) return [];
  const more = isFields(list) && typeof list['more'] === 'number' ? ` (${list['more']} more)` : '';
  return [`${title}${more}`, ...quote(lines.join('\n'), showTask(task))];
}

const BEFORE = {
  title: 'VALIDATION WITHOUT THE CHANGE, on the base',
  green: 'GREEN there, with the tests of the base: what it shows now depends on the new tests, if there are any.',
};

const LONG = 100;

/** What Liza ran at the commit, and whether its tests test anything. */
function proofLines(task: Task, submitted: HistoryEvent | undefined, shown: readonly string[]): readonly string[] {
  const proof = submitted === undefined ? undefined : proofOf(submitted);
  if (proof === undefined) return ['RUN BY LIZA: nothing; no command proves this commit, so run what does.'];
  const before = typeof submitted?.red_before === 'number' ? submitted.red_before : 0;
  const since = sinceRedOf(submitted);
  // Without the logs: a reviewer in a sandbox cannot read them. A long command is written out under VALIDATION.
  const named = (command: string): string =>
    command.length > LONG && shown.includes(command) ? `VALIDATION #${shown.indexOf(command) + 1}` : command;
  const ran = proof.runs.map(
    ({ command, ok, seconds, said_failed: failed, ...run }, at) =>
      `#${at + 1} ${ok ? 'green' : 'RED'}, ${seconds} s${testCount(run, proof.tests_added)}${skippedText({ command, ...run })}${failed === undefined ? '' : `, BUT A RUNNER SAID “${failed}”`}${command.length > LONG && shown[at] === command ? '' : `: ${named(command)}`}`,
  );
  return [
    `RUN BY LIZA at ${proof.same_tree_as === undefined ? '' : `${proof.same_tree_as}, which has the same files as `}COMMIT TO REVIEW, in a clean checkout:`,
    ...quote(ran.join('\n'), showTask(task)),
    ...(proof.runs.some((run) => runsFewer(run, proof.tests_added))
      ? ['FEWER TESTS RAN than on the base: find out which no longer run, and why.']
      : []),
    ...(proof.above === undefined
      ? []
      : [
          `ABOVE THE CHECKOUT THIS CHANGED WHILE AGENTS WORK, and the commands could find it: ${proof.above.map(inline).join('; ')}. Green may rest on it: no file of the commit provides it`,
        ]),
    ...(before === 0
      ? []
      : [`THE SAME COMMIT WAS RED ${counted(before, 'TIME')} BEFORE: its tests do not always pass.`]),
    ...(since === undefined
      ? []
      : [
          `RED BEFORE IT WAS GREEN: ${sinceRedText(since, before)}.${isLittle(since) ? ' That is nearly the same: find out whether the difference mends it, or its tests do not always pass.' : ''}`,
        ]),
    ...(proof.unrun_tests === undefined || proof.tests?.on_base === 'not_run'
      ? []
      : [`TEST FILES OF THE CHANGE THAT NO COMMAND RUNS: ${proof.unrun_tests.map(inline).join(', ')}. ${YOURSELF}`]),
    ...(proof.untold_tests === undefined
      ? []
      : [
          `WHETHER THE NEW TESTS OF THESE RAN IS NOT KNOWN: ${proof.untold_tests.map(inline).join(', ')}. The runner names no tests, and its number of tests does not show them. Run them yourself, by name`,
        ]),
    ...testLines(proof.tests, task, named),
  ];
}

function testLines(
  tests: TestProof | undefined,
  { type }: Pick<Task, 'type'>,
  named: (command: string) => string,
): readonly string[] {
  if (tests === undefined) return [];
  const { mode, on_base, base_tests, by, missing, because, why } = tests;
  const [failed, passed, untold, base_failed] = (['failed', 'passed', 'untold', 'base_failed'] as const).map((key) =>
    nameList(tests[key], tests[`${key}_more`]),
  );
  const told = (text: string | undefined): string =>
    text === undefined ? '' : `, because ${inline(text).slice(0, 500)}`;
  const names = failed === undefined ? 'the runner names no test' : `failed: ${failed}`;
  const how = by === undefined ? '' : `; ${inline(named(by))}: ${names}`;
  const broken = base_failed === undefined ? '' : ` (${base_failed})`;
  const stopped =
    missing === undefined
      ? ''
      : `; they stop at what BASE does not have (${inline(missing)}), so none of their checks was tried there`;
  const undecided =
    mode === 'strict' && on_base === 'unknown'
      ? '. tdd is strict, and could not decide: try them without the change'
      : '';
  return [
    `NEW TESTS WITHOUT THE CHANGE (on BASE): ${on_base === 'not_run' ? `NOT RUN, and not at the commit either: ${inline(why ?? NO_TEST_COMMAND).slice(0, 500)}. ${YOURSELF}` : ((type === 'test' ? OF_TEST_TASK : ON_BASE)[on_base] ?? on_base)}${how}${stopped}${told(because?.on_base)}${undecided}`,
    ...(passed === undefined || type === 'test' ? [] : [`OF THE NEW TESTS THESE PASS WITHOUT THE CHANGE: ${passed}`]),
    ...(untold === undefined || type === 'test'
      ? []
      : [`OF THE NEW TESTS THE RUNNER DOES NOT SAY HOW THESE END WITHOUT IT (try them): ${untold}`]),
    `TESTS OF BASE ON THE NEW CODE: ${OF_BASE[base_tests] ?? base_tests}${broken}${told(because?.base_tests)}`,
    // Recorded by an older version: what it belongs to is not known.
    ...(why === undefined || because !== undefined || on_base === 'not_run'
      ? []
      : [`  because ${inline(why).slice(0, 500)}`]),
  ];
}

const nameList = (names: readonly string[] | undefined, more = 0): string | undefined =>
  names &&
  `${names.map(inline).join('; ')}${more === 0 ? '' : ` and ${more} more, in the logs that \`liza show\` names`}`;

const YOURSELF = 'Run them yourself; `n: test …` is accepted, marked NOT RUN BY LIZA';
const ON_BASE: Readonly<Record<string, string>> = {
  red: 'red, as they should be',
  green: 'GREEN: they pass without the change and prove nothing about it',
  unknown: 'not known',
};
/** Its code is merged already. */
const OF_TEST_TASK: Readonly<Record<string, string>> = {
  red: 'RED: they test code that is merged already, so either that code or the test is wrong there',
  green: 'green, as tests for code that is merged already should be',
  unknown: 'not known',
};
const OF_BASE: Readonly<Record<string, string>> = {
  green: 'green',
  red: 'RED: what they checked no longer holds',
  unknown: 'not known',
  same: 'they are unchanged',
  not_run: 'not run',
};

/** The keys of protocol/facts/diff-facts.ts, with their labels. */
const FACTS = [
  ['undeclared', 'NOT DECLARED IN ANY PLAN OF THIS TASK'],
  ['tests_added', 'TEST FILES ADDED'],
  ['tests_changed', 'EXISTING TESTS CHANGED (lines removed or replaced)'],
  ['tests_removed', 'TESTS REMOVED'],
  ['instructions', 'INSTRUCTION, CI OR GIT FILES'],
  ['test_setup', 'HOW TESTS ARE RUN'],
] as const;

/** Told only where there are some. */
const RARE = [
  ['beyond_scope', 'OUTSIDE SCOPE IN'],
  ['out_parts', 'SCOPE OUT NAMES A PART OF THESE (only you can judge whether it is touched)'],
  ['tests_within', 'TESTS WITHIN THE CODE (so nothing could be shown of them on the base)'],
  ['declared_late', 'DECLARED LATE, after the plan'],
  ['tests_weakened', 'TESTS WEAKENED (fewer assertions in a place, or switched off)'],
  ['tests_new_off', 'NEW TESTS WITH A SKIP (or with a line that decides how a test ends)'],
  [
    'tests_extended',
    'EXISTING TEST FILES THAT ONLY GAINED LINES (new tests, or more in old ones; none was changed or removed)',
  ],
  ['test_data_added', 'FILES FOR TESTS ADDED (fixtures, snapshots: they test nothing by themselves)'],
  ['tests_moved', 'TESTS MOVED, UNCHANGED'],
  ['tests_moved_changed', 'TESTS MOVED AND CHANGED'],
  ['binary', 'BINARY TO GIT (its diff shows no line of them: read the files themselves)'],
  [
    'lfs_pointers',
    'POINTERS OF GIT LFS (their content is not in the diff, and no test saw it; where Liza has it, it is the file of that name below .git/lfs/objects of the project)',
  ],
  ['case_twins', 'PATHS THAT DIFFER BY CASE ALONE (one file on macOS and Windows)'],
  ['links', 'SYMBOLIC LINKS'],
  ['passing', 'ADDED AND REMOVED AGAIN BY ITS COMMITS (they stay in the history: git log -p)'],
  [
    'unread',
    'NOT LOOKED AT BY LIZA: too large, too many or generated (nothing above is known of what is in them; look yourself)',
  ],
  ['brought_back', 'WRITTEN BEFORE THE PLAN, put aside, and brought back just so'],
  ['dated_before', 'COMMITS DATED BEFORE THE PLAN'],
  ['named_otherwise', 'COMMITS UNDER ANOTHER NAME than that of the task’s coder (git log and git blame will show it)'],
  ['foreign_roots', 'ROOTS OF ANOTHER HISTORY THAT IT BRINGS'],
  ['submodules', 'SUBMODULES, of which nothing is in this diff or was run'],
] as const;

function paths(list: unknown): string {
  if (!isFields(list) || !Array.isArray(list['paths'])) return 'none';
  return pathList(list['paths'].map(String), typeof list['more'] === 'number' ? list['more'] : 0);
}
