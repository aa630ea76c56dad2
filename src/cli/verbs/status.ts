// `liza status`: the whole board on one page.

import { type Instant, instant } from '../../core/time.ts';
import type { Snapshot, Store } from '../../store/store.ts';
import { refused } from '../desk.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'status',
  positionals: [],
  options: { all: { short: 'a', description: 'Every task, agent and alarm, not only one page.' } },
  examples: ['liza status', 'liza status --all', 'liza status --json'],
  run: async (args, io) => {
    const store = await io.openStore();
    if (refused(store)) return store;
    const { alarms } = await import('../../core/alarms.ts');
    const { statusView } = await import('../../core/view.ts');
    const { renderStatus } = await import('../render-status.ts');
    const snapshot = await store.read();
    const { board, now, notices } = snapshot;
    const lastChange = await lastChangeOf(store, snapshot);
    const view = statusView(board, now, alarms(board, now, { lastChange, notices }), notices);
    const look = { color: io.color, unicode: io.unicode, width: io.columns, all: args.flag('all') };
    // The view shows the notices itself, so they are not repeated on stderr.
    return { ok: true, lines: [renderStatus(view, look).trimEnd()], data: { ...view } };
  },
};

/** The last journal entry's time; a board nobody has touched yet is as new as it can be. */
async function lastChangeOf(store: Store, { seq, now }: Snapshot): Promise<Instant> {
  for await (const entry of store.journal(seq)) return instant(entry.time);
  return now;
}
