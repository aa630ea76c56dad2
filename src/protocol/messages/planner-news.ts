// What a planner hears while it runs, besides what everybody hears: questions that it may answer, and discoveries that
// nobody has decided. Each once; what its prompt lists counts as told. Light, like news.ts: no schema.

import { roleOfId } from '../board.ts';
import type { Discovery, Question, State } from '../state.ts';
import { defined } from '../values.ts';
import { discoveryHead, isOpenDiscovery } from './discoveries.ts';
import type { Reader } from './notes.ts';

export type PlannerNews =
  | {
      readonly kind: 'question';
      readonly id: string;
      readonly by: string;
      readonly time: string;
      readonly text: string;
      /** What the asker goes on with; without it, its task is BLOCKED until somebody answers. */
      readonly assume?: string;
      readonly task?: string;
      /** An answer of the planner's would be refused: why, and what works. */
      readonly instead?: string;
    }
  | {
      readonly kind: 'discovery';
      readonly id: string;
      /** Id, severity, urgency, who found it and in which task. */
      readonly head: string;
      readonly time: string;
      readonly text: string;
    };

export interface PlannerTold {
  /** Keys of questions; a record of an earlier version has none, as of discoveries. */
  readonly questions?: readonly string[];
  readonly discoveries?: readonly string[];
}

export const plannerToldWith = (state: State, reader: Reader): PlannerTold =>
  reader.role === 'planner'
    ? { questions: asked(state).map(questionKey), discoveries: openOnes(state).map(discoveryKey) }
    : {};

export function plannerNews(state: State, reader: Reader, told: PlannerTold): readonly PlannerNews[] {
  if (reader.role !== 'planner') return [];
  const { questions = [], discoveries = [] } = told;
  return [
    ...asked(state)
      .filter((one) => !questions.includes(questionKey(one)))
      .map(
        ({ id, asked_by, created = '', text, assume, task }): PlannerNews => ({
          kind: 'question',
          id,
          by: asked_by,
          time: created,
          text,
          ...defined({ assume, task }),
        }),
      ),
    ...openOnes(state)
      .filter((one) => !discoveries.includes(discoveryKey(one)))
      .map(
        (one): PlannerNews => ({
          kind: 'discovery',
          id: one.id,
          head: discoveryHead(one),
          time: one.created ?? '',
          text:
            one.recommendation === undefined
              ? one.description
              : `${one.description}\nrecommends: ${one.recommendation}`,
        }),
      ),
  ];
}

export const questionKey = ({ id, created = '', reopened }: Question): string => `${id} ${reopened ?? created}`;

/** One that was open before may be open again, because the task that took it up was abandoned. */
export const discoveryKey = ({ id, reopened }: Discovery): string => `${id} ${reopened?.time ?? ''}`;

/** Those of coders and reviewers: a person answers the planner's own. */
const asked = ({ questions = [] }: State): readonly Question[] =>
  questions.filter(({ status, asked_by }) => {
    const role = roleOfId(asked_by);
    return status === 'open' && role !== undefined && role !== 'planner';
  });

const openOnes = ({ discovered }: State): readonly Discovery[] => discovered.filter(isOpenDiscovery);
