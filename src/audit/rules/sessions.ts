// Who was behind a step: a session that a supervisor ran, the supervisor itself, or somebody at a shell who gave an
// agent's id. And of each session: by which CLI, and whether it was confined. Compares only.

import { usageText } from '../../budget/rules/format.ts';
import { roleOfId, SHELL, SUPERVISOR } from '../../protocol/board.ts';
import type { Goal, Task, TaskSession } from '../../protocol/state.ts';
import { sandboxText } from '../../sandbox/rules/session-label.ts';
import { counted } from '../../text/format.ts';
import { contradicted, type Fact, PROVIDERS_WORD, type Told, unverifiable, verified, type Witness } from './facts.ts';

/** What the journal's entry says of a step; a step under an agent's id needs a supervisor behind it. */
export function borneBy(what: string, entry: Told, time: string, { namedFrom }: Witness): Fact {
  const { seq, command, actor, session } = entry;
  const why = `journal entry ${seq}: ${command} by ${actor}`;
  if (session === SUPERVISOR || roleOfId(actor) === undefined) return verified(what, why, time);
  if (session !== undefined && session !== SHELL) return verified(what, `${why}, session ${session}`, time);
  if (seq < namedFrom) {
    return unverifiable(what, `${why}; the session is unknown: it was recorded before Liza recorded sessions`, time);
  }
  const alone = `${why}; no session of a supervisor is recorded for this step`;
  return { ...unverifiable(what, alone, time), unsupervised: true };
}

/** How many steps nobody answers for. */
export const unsupervised = (facts: readonly Fact[]): number => facts.filter((fact) => fact.unsupervised).length;

export const unconfined = (facts: readonly Fact[]): number => facts.filter((fact) => fact.unconfined).length;

export function sessionFacts(task: Task, witness: Witness): readonly Fact[] {
  const { usage, sessions = [] } = task;
  const ended = witness.entries.filter(({ command, task: about }) => command === 'session-end' && about === task.id);
  if (usage === undefined && ended.length === 0) return [];
  const told = sessions.map((one) => sessionFact(one, ended, witness));
  const older = ended.filter(({ added }) => !sessions.some(({ id }) => added.includes(id)));
  return [
    howMany(usage?.sessions ?? 0, ended, witness),
    ...told,
    ...older.map((one) =>
      unverifiable(
        `a session of ${agentOf(one)}`,
        `journal entry ${one.seq}; whether it was confined is unknown`,
        one.time,
      ),
    ),
    ...(usage === undefined ? [] : [unverifiable(usageText(usage), PROVIDERS_WORD)]),
  ];
}

/** The planner's sessions, which are on no task. */
export function plannerFacts({ sessions = [] }: Pick<Goal, 'sessions'>, witness: Witness): readonly Fact[] {
  const ended = witness.entries.filter(({ command, task }) => command === 'session-end' && task === undefined);
  return sessions.map((one) => sessionFact(one, ended, witness));
}

/** Whose session ended: its own supervisor says so, or, once that was gone, another one, which changes its record. */
const agentOf = ({ actor, records }: Told): string =>
  roleOfId(actor) === undefined ? (records.find(isAgent)?.slice(AGENT.length) ?? actor) : actor;

const AGENT = 'agents/';
const isAgent = (record: string): boolean => record.startsWith(AGENT);

function howMany(said: number, ended: readonly Told[], { imported }: Witness): Fact {
  const what = `${counted(said, 'session')} on it`;
  if (said === ended.length) {
    const agents = [...new Set(ended.map(agentOf))];
    return verified(what, `as many entries: ${agents.join(', ')}`);
  }
  if (imported) return unverifiable(what, 'the board was imported');
  return contradicted(what, `the journal has ${ended.length}`);
}

function sessionFact(session: TaskSession, ended: readonly Told[], { broken, imported }: Witness): Fact {
  const { id, agent, provider, since, ended: time, sandbox } = session;
  const what = `session ${id} of ${agent} (${provider}) since ${since}, ${sandboxText(sandbox)}`;
  const mine = ended.find(
    (entry) => agentOf(entry) === agent && [id, time, sandbox].every((one) => entry.added.includes(one)),
  );
  if (mine !== undefined) {
    const fact = verified(what, `journal entry ${mine.seq}`, time);
    return sandbox === 'off' ? { ...fact, unconfined: true } : fact;
  }
  if (broken.length > 0) return unverifiable(what, 'the journal is broken', time);
  if (imported) return unverifiable(what, 'older than the journal: the board was imported', time);
  return contradicted(what, 'the journal has no entry that made it', time);
}
