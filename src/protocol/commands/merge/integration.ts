// The rows about the integration branch, which only Liza moves. When somebody else moved it, that is recorded and no
// merge starts until a person has accepted where the branch is now.

import { iso } from '../../../text/time.ts';
import { aligned, withGoal } from '../../change.ts';
import type { Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { checkCommits } from '../../ids.ts';

export const integrationMoved: Row<'integration-moved'> = {
  name: 'integration-moved',
  syntax: 'doctor --accept-integration',
  summary: 'Record that the integration branch is not where Liza left it.',
  who: ['supervisor', 'human'],
  from: 'board',
  irreversible: true,
  already: ({ state, command }) => state.goal.integration_moved?.found === command.found,
  guards: [
    { name: 'commit', rule: 'it is a full commit id', check: ({ command }) => checkCommits(command.found) },
    { name: 'moved', rule: 'a head is recorded, and the branch is elsewhere', check: elsewhere },
  ],
  effects: 'goal.integration_moved {expected, found, time}; an alarm; no merge starts until it is accepted',
  change: ({ state, command, now }) => {
    const expected = state.goal.integration_head ?? command.found;
    return {
      state: withGoal(state, { integration_moved: { expected, found: command.found, time: iso(now) } }),
      detail: `integration moved outside Liza: ${expected.slice(0, 12)} → ${command.found.slice(0, 12)}`,
    };
  },
};

function elsewhere({ state, command, commandLine }: Situation<'integration-moved'>): Refusal | undefined {
  const { integration_head: head } = state.goal;
  if (head === undefined) {
    return refuse(
      'it is not recorded where Liza left the integration branch',
      `Record it: ${commandLine('accept-integration')}`,
    );
  }
  return head === command.found
    ? refuse(`the integration branch is where Liza left it, at ${head}`, 'Nothing needs to be done')
    : undefined;
}

export const acceptIntegration: Row<'accept-integration'> = {
  name: 'accept-integration',
  typed: 'doctor --accept-integration',
  syntax: 'doctor --accept-integration',
  summary: 'Accept where the integration branch is now; merges continue from there.',
  who: ['human'],
  from: 'board',
  irreversible: true,
  already: ({ state, command }) =>
    state.goal.integration_head === command.head && state.goal.integration_moved === undefined,
  guards: [{ name: 'commit', rule: 'it is a full commit id', check: ({ command }) => checkCommits(command.head) }],
  effects: 'goal.integration_head; goal.integration_moved goes; a line in alignment_history',
  change: (s) => {
    const { head } = s.command;
    const summary = `integration accepted at ${head}, was ${s.state.goal.integration_head ?? 'not recorded'}`;
    const accepted = withGoal(s.state, { integration_head: head, integration_moved: undefined });
    return { state: aligned(s, accepted, 'integration_accepted', summary, { head }), detail: summary };
  },
};

/** A merge on top of commits that nobody has looked at would make them the base of all further work. */
export function integrationAccepted({
  state,
  commandLine,
}: Pick<Situation<'reserve-merge'>, 'state' | 'commandLine'>): Refusal | undefined {
  const moved = state.goal.integration_moved;
  if (moved === undefined) return undefined;
  const { expected, found } = moved;
  return refuse(
    `the integration branch moved outside Liza: it is at ${found}, Liza left it at ${expected}`,
    `Look at it (git log --left-right ${expected}...${found}), then: ${commandLine('accept-integration')}`,
  );
}

interface Onto extends Pick<Situation<'reserve-merge'>, 'state'> {
  readonly command: { readonly onto: string };
}

export function integrationKnown({ state, command }: Onto): Refusal | undefined {
  const { integration_head: head } = state.goal;
  if (head === undefined || head === command.onto) return undefined;
  return refuse(`onto ${command.onto} is not where Liza left the integration branch (${head})`, 'Run it again');
}
