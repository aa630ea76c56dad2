// `liza status`: the whole board on one page.

import { roleOfId } from '../../protocol/board.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { type Settings, settings } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { Io } from '../io.ts';
import { openBoard } from '../open-board.ts';
import { lookOf } from '../render/look.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  options: {
    all: { short: 'a', description: 'Every task, agent and alarm, not only one page; in a pipe this is the default.' },
  },
  examples: ['liza status', 'liza status --all', 'liza status --json'],
  run: async (args, io) => {
    const context = openBoard(io);
    if (isRefusal(context)) return context;
    const { alarms } = await import('../../alarms/rules/evaluate.ts');
    const { statusView } = await import('../../report/status-view.ts');
    const { surroundingsOf } = await import('../../alarms/observe.ts');
    const { renderStatus } = await import('../render/status.ts');
    const snapshot = await context.store.read();
    const sandbox = sandboxText(io, settings(snapshot.board.state));
    const { board, now, notices } = snapshot;
    // The same alarms as the watcher's.
    const found = alarms(board, now, await surroundingsOf(context, snapshot));
    const { baseDistance } = await import('../../git/base-branch.ts');
    const [confined, base] = await Promise.all([sandbox, baseDistance(context, board)]);
    const view = {
      ...statusView(board, now, found, notices, base),
      ...defined({ sandbox: confined, base }),
    };
    const usual = lookOf(io);
    const look = { ...usual, all: args.flag('all') || usual.all === true, reader: readerOf(io) };
    // The view shows the notices itself, so they are not repeated on stderr.
    return { ok: true, lines: [renderStatus(view, look).trimEnd()], data: { ...view } };
  },
};

/** Only what is shown depends on it: no proof is asked for. */
function readerOf({ env }: Io): string | undefined {
  const id = (env['LIZA_AGENT_ID'] ?? '').replace(/^code_reviewer-/, 'code-reviewer-');
  return roleOfId(id) === undefined ? undefined : id;
}

async function sandboxText(io: Io, wanted: Pick<Settings, 'sandbox'>): Promise<string | undefined> {
  const { tellSandbox } = await import('../sandbox-mode.ts');
  const told = await tellSandbox(io, wanted);
  return told?.remedy === undefined ? told?.text : `${told.text}; ${told.remedy}`;
}
