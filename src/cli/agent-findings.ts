// What `liza doctor` says about agent CLIs: which are installed, their version, whether they start, and how to get
// one or log in. Starts each with --version at most, all at once and for a limited time; that costs no tokens.

import { runProgram } from '../process/run.ts';
import type { Finding } from '../project/finding.ts';
import type { Config } from '../protocol/state.ts';
import { type Installed, inspect, type Run } from '../providers/installed.ts';
import { castRoles, knownProviders } from './choose-provider.ts';
import type { Io } from './io.ts';

export interface AgentFinding extends Finding {
  readonly provider?: string;
  readonly installed?: boolean;
  readonly version?: string;
}

const check = 'agents';

export async function agentFindings(io: Io, config: Config): Promise<readonly AgentFinding[]> {
  const known = knownProviders(io, config);
  if ('ok' in known) return [{ check, level: 'warning', message: known.message, remedy: known.hint }];
  const run = runIn(io);
  const all = await Promise.all(known.map(({ provider }) => inspect(io.host.disk, provider, io.env, run)));
  const findings = [...all].sort((one, other) => rank(one) - rank(other)).map(finding);
  return [
    ...findings,
    ...used(io, config),
    ...noneAtAll(all),
    ...missingDefault(all, config.default_provider ?? undefined),
    ...(io.self.isRoot ? [AS_ROOT] : []),
  ];
}

/** Which of them liza run would start. */
function used(io: Io, config: Config): readonly AgentFinding[] {
  const cast = castRoles(io, config, {});
  return 'ok' in cast ? [] : [{ check, level: 'ok', message: `liza run uses ${cast.told.replace('agents: ', '')}` }];
}

const AS_ROOT: AgentFinding = {
  check,
  level: 'ok',
  message: 'you are root: Liza sets IS_SANDBOX=1 for Claude Code, which refuses to work unattended as root without it',
  remedy: 'safer: run Liza as a normal user',
};

const rank = ({ path }: Installed): number => (path === undefined ? 1 : 0);

function finding({ provider, path, version, trouble }: Installed): AgentFinding {
  const { name, title, hints } = provider;
  const about = { check, provider: name, installed: path !== undefined };
  if (path === undefined) {
    return { ...about, level: 'ok', message: `${title} is not installed`, remedy: `to have it: ${hints.install}` };
  }
  if (trouble !== undefined) {
    const remedy = `install it again: ${hints.install}`;
    return { ...about, level: 'warning', message: `${title} does not start: ${trouble}`, remedy };
  }
  const remedy = `if it wants a login: ${hints.login}`;
  if (version === undefined) return { ...about, level: 'ok', message: `${title}: ${path}, not tried`, remedy };
  return { ...about, version, level: 'ok', message: `${title} starts: ${version}`, remedy };
}

function noneAtAll(all: readonly Installed[]): readonly AgentFinding[] {
  if (all.some(({ path }) => path !== undefined)) return [];
  const remedy = 'install one of them for liza run; liza demo works without';
  return [{ check, level: 'warning', message: 'no agent CLI is installed', remedy }];
}

function missingDefault(all: readonly Installed[], name: string | undefined): readonly AgentFinding[] {
  const one = all.find(({ provider }) => provider.name === name);
  if (name === undefined || name === 'rehearsal' || one?.path !== undefined) return [];
  const known = one === undefined ? 'is not known' : 'is not installed';
  const remedy = `${one === undefined ? '' : `${one.provider.hints.install}, or `}choose another: liza config set default_provider claude`;
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
