// `liza attach`: the live board of the crew that runs here, in the background or in another terminal.

import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import type { StoreContext } from '../../store/transact.ts';
import { openProject } from '../open-project.ts';
import { printErr } from '../render/print.ts';
import type { Verb } from '../verb.ts';

/** What the live board shows, without one. */
const LOOK_BACK =
  'a task with its commits: liza show <task>, then git diff <base> <commit>; what agents printed: ls .liza/agent-logs';

async function noCrew(context: StoreContext): Promise<Refusal> {
  const { board } = await context.store.read();
  if (board.state.goal.status !== 'COMPLETED')
    return refuse(
      'no crew is running here',
      `start one: liza run; see the board: liza status\n${LOOK_BACK}`,
      1,
      'no-crew',
    );
  const { baseDistance } = await import('../../git/base-branch.ts');
  const { afterGoal } = await import('../../protocol/goal/base-distance.ts');
  const next = afterGoal(await baseDistance(context, board));
  return refuse('no crew is running here: the goal is complete', `${next}\n${LOOK_BACK}`, 1, 'no-crew');
}

export const verb: Verb = {
  operatorOnly: true,
  examples: ['liza attach'],
  details: [
    'The board has the same keys as that of liza run. q and Ctrl-C leave the crew running; S, or liza stop, stops it.',
  ],
  run: async (_args, io) => {
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const { crewAtWork } = await import('../../supervisor/crew-record.ts');
    const crew = crewAtWork(context);
    if (crew === undefined) return noCrew(context);
    const { canShowLive } = await import('../show-crew.ts');
    if (!canShowLive(io))
      return refuse('the live board needs a terminal', 'without one: liza status, liza log -f', 1, 'usage');
    printErr(io, `opening the live board of the crew (process ${crew.pid}) …\n`);
    const { showAttached } = await import('../attached-board.ts');
    const interrupt = { call: () => {} };
    io.onInterrupt(
      () => interrupt.call(),
      () => io.self.exit(129),
    );
    return showAttached(io, context, { crew, onQuit: 'leave', interrupt });
  },
};
