// The rows that record violations: an agent acted as somebody else, or moved a branch that is not its task's; somebody
// planted something in git or above the checkouts.
// Liza itself records them as anomalies, and an alarm lasts until somebody has processed them.

import { gist } from '../../../text/format.ts';
import { instant, iso } from '../../../text/time.ts';
import { roleOfId } from '../../board.ts';
import { event, evolve, patch, withAnomaly, withTask } from '../../change.ts';
import type { Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { findTask } from '../../find.ts';
import { checkCommits } from '../../ids.ts';
import { type Anomaly, isTerminal, type State } from '../../state.ts';
import { defined } from '../../values.ts';

/** Repeated attempts are counted once in this time, so that a loop does not fill the journal. */
const AGAIN_MS = 60_000;
/** So many different attempts of one agent have an anomaly each; further ones count with the last. */
const MOST_OPEN = 10;

const openOf = (state: State, agent: string): readonly Anomaly[] =>
  state.anomalies.filter(
    (one) => one.type === 'identity_violation' && one.processed_at === undefined && one.details?.['agent'] === agent,
  );

function sameBefore({ state, command }: Pick<Situation<'refused-attempt'>, 'state' | 'command'>): Anomaly | undefined {
  const open = openOf(state, command.agent);
  const same = open.find(
    ({ details }) => details?.['claimed'] === command.claimed && details['command'] === command.command,
  );
  return same ?? (open.length >= MOST_OPEN ? open.at(-1) : undefined);
}

export const violation: Row<'refused-attempt'> = {
  name: 'refused-attempt',
  syntax: 'anomaly processed <id>',
  summary: 'Record that an agent tried to act as somebody else, and was refused.',
  who: ['supervisor'],
  from: 'board',
  already: (s) => {
    const last = sameBefore(s)?.details?.['last'];
    return typeof last === 'string' && Math.abs(s.now - instant(last)) < AGAIN_MS;
  },
  guards: [
    {
      name: 'by-agent',
      rule: 'an agent made it, or a program that Liza runs',
      check: ({ command: { agent } }) =>
        roleOfId(agent) === undefined && agent !== 'program'
          ? refuse(`${agent} is not an agent`, 'Nothing needs to be done')
          : undefined,
    },
  ],
  effects: 'an anomaly identity_violation, or its count, at most once a minute; an alarm',
  change: (s) => {
    const { agent, claimed, command } = s.command;
    const detail = `${agent} tried to act as ${claimed}: ${command}`.slice(0, 300);
    const before = sameBefore(s);
    if (before === undefined) {
      const details = { agent, claimed, command: gist(command, 200), count: 1, last: iso(s.now) };
      const task = s.state.agents[agent]?.current_task;
      return { state: withAnomaly(s, s.state, { type: 'identity_violation', task, details }), detail };
    }
    const count = Number(before.details?.['count'] ?? 1) + 1;
    const counted = patch<Anomaly>(before, { details: { ...before.details, count, last: iso(s.now) } });
    const anomalies = s.state.anomalies.map((one) => (one === before ? counted : one));
    return { state: { ...s.state, anomalies }, detail };
  },
};

export const branchMoved: Row<'branch-moved'> = {
  name: 'branch-moved',
  syntax: 'anomaly processed <id>',
  summary:
    'Record that an agent moved a branch that is not its task’s, that one holds its unmerged commit, or is gone.',
  who: ['supervisor', 'human'],
  from: 'board',
  // Recorded once for each place of the branch, also after somebody has processed it; one that was back there and left
  // again, once more.
  already: ({ state, command: { branch, commit, seen } }) =>
    state.anomalies.some(
      ({ type, details, timestamp }) =>
        type === 'branch_moved' &&
        details?.['branch'] === branch &&
        details['commit'] === commit &&
        (seen === undefined || instant(timestamp ?? seen) >= instant(seen)),
    ),
  guards: [
    {
      name: 'commit',
      rule: 'it is a full commit id',
      check: ({ command: { commit, from = commit } }) => checkCommits(commit, from),
    },
    { name: 'by-agent', rule: 'an agent moved it', check: movedByAgent },
  ],
  effects: 'an anomaly branch_moved; an alarm; the commit is kept below refs/liza/strays',
  change: (s) => {
    const { agent, branch, commit, from, holds, lost } = s.command;
    const task = s.state.agents[agent]?.current_task;
    const details = defined({ agent, branch, commit, from, holds, lost });
    const moved = holds === true ? `${branch} holds unmerged work of ${agent}:` : `${agent} moved ${branch} to`;
    const what = lost === undefined ? moved : `${branch} was ${lost} while ${agent} worked; it was at`;
    return {
      state: withAnomaly(s, s.state, { type: 'branch_moved', task, details }),
      detail: `${what} ${commit.slice(0, 12)}`.slice(0, 300),
    };
  },
};

function movedByAgent({ command: { agent } }: Situation<'branch-moved'>): Refusal | undefined {
  if (roleOfId(agent) !== undefined) return undefined;
  return refuse(`${agent} is not an agent`, 'People may move their own branches');
}

export const plantedInGit: Row<'planted-in-git'> = {
  name: 'planted-in-git',
  syntax: 'anomaly processed <id>',
  summary: 'Record that something in git makes plain git show other content than Liza does.',
  who: ['supervisor', 'human'],
  from: 'board',
  // A ref is recorded once for each place that it leads to, also after somebody has processed it. A file in Liza's own
  // directory is removed when it is found: once it is processed, the next one is another.
  already: ({ state, command: { what, at, commit } }) =>
    state.anomalies.some(
      ({ type, details, processed_at }) =>
        type === 'git_planted' &&
        details?.['at'] === at &&
        details['commit'] === commit &&
        (what !== 'own' || processed_at === undefined),
    ),
  guards: [
    {
      name: 'commit',
      rule: 'where it leads is a full commit id',
      check: ({ command: { commit } }) => (commit === undefined ? undefined : checkCommits(commit)),
    },
  ],
  effects: 'an anomaly git_planted; an alarm',
  change: (s) => {
    const { what, at, commit, hides, agent } = s.command;
    const details = defined({ what, at: at.slice(0, 500), commit, hides, agent });
    return {
      state: withAnomaly(s, s.state, { type: 'git_planted', task: undefined, details }),
      detail: `planted in git: ${at}`.slice(0, 300),
    };
  },
};

export const plantedAbove: Row<'planted-above'> = {
  name: 'planted-above',
  syntax: 'anomaly processed <id>',
  summary: 'Record that modules or settings above the checkouts changed while agents work.',
  who: ['supervisor'],
  from: 'board',
  // Once for each change of the place, also after somebody has processed it.
  already: ({ state, command }) =>
    state.anomalies.some(
      ({ type, details }) =>
        type === 'planted_above' && details?.['at'] === command.at && details['changed'] === command.changed,
    ),
  guards: [],
  effects: 'an anomaly planted_above; an alarm',
  change: (s) => {
    const { task, at, changed, names, within } = s.command;
    const details = { at: at.slice(0, 500), changed, names: gist(names, 300), ...defined({ within }) };
    return {
      state: withAnomaly(s, s.state, { type: 'planted_above', task, details }),
      detail: `changed ${within ? 'while tested' : 'above the checkouts'}: ${at}`.slice(0, 300),
    };
  },
};

/** The approval, where it is still on record: before the last of several its task is under review. */
function approvalOf({ state, command }: Pick<Situation<'verdict-unfinished'>, 'state' | 'command'>) {
  const task = findTask(state, command.task);
  const given = task?.approvals?.findLast(({ by, commit }) => by === command.agent && commit === command.commit);
  return task === undefined || given === undefined || isTerminal(task.status) ? undefined : { task, given };
}

export const verdictUnfinished: Row<'verdict-unfinished'> = {
  name: 'verdict-unfinished',
  syntax: 'anomaly processed <id>',
  summary: 'Record that a session that approved did not end by itself.',
  who: ['supervisor'],
  from: 'board',
  // Once for each approval: another reviewer's, or a later one of the same commit, is another.
  already: (s) =>
    s.state.anomalies.some(
      ({ type, task, details }) =>
        type === 'verdict_disputed' &&
        task === s.command.task &&
        details?.['ended'] !== undefined &&
        details['agent'] === s.command.agent &&
        details['commit'] === s.command.commit &&
        details['approved_at'] === approvalOf(s)?.given.time,
    ),
  guards: [{ name: 'commit', rule: 'it is a full commit id', check: ({ command }) => checkCommits(command.commit) }],
  effects:
    'an anomaly verdict_disputed; an alarm; the task, under review or approved, is held (paused) until a person resumes it; elsewhere the approval goes',
  change: (s) => {
    const { task, agent, commit, ended } = s.command;
    const { task: approved, given } = approvalOf(s) ?? {};
    const held =
      (approved?.status === 'READY_FOR_REVIEW' || approved?.status === 'APPROVED') && approved.review_commit === commit;
    const details = {
      ...{ agent, commit, first: 'APPROVED', second: 'none', ended: gist(ended, 200) },
      ...defined({ held: held || undefined, approved_at: given?.time }),
    };
    const state =
      approved === undefined
        ? s.state
        : withTask(
            s.state,
            held
              ? evolve(approved, { paused: true }, event(s, 'paused'))
              : // The same commit may be submitted again.
                patch(approved, { approvals: approved.approvals?.filter((one) => one !== given) }),
          );
    return {
      state: withAnomaly(s, state, { type: 'verdict_disputed', task, details }),
      task,
      detail: `${agent} approved ${task} in a session that did not end by itself`.slice(0, 300),
    };
  },
};
