// Characters that a reader of a diff does not see, or that show it in another order than a program reads it (Trojan
// Source), and how a line with them is told. Blanks of other widths and parts of emoji are none.

export const UNSEEN = [
  // Directions, and a line that ends within the line that a diff shows.
  /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\r\u2028\u2029](?!$)/,
  // No width: between letters of a name they make another name. Elsewhere emoji and some scripts need the joiners.
  /[\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\u115f\u1160\uffa0\ufff9-\ufffb]|(?<=[\w$])[\u200c\u200d]|[\u200c\u200d](?=[\w$])/,
  // Tags and the second set of variants: whole texts fit into them. Flags of regions are emoji: they begin with a flag.
  /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,6})[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/u,
];
/** A mark of byte order is one only at the beginning of a file. */
const ORDER = /\ufeff/;
/** Recorded outputs in tests are full of them. */
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/;

export interface UnseenIn {
  /** Its number in the file. */
  readonly at: number;
  readonly isTest: boolean;
}

export const hasUnseen = (text: string, { at, isTest }: UnseenIn): boolean =>
  UNSEEN.some((form) => form.test(text)) ||
  ORDER.test(at === 1 ? text.slice(1) : text) ||
  (!isTest && CONTROL.test(text));

const ALL =
  /[\u0000-\u0008\u000d-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;

/** `x <U+202E>y` */
export const named = (text: string): string =>
  text.replace(ALL, (one) => `<U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`);
