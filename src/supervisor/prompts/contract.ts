// The contract of a session: what holds for every agent, for this mode and for this role, as one text.
// Pairing mode is left out: in Liza no person is there to approve.

import type { Role } from '../../protocol/state.ts';

/** The pages of contracts/, read by the caller. */
interface ContractPages {
  readonly core: string;
  /** MULTI_AGENT_MODE.md */
  readonly mode: string;
  /** roles/<role>.md */
  readonly role: string;
}

/** Where a role's pages are, below the package or ~/.liza. */
export const contractPaths = (role: Role): ContractPages => ({
  core: 'contracts/CORE.md',
  mode: 'contracts/MULTI_AGENT_MODE.md',
  role: `contracts/roles/${role.replace('_', '-')}.md`,
});

export function contractFor(role: Role, pages: ContractPages): string {
  const opening = `You are a Liza agent in the role ${role.replace('_', '-')}. This contract applies to the whole session; your task follows in the prompt.`;
  return `${[opening, pages.core, pages.mode, pages.role].map((page) => page.trim()).join('\n\n')}\n`;
}
