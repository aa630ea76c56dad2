// `liza stop`: ends the crew that runs here, wherever it runs. The goal stays open, and the next `liza run` goes on.

import { isRefusal, refuse } from '../../protocol/decision.ts';
import type { StoreContext } from '../../store/transact.ts';
import { askToStop, type CrewRecord, crewAtWork, readCrew, statusFile } from '../../supervisor/crew-record.ts';
import type { Io } from '../io.ts';
import { openProject } from '../open-project.ts';
import { printErr } from '../render/print.ts';
import type { Result, Verb } from '../verb.ts';

export const verb: Verb = {
  operatorOnly: true,
  options: { now: { description: 'At once: agents get no time to end in order; their work is still kept.' } },
  examples: ['liza stop', 'liza stop --now'],
  details: [
    'Agents save their work and end, then the crew does. The goal stays open: liza run continues it.',
    'To keep the crew but start no new work: liza pause. To give up the goal: liza abort.',
  ],
  run: async (args, io) => {
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const crew = crewAtWork(context);
    if (crew === undefined)
      return { ok: true, message: 'no crew is running here: nothing to stop', data: { already: true } };
    const times = args.flag('now') ? 2 : 1;
    await askToStop(context, crew, times);
    if (!args.flag('now')) printErr(io, `stopping process ${crew.pid}: its agents save their work and end\n`);
    return ended(context, { crew, times }, io);
  },
};

const LOOK_MS = 100;
/** A crew looks four times a second. One that does not obey for so long is stopped, hangs, or is another program. */
const OBEYS_MS = 15_000;

interface Stopping {
  readonly crew: CrewRecord;
  readonly times: number;
}

async function ended(
  context: StoreContext,
  { crew: { process, pid }, times }: Stopping,
  { host: { clock } }: Io,
): Promise<Result> {
  const last = clock.now() + OBEYS_MS;
  for (;;) {
    const now = readCrew(context);
    if (now?.process !== process || !now.isAlive)
      return { ok: true, message: `the crew has ended (process ${pid})`, data: { pid } };
    if (now.stops < times && clock.now() > last)
      return refuse(
        `process ${pid} did not end`,
        `look at it: ps -fp ${pid}; if the crew hangs: kill -9 ${pid}, and liza run repairs the rest; if it is not a crew: rm ${statusFile(context)}`,
        1,
        'no-crew',
      );
    await clock.sleep(LOOK_MS);
  }
}
