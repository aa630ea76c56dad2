// How a session ended whose program is talked to (ACP): by itself only if its turn was over by the protocol. Whether the
// connection or the process is seen to end first is chance: so both are waited for.

import type { Clock } from '../ports/host.ts';
import type { AgentExit } from '../process/agent-process.ts';
import type { Driven } from '../providers/provider.ts';

/** Longer than the farewell after a turn (acp.ts). */
const MOMENT_MS = 4000;
/** After its farewell it is ended: only one that ends just now is waited for. */
const JUST_NOW_MS = 500;

export async function drivenEnd(
  clock: Clock,
  exited: Promise<AgentExit>,
  driven: Promise<Driven>,
): Promise<AgentExit & { readonly cut?: true }> {
  await Promise.race([exited, driven]);
  const told = await within(clock, MOMENT_MS, driven);
  const isOver = told !== undefined && told.cut !== true;
  const real = await within(clock, isOver ? JUST_NOW_MS : MOMENT_MS, exited);
  if (real?.kind === 'signalled' || real?.kind === 'lived-on') return real;
  return isOver ? told : { kind: 'exited', code: (real?.kind === 'exited' && real.code) || 1, cut: true };
}

async function within<T>(clock: Clock, ms: number, wanted: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = clock.sleep(ms, over.signal).then(() => undefined);
  const first = await Promise.race([wanted, late]);
  over.abort();
  return first;
}
