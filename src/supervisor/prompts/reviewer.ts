// What a reviewer's session is told: one exact commit, what it was meant to do, and the facts Liza itself
// recorded about the diff. The form of a rejection is the one the verdict is parsed by.

import { uncheckedCommands, unsureCriteria } from '../../protocol/definition/unchecked.ts';
import { sizeText } from '../../protocol/facts/file-change.ts';
import { historyOf, lastCoder } from '../../protocol/leases.ts';
import { APPROVAL_WAYS, approvalForm, CONCERN_FORM } from '../../protocol/review/approval.ts';
import { proofCommands, proofOf } from '../../protocol/review/proof.ts';
import { reportedOn } from '../../protocol/review/reported.ts';
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
import { proofLines } from './proof-lines.ts';
import { inline, paths, quote, quoteList } from './quote.ts';
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
          `TRY IT IN: ${inline(tryout)} (the same commit with its set-up, to write in; deleted after this session, never counts). Run code of the commit only by liza try, as in \`liza try ${testCommand(board.state)}\`: it runs there, but apart from your session, so that it cannot give a verdict as you, and does not see $TMPDIR: put a scratch file for it into that folder`,
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
    `REPORTED ON THIS TASK OR DURING IT (where it is about the change, is that still right?${more === 0 ? '' : ` ${more} older: \`liza show ${task.id}\``}):`,
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

function instructions({ task, base, commit, tryout, without }: ReviewWork, fresh: boolean): readonly string[] {
  const rejection = rejectionOf(task);
  const prior = rejection?.former === true ? undefined : rejection?.commit;
  const steps = [
    `${fresh ? 'Read SPEC, then the' : 'Read the'} whole change: \`git diff ${base}..${commit}\``,
    ...(prior === undefined
      ? []
      : [
          `What changed since the rejection: ${sinceRejection(task, { prior, base, commit })}${without === undefined ? '' : ' (the rejected commit is not in its history)'}. Only unresolved findings of PRIOR REJECTION FEEDBACK, what was amended or answered since, and new serious ones may block now; the rest are concerns.`,
        ]),
    `Read the EVIDENCE${fresh ? ': Liza ran VALIDATION itself' : ''}; ${tryout === undefined ? 'there is no folder to run the commit in now, so judge by it' : 'run again in TRY IT IN what you doubt'}. Check each criterion of DONE WHEN and the PLAN.`,
    `If good: name the evidence for each criterion, in one or more lines${fresh ? `: ${APPROVAL_WAYS}` : ', in the forms that you know'}. A concern has its own line and goes to the planner: ${CONCERN_FORM}`,
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
    ...trialLines(board.state, task, task.type === 'docs' ? { title: BEFORE.title } : BEFORE, {
      listed: resumed !== true,
      proof: submitted && proofOf(submitted),
    }),
    ...proofLines(task, submitted, resumed === true ? [] : proofCommands(settings(board.state), task)),
    ...checkoutChanges(submitted && proofOf(submitted), work.undone),
    ...uncheckedLines(settings(board.state), task),
    ...lostVerdicts.flatMap((text) => lateVerdict(task, text)),
  ]);
}

/** Its first line says which it was, and of which commit; a text of an older version has none. */
function lateVerdict(task: Task, text: string): readonly string[] {
  const [head, verdict, commit] = /^(APPROVED|REJECTED)(?: of ([0-9a-f]{7,64}))?\n/.exec(text) ?? [''];
  const which = verdict === undefined ? '' : `, ${verdict}${commit === undefined ? '' : ` of ${commit.slice(0, 12)}`},`;
  return [
    `A VERDICT THAT CAME TOO LATE TO COUNT${which} SAID (check each point):`,
    ...quote(text.slice(head.length), showTask(task)),
  ];
}

/** A criterion whose own command nobody ran is the reviewer's to run. */
function uncheckedLines(config: Settings, task: Task): readonly string[] {
  const said = [
    ...uncheckedCommands(config, task).map(({ criterion, command }) => `criterion ${criterion}: ${command}`),
    ...unsureCriteria(task).map((n) => `criterion ${n}: ${ONLY_JUDGES}`),
  ].join('\n');
  return [
    'CRITERIA WHOSE COMMAND NOBODY RAN (run each yourself; what a criterion says beside a command, only you see to):',
    ...quote(said === '' ? 'none' : said, showTask(task)),
  ];
}

const ONLY_JUDGES = '(no command: it judges, and names nothing to observe; say what you measured it by)';

function diffLines(task: Task, submitted: HistoryEvent | undefined): readonly string[] {
  const facts = submitted?.diff;
  if (!isFields(facts)) return ['Liza has no facts about this diff: look at every file yourself.'];
  const { test_edits: edits } = facts;
  return [
    'Recorded by Liza from git, not by the coder:',
    `FILES CHANGED: ${Number(facts['files'] ?? 0)}${sizeText(facts)}`,
    ...FACTS.map(([key, label]) => `${label}: ${paths(facts[key])}`),
    ...RARE.flatMap(([key, label]) =>
      isFields(facts[key]) ? [`${label}: ${key === 'unread' ? unreadSize(facts) : ''}${paths(facts[key])}`] : [],
    ),
    ...(isFields(facts['instructions']) ? ['WORKTREE has the base’s version of files that steer agents.'] : []),
    ...lineList(
      task,
      'LINES REMOVED FROM EXISTING TESTS (-, numbered as on BASE; → what came instead), OR THAT SWITCH TESTS OFF (+, numbered as in COMMIT TO REVIEW); is each one right?',
      edits,
    ),
    ...lineList(task, 'NEW LINES THAT POSTPONE WORK OR SILENCE A CHECK; is each one right?', facts['marks']),
  ];
}

/** `41 files, 164 MB: `. */
function unreadSize({ unread, unread_bytes: bytes }: Readonly<Record<string, unknown>>): string {
  const { paths: named, more } = unread as Readonly<Record<string, unknown>>;
  if (typeof bytes !== 'number' || !Array.isArray(named)) return '';
  return `${counted(named.length + Number(more ?? 0), 'file')}, ${Math.max(0.1, Math.round(bytes / 1e5) / 10)} MB: `;
}

function lineList(task: Task, title: string, list: unknown): readonly string[] {
  const lines = isFields(list) && Array.isArray(list['lines']) ? list['lines'].map(String) : [];
  if (lines.length === 0) return [];
  const more = isFields(list) && typeof list['more'] === 'number' ? ` (${list['more']} more)` : '';
  return [`${title}${more}`, ...quote(lines.join('\n'), showTask(task))];
}

const BEFORE = {
  title: 'VALIDATION WITHOUT THE CHANGE, on the base',
  green: (numbers: readonly string[]) =>
    `${numbers.join(', ')} GREEN there, with the tests of the base: what ${numbers.length === 1 ? 'it shows' : 'they show'} now depends on the new tests, if there are any.`,
  looks: ' there, too, and it runs no test: right for what must stay',
};

/** The keys of protocol/facts/diff-facts.ts, with their labels. */
const FACTS = [
  ['undeclared', 'NOT DECLARED IN ANY PLAN OF THIS TASK'],
  ['tests_added', 'TEST FILES ADDED'],
  ['tests_changed', 'EXISTING TESTS CHANGED (lines removed or replaced)'],
  ['tests_removed', 'TESTS REMOVED'],
  ['instructions', 'INSTRUCTION, CI OR GIT FILES'],
  ['test_setup', 'FILES CHANGED THAT DECIDE HOW TESTS ARE RUN'],
] as const;

/** Told only where there are some. */
const RARE = [
  ['beyond_scope', 'OUTSIDE SCOPE IN'],
  ['tests_beyond', 'NEW TEST FILES THAT NEITHER SCOPE IN NOR ANY PLAN NAMES (do they belong to the task?)'],
  ['out_parts', 'SCOPE OUT THAT NO MACHINE CHECKS'],
  ['tests_within', 'TESTS WITHIN THE CODE (so nothing could be shown of them on the base)'],
  ['untouched', 'PLANNED AND NOT TOUCHED (was it not needed, or is something missing?)'],
  ['declared_late', 'DECLARED LATE, after the plan'],
  ['tests_weakened', 'TESTS WEAKENED (fewer assertions in a place, or switched off)'],
  ['tests_new_off', 'NEW TESTS WITH A SKIP (or with a line that decides how a test ends)'],
  [
    'tests_unasserted',
    'NEW TESTS THAT ASSERT NOTHING in their own lines (does a helper, or are they green whatever the code does?)',
  ],
  [
    'tests_extended',
    'EXISTING TEST FILES THAT ONLY GAINED LINES (new tests, or more in old ones; none was changed or removed)',
  ],
  ['test_data_added', 'OTHER FILES ADDED AMONG THE TESTS (they test nothing by themselves)'],
  ['tests_moved', 'TESTS MOVED, UNCHANGED'],
  ['tests_moved_changed', 'TESTS MOVED AND CHANGED'],
  ['binary', 'BINARY TO GIT (its diff shows no line of them: read the files themselves)'],
  [
    'lfs_pointers',
    'POINTERS OF GIT LFS (their content is not in the diff, and no test saw it; where Liza has it, it is the file of that name below .git/lfs/objects of the project)',
  ],
  ['case_twins', 'PATHS THAT DIFFER BY CASE ALONE (one file on macOS and Windows)'],
  ['links', 'SYMBOLIC LINKS'],
  ['deleted', 'FILES DELETED'],
  ['modes', 'MODES CHANGED (what each is now)'],
  ['passing', 'ADDED AND REMOVED AGAIN BY ITS COMMITS (they stay in the history: git log -p)'],
  ['changed_back', 'CHANGED AND CHANGED BACK BY ITS COMMITS (not in the diff, but in the history: git log -p)'],
  ['empty_commits', 'COMMITS THAT CHANGE NOTHING'],
  [
    'unread',
    'NOT LOOKED AT BY LIZA: too large, too many or generated (nothing above is known of what is in them; look yourself)',
  ],
  [
    'brought_back',
    'WRITTEN BEFORE THE PLAN, put aside, and brought back unchanged (no fault by itself: does it fit the plan?)',
  ],
  ['put_aside', 'WORK FROM BEFORE THE PLAN, put aside for it (no fault by itself)'],
  ['dated_before', 'COMMITS DATED BEFORE THE PLAN'],
  ['named_otherwise', 'COMMITS UNDER ANOTHER NAME than that of the task’s coder (git log and git blame will show it)'],
  [
    'refs_in_clone',
    'REFS THAT THE CODER MADE OR MOVED IN ITS CLONE, under names of the project (they stay there: neither Liza nor the project has them)',
  ],
  ['foreign_roots', 'ROOTS OF ANOTHER HISTORY THAT IT BRINGS'],
  ['submodules', 'SUBMODULES, of which nothing is in this diff or was run'],
] as const;
