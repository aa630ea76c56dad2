// A running dashboard: the server with all that it works with, and links to it. Used by `liza dashboard`, `liza run --web` and
// `liza demo --web`.

import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import type { CrewControl } from '../../supervisor/crew-view.ts';
import type { TaskContext } from '../../tasks/context.ts';
import { HIDDEN, secretsOf } from '../../text/redact.ts';
import { openBoardAccess } from '../board-access.ts';
import type { Io } from '../io.ts';
import type { BoardAccess } from '../live/access.ts';
import { readAssets } from './assets.ts';
import { openFeed } from './feed.ts';
import { openPages } from './pages.ts';
import { findAgent } from './peer.ts';
import { rateOf } from './rate.ts';
import { refusedRequests } from './refused-requests.ts';
import { type Binding, listen } from './server.ts';
import { openSessions, type WebRole } from './sessions.ts';
import { answer, type Site } from './site.ts';
import { openStreams } from './streams.ts';

export interface Dashboard {
  readonly port: number;
  readonly origin: string;
  /** A link with a new code behind the #, which no server and no log sees. */
  link(role: WebRole): string;
  close(): Promise<void>;
}

export const LOCAL: Binding = { address: '127.0.0.1', port: 0 };

interface Opening {
  readonly binding?: Binding | undefined;
  /** That of this process. */
  readonly crew?: CrewControl | undefined;
  /** How commands are run, and logs and diffs found. */
  readonly access?: BoardAccess;
}

export async function openDashboard(
  io: Io,
  context: TaskContext,
  { binding = LOCAL, crew, access = openBoardAccess(context, io.self.argv) }: Opening = {},
): Promise<Dashboard | Refusal> {
  const base = context.random.hex(16);
  const feed = openFeed(context, crew);
  const pages = openPages(context, access, base);
  const sessions = openSessions(context);
  const outgoing = hiding(secretsOf(context.env));
  const streams = openStreams({ feed, pages, clock: context.clock, outgoing });
  const tellRefused = refusedRequests(context);
  const strangers = rateOf(context.clock, { burst: 300, perSecond: 100 });
  const site: Site = {
    ...{ access, base, feed, outgoing, pages, sessions, streams, tellRefused },
    assets: readAssets(io),
    findAgent: findAgent(io, context.paths.root),
    agents: new WeakMap(),
    told: new WeakMap(),
    strangers,
    searches: rateOf(context.clock, { burst: 5, perSecond: 1 }),
    running: { count: 0 },
    isSecure: binding.certificate !== undefined || binding.tunnel?.startsWith('https:') === true,
  };
  const listening = await listen(binding, (request, at) => answer(site, request, at), { tellRefused, strangers });
  if (isRefusal(listening)) return listening;
  return {
    port: listening.port,
    origin: listening.origin,
    link: (role) => `${listening.origin}/#${sessions.newCode(role)}`,
    close: () => {
      streams.close();
      return listening.close();
    },
  };
}

/** Shapes of secrets are hidden where texts are put into a page; values of the environment here, in what is sent. */
const hiding =
  (secrets: readonly string[]) =>
  (text: string): string =>
    secrets.reduce((so, secret) => (so.includes(secret) ? so.replaceAll(secret, HIDDEN) : so), text);
