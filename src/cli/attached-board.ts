// The live board of a crew in another process, until the crew ends or the person leaves it.

import type { StoreContext } from '../store/transact.ts';
import type { CrewRecord } from '../supervisor/crew-record.ts';
import { attachTo } from './attached-crew.ts';
import { crewLog, type Interrupt } from './background-crew.ts';
import { openBoardAccess } from './board-access.ts';
import type { Io } from './io.ts';
import type { OnQuit } from './live/screen.ts';
import { printErr } from './render/print.ts';
import { endResult, lastWarnings } from './show-crew.ts';
import type { Result } from './verb.ts';

interface Attached {
  readonly crew: CrewRecord;
  /** `ask`: the board of `liza run` itself, whose Ctrl-C stops the crew; `leave`: another one, whose Ctrl-C leaves it. */
  readonly onQuit: OnQuit;
  readonly interrupt: Interrupt;
}

export async function showAttached(
  io: Io,
  context: StoreContext,
  { crew, onQuit, interrupt }: Attached,
): Promise<Result> {
  const control = await attachTo(context, crew);
  const access = openBoardAccess(context, io.self.argv);
  const away = new AbortController();
  interrupt.call = () => {
    if (onQuit === 'leave') return away.abort();
    control.stop();
    // A board that still waits for a key then closes, too.
    void control.ended.then(() => away.abort());
  };
  let isOver = false;
  void control.ended.then(() => {
    isOver = true;
  });
  try {
    const onUnsent = (texts: readonly string[]): void => printErr(io, unsentText(texts));
    const how = await io.live({ control, access, onQuit, away: away.signal, onUnsent });
    if (how === 'ended' || isOver) return endResult(await control.ended, [...lastWarnings(control.view()), HAPPENED]);
    return leftResult(crew, `the crew keeps running in the background (process ${crew.pid})`, crewLog(context));
  } finally {
    control.close();
  }
}

/** The board took its own lines along. */
const HAPPENED = 'what happened: liza log';

/** What a person typed is theirs: it is never lost. */
const unsentText = (texts: readonly string[]): string =>
  texts.map((text) => `You typed this, and it was not sent:\n${text.replace(/^/gm, '  ')}\n`).join('');

export const leftResult = ({ pid }: CrewRecord, message: string, log: string): Result => ({
  ok: true,
  message,
  lines: ['See it: liza attach', 'Stop it: liza stop', `Its output: ${log}`],
  data: { pid, log },
});
