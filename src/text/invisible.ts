// Characters that no reader sees, or that turn the order in which a text is read: whole orders to an agent fit into them.
// Joiners and single signs of variants stay out: emoji and some scripts need them.

const INVISIBLE = String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e01ef}`;
/** One behind another shows nothing. */
const REPEATED = String.raw`(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]`;

/** Each of them, and each of `others` (the inside of a character class). */
export const invisible = (others: string): RegExp => new RegExp(`[${others}${INVISIBLE}]|${REPEATED}`, 'gu');
