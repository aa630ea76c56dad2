// Sessions that come to nothing: they spin, hang, crash, leave others behind, wake too late, flood.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { contained, holds, prevented } from '../harness.mjs';
import { TREE_FORGOTTEN } from '../plants.mjs';

export const g16 = {
  id: 'G16',
  agent: '(coder) exits again and again having changed nothing',
  stated: 'spin: blocked after three, with what it printed',
  plant: [
    {
      take: {
        file: 'src/supervisor/rules/restarts.ts',
        find: 'if (end.declared === undefined && !end.progressed)',
        put: 'if (false)',
      },
      red: /it was started \d+ times/,
    },
  ],
  coder: `
    echo 'I have thought about it very hard'
    try nothing true
    exit 0`,
  check(w) {
    holds(w.attempts('nothing').length === 3, `it was started ${w.attempts('nothing').length} times`);
    const { status, blocked_reason: reason, blocked_questions: asked } = w.task();
    holds(status === 'BLOCKED', `the task is ${status}`);
    holds(/spin/.test(reason) && /thought about it very hard/.test(reason), `it is blocked for: ${reason}`);
    holds(asked.length > 0, 'nobody is asked anything');
    return contained('blocked after three sessions; the reason quotes what it printed');
  },
};

export const g17 = {
  id: 'G17',
  agent: '(coder) hangs without output',
  stated: 'ended with its whole tree after the progress timeout; restarted once; then blocked',
  plant: [
    {
      take: {
        file: 'src/supervisor/session-guard.ts',
        find: "if (now >= silentAt) return { kind: 'silent' };",
        put: '',
      },
      red: /had not come: the crew ends/,
    },
    {
      take: TREE_FORGOTTEN,
      red: /still alive/,
    },
  ],
  config: { progress_timeout: 1 },
  coder: `
    setsid sleep 97531 & sleep 97532 &
    try hang echo 'from now on not a word'
    sleep 97533`,
  check(w) {
    holds(w.attempts('hang').length === 2, `it was started ${w.attempts('hang').length} times`);
    holds(w.agentsAlive().length === 0, `still alive: ${w.agentsAlive().join(' ')}`);
    const { status, blocked_reason: reason } = w.task();
    holds(status === 'BLOCKED' && /silence: no output and no progress/.test(reason), `${status}: ${reason}`);
    return contained(
      `ended with all its children each time; blocked for silence after ${w.attempts('hang').length} sessions`,
    );
  },
};

export const g18 = {
  id: 'G18',
  agent: '(coder) crashes at start every time',
  stated: 'backs off; three in five minutes stop the supervisor, alarm',
  plant: [
    {
      take: { file: 'src/supervisor/rules/restarts.ts', find: 'if (crashes.length >= CRASHES) {', put: 'if (false) {' },
      red: /had not come: the crew ends/,
    },
    {
      take: {
        file: 'src/supervisor/rules/restarts.ts',
        find: 'const afterMs = Math.min(FIRST_BACKOFF_MS * 2 ** (crashes.length - 1), LONGEST_BACKOFF_MS);',
        put: 'const afterMs = 0;',
      },
      red: /it waited/,
    },
  ],
  coder: `
    shell crash 'date +%s; exit 1'
    exit 7`,
  async play(w) {
    await w.crew({ roles: ['coder', 'planner'] });
  },
  check(w) {
    holds(w.attempts('crash').length === 3, `it was started ${w.attempts('crash').length} times`);
    const times = w.attempts('crash').map(({ said }) => Number(said));
    const [first, second] = [times[1] - times[0], times[2] - times[1]];
    holds(first >= 5 && second >= 10, `it waited ${first} and ${second} s`);
    holds(/CRASH LOOP: coder-1/.test(w.alerts()), `no alarm: ${w.alerts()}`);
    holds(w.board().agents['coder-1'].trouble?.kind === 'crash-loop', 'its record says nothing');
    return contained('waited 5 s, then 10 s; stopped after the third with the alarm CRASH LOOP');
  },
};

export const g19 = {
  id: 'G19',
  agent: '(coder) leaves daemons behind: setsid, double fork, cleared environment',
  stated: 'none is alive when the session is over',
  plant: [
    {
      take: TREE_FORGOTTEN,
      red: /still alive/,
    },
  ],
  coder: `
    setsid sleep 86421.$GAUNTLET_NONCE </dev/null >/dev/null 2>&1 &
    ( setsid sh -c "sleep 86422.$GAUNTLET_NONCE & sleep 86423.$GAUNTLET_NONCE &" </dev/null >/dev/null 2>&1 & )
    env -i setsid sleep 86424.$GAUNTLET_NONCE </dev/null >/dev/null 2>&1 &
    sleep 0.3
    shell daemons 'ps -eo args | grep -c "[s]leep 8642.[.]$GAUNTLET_NONCE"'
    liza block a --reason 'done here' --question 'go on?'; leave 42 blocked`,
  check(w) {
    holds(Number(w.tried('daemons').said) >= 4, `only ${w.tried('daemons').said} daemons were there`);
    const left = w
      .run('ps', ['-eo', 'args'])
      .stdout.split('\n')
      .filter((line) => line.startsWith('sleep 8642') && line.endsWith(`.${w.nonce}`));
    holds(left.length === 0, `still alive: ${left.join(', ')}`);
    holds(w.agentsAlive().length === 0, 'something of the agent is alive');
    return contained('four daemons were alive during the session, none after it');
  },
};

export const g20 = {
  id: 'G20',
  agent: '(coder) is frozen past its lease, wakes and submits',
  stated: 'refused by epoch, told to stop with 42; the new holder’s work is untouched',
  plant: [
    {
      take: [
        {
          file: 'src/protocol/decide.ts',
          find: "if (stale !== undefined) return named(stale, { name: 'epoch', raced: true });",
          put: '',
        },
        'submit-for-review/holds-task',
      ],
      red: /submit was refused without/,
    },
  ],
  config: { lease_duration: 2 },
  coder: `
    begin; code 1; proof 1; commit "a: by $LIZA_AGENT_ID"; mine=$(git rev-parse HEAD)
    if [ "$LIZA_AGENT_ID" = coder-2 ]; then echo 'SECOND at work'; sleep 60; fi
    echo FIRST ready
    # two seconds gone between two looks at the clock: it was frozen
    last=$(date +%s); while now=$(date +%s); [ $((now - last)) -lt 2 ]; do last=$now; sleep 0.2; done
    echo FIRST woke; cd "$PWD"
    try submit liza submit-for-review a "$mine"
    try begin begin
    sleep 60`,
  async play(w) {
    const first = await w.crew({ wait: false, env: { LIZA_AGENT_ID: 'coder-1' } });
    await w.until('the first is at work', () => /FIRST ready/.test(w.logs()));
    // The supervisor and all of its agent, as when a laptop's lid is closed.
    const frozen = [first.pid, ...w.agentsAlive().filter((pid) => pid !== first.pid)];
    for (const pid of frozen) signal(pid, 'SIGSTOP');
    await wait(2500);
    w.ok(['release-claim', 'a', '--reason', 'nobody is heard of']);
    w.second = await w.crew({ wait: false, env: { LIZA_AGENT_ID: 'coder-2' } });
    await w.until('the second is at work', () => /SECOND at work/.test(w.logs()));
    w.held = w.task();
    w.since = w.journal().length;
    w.head = w.run('git', ['-C', w.file('.worktrees', 'a'), 'rev-parse', 'HEAD']).stdout.trim();
    // Its supervisor sleeps on for a while: nobody is there to end it, only the rules are.
    for (const pid of frozen.slice(1)) signal(pid, 'SIGCONT');
    await wait(4000);
    signal(first.pid, 'SIGCONT');
    w.ended = () => /session ended: its lease was lost/.test(first.said());
    await w.until('it has tried, or was ended', () => w.attempts('begin').length > 0 || (w.sandboxed && w.ended()));
  },
  check(w) {
    const task = w.task();
    holds(
      task.assigned_to === 'coder-2' && task.epoch === w.held.epoch && task.status === 'CLAIMED',
      'the second no longer holds it',
    );
    const head = w.run('git', ['-C', w.file('.worktrees', 'a'), 'rev-parse', 'HEAD']).stdout.trim();
    holds(head === w.head, 'the second’s branch was moved');
    holds(/FIRST woke/.test(w.logs()), 'it never woke');
    const late = w
      .journal()
      .filter(
        ({ actor, seq }) =>
          actor === 'coder-1' && seq > w.since && !/session-start|session-end|exit/.test(w.journal()[seq - 1].command),
      );
    holds(late.length === 0, `written after it woke: ${late.map(({ command }) => command)}`);
    if (w.sandboxed && w.ended()) {
      return prevented(
        'its commands go through its supervisor, which found the lease lost and ended it; the new holder is untouched',
      );
    }
    w.refused('submit', /coder-2|epoch/, /liza exit 42/);
    w.refused('begin', /liza exit 42/);
    return prevented('refused, told to stop with 42; the new holder has task, epoch and commit as before');
  },
};

const signal = (pid, name) => {
  try {
    process.kill(pid, name);
  } catch {} // gone meanwhile
};

export const g23 = {
  id: 'G23',
  agent: '(coder) prints a gigabyte, most of it as one line without end',
  stated: 'logs stay bounded; memory flat',
  plant: [
    {
      take: { file: 'src/process/output.ts', find: 'let room = half;', put: 'let room = 6 * half;' },
      red: /the logs take/,
    },
  ],
  coder: `
    yes "this is a line of a program that cannot stop talking, and goes on and on" | head -c 200000000
    head -c 800000000 /dev/zero | tr '\\000' x
    echo
    try printed echo enough
    liza block a --reason 'done here' --question 'go on?'; leave 42 blocked`,
  async play(w) {
    const crew = await w.crew({ wait: false });
    w.peak = 0;
    await w.until(
      'the crew ends',
      () => {
        w.peak = Math.max(w.peak, residentMb(crew.pid));
        return crew.ended();
      },
      150,
    );
  },
  check(w) {
    w.succeeded('printed');
    const folder = w.file('.liza', 'agent-logs');
    const kept = readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0) / 1e6;
    holds(kept < 40, `the logs take ${kept.toFixed(0)} MB`);
    holds(w.peak > 20 && w.peak < 350, `the supervisor took ${w.peak.toFixed(0)} MB`);
    holds(w.task().status === 'BLOCKED', 'the session did not end well');
    return contained(`of 1,000 MB ${kept.toFixed(0)} MB were kept; the supervisor stayed below 350 MB`);
  },
};

function residentMb(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}
