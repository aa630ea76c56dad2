// What `liza doctor` says about agent CLIs: which are installed, their version, whether they start, and how to get
// one or log in. Starts each with --version at most, all at once and for a limited time; that costs no tokens.

import { runProgram } from '../process/run.ts';
import type { Finding } from '../project/finding.ts';
import type { Config } from '../protocol/state.ts';
import { installLine, pathLine } from '../providers/install-line.ts';
import { type Installed, inspect, type Run } from '../providers/installed.ts';
import { type Login, loginOf } from '../providers/login.ts';
import type { Provider } from '../providers/provider.ts';
import { castRoles, knownProviders } from './choose-provider.ts';
import type { Io } from './io.ts';

export interface AgentFinding extends Finding {
  readonly provider?: string;
  readonly installed?: boolean;
  readonly version?: string;
  /** Whether somebody is logged in to it, as far as its files and variables tell. */
  readonly login?: Login;
}

const check = 'agents';

export async function agentFindings(io: Io, config: Config): Promise<readonly AgentFinding[]> {
  const known = knownProviders(io, config);
  if ('ok' in known) return [{ check, level: 'warning', message: known.message, remedy: known.hint }];
  const run = runIn(io);
  const all = await Promise.all(known.map(({ provider }) => inspect(io.host.disk, provider, io.env, run)));
  const cast = castRoles(io, config, {});
  const wanted = new Set('ok' in cast ? [] : Object.values(cast.chosen).map(({ provider }) => provider.name));
  const host = { disk: io.host.disk, env: io.env, platform: io.host.processes.platform };
  const findings = [...all]
    .sort((one, other) => rank(one) - rank(other))
    .map((one) =>
      finding(one, {
        login: loginOf(host, one.provider),
        isUsed: wanted.has(one.provider.name),
        install: installLine(host, one.provider),
      }),
    );
  return [
    ...findings,
    // A rehearsal or a command of the configuration is no CLI that is missing.
    ...('ok' in cast ? noneAtAll(all) : [used(cast.told)]),
    ...missingDefault(host, all, config.default_provider ?? undefined),
    ...(io.self.isRoot ? asRoot(all).slice(0, 1) : []),
    ...offPath(pathLine(host)),
  ];
}

const offPath = (line: string | undefined): readonly AgentFinding[] =>
  line === undefined
    ? []
    : [
        {
          check: 'path',
          level: 'warning',
          message: 'liza is installed in ~/.local/bin, which is not on PATH',
          remedy: `for this shell, and in ~/.profile for all others: ${line}`,
        },
      ];

/** Which of them liza run would start. */
const used = (told: string): AgentFinding => ({
  check,
  level: 'ok',
  message: `liza run uses ${told.replace('agents: ', '')}`,
});

const asRoot = (all: readonly Installed[]): readonly AgentFinding[] =>
  all.flatMap(({ provider: { asRoot: message } }) =>
    message === undefined ? [] : [{ check, level: 'ok' as const, message, remedy: 'safer: run Liza as a normal user' }],
  );

const rank = ({ path }: Installed): number => (path === undefined ? 1 : 0);

interface Around {
  readonly login: Login;
  /** `liza run` would start it, so that a login that is missing stops it. */
  readonly isUsed: boolean;
  readonly install: string;
}

function finding({ provider, path, version, trouble }: Installed, { login, isUsed, install }: Around): AgentFinding {
  const { name, hints } = provider;
  const title = named(provider);
  const about = { check, provider: name, installed: path !== undefined };
  if (path === undefined) {
    return { ...about, level: 'ok', message: `${title} is not installed`, remedy: `to install it: ${install}` };
  }
  if (trouble !== undefined) {
    const remedy = `install it again: ${install}`;
    return { ...about, level: 'warning', message: `${title} does not start: ${trouble}`, remedy };
  }
  const starts = version === undefined ? `${title}: ${path}, not tried` : `${title} starts: ${version}`;
  const known = { ...about, login, ...(version === undefined ? {} : { version }) };
  switch (login) {
    case 'found':
      return { ...known, level: 'ok', message: `${starts}; a login is there` };
    case 'missing':
      return {
        ...known,
        level: isUsed ? 'warning' : 'ok',
        message: `${starts}; not logged in`,
        remedy: `to log in: ${hints.login}`,
      };
    case 'unknown':
      return { ...known, level: 'ok', message: starts, remedy: `if it asks for a login: ${hints.login}` };
    default:
      return login satisfies never;
  }
}

/** For people, with the name that settings and options use. */
const named = ({ name, title }: Provider): string => (name === title ? title : `${title} (${name})`);

function noneAtAll(all: readonly Installed[]): readonly AgentFinding[] {
  if (all.some(({ path }) => path !== undefined)) return [];
  const remedy = 'install one of them for liza run; liza demo works without one';
  return [{ check, level: 'warning', message: 'no agent CLI is installed', remedy }];
}

function missingDefault(
  host: Parameters<typeof installLine>[0],
  all: readonly Installed[],
  name: string | undefined,
): readonly AgentFinding[] {
  const one = all.find(({ provider }) => provider.name === name);
  if (name === undefined || name === 'rehearsal' || one?.path !== undefined) return [];
  const known = one === undefined ? 'is not known' : 'is not installed';
  const remedy = `${one === undefined ? '' : `${installLine(host, one.provider)}, or `}choose another: liza config set default_provider claude`;
  return [{ check, level: 'warning', message: `default_provider ${name} ${known}`, remedy }];
}

/** What it prints on stderr, such as a deprecation, is not its version. */
const runIn =
  ({ host, cwd }: Io): Run =>
  async (argv, env, timeoutMs) => {
    const lines: string[] = [];
    const ended = await runProgram(host, { argv, cwd, env, timeoutMs, onLine: (line) => lines.push(line) });
    if (ended.how === 'not-started') throw new Error(ended.reason);
    const status = ended.how === 'exited' ? ended.code : null;
    const version =
      lines.findLast((line) => /\d+\.\d+/.test(line)) ?? lines.findLast((line) => line.trim() !== '') ?? '';
    return { status, stdout: version, stderr: ended.tail };
  };
