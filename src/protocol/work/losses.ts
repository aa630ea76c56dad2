// Why a coder lost its task to another: the same words in prompts, on screens, in alarms and in the log. Light: every
// screen loads it.

/** Whoever held something, and whose process is provably gone. */
export const SUPERVISOR_ENDED = 'its supervisor has ended';

/** As the history records it, and as people and agents read it. */
export const LOSSES = {
  handoff: 'it handed off',
  dead: SUPERVISOR_ENDED,
  lease: 'it lost its lease',
} as const;

export type Loss = keyof typeof LOSSES;

/** Undefined: it was lost otherwise, as by a block or a rejection. */
export const lossText = (why: unknown): string | undefined =>
  typeof why === 'string' && Object.hasOwn(LOSSES, why) ? LOSSES[why as Loss] : undefined;
