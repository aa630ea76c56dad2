// Which ids the agents of a crew get. On one machine they are counted from one. Where several hosts share a board each host
// keeps its own, so that after a restart its agents go on with what their folders hold, and takes none of another host's.

import type { Board } from '../../protocol/board.ts';
import { ROLES, type Role } from '../../protocol/state.ts';

type Hosts = Pick<Board, 'hosts' | 'here' | 'leases'>;

export type CrewIds = Readonly<Record<Role, readonly string[]>>;

export function crewIds(board: Hosts, counts: Readonly<Record<Role, number>>): CrewIds {
  const ids = ROLES.map((role) => [role, idsOf(board, role, counts[role])] as const);
  return Object.fromEntries(ids) as Record<Role, readonly string[]>;
}

function idsOf({ hosts, here, leases }: Hosts, role: Role, count: number): readonly string[] {
  const name = (n: number): string => `${role.replace('_', '-')}-${n}`;
  const ofHost = (id: string): string | undefined => (hosts === undefined ? undefined : leases.get(id)?.host);
  const all = Array.from({ length: count + leases.size }, (_, at) => name(at + 1));
  const own = all.filter((id) => ofHost(id) !== undefined && ofHost(id) === here);
  const free = all.filter((id) => ofHost(id) === undefined);
  return [...own, ...free].slice(0, count);
}
