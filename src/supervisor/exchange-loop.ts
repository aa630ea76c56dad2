// Keeps the exchange up to date while a crew works: kept work and the tips of tasks go there now and then, so that
// another host can go on where this one stopped, and what could not be sent is offered again. A person is told when it
// cannot be reached, once, and when it can be again. Where no exchange is set it only looks at the board.

import { tellOutage } from '../alarms/exchange-outage.ts';
import { hasExchange, openExchange } from '../exchange/open.ts';
import { afterCall, type Outage, outageText } from '../exchange/rules/outage.ts';
import type { Outcome } from '../exchange/rules/outcome.ts';
import { openGitDir } from '../git/integration.ts';
import { isRefusal } from '../protocol/decision.ts';
import type { TaskContext } from '../tasks/context.ts';
import { keepAnchor } from '../tasks/exchange/keep-anchor.ts';
import { offerAll } from '../tasks/exchange/offer-work.ts';
import { catchUp } from '../tasks/exchange/shared-branch.ts';

export interface ExchangeLoop {
  readonly context: TaskContext;
  report(level: 'alarm' | 'info', text: string): void;
}

/** How often it is offered what is new. */
const OFFER_MS = 60_000;
const WITHIN = 10_000;

export async function keepOffering({ context, report }: ExchangeLoop, over: AbortSignal): Promise<void> {
  const { clock } = context;
  let outage: Outage | undefined;
  let told: string | undefined;
  while (!over.aborted) {
    const done = await orOver(offerNow(context), over);
    const now = clock.now();
    outage = done === undefined ? undefined : afterCall(outage, done.outcome, now);
    const text = outageText(outage, done?.shown ?? '', now);
    if (text !== undefined && text !== told) report('alarm', text);
    if (outage === undefined || text !== undefined) tellOutage(context, text, now);
    if (told !== undefined && outage === undefined) report('info', 'the exchange is reached again');
    told = text ?? (outage === undefined ? undefined : told);
    await clock.sleep(outage === undefined ? OFFER_MS : Math.max(0, outage.next - now), over);
  }
}

/** Who stops waits for no network; git ends with this process. What fails otherwise is tried again. */
const orOver = <T>(work: Promise<T>, over: AbortSignal): Promise<T | undefined> =>
  new Promise((done) => {
    const stop = (): void => done(undefined);
    over.addEventListener('abort', stop, { once: true });
    work.then(done, stop).finally(() => over.removeEventListener('abort', stop));
  });

/** undefined: there is no exchange. */
async function offerNow(
  context: TaskContext,
): Promise<{ readonly outcome: Outcome; readonly shown: string } | undefined> {
  const { board } = await context.store.read(WITHIN);
  if (!hasExchange(board.state.config)) return undefined;
  const gitDir = await openGitDir(context, board);
  const exchange = isRefusal(gitDir) ? gitDir : await openExchange(gitDir, board.state.config);
  if (exchange === undefined) return undefined;
  if (isRefusal(exchange))
    return { outcome: { how: 'refused', why: exchange.message, mend: exchange.hint }, shown: '' };
  const done = await offerAll(exchange, board);
  // What holds it up is told by whoever merges.
  if (done.how === 'exchanged') await catchUp(context);
  const anchored = done.how === 'exchanged' ? await keepAnchor(context, exchange) : undefined;
  const { shown } = exchange.address;
  if (done.how !== 'exchanged') return { outcome: done, shown };
  const isAnchored = anchored === undefined || anchored.how === 'done';
  return { outcome: isAnchored ? (done.left ?? { how: 'done' }) : anchored, shown };
}
