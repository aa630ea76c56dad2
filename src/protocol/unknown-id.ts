// Refuses an id that nothing has: says so, names the one that was probably meant, and where the others are listed.

import { nearest } from '../text/nearest.ts';
import type { Board } from './board.ts';
import { type Refusal, refuse } from './decision.ts';
import type { RefusalName } from './refusal-names.ts';
import type { State } from './state.ts';

/** `did you mean retry-login? `, or nothing where nothing is like it. Another number is no typing error. */
export function meantHint(typed: string, known: readonly string[], shown: (id: string) => string = (id) => id): string {
  const meant = nearest(
    typed,
    known.filter((one) => stem(one) !== stem(typed)),
  );
  return meant === undefined ? '' : `did you mean ${shown(meant)}? `;
}

const stem = (id: string): string => id.replace(/-\d+$/, '-');

interface Unknown {
  /** `question`, `note`. */
  readonly what: string;
  readonly id: string;
  readonly known: readonly string[];
  /** Where they are listed, or what else to do. */
  readonly see: string;
  readonly guard?: RefusalName;
}

export const noSuch = ({ what, id, known, see, guard }: Unknown): Refusal =>
  refuse(`there is no ${what} ${id.slice(0, 80)}`, `${meantHint(id, known)}${see}`, 1, guard);

type Tasks = Pick<Board, 'archived'> & { readonly state: { readonly tasks: readonly { readonly id: string }[] } };

export const taskIds = ({ state, archived }: Tasks): readonly string[] => [
  ...state.tasks.map(({ id }) => id),
  ...archived.keys(),
];

/** `see`: for a reader who can do more than look at the list. */
export const noTask = (board: Tasks, id: string, see = 'see the tasks: liza status --all'): Refusal =>
  noSuch({ what: 'task', id, known: taskIds(board), see });

export const noAgent = ({ agents }: Pick<State, 'agents'>, id: string): Refusal =>
  noSuch({ what: 'agent', id, known: Object.keys(agents), see: 'see who is there: liza status' });
