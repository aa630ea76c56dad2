// A crew that is only played: what it shows is a function of the step, so that a picture of step 20 is always
// the same. `fakeCrew` plays the steps one after the other, for looking at the board in a real terminal.

import { alarm, warning } from '../../../../src/alarms/rules/alarm.ts';
import type { BoardAccess } from '../../../../src/cli/live/access.ts';
import type { Agent, Task } from '../../../../src/protocol/state.ts';
import type { CrewControl, CrewEnd, CrewEvent, CrewMember, CrewView } from '../../../../src/supervisor/crew-view.ts';
import { type Instant, iso } from '../../../../src/text/time.ts';
import { board, COMMIT, MINUTE, SECOND } from '../../boards/empty-board.ts';

const WORK = [
  ['parse-args', 'Parse the command line: flags, values, and one clear sentence for each mistake'],
  ['read-config', 'Read the configuration file and say where each value came from'],
  ['retry-core', 'Retry failed calls with exponential backoff and jitter 🚀'],
  ['error-types', 'Typed errors for what may be retried'],
  ['timeouts', '時間切れを設定できるようにする'],
  ['auth-header', 'Send the auth header on every retry'],
  ['metrics', 'Count retries per endpoint 👨‍👩‍👧‍👦 and ⚠️ warn e\u0301arly of those that never end'],
  ['docs', 'Document the retry policy'],
  ['changelog', 'Tell users what changed'],
] as const;

const DRAFT_WAITS = {
  ...warning('STALE DRAFT', 'changelog', ''),
  text: '⚠️ DRAFT: changelog waits for its planner for 31 min',
};

/** How long a task stays in each state of its life. */
const LIFE = [
  ['UNCLAIMED', 2],
  ['CLAIMED', 6],
  ['READY_FOR_REVIEW', 3],
  ['REJECTED', 1],
  ['CLAIMED', 4],
  ['READY_FOR_REVIEW', 3],
  ['APPROVED', 1],
] as const;

const DOES = [
  'Read src/http.ts',
  'Edit src/parse.ts',
  'Bash npm test -- http',
  'Grep "retry" in src',
  'Write test/retry.test.ts',
];

function taskAt(at: number, step: number, now: Instant): Task {
  const [id = '', description = ''] = WORK[at] ?? [];
  const coder = `coder-${(at % 3) + 1}`;
  const common = { id, description, priority: 1 + (at % 4), created: iso(now - 90 * MINUTE) };
  let age = step - at * 7;
  if (id === 'auth-header' && age > 4) {
    return {
      ...common,
      status: 'BLOCKED',
      assigned_to: coder,
      blocked_reason: 'The spec names two headers and they contradict each other',
      blocked_questions: ['Which header carries the token after a retry: Authorization or X-Auth-Token?'],
      iteration: 1,
      history: [{ time: iso(now - 3 * MINUTE), event: 'blocked', agent: coder }],
    };
  }
  for (const [nth, [status, length]] of LIFE.entries()) {
    if (age < length) {
      return {
        ...common,
        status,
        ...(status === 'UNCLAIMED' ? {} : { assigned_to: coder, iteration: nth > 3 ? 2 : 1 }),
        ...(status === 'CLAIMED' ? { lease_expires: iso(now + 4 * MINUTE), worktree: `.worktrees/${id}` } : {}),
        ...(nth > 2 ? { review_cycles_current: 1, rejection_reason: 'The delay is never awaited' } : {}),
        ...(status === 'READY_FOR_REVIEW'
          ? {
              reviewing_by: `code-reviewer-${(at % 2) + 1}`,
              review_commit: COMMIT,
              review_lease_expires: iso(now + 8 * MINUTE),
            }
          : {}),
        ...(at === 7 ? { depends_on: ['retry-core', 'auth-header'] } : {}),
        history: [{ time: iso(now - 5 * MINUTE), event: 'claimed', agent: coder }],
      };
    }
    age -= length;
  }
  return { ...common, status: 'MERGED', assigned_to: coder, merge_commit: COMMIT };
}

export function crewAt(
  step: number,
  now: Instant,
  log = '/tmp/session.log',
  started = now - step * 2 * SECOND,
): CrewView {
  const tasks = WORK.map((_, at) => taskAt(at, step, now));
  const holds = (id: string): Task | undefined =>
    tasks.find((task) => (task.status === 'CLAIMED' ? task.assigned_to : task.reviewing_by) === id);
  const ids = ['planner-1', 'coder-1', 'coder-2', 'coder-3', 'code-reviewer-1', 'code-reviewer-2'];
  const agents = Object.fromEntries(ids.map((id, at) => [id, agentAt(id, holds(id), at, step, now)]));
  const on = board({
    tasks,
    agents,
    state: {
      goal: {
        id: 'goal-1',
        description: 'Every API call survives a flaky network, without hammering it',
        status: 'IN_PROGRESS',
      },
      sprint: {
        id: 'sprint-1',
        scope: { planned: WORK.map(([id]) => id) },
        timeline: { started: iso(now - 90 * MINUTE), deadline: iso(now + 130 * MINUTE) },
        status: 'IN_PROGRESS',
      },
    },
  });
  return {
    now,
    board: on,
    members: ids.map((id, at) => memberAt(id, holds(id), at, step, now, log)),
    alarms: [
      ...(step > 39 ? [alarm('BLOCKED', 'auth-header', 'auth-header waits for an answer')] : []),
      ...(step > 12 && step < 60 ? [DRAFT_WAITS] : []),
    ],
    events: Array.from({ length: Math.min(step, 40) }, (_, i) => happeningAt(Math.max(0, step - 40) + i, started)),
    ...(step > 80 ? { waitsFor: 'auth-header is BLOCKED and waits for your answer: liza note' } : {}),
  };
}

function agentAt(id: string, task: Task | undefined, at: number, step: number, now: Instant): Agent {
  return {
    role: roleOf(id),
    status: task === undefined ? 'IDLE' : 'WORKING',
    lease_expires: iso(now + (at + 1) * MINUTE + ((step * 7) % 60) * SECOND),
    ...(task === undefined ? {} : { current_task: task.id }),
  };
}

const roleOf = (id: string): Agent['role'] =>
  id.startsWith('planner') ? 'planner' : id.startsWith('coder') ? 'coder' : 'code_reviewer';

function memberAt(id: string, task: Task | undefined, at: number, step: number, now: Instant, log: string): CrewMember {
  const common = { agent: id, role: roleOf(id), provider: at === 2 ? 'codex' : 'claude', since: now - 4 * MINUTE };
  if (id === 'coder-3' && step % 30 > 20) {
    return { ...common, state: 'backing-off', why: 'quota', until: now + 12 * MINUTE };
  }
  if (task === undefined) return { ...common, state: 'idle' };
  const count = {
    ...{ nth: 1, input: 12_000 + (step % 20) * 900 * at, output: 800 + (step % 20) * 70 * at },
    ...(at === 2 ? {} : { cost_usd: 0.04 + (step % 20) * 0.013 * at }),
  };
  return {
    ...common,
    state: 'working',
    task: task.id,
    activity: DOES[(step + at) % DOES.length] ?? '',
    session: { ...count, started: now - 4 * MINUTE, context_percent: 8 + (step % 20) * (at % 4), log },
    recent: [count],
  };
}

function happeningAt(i: number, started: Instant): CrewEvent {
  const [id = ''] = WORK[i % WORK.length] ?? [];
  const time = started + i * 2 * SECOND;
  if (i % 11 === 10) return { time, level: 'alarm', agent: 'coder-3', text: '🚨 QUOTA: codex serves again at 14:05' };
  if (i % 5 === 4) return { time, level: 'warning', agent: 'coder-2', task: id, text: 'crashed once, next try in 5 s' };
  return { time, level: 'info', agent: `coder-${(i % 3) + 1}`, task: id, text: DOES[i % DOES.length] ?? '' };
}

/** Also what the board reaches beyond the crew. */
export interface Fake extends CrewControl, BoardAccess {
  /** Goes on by so many steps. */
  play(steps: number): void;
  end(how: CrewEnd): void;
  readonly asked: readonly string[];
}

export function fakeCrew(clock: () => Instant, from = 0, log?: string): Fake {
  const listeners = new Set<() => void>();
  const asked: string[] = [];
  let step = from;
  const started = clock() - from * 2 * SECOND;
  let paused: Instant | undefined;
  let end: (end: CrewEnd) => void = () => {};
  const ended = new Promise<CrewEnd>((resolve) => {
    end = resolve;
  });
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    asked,
    ended,
    end: (how) => end(how),
    play: (steps) => {
      if (paused === undefined) step += steps;
      changed();
    },
    view: () => {
      const view = crewAt(step, clock(), log, started);
      return paused === undefined ? view : { ...view, board: { ...view.board, switches: { PAUSE: paused } } };
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    run: async (argv) => {
      asked.push(argv.join(' '));
      if (argv.length === 1 && argv[0] === 'pause') {
        paused ??= clock();
        changed();
        return { ok: true, said: 'PAUSE is on: no new work starts' };
      }
      if (argv.length === 1 && argv[0] === 'resume') {
        paused = undefined;
        changed();
        return { ok: true, said: 'Work goes on' };
      }
      return { ok: true, said: `${argv[0]}: done` };
    },
    logs: async () =>
      ['coder-1', 'gone-1'].map((agent) => ({
        path: log ?? '',
        agent,
        task: 'retry-core',
        began: '20260131T140211-120Z',
        bytes: 4000,
      })),
    diff: async (task) => ({ title: task, lines: ['diff --git a/x b/x', '+new'] }),
    stop: () => {
      asked.push('stop');
      if (asked.filter((one) => one === 'stop').length > 1) end({ code: 1, message: 'stopped at once' });
      changed();
    },
  };
}
