// One call of git that reaches the exchange: never longer than its limit, and never an exception because of the network.

import { EnvironmentError } from '../protocol/decision.ts';
import type { Exchange, Limits } from './open.ts';
import { type Failed, readFailure, type Said, told } from './rules/outcome.ts';
import { nameHere } from './rules/refs.ts';

export const remoteOf = ({ address }: Exchange) => ({
  // The user's own settings may rewrite https to ssh (url.<base>.insteadOf).
  protocols: address.transport === 'https' ? ['https', 'ssh'] : [address.transport],
});

/** Whoever can write into the folder has named programs there, and a checkout to be updated. */
const NOT_ITS_OWN = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.alternateRefsCommand': '',
  'receive.denyCurrentBranch': 'refuse',
  'receive.denyDeleteCurrent': 'refuse',
  'receive.autogc': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
};
/** Nor does it fetch what it lacks, from wherever its settings say. */
const FETCHES_NOTHING = 'GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1';

/**
 * Of a folder git runs the other side here, as this user: without the hooks and programs that its settings name, and
 * without a checkout. A server runs what it likes, as somebody else.
 */
export const otherSide = ({ address }: Exchange, program: 'receive-pack' | 'upload-pack'): readonly string[] => {
  if (address.transport !== 'file') return [];
  const settings = Object.entries(NOT_ITS_OWN).map(([name, value]) => `-c ${name}=${value}`);
  return [`--${program}=${FETCHES_NOTHING} git ${settings.join(' ')} ${program}`];
};

/** What git answered; or that it did not. */
export async function callExchange(
  exchange: Exchange,
  args: readonly string[],
  kind: Exclude<keyof Limits, 'largest'>,
  longest = exchange.limits[kind],
): Promise<Said | (Failed & { how: 'unreachable' })> {
  return timed(() => exchange.gitDir.objects(args, '', { longest, remote: remoteOf(exchange) }));
}

export async function timed(call: () => Promise<Said>): Promise<Said | (Failed & { how: 'unreachable' })> {
  try {
    return await call();
  } catch (error) {
    // A git that was ended in the midst of it; one that is missing or cannot be started is the machine's fault.
    if (!(error instanceof EnvironmentError) || error.fault === 'machine' || error.code === 5) throw error;
    return { how: 'unreachable', why: told(error.message) };
  }
}

/** The refs there: Liza's by their names here, and of the branches those that are named. */
export async function listRefs(
  exchange: Exchange,
  ...branches: readonly string[]
): Promise<{ readonly how: 'listed'; readonly refs: ReadonlyMap<string, string> } | Failed> {
  const { address, naming } = exchange;
  const own = naming.prefix === undefined ? 'refs/liza/*' : `refs/heads/${naming.prefix}/*`;
  const said = await callExchange(
    exchange,
    ['ls-remote', '--refs', ...otherSide(exchange, 'upload-pack'), '--', address.url, ...branches, own],
    'list',
  );
  if ('how' in said) return said;
  if (said.status !== 0) return readFailure(said);
  return { how: 'listed', refs: namedHere(said.stdout, exchange, branches) };
}

function namedHere(stdout: string, { naming }: Exchange, branches: readonly string[]): ReadonlyMap<string, string> {
  const lines = stdout.split('\n').flatMap((line): readonly (readonly [string, string])[] => {
    const [, at, there] = /^([0-9a-f]{40}|[0-9a-f]{64})\t(refs\/\S+)$/.exec(line) ?? [];
    if (at === undefined || there === undefined) return [];
    const here = branches.includes(there) ? there : nameHere(there, naming);
    return here === undefined ? [] : [[here, at]];
  });
  return new Map(lines);
}
