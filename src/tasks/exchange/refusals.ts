// What people and agents are told when the exchange was not reached, or did not take something.

import type { Exchange } from '../../exchange/open.ts';
import type { Outcome } from '../../exchange/rules/outcome.ts';
import { type Refusal, refuse } from '../../protocol/decision.ts';

const LATER = 'nothing is lost; it is tried again; to see more: liza doctor';

/** `what` was to be done, as in `the merge of greet`. `again`: what its reader does, where that is no person. */
export function exchangeRefusal(
  { address }: Pick<Exchange, 'address'>,
  what: string,
  outcome: Exclude<Outcome, { readonly how: 'done' }>,
  again?: string,
): Refusal {
  const at = `the exchange ${address.shown}`;
  switch (outcome.how) {
    case 'unreachable':
      return refuse(
        `${what} waits: ${at} cannot be reached: ${outcome.why}`,
        again ?? LATER,
        2,
        'exchange-unreachable',
      );
    case 'refused':
      return refuse(`${what} waits: ${at} refuses: ${outcome.why}`, again ?? outcome.mend, 3, 'exchange-refused');
    case 'stale':
      return refuse(
        `${what} came too late: another host has moved ${outcome.ref} at ${at}`,
        'nothing has changed; it is tried again on what is there now',
        2,
        'exchange-stale',
      );
    case 'fenced':
      return refuse(
        `${what} is another host's by now`,
        'nothing has changed; see who does it: liza queue',
        2,
        'exchange-fenced',
      );
    default:
      return outcome satisfies never;
  }
}

export const isExchangeRefusal = ({ guard }: Pick<Refusal, 'guard'>): boolean =>
  guard?.startsWith('exchange-') === true;
