// How long a lease has left, in words.

import { duration } from '../../text/time.ts';

export function leaseWords(left: number | undefined): string {
  if (left === undefined) return 'no lease';
  // Whoever died before its lease was over has none left; when that was nobody knows.
  if (left === 0) return 'its process is gone';
  return left < 0 ? `lease ended ${duration(-left)} ago` : `lease ${duration(left)}`;
}
