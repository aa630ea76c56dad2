// What the board says of a task, fact by fact, held against the journal and git: verified, contradicted, or such
// that nobody can tell. Compares only; who gathered the witness is workflows/audit.ts. Nothing here is taken from
// what an agent says of itself: an event counts because the journal has the entry that made it.

import { codersOf, historyOf } from './holding.ts';
import type { HistoryEvent, State, Task } from './state.ts';
import { isFields } from './values.ts';

export type Mark = 'verified' | 'unverifiable' | 'contradicted';

export interface Fact {
  readonly time?: string;
  /** What is claimed, in one line. */
  readonly what: string;
  readonly mark: Mark;
  /** What bears it out, or what speaks against it. */
  readonly why: string;
}

export interface Told {
  readonly seq: number;
  readonly time: string;
  readonly actor: string;
  readonly command: string;
  readonly task?: string;
  readonly detail: string;
  /** Records it touched, as `tasks/a`. */
  readonly records: readonly string[];
  /** The text that it put into the state. */
  readonly added: string;
}

export interface CommitFacts {
  readonly parents: readonly string[];
  readonly tree: string;
}

/** Everything outside the record of the task itself. */
export interface Witness {
  /** As the journal has it. */
  readonly state: State;
  /** All tasks, archived ones first, as the journal has them. */
  readonly tasks: readonly Task[];
  readonly entries: readonly Told[];
  /** What is wrong with the journal; empty: its chain holds. */
  readonly broken: readonly string[];
  /** A board that was written by hand came in whole: what lay before it has no entries. */
  readonly imported: boolean;
  /** How state.yaml and the archive differ from what the journal leads to, by record. */
  readonly differing: ReadonlyMap<string, string>;
  /** state.yaml lags behind, or is missing: not wrong, but not to be compared. */
  readonly behind?: string;
  /** Of every commit that the board names; one that is missing here does not exist. */
  readonly commits: ReadonlyMap<string, CommitFacts>;
  readonly refs: ReadonlyMap<string, string>;
  /** The integration branch, newest first, by first parents. */
  readonly line: readonly string[];
  /** `<older>..<newer>` where the newer one builds on the older. */
  readonly builds: ReadonlySet<string>;
  /** What git makes of two commits: `<onto> <commit>` to a tree. */
  readonly mergedTrees: ReadonlyMap<string, string>;
}

export const verified = (what: string, why: string, time?: string): Fact => fact('verified', what, why, time);
export const unverifiable = (what: string, why: string, time?: string): Fact => fact('unverifiable', what, why, time);
export const contradicted = (what: string, why: string, time?: string): Fact => fact('contradicted', what, why, time);

const fact = (mark: Mark, what: string, why: string, time?: string): Fact => ({
  ...(time === undefined ? {} : { time }),
  what,
  mark,
  why,
});

/** Which commands can have made an event. Others (notes of a person, limits) are told by the journal alone. */
const MAKERS: Readonly<Record<string, readonly string[]>> = {
  created: ['add-task', 'supersede', 'discovery-convert', 'discovery convert', 'external_edit', 'lock write'],
  finalized: ['finalize', 'add-task'],
  claimed: ['claim-task'],
  pre_execution_checkpoint: ['begin'],
  submitted: ['submit-for-review'],
  validated: ['record-validation'],
  review_claimed: ['claim-review'],
  approved: ['submit-verdict'],
  rejected: ['submit-verdict'],
  merged: ['merge'],
  integration_failed: ['merge-failed'],
};

/** Only the agent itself can have done these. */
const OWN = new Set(['pre_execution_checkpoint', 'submitted', 'approved', 'rejected']);

export function auditTask(task: Task, witness: Witness): readonly Fact[] {
  const history = historyOf(task);
  const facts = history.flatMap((event, at) => [
    byJournal(task, event, witness),
    ...(CHECKS[event.event]?.(task, event, history.slice(0, at), witness) ?? []),
  ]);
  return [
    recordFact(task, witness),
    ...facts,
    ...sessions(task, witness),
    ...people(task, witness),
    ...troubles(task, witness),
  ];
}

function recordFact(task: Task, { differing, behind, broken }: Witness): Fact {
  const what = `the record of ${task.id} (${task.status})`;
  const other = differing.get(`tasks/${task.id}`);
  if (other !== undefined) return contradicted(what, other);
  if (broken.length > 0) return unverifiable(what, 'the journal is broken');
  return behind === undefined ? verified(what, 'the journal leads to it') : unverifiable(what, behind);
}

function byJournal(task: Task, event: HistoryEvent, { entries, broken, imported }: Witness): Fact {
  const what = describe(event);
  const makers = MAKERS[event.event];
  // By what the entry wrote, not by its time: that is read again when it is committed.
  const near = entries.filter(
    ({ task: about, records, added }) =>
      (about === task.id || records.includes(`tasks/${task.id}`)) &&
      added.includes(event.time) &&
      added.includes(event.event),
  );
  const made = makers === undefined ? near : near.filter(({ command }) => makers.includes(command));
  const own = OWN.has(event.event) ? made.filter(({ actor }) => actor === event.agent) : made;
  const [entry] = own;
  if (entry !== undefined)
    return verified(what, `journal entry ${entry.seq}: ${entry.command} by ${entry.actor}`, event.time);
  if (made[0] !== undefined) return contradicted(what, `entry ${made[0].seq} says it was ${made[0].actor}`, event.time);
  if (broken.length > 0) return unverifiable(what, 'the journal is broken', event.time);
  if (imported) return unverifiable(what, 'older than the journal: the board was imported', event.time);
  return contradicted(what, 'the journal has no entry that made it', event.time);
}

const WORDS: Readonly<Record<string, string>> = {
  pre_execution_checkpoint: 'checkpoint',
  review_claimed: 'review claimed',
};

function describe(event: HistoryEvent): string {
  const { event: name, agent, iteration, epoch, commit, merge_commit: merge, pin, head } = event;
  const parts = [
    ...(agent === undefined ? [] : [`by ${agent}`]),
    ...(typeof iteration === 'number' ? [`iteration ${iteration}`] : []),
    ...(typeof epoch === 'number' ? [`epoch ${epoch}`] : []),
    ...(typeof pin === 'number' ? [`pin ${pin}`] : []),
    ...(typeof head === 'string' ? [`at ${short(head)}`] : []),
    ...(typeof merge === 'string' ? [`as ${short(merge)}`] : []),
    ...(typeof commit === 'string' ? [`of ${short(commit)}`] : []),
  ];
  return [WORDS[name] ?? name.replaceAll('_', ' '), ...parts].join(', ');
}

type Check = (task: Task, event: HistoryEvent, before: readonly HistoryEvent[], witness: Witness) => readonly Fact[];

const CHECKS: Readonly<Record<string, Check>> = {
  claimed: (_task, { base_commit: base }, _before, witness) => exists('its base', base, witness),
  pre_execution_checkpoint: checkpoint,
  submitted: submission,
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

/** Bound to where the iteration began: so the code came after it. */
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
  ];
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
  return facts;
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
    testFact(event, before),
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
        ? verified(same, 'merged again, git comes to the same tree')
        : contradicted(same, `merged again, git comes to tree ${short(tree)}, the commit has ${short(found.tree)}`),
  ];
}

/** What Liza ran itself, at this commit. */
function testFact({ commit, tested }: HistoryEvent, before: readonly HistoryEvent[]): Fact {
  const ran = before.findLast((one) => one.event === 'validated' && one.commit === commit);
  const what = 'Liza ran its tests itself';
  if (ran !== undefined && isFields(ran.proof)) {
    const { seconds } = ran.proof;
    return verified(
      what,
      `at ${short(String(commit))}, ${typeof seconds === 'number' ? `${seconds} s, ` : ''}recorded at ${ran.time}`,
    );
  }
  if (isFields(tested)) return verified(what, 'the integration test, on the merge candidate');
  return unverifiable(what, 'no result is recorded with the task');
}

function sessions(task: Task, { entries, imported }: Witness): readonly Fact[] {
  const { usage } = task;
  const ended = entries.filter(({ command, task: about }) => command === 'session-end' && about === task.id);
  if (usage === undefined && ended.length === 0) return [];
  const what = `${usage?.sessions ?? 0} sessions on it`;
  const counted =
    usage?.sessions === ended.length
      ? verified(
          what,
          `as many entries: ${ended
            .map(({ actor }) => actor)
            .filter((one, at, all) => all.indexOf(one) === at)
            .join(', ')}`,
        )
      : imported
        ? unverifiable(what, 'the board was imported')
        : contradicted(what, `the journal has ${ended.length}`);
  const spent = `${usage?.input_tokens ?? 0} tokens in, ${usage?.output_tokens ?? 0} out`;
  return [counted, unverifiable(spent, 'the providers’ own word')];
}

/** What a person did to this very task. */
function people(task: Task, { entries, broken }: Witness): readonly Fact[] {
  const by = entries.filter(
    ({ actor, task: about, records, command }) =>
      (actor === 'human' || command === 'external_edit') && (about === task.id || records.includes(`tasks/${task.id}`)),
  );
  return by.map(({ time, command, detail, seq }) => {
    const what = `a person: ${command}: ${detail}`;
    return broken.length === 0
      ? verified(what, `journal entry ${seq}`, time)
      : unverifiable(what, 'the journal is broken', time);
  });
}

function troubles(task: Task, { state, differing }: Witness): readonly Fact[] {
  const mine = state.anomalies.filter((anomaly) => anomaly.task === task.id);
  const odd = differing.get('anomalies');
  return mine.map(({ type, reporter, timestamp, details }) => {
    const what = `anomaly ${type}, told by ${reporter ?? 'somebody'}: ${Object.values(details ?? {})
      .map(String)
      .join('; ')
      .slice(0, 200)}`;
    return odd === undefined ? verified(what, 'the journal has it', timestamp) : contradicted(what, odd, timestamp);
  });
}

export const short = (commit: string): string => commit.slice(0, 12);
