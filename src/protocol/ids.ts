// Checks ids, commits and addresses before anything uses them, so that `../x` or `a;b` never comes near a path or a
// git argument. The pattern repeats protocol/records/fields.ts on purpose: importing it from there loads valibot, which
// `liza show` must not pay for. A test holds the two together.

import { type Refusal, refuse } from './decision.ts';

const TASK_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

export const TASK_ID_SOURCE = TASK_ID.source;

export function checkTaskId(id: string): Refusal | undefined {
  if (TASK_ID.test(id)) return undefined;
  return refuse(
    `${quoted(id)} is not a task id`,
    'an id is 1 to 63 small letters, digits and dashes, beginning with a letter or digit, such as retry-login',
    1,
    'task-id',
  );
}

/** A foreign text inside one of our sentences: short, and on one line. */
export function quoted(text: string): string {
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?');
  return `"${line.length > 60 ? `${line.slice(0, 57)}…` : line}"`;
}

/** What git signs an agent's commits with: no address of anybody's. */
export const addressOf = (agent: string): string => `${agent}${OURS}`;

/** The agent whose address it is. */
export const agentAt = (address: string): string | undefined =>
  address.endsWith(OURS) ? address.slice(0, -OURS.length) : undefined;

const OURS = '@liza.invalid';

export const isFullCommit = (id: string): boolean => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(id);

/**
 * Refuses the first id that is not full. Where a command names one exact commit, only the full id will do: a short one
 * may come to mean another commit, and a name may move.
 */
export function checkCommits(...ids: readonly string[]): Refusal | undefined {
  const short = ids.find((id) => !isFullCommit(id));
  return short === undefined
    ? undefined
    : refuse(`${short.slice(0, 80)} is not a full commit id`, 'Use all 40 digits: git rev-parse <commit>');
}

/** An http or https address with a host: checked when it is set, not when the first alarm fails to arrive. */
export function webAddress(text: string): URL | undefined {
  const url = /^https?:\/\/[^/]/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}
