// How far a person's branch and the integration branch are apart, in words with the command that brings them together.

import { counted } from '../../text/format.ts';

/** Commits are counted as git counts them: `git log integration..main` lists as many as are told. */
export interface BaseDistance {
  /** The person's branch. */
  readonly branch: string;
  readonly integration: string;
  /** Commits of the person's branch that integration lacks. */
  readonly lacks: number;
  /** They bring the goal's document alone: no lag, since agents read it in the project's folder. */
  readonly onlyDocument?: true;
  /** Commits of integration that the person's branch lacks. */
  readonly ahead: number;
  /** Commits that agents built on, and that the person's branch has no more: it was rewritten. */
  readonly rewritten?: number;
}

/** Undefined: it still has all that it had. */
export const rewrittenText = ({ branch, integration, rewritten = 0 }: BaseDistance): string | undefined =>
  rewritten === 0
    ? undefined
    : `${branch} was rewritten since Liza built on it: ${integration} keeps ${counted(rewritten, 'commit')} that it has no more`;

/** Nothing has to be done about it; the two say which commits they are. */
export const REWRITTEN_STEP = 'liza finish --check shows which ones come back';

/** Undefined: integration has everything that agents build on, so that nothing is to be brought in. */
export const lagText = (distance: BaseDistance | undefined): string | undefined =>
  distance === undefined || distance.lacks === 0 || distance.onlyDocument === true
    ? undefined
    : `${distance.branch} has ${counted(distance.lacks, 'commit')} that ${distance.integration} lacks`;

/** Whether agents need them only a person knows; the result gets them by `liza finish` in any case. */
const SYNC = 'liza sync, if agents need them before liza finish';

/** The same with the command that brings them in. */
export function baseLag(distance: BaseDistance | undefined): string | undefined {
  const text = lagText(distance);
  return text === undefined ? undefined : `${text}: ${SYNC}`;
}

/** What a person does after the goal's end. `distance` undefined: it is not known which branch is theirs. */
export const afterGoal = (distance: BaseDistance | undefined): string =>
  distance?.ahead === 0
    ? `it is in ${distance.branch}; next: liza init "<next goal>"`
    : `merge it into ${distance?.branch ?? 'your branch'}: liza finish${ownText(distance)}`;

/** Nobody has to bring them in before. */
const ownText = (distance: BaseDistance | undefined): string =>
  distance === undefined || lagText(distance) === undefined
    ? ''
    : `; ${distance.branch} also has ${counted(distance.lacks, 'commit')} of its own, which it keeps: no liza sync is needed`;

export interface Apart {
  readonly fact: string;
  readonly step: 'liza finish' | 'liza sync';
  /** Agents build on an old base; else finished work waits for the person, as it should. */
  readonly isLag: boolean;
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
      : {
          fact: `${integration} has ${counted(ahead, 'commit')} that ${branch} lacks`,
          step: 'liza finish',
          isLag: false,
        };
  const fact = lagText(distance);
  return fact === undefined ? undefined : { fact, step: 'liza sync', isLag: true };
}

/** What `apartText` leaves out where each branch has something of its own; empty: nothing. */
export function otherWay(distance: BaseDistance, { isLag }: Pick<Apart, 'isLag'>): string {
  const { branch, integration, ahead, lacks } = distance;
  if (isLag) return ahead === 0 ? '' : `; ${integration} has ${ahead} that ${branch} lacks`;
  return lagText(distance) === undefined
    ? ''
    : `; ${branch} has ${lacks} that ${integration} lacks: liza finish brings both together, no liza sync is needed first`;
}

/** Where there is nothing to do. */
export function inStepText({ branch, integration, lacks, onlyDocument }: BaseDistance): string {
  if (onlyDocument === true)
    return `${integration} has all of ${branch} but the goal's document, which agents read in your folder`;
  return lacks > 0 ? `${branch} has all of ${integration}` : `${integration} has all of ${branch}`;
}

/** What status says of it. */
export function distanceLines(
  distance: BaseDistance | undefined,
  goal: { readonly status: string },
): readonly string[] {
  const apart = distance && apartText(distance, goal);
  const rewritten = distance && rewrittenText(distance);
  return [
    ...(apart === undefined ? [] : [`${apart.fact}: ${apart.isLag ? SYNC : apart.step}`]),
    ...(rewritten === undefined ? [] : [`${rewritten}; ${REWRITTEN_STEP}`]),
  ];
}
