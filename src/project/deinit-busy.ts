// Which agents are at work, so that deinit is refused: on what, until when, and what ends it. A supervisor's claim has a
// live process behind it; a claim that was typed by hand has only its lease, and a person may release that.

import type { Board, LeaseView } from '../protocol/board.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { agentLease, claimingBy, reviewLease, taskLease } from '../protocol/leases.ts';
import { type Instant, iso } from '../text/time.ts';

interface Hold {
  readonly agent: string;
  readonly task?: string;
  /** Milliseconds; 0: as long as its process lives. */
  readonly remaining: number;
  /** Whether a process is behind it; undefined: nobody can tell. */
  readonly run: boolean | undefined;
  /** What ends a claim without a process. */
  readonly command?: string;
}

/** `then`: the command that is refused. */
export function refuseBusy(board: Board, now: Instant, then = 'liza deinit'): Refusal | undefined {
  // A host that leaves takes nothing from the others.
  const isOurs = ({ agent }: Hold): boolean =>
    board.hosts === undefined || then !== 'liza deinit' || board.leases.get(agent)?.host === board.here;
  const holds = holdsOf(board, now).filter(isOurs);
  if (holds.length === 0) return undefined;
  const last = Math.max(...holds.map(({ remaining }) => remaining));
  const commands = [
    ...new Set(holds.flatMap(({ run, command }) => (run === true || command === undefined ? [] : [command]))),
  ];
  const ways = [
    ...(holds.some(({ run }) => run !== false)
      ? [
          board.hosts === undefined
            ? 'stop the crew: liza stop; and each liza agent that you started: Ctrl-C'
            : 'stop the crew on each host that has agents (liza hosts): liza stop; and each liza agent that you started: Ctrl-C',
        ]
      : []),
    ...(commands.length === 0 ? [] : [`release what was claimed by hand: ${commands.join('; ')}`]),
  ];
  const wait = last > 0 ? `, or wait until their leases end (${iso(now + last)})` : '';
  return refuse(
    `agents are running: ${holds.map((hold) => told(hold, now)).join(', ')}`,
    `${ways.join('; ')}${wait}; then ${then} again`,
    1,
    'agents',
  );
}

function told({ agent, task, remaining }: Hold, now: Instant): string {
  const until = remaining > 0 ? ` until ${iso(now + remaining)}` : '';
  return task === undefined ? `${agent}${until}` : `${agent} holds ${task}${until}`;
}

function holdsOf(board: Board, now: Instant): readonly Hold[] {
  const { agents, tasks } = board.state;
  const hold = (agent: string | undefined, lease: LeaseView, task: string, command: string): readonly Hold[] => {
    if (agent === undefined || lease.expired) return [];
    return [{ agent, task, remaining: lease.remaining, run: isRun(board, agent), command }];
  };
  const ofTasks = tasks.flatMap((task) => {
    const { id, status, assigned_to: coder, reviewing_by: reviewer } = task;
    const claimer = claimingBy(board, task, now);
    return [
      ...(status === 'CLAIMED' ? hold(coder, taskLease(board, task, now), id, `liza release-claim ${id}`) : []),
      ...hold(reviewer, reviewLease(board, task, now), id, `liza clear-stale-review-claims --agent ${reviewer}`),
      ...(claimer === undefined ? [] : [{ agent: claimer, task: id, remaining: 0, run: true }]),
    ];
  });
  const named = new Set(ofTasks.map(({ agent }) => agent));
  // Without a task only a process counts: an id that was registered by hand is nobody's work. Also one whose lease has
  // lapsed: stopped, or about to find out.
  const others = [...new Set([...Object.keys(agents), ...board.leases.keys()])].flatMap((agent): readonly Hold[] => {
    if (named.has(agent)) return [];
    const { expired, remaining } = agentLease(board, agent, now);
    const run = isRun(board, agent);
    const is = board.leases.get(agent)?.holder === 'alive' || (!expired && run !== false);
    return is ? [{ agent, remaining: expired ? 0 : remaining, run: true }] : [];
  });
  return [...ofTasks, ...others].toSorted((a, b) => (a.agent < b.agent ? -1 : 1));
}

/** undefined: its lease record names no process of this machine. */
function isRun({ state, leases, gone }: Board, agent: string): boolean | undefined {
  const holder = leases.get(agent)?.holder;
  if (holder !== undefined) return holder === 'unknown' ? undefined : holder === 'alive';
  const { process } = state.agents[agent] ?? {};
  return process !== undefined && gone?.has(process) !== true;
}
