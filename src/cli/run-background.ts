// `liza run` on a terminal, and `liza run --detach`: the crew works in the background; the first one shows the live board.

import { isRefusal } from '../protocol/decision.ts';
import type { StoreContext } from '../store/transact.ts';
import { leftResult, showAttached } from './attached-board.ts';
import { crewLog, type Interrupt, startInBackground } from './background-crew.ts';
import type { Io } from './io.ts';
import { printErr } from './render/print.ts';
import type { Result } from './verb.ts';

interface Wanted {
  readonly options: readonly string[];
  readonly detach: boolean;
  readonly json: boolean;
}

export async function runInBackground(
  io: Io,
  context: StoreContext,
  { options, detach, json }: Wanted,
): Promise<Result> {
  const interrupt: Interrupt = { call: () => {} };
  io.onInterrupt(
    () => interrupt.call(),
    () => io.self.exit(HUNG_UP),
  );
  // Before anything is loaded or checked: a blank screen looks like a program that hangs.
  if (!json) printErr(io, 'checking document, agent CLIs and disk, then starting …\n');
  const crew = await startInBackground(io, context, { options, interrupt, json });
  if ('told' in crew) return { ok: true, silent: true, code: crew.told };
  if (isRefusal(crew)) return crew;
  if (!detach) return showAttached(io, context, { crew, onQuit: 'ask', interrupt });
  return leftResult(crew, `the crew works in the background (process ${crew.pid})`, crewLog(context));
}

/** 128 and the number of SIGHUP: the window is gone, and the crew goes on. */
const HUNG_UP = 129;
