// Why an agent cannot continue, in a few words; and whether it gave up or only waits.

import type { Agent, Trouble } from '../state.ts';

export const TROUBLE_WORDS: Readonly<Record<Trouble, string>> = {
  quota: 'out of quota',
  network: 'its provider is unreachable',
  login: 'it needs a login',
  provider: 'its CLI does not start',
  'crash-loop': 'it crashed again and again',
  spin: 'its sessions changed nothing',
};

/** Its supervisor stopped for this; one that only waits says until when. */
export const gaveUp = (agent: Pick<Agent, 'trouble'> | undefined): Agent['trouble'] =>
  agent?.trouble?.until === undefined ? agent?.trouble : undefined;

/** What a person does where nobody starts it again by itself; empty where its own words say it, or it only waits. */
export const againText = (id: string, { kind, until }: NonNullable<Agent['trouble']>): string =>
  until !== undefined || (kind !== 'spin' && kind !== 'crash-loop')
    ? ''
    : `; read its log in .liza/agent-logs, then start one again: liza agent ${id.replace(/-\d+$/, '')}`;
