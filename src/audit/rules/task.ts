// What the board says of a task, fact by fact, held against the journal and git: verified, contradicted or
// unverifiable. Compares only; audit/gather.ts gathers the witness. Nothing is taken from what an agent says of itself:
// an event counts because the journal has the entry that made it.

import { historyOf } from '../../protocol/leases.ts';
import type { HistoryEvent, Task } from '../../protocol/state.ts';
import { CHECKS } from './event-checks.ts';
import { contradicted, type Fact, short, unverifiable, verified, type Witness } from './facts.ts';
import { borneBy, sessionFacts } from './sessions.ts';

/** Which commands can have made an event. Others (notes of a person, limits) are told by the journal alone. */
const MAKERS: Readonly<Record<string, readonly string[]>> = {
  created: ['add-task', 'supersede', 'discovery-convert', 'discovery convert', 'external_edit', 'lock write'],
  finalized: ['finalize', 'add-task'],
  answered: ['answer'],
  claimed: ['claim-task'],
  pre_execution_checkpoint: ['begin'],
  declared: ['declare'],
  submitted: ['submit-for-review'],
  validated: ['record-validation'],
  validation_failed: ['record-validation'],
  validation_tried: ['record-trial'],
  review_copy: ['review-copy'],
  review_claimed: ['claim-review'],
  approved: ['submit-verdict'],
  rejected: ['submit-verdict'],
  merged: ['merge'],
  integration_failed: ['merge-failed'],
};

/** Only the agent itself can have done these. */
const OWN = new Set(['pre_execution_checkpoint', 'declared', 'submitted', 'approved', 'rejected']);

export function auditTask(task: Task, witness: Witness): readonly Fact[] {
  const history = historyOf(task);
  const facts = history.flatMap((event, at) => [
    byJournal(task, event, witness),
    ...(CHECKS[event.event]?.(task, event, history.slice(0, at), witness) ?? []),
  ]);
  return [
    recordFact(task, witness),
    ...facts,
    ...sessionFacts(task, witness),
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

function byJournal(task: Task, event: HistoryEvent, witness: Witness): Fact {
  const { entries, broken, imported } = witness;
  const what = describe(event);
  const makers = MAKERS[event.event];
  // By what the entry wrote, not by its time: that is read again when it is committed.
  const near = entries.filter(
    (entry) =>
      (entry.task === task.id || entry.records.includes(`tasks/${task.id}`)) &&
      entry.added.includes(event.time) &&
      entry.added.includes(event.event),
  );
  const made = makers === undefined ? near : near.filter(({ command }) => makers.includes(command));
  const own = OWN.has(event.event) ? made.filter(({ actor }) => actor === event.agent) : made;
  const [entry] = own;
  if (entry !== undefined) return borneBy(what, entry, event.time, witness);
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

function troubles(task: Task, { state, past = [], differing }: Witness): readonly Fact[] {
  const kept = [...past.map(({ id, anomalies }) => ({ at: `goals/${id}`, anomalies })), { at: 'anomalies', ...state }];
  const mine = kept.flatMap(({ at, anomalies }) =>
    anomalies.flatMap((anomaly) => (anomaly.task === task.id ? [{ odd: differing.get(at), ...anomaly }] : [])),
  );
  return mine.map(({ type, reporter, timestamp, details, odd }) => {
    const what = `anomaly ${type}, told by ${reporter ?? 'somebody'}: ${Object.values(details ?? {})
      .map(String)
      .join('; ')
      .slice(0, 200)}`;
    return odd === undefined ? verified(what, 'the journal has it', timestamp) : contradicted(what, odd, timestamp);
  });
}
