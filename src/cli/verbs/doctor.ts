// `liza doctor [--fix]`: what is wrong around the blackboard, and what to do about it.

import { version } from '../../../package.json';
import { humanOnly } from '../../identity/identify.ts';
import { broken, type Finding, ok, warning } from '../../project/finding.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import type { Settings } from '../../protocol/state.ts';
import type { TaskContext } from '../../tasks/context.ts';
import { counted } from '../../text/format.ts';
import type { AgentFinding } from '../agent-findings.ts';
import type { Io } from '../io.ts';
import { boardAt, openBoard, openCurrentBoard } from '../open-board.ts';
import { committedResult, openTaskContext } from '../open-project.ts';
import { findingLines } from '../render/findings.ts';
import type { Result, Verb } from '../verb.ts';

export const verb: Verb = {
  options: {
    fix: { description: 'Fix what can be fixed safely; without it nothing is changed.' },
    'accept-board': {
      description: 'Accept a blackboard that was not made here, such as one from a backup; its settings run programs.',
    },
    'accept-integration': { description: 'Accept that the integration branch was moved outside Liza.' },
  },
  examples: ['liza doctor', 'liza doctor --fix', 'liza doctor --accept-integration'],
  details: [
    'A deleted .liza comes back from the copy in the git directory, up to the last acknowledged change.',
    'Agent CLIs are started with --version, which needs no login and costs nothing. A missing one is not a problem.',
  ],
  run: async (args, io) => {
    if (args.flag('accept-integration')) return accept(io);
    if (args.flag('accept-board')) return acceptBoard(io);
    const fix = args.flag('fix');
    const operator = fix ? await humanOnly(io, 'doctor --fix') : undefined;
    if (operator !== undefined) return operator;
    const { openRepository } = await import('../../git/repository.ts');
    const repository = await openRepository(io.host, io.cwd);
    if (isRefusal(repository)) return outsideRepository(io, repository);
    const { examine } = await import('../../project/doctor.ts');
    const { readSchema } = await import('../../project/project-manifest.ts');
    await openCurrentBoard(io);
    const context = boardAt(io, repository);
    const asked = { fix, schema: readSchema(io.asset('schema/state.schema.json')) };
    const around = await examine(context, repository, asked);
    const [inGit, beside] = await Promise.all([work(io, around, fix), agents(io)]);
    const findings = [...around, ...inGit, ...beside];
    const lines = findings.flatMap(line);
    const data = { findings };
    const broken = findings.filter((finding) => finding.level === 'broken');
    if (broken.length === 0) return { ok: true, lines, data };
    const hint = fix
      ? 'the rest is for you to do; each line says what'
      : 'liza doctor --fix fixes what can be fixed safely';
    return { ...refuse(`${counted(broken.length, 'problem')} found`, hint, 4, 'doctor'), lines, data };
  },
};

/** Worktrees are compared with the board only when there is a board to trust. */
async function work(io: Io, around: readonly Finding[], fix: boolean): Promise<readonly Finding[]> {
  const untold = around.some(({ level, check }) => level === 'broken' && check !== 'rules' && check !== 'log');
  const context = untold || isRefusal(openBoard(io)) ? undefined : await openTaskContext(io, { anyBoard: true });
  if (context === undefined || isRefusal(context)) return [];
  const { examineWork } = await import('../../project/doctor-work.ts');
  return [...(await examineWork(context, fix)), ...(await vision(context)), await lastPreflight(context)];
}

/** As it is now: the last pre-flight may have looked before the last change. */
async function vision(context: TaskContext): Promise<readonly Finding[]> {
  const { visionWarning } = await import('../../preflight/quick-checks.ts');
  const found = await visionWarning(context, (await context.store.read()).board);
  return found === undefined ? [] : [warning('vision', found.message, found.mend ?? '')];
}

async function lastPreflight(context: TaskContext): Promise<Finding> {
  const { readResult } = await import('../../preflight/saved-result.ts');
  const { lastResultText, standingChecks, stopsOf } = await import('../../preflight/rules/result.ts');
  const { baseSetupFailure } = await import('../../protocol/work/setup-failures.ts');
  const check = 'pre-flight';
  const last = readResult(context);
  if (last === undefined) return ok(check, 'not done yet: liza run --check');
  const { board, now } = await context.store.read();
  const head = board.state.goal.integration_head;
  const checks = standingChecks(last, { head, setupFails: baseSetupFailure(board.state) !== undefined });
  const message = lastResultText({ ...last, checks }, { now, head });
  const [first] = stopsOf(checks);
  if (first === undefined) return ok(check, message);
  return warning(check, `${message}: ${first.message}`, `${first.mend ?? ''}; then: liza run --check`);
}

/** Outside any repository, as right after installing Liza. */
async function outsideRepository(io: Io, refusal: Refusal): Promise<Result> {
  const findings = await agents(io);
  return { ...refusal, lines: findings.flatMap(line), data: { findings } };
}

/** Reads the board's configuration where it can; another check reports a broken board. */
async function agents(io: Io): Promise<readonly AgentFinding[]> {
  const { homeFindings } = await import('../../project/setup.ts');
  const { agentFindings } = await import('../agent-findings.ts');
  const board = openBoard(io);
  const read = isRefusal(board) ? undefined : await board.store.read().catch(() => undefined);
  const config = read?.board.state.config;
  const found = await agentFindings(io, config ?? {});
  return [
    ...homeFindings(io.env, version),
    ...(await sandboxFinding(io, { ...config, sandbox: config?.sandbox ?? 'auto' })),
    ...found,
  ];
}

async function sandboxFinding(
  io: Io,
  config: Pick<Settings, 'sandbox'> & Partial<Pick<Settings, 'isolation' | 'sandbox_network' | 'setup_read'>>,
): Promise<readonly Finding[]> {
  const { tellSandbox } = await import('../sandbox-mode.ts');
  const told = await tellSandbox(io, config);
  if (told === undefined) return [];
  const check = 'sandbox';
  const message = told.text.replace('sandbox: ', '');
  if ('tool' in told.mode && told.mode.tool.kind === 'bubblewrap' && told.mode.tool.filter === undefined)
    return [warning(check, `${message}, but without a filter of system calls: ${LEASES}`, 'use a kernel with seccomp')];
  if ('tool' in told.mode && told.mode.tool.kind === 'bubblewrap' && told.mode.tool.perl === undefined)
    return [warning(check, `${message}, but ${SOCKETS}`, 'use Linux 6.12 or newer, with perl; or: liza help sandbox')];
  if (told.remedy === undefined) return [ok(check, message)];
  return [
    (isRefusal(told.mode) ? broken : warning)(check, message, told.remedy),
    ...told.idle.map((one) => warning(check, one.message, one.remedy)),
  ];
}

const SOCKETS =
  'programs in it can hand open folders to each other by abstract sockets, so that folders are not used again';
const LEASES = 'an agent can take leases on files, and all who open them wait';

async function accept(io: Io): Promise<Result> {
  const operator = await humanOnly(io, 'doctor --accept-integration');
  if (operator !== undefined) return operator;
  const context = await openTaskContext(io, { anyBoard: true });
  if (isRefusal(context)) return context;
  const { acceptIntegration } = await import('../../project/doctor-work.ts');
  const accepted = await acceptIntegration(context);
  if (isRefusal(accepted)) return accepted;
  const { head, gone } = accepted;
  const lines = gone.length === 0 ? [] : [`merged before, and no longer on the branch: ${gone.join(', ')}`];
  return committedResult(accepted, () => ({ lines, data: { head, gone } }));
}

/** From here on the git directory names it as this repository's. */
async function acceptBoard(io: Io): Promise<Result> {
  const operator = await humanOnly(io, 'doctor --accept-board');
  if (operator !== undefined) return operator;
  const { openRepository } = await import('../../git/repository.ts');
  const repository = await openRepository(io.host, io.cwd);
  if (isRefusal(repository)) return repository;
  const { acceptForeignBoard } = await import('../../project/init-place.ts');
  const refused = acceptForeignBoard(boardAt(io, repository));
  return refused ?? { ok: true, message: 'the blackboard in .liza is this repository’s now; next: liza doctor' };
}

const MARKS = { ok: 'ok', warning: 'WARN', broken: 'BAD' } as const;

const line = ({ level, installed, ...finding }: AgentFinding): readonly string[] =>
  findingLines({ ...finding, mark: level === 'ok' && installed === false ? '-' : MARKS[level] });
