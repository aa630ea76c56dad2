// The exchange: a repository through which the hosts of one board hand each other git objects. Opening it starts nothing
// but, for the name of a remote, one look at the project's git configuration; where no exchange is set, nothing at all.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { Config } from '../protocol/state.ts';
import { type Address, readAddress, readExchange, type Said } from './rules/address.ts';
import type { Naming } from './rules/refs.ts';

export interface Exchange {
  readonly gitDir: PrivateGitDir;
  readonly address: Address;
  readonly naming: Naming;
  readonly limits: Limits;
}

/** Milliseconds that one call may take, and bytes of a pack that comes in. */
export interface Limits {
  readonly list: number;
  readonly push: number;
  readonly fetch: number;
  readonly largest: number;
}

const LIMITS: Limits = { list: 20_000, push: 60_000, fetch: 120_000, largest: 1024 ** 3 };

export type ExchangeSettings = Pick<Config, 'exchange' | 'exchange_prefix'>;

/** Whether the board has one; asked before anything else, so that one machine alone pays nothing. */
export const hasExchange = ({ exchange }: ExchangeSettings): boolean => (exchange ?? '') !== '';

/** undefined: this board has none. */
export async function openExchange(
  gitDir: PrivateGitDir,
  { exchange: said, exchange_prefix: prefix }: ExchangeSettings,
  limits: Limits = LIMITS,
): Promise<Exchange | Refusal | undefined> {
  if (said === undefined || said === null || said === '') return undefined;
  const home = gitDir.host.env['HOME'];
  const read = readExchange(said, home);
  const found = read.kind === 'remote' ? await addressOf(gitDir, read.name, home) : read;
  if (found.kind === 'fault') return faulty(read.kind === 'remote' ? `the remote ${read.name}` : 'its address', found);
  return { gitDir, address: found.address, naming: { prefix: prefix ?? undefined }, limits };
}

const faulty = (what: string, { why, mend }: Said & { kind: 'fault' }): Refusal =>
  refuse(`the exchange cannot be used: ${what} ${why}`, `${mend}; then: liza config set exchange <it>`, 1, 'exchange');

async function addressOf(
  gitDir: PrivateGitDir,
  name: string,
  home: string | undefined,
): Promise<Exclude<Said, { kind: 'remote' }>> {
  const { status, stdout } = await gitDir.project(['config', '--get-all', '-z', `remote.${name}.url`]);
  const [url] = stdout.split('\0');
  if (status === 0 && url !== undefined && url !== '') return readAddress(url, home);
  return { kind: 'fault', why: 'is not known here', mend: `add it: git remote add ${name} <address>` };
}
