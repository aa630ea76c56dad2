// A file's bytes as text, within bounds.

export const SIZE_LIMIT = 64 * 1024 * 1024;

/** undefined: it is not UTF-8. */
export function decode(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  // A replacement character means: not UTF-8, or someone wrote that very character.
  return text.includes('\uFFFD') && !Buffer.from(text).equals(bytes) ? undefined : text;
}
