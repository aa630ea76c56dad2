// The rows of `sync` and `finish`, which a person asks for: their branch comes into the integration branch, or the
// integration branch into theirs. As with a task's merge, the intent is recorded before a branch moves, and the outcome,
// a fact, is recorded by anyone, so that a move whose process died is finished or taken back.

import { iso } from '../../../text/time.ts';
import { actorName } from '../../board.ts';
import { aligned, withGoal } from '../../change.ts';
import type { Change, Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { checkCommits } from '../../ids.ts';
import type { Goal } from '../../state.ts';
import { defined } from '../../values.ts';
import { list } from '../words.ts';
import { integrationAccepted, integrationKnown } from './integration.ts';

type Reserving = Situation<'reserve-sync'> | Situation<'reserve-finish'>;

export const reserveSync: Row<'reserve-sync'> = {
  name: 'reserve-sync',
  typed: 'sync',
  syntax: 'sync',
  summary: 'Announce the merge of a person’s branch into the integration branch.',
  who: ['human'],
  from: 'board',
  irreversible: true,
  startsWork: true,
  guards: [
    { name: 'commits', rule: 'commit, candidate and onto are full commit ids', check: fullCommits },
    { name: 'branch', rule: 'it is a person’s branch: neither the integration branch nor a task’s', check: ownBranch },
    {
      name: 'integration-accepted',
      rule: 'the integration branch did not move outside Liza, or a person accepted it',
      check: integrationAccepted,
    },
    { name: 'integration-known', rule: 'onto is where Liza left the integration branch', check: integrationKnown },
    { name: 'not-being-merged', rule: 'no other sync or finish is under way', check: nobodyMoves },
    {
      name: 'no-unreviewed-work',
      rule: 'it brings no agent’s commit that Liza did not merge, unless the person says so',
      check: ({ command }) => {
        const { unreviewed = [], with_unreviewed } = command;
        if (unreviewed.length === 0 || with_unreviewed === true) return undefined;
        return refuse(
          `${command.branch} has commits of agents that were not reviewed and merged: ${list(unreviewed.map((id) => id.slice(0, 12)))}`,
          `Look at them: git show ${unreviewed[0]?.slice(0, 12)}; to merge them anyway: liza sync --with-unreviewed`,
        );
      },
    },
  ],
  effects: 'goal.moving {kind: sync, branch, commit, candidate, onto, by, since, process, test_from}',
  change: (s) =>
    announce(
      s,
      'sync',
      `${s.command.branch} comes into ${s.settings.integration_branch} as ${short(s.command.candidate)}${judgedBy(s.command.test_from)}`,
    ),
};

export const sync: Row<'sync'> = {
  name: 'sync',
  syntax: 'sync',
  summary: 'Record that a person’s branch was merged into the integration branch.',
  who: ['supervisor', 'human'],
  from: 'board',
  inner: true,
  irreversible: true,
  already: ({ state, command }) =>
    state.goal.moving === undefined && state.goal.syncs?.at(-1)?.merge_commit === command.merge_commit,
  guards: [
    { name: 'merge-commit', rule: 'the merge commit is a full commit id', check: fullMergeCommit },
    { name: 'announced', rule: 'exactly this sync was announced', check: (s) => announced(s, 'sync') },
  ],
  effects: 'goal.integration_head; a line in goal.syncs; goal.moving goes; running coders are told which files changed',
  change: ({ state, settings, command, now }) => {
    const { branch = '', commit = '', onto = '', by = '', test_from } = state.goal.moving ?? {};
    const { merge_commit } = command;
    const done = { branch, commit, merge_commit, onto, by, time: iso(now), ...defined({ test_from }) };
    return {
      state: withGoal(state, {
        integration_head: merge_commit,
        moving: undefined,
        syncs: [...(state.goal.syncs ?? []), done],
      }),
      detail: `${branch} at ${short(commit)} is in ${settings.integration_branch}, which is at ${short(merge_commit)} now${judgedBy(test_from)}`,
    };
  },
};

export const reserveFinish: Row<'reserve-finish'> = {
  name: 'reserve-finish',
  typed: 'finish',
  syntax: 'finish',
  summary: 'Announce the merge of the integration branch into a person’s branch.',
  who: ['human'],
  from: 'board',
  irreversible: true,
  guards: [
    { name: 'commits', rule: 'commit, candidate and onto are full commit ids', check: fullCommits },
    { name: 'branch', rule: 'it is a person’s branch: neither the integration branch nor a task’s', check: ownBranch },
    {
      name: 'integration-accepted',
      rule: 'the integration branch did not move outside Liza, or a person accepted it',
      check: integrationAccepted,
    },
    {
      name: 'integration-known',
      rule: 'exactly what Liza left on the integration branch is merged',
      check: ({ state, command }) => {
        const { integration_head: head } = state.goal;
        if (head === command.commit) return undefined;
        return refuse(
          `${command.commit} is not where Liza left the integration branch (${head ?? 'not recorded'})`,
          'Run it again; see where it is: liza doctor',
        );
      },
    },
    { name: 'not-being-merged', rule: 'no other sync or finish is under way', check: nobodyMoves },
  ],
  effects: 'goal.moving {kind: finish, branch, commit, candidate, onto, by, since, process}',
  change: (s) =>
    announce(
      s,
      'finish',
      `${s.settings.integration_branch} comes into ${s.command.branch} as ${short(s.command.candidate)}`,
    ),
};

export const finish: Row<'finish'> = {
  name: 'finish',
  syntax: 'finish',
  summary: 'Record that the integration branch was merged into a person’s branch.',
  who: ['supervisor', 'human'],
  from: 'board',
  inner: true,
  irreversible: true,
  guards: [
    { name: 'merge-commit', rule: 'the merge commit is a full commit id', check: fullMergeCommit },
    { name: 'announced', rule: 'exactly this finish was announced', check: (s) => announced(s, 'finish') },
  ],
  effects: 'a line in alignment_history; goal.moving goes',
  change: (s) => {
    const { branch = '', commit: head = '' } = s.state.goal.moving ?? {};
    const { merge_commit } = s.command;
    const { integration_branch: integration } = s.settings;
    const summary = `${integration} at ${head} is in ${branch}, which is at ${merge_commit} now`;
    return {
      state: aligned(s, withGoal(s.state, { moving: undefined }), 'finished', summary, { head, branch, merge_commit }),
      detail: `${integration} at ${short(head)} is in ${branch}, which is at ${short(merge_commit)} now`,
    };
  },
};

export const releaseMove: Row<'release-move'> = {
  name: 'release-move',
  typed: 'sync',
  syntax: 'sync',
  summary: 'Cancel the announcement of a sync or finish that moved no branch.',
  who: ['supervisor', 'human'],
  from: 'board',
  inner: true,
  irreversible: true,
  already: ({ state }) => state.goal.moving === undefined,
  guards: [
    {
      name: 'nobody-merges',
      rule: 'its process is gone or was never named, or that process itself cancels it',
      check: nobodyMoves,
    },
  ],
  effects: 'goal.moving goes',
  change: ({ state }) => ({
    state: withGoal(state, { moving: undefined }),
    detail: `${state.goal.moving?.kind} of ${state.goal.moving?.branch} given up`,
  }),
};

function announce({ state, actor, now, command }: Reserving, kind: 'sync' | 'finish', detail: string): Change {
  const { branch, commit, candidate, onto, process } = command;
  const by = actorName(actor);
  const moving: Goal['moving'] = {
    kind,
    branch,
    commit,
    candidate,
    onto,
    by,
    since: iso(now),
    ...defined({ process, test_from: 'test_from' in command ? command.test_from : undefined }),
  };
  return { state: withGoal(state, { moving }), detail: `${by}: ${detail}` };
}

function fullCommits({ command }: Reserving): Refusal | undefined {
  return checkCommits(command.commit, command.candidate, command.onto);
}

function fullMergeCommit({ command }: Situation<'sync'> | Situation<'finish'>): Refusal | undefined {
  return checkCommits(command.merge_commit);
}

function ownBranch({ settings, command }: Reserving): Refusal | undefined {
  const { name, branch } = command;
  const isTasks = branch.startsWith('task/');
  if (branch !== settings.integration_branch && !isTasks) return undefined;
  return refuse(
    `${branch} is ${isTasks ? 'a task’s branch' : 'the integration branch itself'}`,
    `Name a branch of your own: liza ${name === 'reserve-sync' ? 'sync' : 'finish'} main`,
  );
}

/** An announcement of the same process, or of one that has died, stands in nobody's way. */
function nobodyMoves({ board, state, command }: Reserving | Situation<'release-move'>): Refusal | undefined {
  const { moving } = state.goal;
  if (moving === undefined || moving.process === undefined || moving.process === command.process) return undefined;
  if (board.gone?.has(moving.process)) return undefined;
  return refuse(
    `${moving.by} runs a ${moving.kind} of ${moving.branch} right now`,
    'Wait for it; if its process died: liza doctor --fix',
  );
}

function announced(
  { state, command }: Situation<'sync'> | Situation<'finish'>,
  kind: 'sync' | 'finish',
): Refusal | undefined {
  const { moving } = state.goal;
  if (moving?.kind === kind && moving.candidate === command.merge_commit) return undefined;
  return refuse(`no ${kind} at ${command.merge_commit} was announced`, `Run it: liza ${kind}`);
}

const judgedBy = (side: 'candidate' | undefined): string =>
  side === undefined ? '' : ', judged by the integration test that it brings';

const short = (commit: string): string => commit.slice(0, 12);
