// How far a person's branch and the integration branch are apart, in words with the command that brings them together.

import { counted } from '../../text/format.ts';

export interface BaseDistance {
  /** The person's branch. */
  readonly branch: string;
  readonly integration: string;
  /** Commits of the person's branch that integration lacks and that change more than the goal's document. */
  readonly lacks: number;
  /** It lacks commits that change the goal's document alone, or nothing. */
  readonly besidesDocument?: true;
  /** Commits of integration that the person's branch lacks. */
  readonly ahead: number;
}

/** Undefined: integration has everything, so that nothing is to be brought in. */
export const lagText = (distance: BaseDistance | undefined): string | undefined =>
  distance === undefined || distance.lacks === 0
    ? undefined
    : `${distance.branch} has ${counted(distance.lacks, 'commit')} that ${distance.integration} lacks`;

/** The same with the command that brings them in. */
export function baseLag(distance: BaseDistance | undefined): string | undefined {
  const text = lagText(distance);
  return text === undefined ? undefined : `${text}: liza sync`;
}

/** What a person does after the goal's end. `distance` undefined: it is not known which branch is theirs. */
export const afterGoal = (distance: BaseDistance | undefined): string =>
  distance?.ahead === 0
    ? `it is in ${distance.branch}; next: liza init "<next goal>"`
    : `merge it into ${distance?.branch ?? 'your branch'}: liza finish${ownText(distance)}`;

/** Nobody has to bring them in before. */
const ownText = (distance: BaseDistance | undefined): string =>
  distance === undefined || distance.lacks === 0
    ? ''
    : `; ${distance.branch} has ${counted(distance.lacks, 'commit')} of its own, and that brings both together`;

export interface Apart {
  readonly fact: string;
  readonly step: 'liza finish' | 'liza sync';
}

/**
 * The one step that brings them together, wherever it is told. After the goal's end a lag is no news: `liza finish` merges
 * both, and the next `liza init` or `liza sync` takes the rest. Undefined: there is nothing to do.
 */
export function apartText(distance: BaseDistance, { status }: { readonly status: string }): Apart | undefined {
  const { branch, integration, ahead } = distance;
  if (status === 'COMPLETED')
    return ahead === 0
      ? undefined
      : { fact: `${integration} has ${counted(ahead, 'commit')} that ${branch} lacks`, step: 'liza finish' };
  const fact = lagText(distance);
  return fact === undefined ? undefined : { fact, step: 'liza sync' };
}

/** Where there is nothing to do. */
export function inStepText({ branch, integration, lacks, besidesDocument }: BaseDistance): string {
  if (lacks > 0) return `${branch} has all of ${integration}`;
  return `${integration} has all of ${branch}${besidesDocument === true ? " but for commits of the goal's document" : ''}`;
}

/** What status says of it. */
export function distanceLines(
  distance: BaseDistance | undefined,
  goal: { readonly status: string },
): readonly string[] {
  const apart = distance && apartText(distance, goal);
  return apart === undefined ? [] : [`${apart.fact}: ${apart.step}`];
}
