// How long a lease has left, in words.

import { duration } from '../core/time.ts';

export const leaseWords = (left: number | undefined): string =>
  left === undefined ? 'no lease' : left <= 0 ? `lease ended ${duration(-left)} ago` : `lease ${duration(left)}`;
