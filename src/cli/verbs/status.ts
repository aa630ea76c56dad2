// `liza status`: the whole board on one page.

import { type Settings, settings } from '../../core/state.ts';
import { type Instant, instant } from '../../core/time.ts';
import type { Snapshot, Store } from '../../store/store.ts';
import { refused } from '../desk.ts';
import type { Io } from '../io.ts';
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
    const sandbox = sandboxText(io, settings(snapshot.board.state));
    const { board, now, notices } = snapshot;
    const lastChange = await lastChangeOf(store, snapshot);
    const confined = await sandbox;
    const view = {
      ...statusView(board, now, alarms(board, now, { lastChange, notices }), notices),
      ...(confined === undefined ? {} : { sandbox: confined }),
    };
    const look = { color: io.color, unicode: io.unicode, width: io.columns, all: args.flag('all') };
    // The view shows the notices itself, so they are not repeated on stderr.
    return { ok: true, lines: [renderStatus(view, look).trimEnd()], data: { ...view } };
  },
};

async function sandboxText(io: Io, wanted: Pick<Settings, 'sandbox'>): Promise<string | undefined> {
  if (io.confines !== true) return undefined;
  const { shelterOf, standing, standingText } = await import('../../workflows/shelter.ts');
  const is = await standing(shelterOf(io.env, io.self.argv), wanted);
  return 'ok' in is ? `sandbox: ${is.message}` : standingText(is);
}

/** The last journal entry's time; a board nobody has touched yet is as new as it can be. */
async function lastChangeOf(store: Store, { seq, now }: Snapshot): Promise<Instant> {
  for await (const entry of store.journal(seq)) return instant(entry.time);
  return now;
}
