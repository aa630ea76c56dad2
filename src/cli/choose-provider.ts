// Which agent CLI plays which role: what was asked for, else what the configuration says, else the first one
// that is installed.

import { isAbsolute, join } from 'node:path';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { quoted } from '../protocol/ids.ts';
import { type Config, ROLES, type Role } from '../protocol/state.ts';
import { providersOf } from '../providers/configured.ts';
import { installLine } from '../providers/install-line.ts';
import { programOf } from '../providers/installed.ts';
import type { Provider } from '../providers/provider.ts';
import { playerProvider, rehearsalProvider } from '../providers/rehearsal.ts';
import type { Chosen } from '../supervisor/context.ts';
import type { Io } from './io.ts';

/** By role; `agent` is for all roles that have no name of their own. */
export type Asked = Readonly<Partial<Record<Role | 'agent', string>>>;

/** What works before an agent CLI is installed. */
export const WITHOUT_CLI =
  'liza demo shows a run, agents can play a script (liza help rehearsal), or you play them: liza run --agent player';

/** The order in which they are looked for. */
const FAVOURED = ['claude', 'codex', 'gemini', 'opencode'];

interface Cast {
  readonly chosen: Readonly<Record<Role, Chosen>>;
  /** One sentence for people. */
  readonly told: string;
}

export function castRoles(io: Io, config: Config, asked: Asked): Cast | Refusal {
  const table = providersOf(config.providers);
  if ('ok' in table) return table;
  const found = new Map<string, Chosen>(table);
  const rehearsal = rehearsalOf(io, config);
  if (rehearsal !== undefined && 'ok' in rehearsal) return rehearsal;
  if (rehearsal !== undefined) found.set('rehearsal', { provider: rehearsal });
  if ([...Object.values(asked), config.default_provider].includes('player')) {
    found.set('player', { provider: playerProvider(io.self.argv) });
  }
  const chosen: Partial<Record<Role, Chosen>> = {};
  for (const role of ROLES) {
    const name = asked[role] ?? asked.agent ?? config.default_provider ?? undefined;
    const one = name === undefined ? favourite(io, found) : named(io, found, name);
    if ('ok' in one) return one;
    chosen[role] = one;
  }
  const all = chosen as Record<Role, Chosen>;
  const names = [...new Set(ROLES.map((role) => all[role].provider.title))];
  const told =
    names.length === 1
      ? `agents: ${names[0]}`
      : `agents: ${ROLES.map((role) => `${role.replace('_', ' ')} ${all[role].provider.title}`).join(', ')}`;
  return { chosen: all, told };
}

/** All providers but those that Liza plays itself, in the order in which they are looked for. */
export function knownProviders(io: Io, config: Pick<Config, 'providers'>): readonly Known[] | Refusal {
  const table = providersOf(config.providers);
  if ('ok' in table) return table;
  return [...table.values()].map(({ provider }) => ({ provider, installed: isThere(io, provider) }));
}

/** The one of that name, also one that Liza plays itself; undefined: there is none. */
export function knownProvider(io: Io, config: Pick<Config, 'providers'>, name: string): Known | Refusal | undefined {
  const known = knownProviders(io, config);
  if ('ok' in known) return known;
  const own =
    name === 'player' ? playerProvider(io.self.argv) : name === 'rehearsal' ? rehearsalOf(io, config) : undefined;
  if (own === undefined) return known.find(({ provider }) => provider.name === name);
  return 'ok' in own ? own : { provider: own, installed: true };
}

export interface Known {
  readonly provider: Provider;
  readonly installed: boolean;
}

export const unknownProvider = (name: string, known: Iterable<string>): Refusal =>
  refuse(
    `there is no provider ${quoted(name)}`,
    name === 'rehearsal'
      ? 'name its script: liza config set providers \'{"rehearsal": {"script": "rehearsal.json"}}\''
      : `known ones: ${[...known].join(', ')}; add another: liza help config set`,
    1,
    'provider',
  );

function favourite(io: Io, found: ReadonlyMap<string, Chosen>): Chosen | Refusal {
  const names = [...FAVOURED, ...[...found.keys()].filter((name) => !FAVOURED.includes(name))];
  for (const name of names) {
    const one = found.get(name);
    if (one !== undefined && isThere(io, one.provider)) return one;
  }
  return refuse(
    `no agent CLI was found on PATH (looked for ${FAVOURED.join(', ')})`,
    `install one of them; without any: ${WITHOUT_CLI}`,
    5,
    'no-provider',
  );
}

function named(io: Io, found: ReadonlyMap<string, Chosen>, name: string): Chosen | Refusal {
  const one = found.get(name);
  if (one === undefined) return unknownProvider(name, found.keys());
  if (isThere(io, one.provider)) return one;
  return refuse(
    `${one.provider.title} is not installed: ${one.provider.program ?? name} is not on PATH`,
    installLine({ disk: io.host.disk, env: io.env }, one.provider),
    5,
    'no-provider',
  );
}

const isThere = (io: Io, provider: Provider): boolean =>
  provider.program === undefined || programOf(io.host.disk, provider.program, io.env) !== undefined;

/** `providers: { rehearsal: { script: …, pace: … } }` */
function rehearsalOf(io: Io, config: Pick<Config, 'providers'>): Provider | Refusal | undefined {
  const wanted = config.providers?.['rehearsal'];
  if (wanted === undefined || wanted === null) return undefined;
  const { script, pace } = wanted as { readonly script?: unknown; readonly pace?: unknown };
  const root = io.root();
  if (typeof script !== 'string' || typeof root !== 'string') {
    return refuse('providers.rehearsal names no script', 'see docs/rehearsal.md', 1, 'provider');
  }
  return rehearsalProvider({
    program: io.self.argv,
    script: isAbsolute(script) ? script : join(root, script),
    ...(typeof pace === 'number' ? { pace } : {}),
  });
}
