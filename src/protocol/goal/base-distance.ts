// How far a person's branch and the integration branch are apart, in words with the command that brings them together.

import { counted } from '../../text/format.ts';

export interface BaseDistance {
  /** The person's branch. */
  readonly branch: string;
  readonly integration: string;
  /** Commits of the person's branch that integration lacks; 0 where they change the goal's document alone. */
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

/** Integration lacks nothing that counts. */
export const inStepText = ({ branch, integration, besidesDocument }: BaseDistance): string =>
  besidesDocument === true
    ? `${integration} has all of ${branch} but for commits of the goal's document`
    : `${integration} has all of ${branch}`;

/** The same with the command that brings them in. */
export function baseLag(distance: BaseDistance | undefined): string | undefined {
  const text = lagText(distance);
  return text === undefined ? undefined : `${text}: liza sync`;
}

/** What a person does after the goal's end. `distance` undefined: it is not known which branch is theirs. */
export const afterGoal = (distance: BaseDistance | undefined): string =>
  distance?.ahead === 0
    ? `it is in ${distance.branch}; next: liza init "<next goal>"`
    : `merge it into ${distance?.branch ?? 'your branch'}: liza finish`;

/** What status says of it. After the goal's end a lag is no news: `liza finish` and the next `liza init` deal with it. */
export function distanceLines(
  distance: BaseDistance | undefined,
  { status }: { readonly status: string },
): readonly string[] {
  if (distance === undefined) return [];
  const { branch, integration, ahead } = distance;
  if (status === 'COMPLETED')
    return ahead === 0 ? [] : [`${integration} has ${counted(ahead, 'commit')} that ${branch} lacks: liza finish`];
  const lag = baseLag(distance);
  return lag === undefined ? [] : [lag];
}
