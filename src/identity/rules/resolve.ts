// Who really asks: a pure decision from what the environment claims and what the processes show. A process below an
// agent is that agent, whatever its environment says; a program that Liza runs is nobody. Everything here fails closed.
// Gathering the facts is the caller's part (identity/gather.ts).

import { type Actor, OPERATOR } from '../../protocol/board.ts';
import { type Refusal, refuse } from '../../protocol/decision.ts';
import type { Role } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';

/** What LIZA_AGENT_ID, LIZA_SESSION and LIZA_EPOCH say, and what the session records know of it. */
export interface Claim {
  /** Absent: the operator is claimed. */
  readonly id?: string;
  readonly role?: Role;
  readonly epoch?: number;
  readonly credential: Credential;
}

/**
 * `valid`: of the session that lives under this id. `over`: of one that has ended, or whose supervisor has.
 * `wrong`: of none that is known under this id. `none`: no credential was given.
 */
export type Credential = 'none' | 'valid' | 'wrong' | 'over';

export interface CallerFacts {
  readonly claim: Claim;
  /** The agent of this project below whose process this one runs. */
  readonly below?: string;
  /** It runs below a program that Liza runs for the project: a test, a set-up. */
  readonly program: boolean;
  /** A session of the claimed id lives. */
  readonly live: boolean;
  /** Whose credential was given, where no id was. */
  readonly owner?: string;
  /** The epoch of the session record, which an environment cannot change. */
  readonly epoch?: number;
  /** The session that the credential is of. */
  readonly session?: string;
}

/** A violation: an agent or program tried to act as somebody else, and was refused. */
export interface Attempt {
  /** An agent's id, or `program`. */
  readonly agent: string;
  readonly claimed: string;
}

export type ResolvedCaller =
  | { readonly actor: Actor }
  | { readonly refusal: Refusal; readonly attempt?: Attempt; readonly actor?: never };

export const PROGRAM = 'program';
/** Whom a program acts as that has the variables of the agent which runs it. */
export const THROUGH_A_PROGRAM = 'itself through a program that it runs';

export function resolveCaller(facts: CallerFacts): ResolvedCaller {
  const { claim, below: real, program } = facts;
  const claimed = claim.id ?? 'the operator';
  if (program) {
    const as = real !== undefined && real === claim.id ? THROUGH_A_PROGRAM : claimed;
    return attempted(real ?? PROGRAM, as, {
      fact: `this process belongs to a program that Liza runs for the project, and would act as ${claimed}`,
      hint: 'tests and set-up commands may read the blackboard (liza status, liza show) but not change it; a person must use a shell that none of them started',
    });
  }
  if (real !== undefined && claim.id !== real) {
    return attempted(real, claimed, {
      fact: `this process runs below ${real} and would act as ${claimed}`,
      hint: `act as ${real}: leave LIZA_AGENT_ID and LIZA_SESSION as they were set; a person must use a shell that no agent started`,
    });
  }
  if (claim.id === undefined) return withoutId(facts);
  switch (claim.credential) {
    case 'valid': {
      const epoch = facts.epoch ?? claim.epoch;
      const actor = actorOf(claim.id, claim.role === undefined ? [] : [claim.role], epoch);
      return { actor: facts.session === undefined ? actor : { ...actor, session: facts.session } };
    }
    case 'over':
      return { refusal: sessionOver(claim.id, real === undefined) };
    case 'wrong':
      return wrong(claim.id, real);
    case 'none':
      if (real !== undefined) return withoutCredential(claim.id, real);
      // An id with no live session may act as supervisor or as its agent. Once a session lives, the agent's own commands
      // need its credential.
      return {
        actor: actorOf(
          claim.id,
          facts.live || claim.role === undefined ? ['supervisor'] : ['supervisor', claim.role],
          claim.epoch,
        ),
      };
    default:
      return claim.credential satisfies never;
  }
}

const actorOf = (id: string, parts: Actor['parts'], epoch: number | undefined): Actor => ({
  id,
  parts,
  ...defined({ epoch }),
});

/** A process with a credential and no id is an agent that dropped its id, or a mistake: it never acts as the operator. */
function withoutId({ claim, owner }: CallerFacts): ResolvedCaller {
  if (claim.credential === 'none') return { actor: OPERATOR };
  const told = {
    fact: 'LIZA_SESSION is set and LIZA_AGENT_ID is not: a session’s credential never acts as the operator',
    hint: 'an agent keeps both as they were set; a person: unset LIZA_SESSION',
  };
  return owner === undefined ? { refusal: notYou(told, 'credential') } : attempted(owner, 'the operator', told);
}

function wrong(id: string, real: string | undefined): ResolvedCaller {
  const told = {
    fact: `LIZA_SESSION is not the credential of ${id}’s session`,
    hint: `only the agent’s process gets it; to act as yourself: unset LIZA_AGENT_ID LIZA_SESSION; as ${id}’s supervisor: unset LIZA_SESSION`,
  };
  return real === undefined
    ? { refusal: notYou(told, 'credential') }
    : attempted(real, `${real} with a made-up credential`, { ...told, hint: 'leave LIZA_SESSION as it was set' });
}

const withoutCredential = (id: string, real: string): ResolvedCaller =>
  attempted(
    real,
    `${id} without its credential`,
    {
      fact: `this process runs below ${real}, and LIZA_SESSION is not set`,
      hint: 'leave LIZA_SESSION as it was set: without it an agent’s command would count as its supervisor’s',
    },
    'credential',
  );

/** `maybePerson`: no agent is seen above it; variables of a session may have been left in somebody's shell. */
const sessionOver = (id: string, maybePerson: boolean): Refusal =>
  refuse(
    `this session of ${id} has ended`,
    `Stop now, with exit code 42: nothing this session does counts now${maybePerson ? '; a person: unset LIZA_AGENT_ID LIZA_SESSION' : ''}`,
    1,
    'credential',
  );

interface Told {
  readonly fact: string;
  readonly hint: string;
}

const notYou = ({ fact, hint }: Told, guard: 'identity' | 'credential'): Refusal => refuse(fact, hint, 1, guard);

const attempted = (
  agent: string,
  claimed: string,
  told: Told,
  guard: 'identity' | 'credential' = 'identity',
): ResolvedCaller => ({ refusal: notYou(told, guard), attempt: { agent, claimed } });
