// SHA-256 as the journal uses it. Apart, so that only paths that hash load node:crypto (2–5 ms).

import { createHash } from 'node:crypto';

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
