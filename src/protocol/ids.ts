// Checks ids before anything looks them up, so that `../x` or `a;b` never comes near a path or a
// git argument. The pattern repeats protocol/state.ts on purpose: importing it there loads valibot,
// which `liza show` must not pay for. A test holds the two together.

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
