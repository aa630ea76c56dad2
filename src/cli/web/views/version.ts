// A short name for a text: two texts of one name are the same text, as far as anybody will ever see (53 bits). It tells a
// page what has changed; it guards nothing.

export function versionOf(text: string): string {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    one = Math.imul(one ^ sign, 2654435761);
    two = Math.imul(two ^ sign, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909);
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return (4294967296 * (2097151 & two) + (one >>> 0)).toString(36);
}
