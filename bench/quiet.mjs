// Whether others use the machine while a bench has it: numbers of a busy machine say nothing, and are not kept.

import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Of all processors, what others take while a bench takes nothing; waiting for a disk and for a host's turn included. */
async function takenByOthers(ms = 2000) {
  const idle = () => cpus().reduce((sum, { times }) => sum + times.idle, 0);
  const [from, start] = [idle(), performance.now()];
  await sleep(ms);
  return Math.max(0, 1 - (idle() - from) / ((performance.now() - start) * cpus().length));
}

const MOST = 0.1;

/** `look` before, between and after the cases; `whatWasBusy` is a line for each time that it was too much. */
export function quietness() {
  const busy = [];
  return {
    async look(when) {
      const share = await takenByOthers();
      if (share > MOST) busy.push(`too busy ${when}: others took ${Math.round(100 * share)} % of the processors`);
    },
    whatWasBusy: () => busy,
  };
}
