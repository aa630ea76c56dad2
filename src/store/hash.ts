// SHA-256 as the journal uses it. A file of its own, so that only paths that hash load node:crypto (2–5 ms).

import { hash } from 'node:crypto';

export const sha256 = (data: string | Uint8Array): string => hash('sha256', data);
