// SHA-256. node:crypto is loaded by the first hash (2–5 ms), not by every command that might make one.

let loaded: typeof import('node:crypto') | undefined;
/** Asked for once: a journal has a hundred thousand lines. */
const crypto = (): typeof import('node:crypto') => {
  loaded ??= process.getBuiltinModule('node:crypto');
  return loaded;
};

export const sha256 = (data: string | Uint8Array): string => crypto().hash('sha256', data);

/** Of all pieces, one after the other. */
export function sha256Of(pieces: readonly Uint8Array[]): string {
  const digest = crypto().createHash('sha256');
  for (const piece of pieces) digest.update(piece);
  return digest.digest('hex');
}
