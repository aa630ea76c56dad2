// What is said of the goal as a whole, held against the journal and git: the chain of the journal, the board that it
// leads to, and the integration branch: every step of it must be a recorded merge, or accepted by a person.

import { usageText } from '../../budget/rules/format.ts';
import { spentOnGoal } from '../../budget/rules/ledger.ts';
import { acceptedHead, eventsOf } from '../../protocol/goal/alignment.ts';
import { type TasksOf, tasksOfGoal } from '../../protocol/goal/goal-tasks.ts';
import { plantedText } from '../../protocol/messages/planted.ts';
import type { Alignment, Goal } from '../../protocol/state.ts';
import { type RecordedMerge, recordedMerges } from '../../protocol/work/task-history.ts';
import { counted } from '../../text/format.ts';
import { contradicted, type Fact, PROVIDERS_WORD, short, unverifiable, verified, type Witness } from './facts.ts';
import { plannerFacts } from './sessions.ts';

export function auditGoal(witness: Witness): readonly Fact[] {
  return [
    ...journalFacts(witness),
    ...logFacts(witness),
    ...boardFacts(witness),
    ...pastFacts(witness),
    ...integrationFacts(witness),
    ...plantedFacts(witness),
    ...spendingFacts(witness),
    ...planningFacts(witness),
    ...peopleFacts(witness),
  ];
}

function journalFacts({ broken, entries, copy }: Witness): readonly Fact[] {
  const what = 'the journal’s chain';
  const compared = COPY[copy];
  const agrees = compared === undefined ? '; its copy agrees' : '';
  return [
    ...(broken.length === 0
      ? [verified(what, `${counted(entries.length, 'entry')}, each follows from the one before${agrees}`)]
      : broken.map((problem) => contradicted(what, problem))),
    ...(compared === undefined ? [] : [compared]),
  ];
}

const COPIED = 'the journal’s copy in the git directory';
/** One that disagrees is told as a problem of the chain. */
const COPY: Readonly<Partial<Record<Witness['copy'], Fact>>> = {
  longer: contradicted(COPIED, 'it continues after the end of the journal: entries were cut off from the journal'),
  shorter: unverifiable(COPIED, 'it ends before the journal does; nothing can confirm the last entries'),
  missing: unverifiable(COPIED, 'there is none, so nothing can confirm the journal'),
};

function logFacts({ log, broken }: Witness): readonly Fact[] {
  const what = 'the activity log, log.yaml';
  if (broken.length > 0) return [unverifiable(what, 'the journal is broken')];
  if (log === undefined) return [verified(what, 'it has every entry as the journal has it')];
  if ('foreign' in log) return [contradicted(what, `it has entries that the journal does not, ${log.foreign}`)];
  if (log.behind) return [unverifiable(what, `it ends before entry ${log.entry}; the next command completes it`)];
  return [contradicted(what, `it does not show entry ${log.entry} as the journal has it`)];
}

function boardFacts({ differing, behind, broken }: Witness): readonly Fact[] {
  const what = 'the board';
  if (behind !== undefined) return [unverifiable(what, behind)];
  if (broken.length > 0) return [unverifiable(what, 'the journal is broken')];
  if (differing.size === 0)
    return [verified(what, 'replayed from its first entry, the journal gives the same records')];
  return [...differing].map(([record, how]) => contradicted(`the board: ${record}`, how));
}

/** What was reviewed is there; but who looks with plain git sees something else. */
const plantedFacts = ({ planted = [] }: Witness): readonly Fact[] =>
  planted.map((one) => contradicted('what plain git shows', plantedText(one)));

function spendingFacts({ state, tasks, past = [], about }: Witness): readonly Fact[] {
  const goals: readonly (Goal & TasksOf)[] = about === undefined ? [...past, state.goal] : [about.goal];
  return goals.flatMap((goal) => {
    const spent = spentOnGoal({ ...state, goal, tasks: tasksOfGoal(tasks, goal) });
    if (spent.sessions === 0) return [];
    const what = goals.length === 1 ? 'in all' : `on ${goal.id}`;
    return [unverifiable(`${counted(spent.sessions, 'session')} ${what}, ${usageText(spent)}`, PROVIDERS_WORD)];
  });
}

function planningFacts(witness: Witness): readonly Fact[] {
  const { state, past = [], about } = witness;
  const goals: readonly Goal[] = about === undefined ? [...past, state.goal] : [about.goal];
  return goals.flatMap((goal) => plannerFacts(goal, witness));
}

/** Each goal that ended is in the archive as it was journalled. */
function pastFacts({ past = [], noted, differing, broken }: Witness): readonly Fact[] {
  return past.flatMap(({ id, status }) =>
    noted?.has(id) !== true || differing.has(`goals/${id}`)
      ? []
      : broken.length > 0
        ? [unverifiable(`${id}, ${status}, in the archive`, 'the journal is broken')]
        : [verified(`${id}, ${status}, in the archive`, 'its record is what was journalled when it ended')],
  );
}

/** From the branch's head back: each merge says where the branch was before. */
function integrationFacts(witness: Witness): readonly Fact[] {
  const { state, tasks, line, commits } = witness;
  const { goal } = state;
  const merges = recordedMerges(tasks);
  const head = line[0];
  if (head === undefined) return [contradicted('the integration branch', 'it is gone')];
  const walked = walk(witness, merges);
  const lost = merges.filter(({ mergeCommit }) => !walked.found.has(mergeCommit) && !line.includes(mergeCommit));
  const left = goal.integration_head;
  return [
    left === undefined
      ? unverifiable(`the integration branch is at ${short(head)}`, 'where Liza left it is not recorded')
      : left === head
        ? verified(`the integration branch is at ${short(head)}`, 'where Liza left it')
        : contradicted(
            `the integration branch is at ${short(head)}`,
            `Liza left it at ${short(left)}${commits.has(left) ? '' : ', which git does not have'}`,
          ),
    ...walked.facts,
    ...lost.map(({ task, mergeCommit }) =>
      contradicted(`the merge of ${task.id}, ${short(mergeCommit)}`, 'the branch does not have it'),
    ),
    ...(walked.facts.length === 0 && lost.length === 0
      ? [
          verified(
            'every step of the integration branch',
            `${counted(walked.found.size, 'recorded merge')}${walked.synced === 0 ? '' : `, ${walked.synced} of a person’s branch (liza sync)`}, and nothing else`,
          ),
        ]
      : []),
  ];
}

function walk(
  { state, line, past = [] }: Witness,
  merges: readonly RecordedMerge[],
): { found: ReadonlySet<string>; synced: number; facts: readonly Fact[] } {
  const by = new Map(merges.map((one) => [one.mergeCommit, one]));
  const places = new Map(line.map((commit, at) => [commit, at]));
  const placeOf = (commit: string | undefined): number => places.get(commit ?? '') ?? -1;
  const oldest = merges.reduce((so, { mergeCommit }) => Math.max(so, placeOf(mergeCommit)), -1);
  const goals = [...past, state.goal];
  const told = goals.flatMap((goal) => eventsOf(goal, 'integration_accepted'));
  const syncs = new Map(
    goals.flatMap((goal) => (goal.syncs ?? []).map((one) => [one.merge_commit, one.onto] as const)),
  );
  let synced = 0;
  const found = new Set<string>();
  const facts: Fact[] = [];
  const first = merges[0]?.onto ?? state.goal.integration_head;
  let at = 0;
  while (at < line.length) {
    const commit = line[at] ?? '';
    const merge = by.get(commit);
    if (merge === undefined && (commit === first || oldest < at) && placeOf(first) <= at) break;
    if (merge === undefined && !syncs.has(commit)) {
      facts.push(stranger(told, commit));
      at += 1;
      continue;
    }
    if (merge === undefined) synced += 1;
    else found.add(commit);
    // What was fast-forwarded over is the task's own work, or the person's.
    const to = placeOf(merge === undefined ? syncs.get(commit) : merge.onto);
    at = to <= at ? at + 1 : to;
  }
  return { found, synced, facts };
}

function stranger(accepted: readonly Alignment[], commit: string): Fact {
  const what = `${short(commit)} on the integration branch`;
  const told = accepted.find((line) => acceptedHead(line) === commit);
  if (told === undefined) return contradicted(what, 'no task accounts for it');
  return unverifiable(what, `came from outside Liza; accepted by ${told.by ?? 'a person'} at ${told.timestamp}`);
}

/** What a person did to the goal: switches, settings, notes, edits; what was done to one task is told there. */
function peopleFacts({ entries, broken, about }: Witness): readonly Fact[] {
  const from = about?.goal.created ?? '';
  const isAbout = (time: string): boolean => time >= from && (about?.until === undefined || time < about.until);
  return entries
    .filter(({ actor, command, task }) => (actor === 'human' || command === 'external_edit') && task === undefined)
    .filter(({ time }) => isAbout(time))
    .map(({ time, command, detail, seq }) =>
      broken.length === 0
        ? verified(`a person: ${command}: ${detail}`, `journal entry ${seq}`, time)
        : unverifiable(`a person: ${command}: ${detail}`, 'the journal is broken', time),
    );
}
