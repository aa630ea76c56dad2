// The hosts of a board that several machines share, as rules see them: which one this is, whether it takes new work, what it
// has, and which of them vanished. A board on one machine has none, and nothing here concerns it.

import type { Instant } from '../../text/time.ts';
import type { Board } from '../board.ts';
import { agentLease } from '../leases.ts';

export interface HostOnBoard {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Milliseconds since it was seen, by the server's clock, when the board was read. */
  readonly silent: number;
  /** It takes no new work. */
  readonly drained: boolean;
  /** What it has, and a task may need. */
  readonly tags: readonly string[];
}

/** What a host has is said in one word. */
export const TAG = /^[a-z0-9][a-z0-9.-]{0,31}$/;

const EXCHANGE = 'liza config set exchange <a git repository that all hosts reach>';

/** What one host commits reaches no other: what to do about it. undefined: there is one host, or an exchange. */
export function withoutExchange({ hosts = [], here, state }: Hosts & Pick<Board, 'state'>): string | undefined {
  if ((state.config.exchange ?? '') !== '' || !hosts.some((host) => host.id !== here && !host.drained))
    return undefined;
  return `${EXCHANGE}; without it what one host commits reaches no other`;
}

/** Hosts that have worked on this board and may again, while there is no exchange between them and this one. */
export function unreached(board: Hosts & Pick<Board, 'leases' | 'state'>): readonly HostOnBoard[] {
  if (withoutExchange(board) === undefined) return [];
  const worked = new Set([...board.leases.values()].map(({ host }) => host));
  return (board.hosts ?? []).filter(({ id, drained }) => id !== board.here && !drained && worked.has(id));
}

/** Why a commit that the board names is not in this repository, and what helps; undefined: there is no other host. */
export function commitElsewhere({ hosts, state }: Pick<Board, 'hosts' | 'state'>): string | undefined {
  if (hosts === undefined) return undefined;
  return (state.config.exchange ?? '') === ''
    ? `the host that made it has it (liza hosts), and hands it on through an exchange: ${EXCHANGE}`
    : 'the host that made it sends it to the exchange when its crew runs: liza hosts';
}

interface Needing {
  readonly needs?: readonly string[] | undefined;
}

type Hosts = Pick<Board, 'hosts' | 'here'>;

/** A host that works says every 15 seconds that it is there. */
export const VANISHED_AFTER = 60_000;

const isThere = ({ silent }: HostOnBoard): boolean => silent < VANISHED_AFTER;

const hostHere = ({ hosts, here }: Hosts): HostOnBoard | undefined => hosts?.find(({ id }) => id === here);

/** Why nothing new starts on this host; undefined: it may. */
export function whyDrained(board: Hosts): { readonly fact: string; readonly remedy: string } | undefined {
  const host = hostHere(board);
  if (host?.drained !== true) return undefined;
  return {
    fact: `${host.name} is drained: it takes no new work`,
    remedy: `Work goes on on the other hosts: liza hosts; to let this one work again: liza hosts drain ${host.name} --undo`,
  };
}

/** Tags that a task needs and this host does not have. */
export function missingHere(board: Hosts, { needs = [] }: Needing): readonly string[] {
  if (board.hosts === undefined) return [];
  const tags = hostHere(board)?.tags ?? [];
  return needs.filter((tag) => !tags.includes(tag));
}

/** What a task needs while no host that is there, and takes work, has all of it. */
export function missingEverywhere({ hosts }: Hosts, { needs = [] }: Needing): readonly string[] {
  if (hosts === undefined || needs.length === 0) return [];
  const able = hosts.filter((host) => !host.drained && isThere(host));
  return able.some(({ tags }) => needs.every((tag) => tags.includes(tag))) ? [] : needs;
}

export const noHostText = (task: string, missing: readonly string[]): string =>
  `${task} needs ${missing.join(', ')}, and no host that is there has it: liza hosts tag <host> ${missing.join(' ')}`;

export interface Vanished {
  readonly host: HostOnBoard;
  /** Agents whose supervisors it ran, and that no other host runs by now. */
  readonly agents: readonly string[];
}

/** Hosts that were at work and did not end in order. One that is drained is missed by nobody. */
export function vanishedHosts({ hosts = [], leases }: Pick<Board, 'hosts' | 'leases'>): readonly Vanished[] {
  return hosts.flatMap((host) => {
    if (host.drained || isThere(host)) return [];
    const agents = [...leases.values()].filter((lease) => lease.host === host.id && lease.stopped !== true);
    return agents.length === 0 ? [] : [{ host, agents: agents.map(({ agent }) => agent) }];
  });
}

export interface OthersMerge {
  readonly task: string;
  readonly by: string;
  readonly host: string;
}

/** Of a process, as the board names it: `boot@host/pid/start`. */
const HOST_OF = /@([^/]+)\//;

/**
 * A merge that another host has announced and may be at work on: its agent's lease lives, and it was seen. To take it over
 * would be safe, and cost that host its tests; two that did it to each other would merge nothing.
 */
export function othersMerge(board: Board, now: Instant): OthersMerge | undefined {
  for (const { id: task, merging } of board.state.tasks) {
    const host = board.hosts?.find(({ id }) => id === HOST_OF.exec(merging?.process ?? '')?.[1]);
    if (merging === undefined || host === undefined || host.id === board.here || !isThere(host)) continue;
    const lease = board.leases.get(merging.by);
    if (lease?.host !== host.id || agentLease(board, merging.by, now).expired) continue;
    return { task, by: merging.by, host: host.name };
  }
  return undefined;
}

/** The supervisor of its coder runs on another host: the folder with its work is there. */
export function isElsewhere(
  { hosts, here, leases }: Hosts & Pick<Board, 'leases'>,
  { assigned_to: coder }: { readonly assigned_to?: string | undefined },
): boolean {
  const host = hosts === undefined ? undefined : leases.get(coder ?? '')?.host;
  return host !== undefined && host !== here;
}
