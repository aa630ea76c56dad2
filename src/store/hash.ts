// SHA-256 as the journal uses it. A file of its own, so that only paths that hash load node:crypto (2–5 ms).

import { createHash, hash } from 'node:crypto';

export const sha256 = (data: string | Uint8Array): string => hash('sha256', data);

/** Of all pieces, one after the other. */
export function sha256Of(pieces: readonly Uint8Array[]): string {
  const digest = createHash('sha256');
  for (const piece of pieces) digest.update(piece);
  return digest.digest('hex');
}
