// Whether the exchange answers, for people: a line of `doctor` and of pre-flight.

import { listRefs } from '../../exchange/call.ts';
import { hasExchange, openExchange } from '../../exchange/open.ts';
import { integrationRef, openGitDir } from '../../git/integration.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { counted } from '../../text/format.ts';
import type { TaskContext } from '../context.ts';

/** undefined: there is none, and nothing was started. */
export async function askExchange(context: TaskContext): Promise<{ readonly text: string } | Refusal | undefined> {
  const { board } = await context.store.read();
  if (!hasExchange(board.state.config)) return undefined;
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const exchange = await openExchange(gitDir, board.state.config);
  if (exchange === undefined || isRefusal(exchange)) return exchange;
  const { shown } = exchange.address;
  const branch = integrationRef(board);
  const listed = await listRefs(exchange, branch);
  if (listed.how === 'refused')
    return refuse(`the exchange ${shown} refuses: ${listed.why}`, listed.mend, 3, 'exchange-refused');
  if (listed.how === 'unreachable')
    return refuse(
      `the exchange ${shown} cannot be reached: ${listed.why}; submissions and merges wait for it`,
      'see whether git reaches it: git ls-remote <address>',
      2,
      'exchange-unreachable',
    );
  const head = listed.refs.get(branch);
  const name = branch.slice('refs/heads/'.length);
  const at =
    head === undefined ? `has no ${name} yet: the first merge brings it` : `has ${name} at ${head.slice(0, 12)}`;
  const refs = [...listed.refs.keys()].filter((ref) => ref !== branch).length;
  return { text: `${shown} is reached; it ${at}, and ${counted(refs, 'ref')} of Liza` };
}
