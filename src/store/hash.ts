// SHA-256 as the journal uses it.

export { sha256, sha256Of } from '../ports/digest.ts';
