// Pre-flight as `run`, `agent` and `doctor` use it: `run --check` makes every check and spends nothing; a run makes the
// quick ones first, starts its planner, and has set-up, tests and registries checked beside it.

import { realDisk } from '../ports/disk.ts';
import { checkExchange } from '../preflight/exchange-check.ts';
import { quickChecks } from '../preflight/quick-checks.ts';
import { checkRegistries } from '../preflight/registry-checks.ts';
import {
  fine,
  type PreflightCheck,
  type PreflightResult,
  startLine,
  stop,
  stopsOf,
  verdictText,
  warn,
} from '../preflight/rules/result.ts';
import { readResult, saveResult } from '../preflight/saved-result.ts';
import { type HeadTried, tryHead } from '../preflight/try-head.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { type Config, type Settings, settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Provider } from '../providers/provider.ts';
import type { BoardContext } from '../store/context.ts';
import type { Snapshot } from '../store/store.ts';
import { type SupervisorContext, taskContextOf } from '../supervisor/context.ts';
import type { CrewPreflight } from '../supervisor/crew.ts';
import type { TaskContext } from '../tasks/context.ts';
import { iso } from '../text/time.ts';
import type { Io } from './io.ts';
import { findingLines } from './render/findings.ts';
import { HOW_SANDBOXED, type SandboxTold, tellSandbox } from './sandbox-mode.ts';
import { TEMPLATE } from './spec-file.ts';
import type { Refused, Result } from './verb.ts';

type Agents = readonly Provider[] | Refusal;

/** The quick checks; what stops a run comes back as the refusal to start it. */
export async function preflight(
  io: Io,
  context: BoardContext,
  { board }: Snapshot,
  agents: Agents,
): Promise<{ readonly checks: readonly PreflightCheck[]; readonly refused?: Refused }> {
  const template = realDisk.readFileSync(io.asset(TEMPLATE), 'utf8');
  const told = await tellSandbox(io, settings(board.state));
  const checks = await quickChecks(context, { board, template, agents, sandbox: told && checkSandbox(told) });
  const stops = stopsOf(checks);
  const [first] = stops;
  if (first === undefined) return { checks };
  saveResult(context, {
    time: iso(context.clock.now()),
    ...defined({ commit: board.state.goal.integration_head }),
    checks,
  });
  const missing = isRefusal(agents) ? agents : told && isRefusal(told.mode) ? told.mode : undefined;
  if (stops.length === 1)
    return { checks, refused: { ...refuse(first.message, first.mend ?? '', 1, 'preflight'), ...missing } };
  const lines = stops.flatMap(lineOf);
  const refused = refuse(verdictText(stops), 'do what each line says, then: liza run', missing?.code ?? 1, 'preflight');
  return { checks, refused: { ...refused, lines } };
}

function checkSandbox({ mode, text, remedy, idle }: SandboxTold): readonly PreflightCheck[] {
  const message = text.replace('sandbox: ', '');
  if (remedy === undefined) return [fine('sandbox', message)];
  return [
    isRefusal(mode)
      ? stop('sandbox', message, remedy)
      : warn('sandbox', message, 'remedy' in mode ? HOW_SANDBOXED : remedy),
    ...idle.map((one) => warn('sandbox', one.message, one.remedy)),
  ];
}

/** Every check, one after the other, with a line on what takes long. */
export async function checkAll(io: Io, context: TaskContext, agents: Agents): Promise<Result> {
  const snapshot = await context.store.read();
  const { checks: quick, refused } = await preflight(io, context, snapshot, agents);
  const head = await tryHeadPatiently(context, settings(snapshot.board.state));
  const notTried = isRefusal(head) ? [warn('set-up', `not tried: ${head.message}`, head.hint)] : [];
  const registries = await checkRegistries(context, { setupWorks: setupWorks(head, snapshot.board.state.config) });
  const exchange = await checkExchange(context);
  const found = [...quick, ...(isRefusal(head) ? notTried : head.checks), ...registries, ...exchange];
  // Not kept with the rest: whoever resumes the goal is told of it no more.
  const checks = [...checkGoal(snapshot), ...found];
  const result: PreflightResult = {
    time: iso(context.clock.now()),
    ...defined({ commit: snapshot.board.state.goal.integration_head }),
    ...(isRefusal(head) ? {} : { commit: head.commit, under: head.under }),
    checks: found,
  };
  saveResult(context, result);
  const lines = checks.flatMap(lineOf);
  const data = { commit: result.commit ?? null, checks };
  const message = verdictText(checks);
  if (stopsOf(checks).length === 0) return { ok: true, message, lines, sumsUp: true, data };
  // The same as a run would end with.
  const code = refused?.code ?? 1;
  return { ...refuse(message, 'do what each STOP says, then: liza run', code, 'preflight'), lines, data };
}

/** A run would refuse it, or start nothing. */
const checkGoal = ({ board: { state, switches } }: Snapshot): readonly PreflightCheck[] =>
  state.goal.status === 'ABORTED'
    ? [stop('goal', 'the goal is aborted', 'to continue it: liza resume')]
    : Object.keys(switches).map((name) => stop('goal', `${name} is on: no work starts`, 'liza resume'));

/** A trial of another process, of a run for example, ends first: what it prepared is used again. */
async function tryHeadPatiently(context: TaskContext, config: Settings): Promise<HeadTried | Refusal> {
  const head = await tryHead(context, {});
  if (!isRefusal(head) || head.guard !== 'folder-lock') return head;
  context.say(`${head.message}: waiting for its end …`);
  return tryHead(context, { patience: (config.post_worktree_timeout + config.validation_timeout) * 1000 });
}

const setupWorks = (head: HeadTried | Refusal, { post_worktree_cmd }: Config): boolean =>
  (post_worktree_cmd ?? '').trim() !== '' &&
  !isRefusal(head) &&
  head.checks.some(({ check, level }) => check === 'set-up' && level === 'ok');

const MARKS = { ok: 'ok', warning: 'WARN', stop: 'STOP' } as const;

const lineOf = ({ level, check, message, mend, output }: PreflightCheck): readonly string[] =>
  findingLines({ mark: MARKS[level], check, message, remedy: mend, output });

/** What a run checks beside its agents. No code is claimed before set-up has been tried. */
export function preflightBeside(quick: readonly PreflightCheck[], config: Config): CrewPreflight {
  const { post_worktree_cmd, worktree_files } = config;
  const isSetUp = (post_worktree_cmd ?? '').trim() !== '' || (worktree_files ?? []).length > 0;
  let held = isSetUp ? 'waits for set-up, which is tried first' : undefined;
  return {
    held: () => held,
    run: async (context, over) => {
      const release = (): void => {
        if (held === undefined) return;
        held = undefined;
        context.changeSignal.notify();
      };
      try {
        await checkBeside(context, { quick, over, release });
      } finally {
        release();
      }
    },
  };
}

interface Beside {
  readonly quick: readonly PreflightCheck[];
  readonly over: AbortSignal;
  readonly release: () => void;
}

async function checkBeside(context: SupervisorContext, { quick, over, release }: Beside): Promise<void> {
  // The start of agents tells these two itself (supervisor/crew-start.ts), also to `liza agent`.
  for (const one of quick) if (one.check !== 'vision' && one.check !== 'sandbox') tell(context, one);
  const own: TaskContext = {
    ...taskContextOf(context, 'planner-1', over),
    actor: { parts: ['supervisor'] },
    say: (text) => context.emit({ level: 'info', text: `pre-flight: ${text}` }),
  };
  const last = readResult(context);
  const head = await tryHead(own, { last, onSetup: release, background: true });
  if (over.aborted) return;
  const tried = isRefusal(head) ? [] : head.checks;
  // A set-up that fails is an alarm, with its output.
  const at = isRefusal(head) ? undefined : head.commit;
  for (const one of tried) if (one.level !== 'stop') tell(context, one, at);
  // Whoever read that the tests run waits for how they ended; registries may take longer.
  for (const { level, message } of isRefusal(head) ? [] : head.ran)
    if (level === 'ok') context.emit({ level: 'info', text: `pre-flight: ${message}` });
  const { config } = (await own.store.read()).board.state;
  const registries = [
    ...(await checkRegistries(own, { setupWorks: setupWorks(head, config) })),
    ...(await checkExchange(own)),
  ];
  if (over.aborted) return;
  for (const one of registries) if (one.level !== 'stop') tell(context, one, at);
  const beside = [...tried, ...registries];
  const commit = isRefusal(head) ? undefined : { commit: head.commit, under: head.under };
  saveResult(context, { time: iso(context.clock.now()), ...commit, checks: [...quick, ...beside] });
}

/** `head`: the commit that it is about. */
function tell(context: SupervisorContext, one: PreflightCheck, head?: string): void {
  if (one.level === 'ok') return;
  // At the end of a run nothing is spent any more.
  const passing = one.check === 'base' || one.check === 'budget' ? ({ passing: true } as const) : {};
  context.emit({ level: 'warning', text: startLine(one), ...passing, ...defined({ head }) });
}
