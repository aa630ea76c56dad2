// `liza status`: the whole board on one page.

import { roleOfId } from '../../protocol/board.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { type Settings, type State, settings } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { StatusView } from '../../report/status-view.ts';
import type { BoardContext } from '../../store/context.ts';
import type { Instant } from '../../text/time.ts';
import type { Io } from '../io.ts';
import { openBoard } from '../open-board.ts';
import { lookOf } from '../render/look.ts';
import { unreadyText } from '../unready.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  options: {
    all: { short: 'a', description: 'Every task, agent and alarm, not only one page; in a pipe this is the default.' },
  },
  elsewhere: Object.fromEntries(
    ['watch', 'follow', 'live'].map((name) => [
      name,
      'as it happens: liza attach, while a crew runs; its alarms: liza watch',
    ]),
  ),
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
    const [confined, base, unready] = await Promise.all([
      sandbox,
      baseDistance(context, board),
      unreadyText(io, context, board),
    ]);
    const { setupRunsNow } = await import('../../tasks/setup-runs.ts');
    const setUp = setupRunsNow(context);
    const view = {
      ...statusView(board, now, found, notices, { base, unready }),
      ...(setUp.length === 0 ? {} : { setUp }),
      ...defined({
        crew: await crewView(context, now),
        sandbox: confined,
        base,
        tests: await testsText(context, board.state),
      }),
    };
    const usual = lookOf(io);
    const look = { ...usual, all: args.flag('all') || usual.all === true, reader: readerOf(io), now };
    // The view shows the notices itself, so they are not repeated on stderr.
    return { ok: true, lines: [renderStatus(view, look).trimEnd()], data: { ...view } };
  },
};

/** Only what is shown depends on it: no proof is asked for. */
function readerOf({ env }: Io): string | undefined {
  const id = (env['LIZA_AGENT_ID'] ?? '').replace(/^code_reviewer-/, 'code-reviewer-');
  return roleOfId(id) === undefined ? undefined : id;
}

/** A crew outlives the terminal that started it: nothing else on the page would tell of it. */
async function crewView(context: BoardContext, now: Instant): Promise<StatusView['crew']> {
  const { crewAtWork } = await import('../../supervisor/crew-record.ts');
  const crew = crewAtWork(context);
  if (crew === undefined) return undefined;
  return { pid: crew.pid, ...(crew.since === undefined ? {} : { age: Math.max(0, now - crew.since) }) };
}

/** Of the branch and the command as they are now; a merge since then has run them. */
async function testsText(context: BoardContext, { goal, config }: State): Promise<string | undefined> {
  const { readResult } = await import('../../preflight/saved-result.ts');
  const last = readResult(context);
  const found =
    last?.commit === goal.integration_head ? last?.checks.find(({ check }) => check === 'tests') : undefined;
  const isOfNow = found?.message.startsWith(`${config.test_command ?? ''} `) === true;
  if (found === undefined || found.level === 'ok' || !isOfNow) return undefined;
  return `tests: ${found.message.split('\n', 1)[0]}; the output: liza run --check`;
}

async function sandboxText(io: Io, wanted: Pick<Settings, 'sandbox'>): Promise<string | undefined> {
  const { tellSandbox } = await import('../sandbox-mode.ts');
  return (await tellSandbox(io, wanted))?.brief;
}
