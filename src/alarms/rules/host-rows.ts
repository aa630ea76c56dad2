// Of a board that several hosts share: one that vanished, work that no host can do, a database or an exchange that cannot be
// used.

import type { Board } from '../../protocol/board.ts';
import { isTerminal } from '../../protocol/state.ts';
import { missingEverywhere, noHostText, vanishedHosts } from '../../protocol/work/hosts.ts';
import { gist, listed } from '../../text/format.ts';
import { type Alarm, alarm, warning } from './alarm.ts';

export interface StoreTrouble {
  /** It has lost entries that were seen: another case than one that does not answer. */
  readonly isSetBack: boolean;
  readonly text: string;
}

export function storeAlarms({ store }: { readonly store?: StoreTrouble | undefined }): readonly Alarm[] {
  if (store === undefined) return [];
  const { isSetBack, text } = store;
  return [alarm(isSetBack ? 'STORE SET BACK' : 'STORE UNREACHABLE', undefined, gist(text, 400))];
}

export const exchangeAlarms = ({ exchange }: { readonly exchange?: string | undefined }): readonly Alarm[] =>
  exchange === undefined ? [] : [alarm('EXCHANGE UNREACHABLE', undefined, gist(exchange, 400))];

/** Also when the goal has ended: the machine is still gone. */
export const hostAlarms = (board: Pick<Board, 'hosts' | 'leases'>): readonly Alarm[] =>
  vanishedHosts(board).map(({ host: { id, name }, agents }) => {
    const words = `${name} — it ran ${listed(agents)} and is silent; its tasks are free when their leases end; if it does not come back: liza hosts drain ${id}`;
    return alarm('HOST LOST', id, words);
  });

export const noHostFits = (board: Pick<Board, 'hosts' | 'here' | 'state'>): readonly Alarm[] =>
  board.state.tasks.flatMap((task) => {
    if (isTerminal(task.status) || task.status === 'DRAFT') return [];
    const missing = missingEverywhere(board, task);
    return missing.length === 0 ? [] : [warning('NO HOST FITS', task.id, noHostText(task.id, missing))];
  });
