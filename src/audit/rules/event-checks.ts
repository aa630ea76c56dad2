// Checks what each event of a task claims: commits that exist, bases that are built upon, pins, verdicts on what was
// submitted by reviewers that never coded it, merges of what was approved. Compares only.

import { codersOf, historyOf } from '../../protocol/leases.ts';
import { BY_HAND, besideTheChange, concernsOf, shownIn } from '../../protocol/review/approval-record.ts';
import { proofAt, writtenDown } from '../../protocol/review/proof.ts';
import { ranGreen } from '../../protocol/review/ran-command.ts';
import { shownBriefly, shownText } from '../../protocol/review/shown-text.ts';
import { type HistoryEvent, isTerminal, type Task } from '../../protocol/state.ts';
import { isFields } from '../../protocol/values.ts';
import { asStored, pathWord } from '../../text/format.ts';
import { contradicted, type Fact, short, unverifiable, verified, type Witness } from './facts.ts';
import { namesFacts } from './merge-names.ts';

type Check = (task: Task, event: HistoryEvent, before: readonly HistoryEvent[], witness: Witness) => readonly Fact[];

export const CHECKS: Readonly<Record<string, Check>> = {
  claimed: (_task, { base_commit: base }, _before, witness) => exists('its base', base, witness),
  pre_execution_checkpoint: checkpoint,
  submitted: submission,
  validation_failed: (task, event, _before, witness) => evidence(task, event, witness),
  approved: verdict,
  rejected: verdict,
  merged: merge,
};

function exists(what: string, commit: unknown, { commits }: Witness): readonly Fact[] {
  if (typeof commit !== 'string') return [];
  return [
    commits.has(commit)
      ? verified(`${what} ${short(commit)}`, 'git has it')
      : contradicted(`${what} ${short(commit)}`, 'git has no such commit'),
  ];
}

/** A checkpoint is bound to the commit at which the iteration began, so the code came after it. */
function checkpoint(_task: Task, { head }: HistoryEvent, before: readonly HistoryEvent[]): readonly Fact[] {
  const start = before.findLast(({ start_commit }) => typeof start_commit === 'string')?.start_commit;
  if (typeof head !== 'string' || typeof start !== 'string') {
    return [unverifiable('the checkpoint came before the code', 'no commit is recorded with it')];
  }
  return [
    head === start
      ? verified('the checkpoint came before the code', `HEAD was ${short(start)}, where the iteration began`)
      : contradicted(
          'the checkpoint came before the code',
          `HEAD was ${short(head)}, the iteration began at ${short(start)}`,
        ),
  ];
}

function submission(
  task: Task,
  event: HistoryEvent,
  before: readonly HistoryEvent[],
  witness: Witness,
): readonly Fact[] {
  const { commit, pin } = event;
  if (typeof commit !== 'string') return [unverifiable('what was submitted', 'no commit is recorded')];
  const base = before.findLast(({ event: name }) => name === 'claimed')?.base_commit;
  const bases = [base, task.base_commit].filter((one): one is string => typeof one === 'string');
  const from = `${short(commit)} builds on the base`;
  const based = bases.find((one) => one === commit || witness.builds.has(`${one}..${commit}`));
  return [
    ...exists('the submitted commit', commit, witness),
    ...(bases.length === 0
      ? []
      : [
          based === undefined
            ? contradicted(from, `it does not descend from ${bases.map(short).join(' or ')}`)
            : verified(from, short(based)),
        ]),
    ...(typeof pin === 'number' ? [pinned(task, pin, commit, witness)] : []),
    ...evidence(task, event, witness),
    ...otherNames(event),
  ];
}

/** Recorded at the submission; earlier versions did not look. A person may have done a coder’s work by hand. */
function otherNames({ diff }: HistoryEvent): readonly Fact[] {
  const list = isFields(diff) ? diff['named_otherwise'] : undefined;
  const named = isFields(list) && Array.isArray(list['paths']) ? list['paths'].map(String) : [];
  return named.map((one) => unverifiable('its commits bear the name of its coder', one));
}

/** Whether the evidence files are unchanged. Earlier versions recorded no hash: then there is no fact about them. */
function evidence(task: Task, event: HistoryEvent, { evidence: all }: Witness): readonly Fact[] {
  const digest = writtenDown(event)?.digest;
  const found = digest === undefined ? undefined : all.get(digest);
  if (found === undefined) return [];
  const what = `what Liza recorded of its runs, ${found.file}`;
  if (found.is === 'same') return [verified(what, 'it is unchanged, with its logs')];
  const newest = historyOf(task)
    .flatMap((one) => writtenDown(one) ?? [])
    .at(-1);
  if (found.is === 'gone' && !isTerminal(task.status) && newest?.digest === digest)
    return [unverifiable(what, 'it is missing, and the newest one of an unfinished task is never deleted')];
  if (found.is === 'gone') return [unverifiable(what, 'it is gone: old ones are deleted to free space')];
  return [contradicted(what, 'it has changed since it was written')];
}

function pinned(task: Task, pin: number, commit: string, { refs }: Witness): Fact {
  const ref = `refs/liza/review/${task.id}/${pin}`;
  const found = refs.get(ref);
  if (found === commit) return verified(`pinned as ${ref}`, `it points to ${short(commit)}`);
  return contradicted(
    `pinned as ${ref}`,
    found === undefined ? 'the ref is gone' : `it points to ${short(found)}, not to ${short(commit)}`,
  );
}

function verdict(task: Task, event: HistoryEvent, before: readonly HistoryEvent[], witness: Witness): readonly Fact[] {
  const { agent, commit } = event;
  const submitted = before.findLast(({ event: name }) => name === 'submitted')?.commit;
  const facts: Fact[] = [];
  if (typeof commit === 'string' && typeof submitted === 'string') {
    facts.push(
      commit === submitted
        ? verified('the verdict is on what was submitted', short(commit))
        : contradicted(
            'the verdict is on what was submitted',
            `it names ${short(commit)}, submitted was ${short(submitted)}`,
          ),
      ...exists('the judged commit', commit, witness),
    );
  } else facts.push(unverifiable('the verdict is on what was submitted', 'one of the commits is not recorded'));
  if (agent !== undefined) {
    facts.push(
      codersOf(task).includes(agent)
        ? contradicted('the reviewer never coded the task', `${agent} did`)
        : verified(
            'the reviewer never coded the task',
            `${agent}; its coders: ${codersOf(task).join(', ') || 'nobody'}`,
          ),
    );
  }
  return [...facts, ...criteria(task, event), ...beside(event)];
}

/** Blockers and concerns about files that the change left alone: true, and not the change's. */
const beside = (event: HistoryEvent): readonly Fact[] =>
  [
    ...besideTheChange(event),
    ...concernsOf(event).flatMap(({ outside, file }) =>
      outside === true ? [`${pathWord(file ?? '')}, which a concern names`] : [],
    ),
  ].map((one) =>
    unverifiable(`flagged: the change does not touch ${one}`, 'the diff does not show what is said of it'),
  );

const NOT_KNOWN: Readonly<Record<string, string>> = {
  true: 'no command that Liza ran could have run it',
  file: 'no command that Liza ran runs its file',
  values: 'nothing that was printed names it with these values',
  unreported: 'no runner that Liza ran reported it',
  empty: 'nothing in its body can fail',
  left_out: 'the command that runs its file chooses other tests by name',
};

/** What the approval names for each criterion. Tests and places were looked up in the commit when it was given. */
function criteria(task: Task, event: HistoryEvent): readonly Fact[] {
  if (event.by_hand === true) return [unverifiable(BY_HAND, 'an approval by hand names no evidence for the criteria')];
  return shownIn(event).map((one): Fact => {
    // Why a test is not known to have run is said once, behind it.
    const shown = one.not_run === undefined ? shownText(one) : shownBriefly(one);
    const what = `criterion ${one.n} (${asStored(one.criterion)}) → ${shown}`;
    if (one.by === 'nothing' || one.by === 'seen') return unverifiable(what, 'it names nothing that can be checked');
    if (one.not_run !== undefined) return unverifiable(what, NOT_KNOWN[String(one.not_run)] ?? 'it did not run');
    if (one.idle !== undefined) return unverifiable(what, 'its green says nothing about the change');
    if (one.outside === true) return unverifiable(what, 'the change does not touch that file');
    if (one.alone === true) return unverifiable(what, 'it is there, and nothing that ran shows what the program does');
    if (one.by === 'diff') return verified(what, 'git said so when the verdict was given');
    if (one.by !== 'ran') return verified(what, 'the commit had it when the verdict was given');
    return ranGreen(task, String(event.commit), one.what ?? '')
      ? verified(what, 'Liza ran it green at the commit')
      : contradicted(what, 'no green run of it is recorded at the commit');
  });
}

function merge(task: Task, event: HistoryEvent, before: readonly HistoryEvent[], witness: Witness): readonly Fact[] {
  const { merge_commit: merged, onto, commit } = event;
  const approval = before.findLast(({ event: name }) => name === 'approved');
  const approved = 'what was merged is what was approved';
  if (typeof merged !== 'string' || typeof commit !== 'string')
    return [unverifiable(approved, 'no commits are recorded')];
  return [
    approval === undefined
      ? contradicted(approved, 'no approval is recorded before the merge')
      : approval.commit === commit
        ? verified(approved, `${short(commit)}, approved by ${approval.agent ?? 'somebody'}`)
        : contradicted(approved, `merged was ${short(commit)}, approved ${short(String(approval.commit))}`),
    ...(task.merge_commit === merged
      ? []
      : [
          contradicted(
            'the merge commit of the record',
            `the record has ${short(String(task.merge_commit))}, its history ${short(merged)}`,
          ),
        ]),
    ...parentage(merged, typeof onto === 'string' ? onto : undefined, commit, witness),
    witness.line.includes(merged)
      ? verified(`${short(merged)} is on the integration branch`, 'by first parents')
      : contradicted(`${short(merged)} is on the integration branch`, 'it is not on its line of first parents'),
    ...namesFacts(task, event, before, witness.names.get(`${merged} ${task.id}`)),
    testFact(task, commit),
  ];
}

function parentage(
  merged: string,
  onto: string | undefined,
  commit: string,
  { commits, builds, mergedTrees }: Witness,
): readonly Fact[] {
  const what = `${short(merged)} joins the recorded base and the approved commit`;
  const found = commits.get(merged);
  if (found === undefined) return [contradicted(what, 'git has no such commit')];
  if (onto === undefined) return [unverifiable(what, 'where the branch was before is not recorded')];
  if (merged === onto) {
    const has = commit === onto || builds.has(`${commit}..${onto}`);
    return [
      has
        ? verified(what, 'the branch had it already')
        : contradicted(what, `${short(onto)} does not contain ${short(commit)}`),
    ];
  }
  if (merged === commit) {
    return [
      builds.has(`${onto}..${commit}`)
        ? verified(what, `a fast-forward from ${short(onto)}`)
        : contradicted(what, `${short(commit)} does not build on ${short(onto)}`),
    ];
  }
  if (found.parents[0] !== onto || found.parents[1] !== commit || found.parents.length !== 2) {
    return [
      contradicted(
        what,
        `its parents are ${found.parents.map(short).join(', ')}, not ${short(onto)}, ${short(commit)}`,
      ),
    ];
  }
  const tree = mergedTrees.get(`${onto} ${commit}`);
  const same = `the files of ${short(merged)} are those of the merge`;
  return [
    verified(what, `parents ${short(onto)}, ${short(commit)}`),
    tree === undefined
      ? unverifiable(same, 'git does not merge the two by itself now')
      : tree === found.tree
        ? verified(same, 'merging again gives the same tree')
        : contradicted(same, `merging again gives tree ${short(tree)}, the commit has ${short(found.tree)}`),
  ];
}

/** What Liza ran itself at the approved commit; the submission carries it. */
function testFact(task: Task, commit: string): Fact {
  const what = 'Liza ran its tests itself';
  const proof = proofAt(task, commit);
  if (proof === undefined || proof.runs.length === 0) return unverifiable(what, 'no run is recorded with the task');
  const red = proof.runs.filter(({ ok }) => !ok).map(({ command }) => command);
  if (red.length > 0) return contradicted(what, `red at ${short(commit)}: ${red.join(', ')}`);
  return verified(
    what,
    `${proof.runs.length} green at ${short(commit)}, ${proof.seconds} s: ${proof.commands.join(', ')}`,
  );
}
