// `liza run --web`: the dashboard of the crew in this very process, beside its plain lines. On a terminal it stays when the
// crew has ended by itself, so that a person reads how it ended; Ctrl-C ends both.

import { isRefusal } from '../../protocol/decision.ts';
import type { CrewControl } from '../../supervisor/crew-view.ts';
import type { Io } from '../io.ts';
import { openTaskContext } from '../open-project.ts';
import { printErr } from '../render/print.ts';
import type { Result } from '../verb.ts';
import { printLinks } from './links.ts';
import { openDashboard } from './open-dashboard.ts';

export async function besideCrew(io: Io, crew: CrewControl, shown: Promise<Result>): Promise<Result> {
  let asked = (): void => {};
  let isAsked = false;
  const stopped = new Promise<void>((resolve) => {
    asked = resolve;
  });
  io.onInterrupt(() => {
    isAsked = true;
    asked();
  });
  const context = await openTaskContext(io);
  const dashboard = isRefusal(context) ? context : await openDashboard(io, context, { crew });
  if (isRefusal(dashboard)) {
    // The crew is at work: it goes on without.
    printErr(io, `liza: no dashboard: ${dashboard.message}\n→ ${dashboard.hint}\n`);
    return shown;
  }
  printLinks(io, dashboard);
  try {
    const result = await shown;
    if (isAsked || !io.stdoutIsTty) return result;
    printErr(io, `${result.message ?? 'The crew has ended.'}\nThe dashboard stays until Ctrl-C.\n`);
    await stopped;
    return result;
  } finally {
    await dashboard.close();
  }
}
