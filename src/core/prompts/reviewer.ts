// What a reviewer's session is told: one exact commit, what it was meant to do, and the facts Liza itself
// recorded about the diff. The form of a rejection is the one the verdict is parsed by.

import { historyOf, lastCoder } from '../holding.ts';
import type { HistoryEvent, Task } from '../state.ts';
import { isFields } from '../values.ts';
import { REJECTION_FORMAT } from '../verdict.ts';
import { approvedBefore } from '../worktrees.ts';
import { commandLines } from './commands.ts';
import type { PromptContext, ReviewWork } from './prompt.ts';
import { inline, pathList, quote } from './quote.ts';
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
import { checkpointFields, definitionFields, iterationLine, showTask } from './task-fields.ts';

export function reviewerPrompt(context: PromptContext, work: ReviewWork): string {
  const { task } = work;
  const fresh = work.resumed !== true;
  const incomplete = '`liza exit 1 --reason "bootstrap incomplete"`.';
  return assemble([
    ...(fresh ? [bootstrap(context, incomplete, work.named ? task.id : undefined)] : []),
    priorRejection(task),
    humanNotes(notesFor(context, task)),
    reviewTask(context, work, fresh),
    evidence(work),
  ]);
}

function reviewTask({ board }: PromptContext, work: ReviewWork, fresh: boolean): Section {
  const { task, base, commit } = work;
  return section('REVIEW TASK', [
    `TASK ID: ${task.id}`,
    `WORKTREE: ${inline(work.worktree)} (for this review; change no file in it)`,
    `BASE: ${base}`,
    `COMMIT TO REVIEW: ${commit}`,
    `AUTHOR: ${lastCoder(task) ?? 'unknown'}`,
    iterationLine(board.state, task),
    ...(fresh ? [`TYPE: ${task.type ?? 'code'}`, ...definitionFields(board.state, task)] : []),
    ...integrationFix(work),
    ...(checkpointFields(task) ?? ['CHECKPOINT: none is recorded for this iteration']),
    'INSTRUCTIONS:',
    ...instructions(work, fresh),
    ...(fresh ? commandLines('code_reviewer', task.id) : []),
  ]);
}

function integrationFix({ task, commit }: ReviewWork): readonly string[] {
  const approved = approvedBefore(task);
  if (task.integration_fix !== true || approved === undefined) return [];
  return [
    `INTEGRATION FIX: ${approved} was approved but did not merge; only the reconciliation may be new: \`git diff ${approved}..${commit}\``,
  ];
}

function instructions({ task, base, commit }: ReviewWork, fresh: boolean): readonly string[] {
  const prior = rejectionOf(task)?.commit;
  const steps = [
    `${fresh ? 'Read SPEC, then the' : 'Read the'} whole change: \`git diff ${base}..${commit}\``,
    ...(prior === undefined
      ? []
      : [
          `What changed since the rejection: \`git diff ${prior}..${commit}\`. Only unresolved prior findings and new serious ones may block now; the rest are concerns.`,
        ]),
    'Run VALIDATION in WORKTREE and read its output; check each criterion of DONE WHEN, the CHECKPOINT and the EVIDENCE.',
    `Good: \`liza submit-verdict ${task.id} APPROVED "what you ran and read" --commit ${commit}\``,
    'Not good: reject in exactly this form, with the real count and one entry per blocker:',
  ];
  return [
    ...steps.map((step, at) => `${at + 1}. ${step}`),
    `liza submit-verdict ${task.id} REJECTED - --commit ${commit} <<'VERDICT'`,
    rejectionForm(task),
    'VERDICT',
    `${steps.length + 1}. \`liza exit 42 --reason "verdict given"\`, and stop.`,
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

function evidence({ task, commit, lostVerdicts = [] }: ReviewWork): Section {
  return section('EVIDENCE', [
    ...diffLines(historyOf(task).findLast((entry) => entry.event === 'submitted' && entry.commit === commit)),
    ...lostVerdicts.flatMap((text) => [
      'A REVIEWER WHOSE LEASE HAD ENDED FOUND (no verdict; check each point):',
      ...quote(text, showTask(task)),
    ]),
  ]);
}

function diffLines(submitted: HistoryEvent | undefined): readonly string[] {
  const facts = submitted?.diff;
  if (!isFields(facts)) return ['Liza has no facts about this diff: look at every file yourself.'];
  return [
    'Recorded by Liza from git, not by the coder:',
    `FILES CHANGED: ${Number(facts['files'] ?? 0)}`,
    ...FACTS.map(([key, label]) => `${label}: ${paths(facts[key])}`),
  ];
}

/** The keys of core/diff-facts.ts. */
const FACTS = [
  ['undeclared', 'NOT DECLARED IN THE CHECKPOINT'],
  ['tests_added', 'TESTS ADDED'],
  ['tests_changed', 'EXISTING TESTS CHANGED'],
  ['tests_removed', 'TESTS REMOVED'],
  ['instructions', 'INSTRUCTION, CI OR GIT FILES'],
] as const;

function paths(list: unknown): string {
  if (!isFields(list) || !Array.isArray(list['paths'])) return 'none';
  return pathList(list['paths'].map(String), typeof list['more'] === 'number' ? list['more'] : 0);
}
