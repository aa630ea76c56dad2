// Hosts of one board: each with a clone, a clock and a way to database and exchange of its own, on which supervisors of the
// built program work. A host is killed, frozen and let go as a whole, with all that its agents started.

import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanEnvironment, gitIn, runToEnd } from '../support/core.mjs';

const HOUR = 3_600_000;
const SSH = join(import.meta.dirname, '../integration/exchange/flaky-ssh.cjs');
const SKEW = join(import.meta.dirname, 'skew.cjs');

export function makeHost({ base, n, liza, proxy }) {
  const home = join(base, `host${n}`);
  const root = join(home, 'project');
  const how = join(home, 'exchange-weather');
  mkdirSync(home, { recursive: true });
  writeFileSync(how, 'well');
  const ssh = join(home, 'ssh');
  writeFileSync(ssh, `#!/bin/sh\nFLAKY_SSH='${how}' exec '${process.execPath}' '${SSH}' "$@"\n`, { mode: 0o755 });
  const env = {
    ...cleanEnvironment(home),
    ...{ NODE_OPTIONS: `--require ${SKEW}`, SKEW_MS: String([0, HOUR, -HOUR][n % 3]) },
  };
  const roles = ['coder', 'code-reviewer'];
  const children = new Map();
  const ended = [];
  let wanted = false;
  const begin = (role) => {
    const log = openSync(join(home, `${role}.log`), 'a');
    // It takes the first id that is free: after a while each host has had each agent's.
    const child = spawn(process.execPath, [liza, 'agent', role, '--agent', 'rehearsal'], {
      ...{ cwd: root, env, stdio: ['ignore', log, log], detached: true },
    });
    children.set(role, child);
    child.on('exit', (code, signal) => {
      if (children.get(role) !== child) return;
      children.delete(role);
      if (signal === null) ended.push({ role, code });
      // As whoever looks after it on a real host would.
      if (wanted) setTimeout(() => wanted && !children.has(role) && begin(role), 500);
    });
  };
  const signal = (name) => {
    for (const pid of processesOf(home)) {
      try {
        process.kill(pid, name);
      } catch {
        // it has ended by itself
      }
    }
  };
  const stop = async () => {
    wanted = false;
    for (let n = 0; n < 50 && processesOf(home).length > 0; n += 1) {
      signal('SIGCONT');
      signal('SIGKILL');
      await sleep(20);
    }
  };
  return {
    ...{ n, home, root, env, proxy, ended, ssh },
    start() {
      wanted = true;
      for (const role of roles) if (!children.has(role)) begin(role);
    },
    stop,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    exchange(weather) {
      writeFileSync(`${how}.new`, weather);
      renameSync(`${how}.new`, how);
    },
    run: (args, more = {}) => runToEnd(process.execPath, [liza, ...args], { cwd: root, env: { ...env, ...more } }),
    git: (...args) => gitIn(root, args, env).trim(),
  };
}

/** Of a host: whatever works in its folders. Zombies have no folder. */
function processesOf(home) {
  if (!existsSync('/proc')) throw new Error('hosts are killed and frozen by /proc: this needs Linux');
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      const isIts = readlinkSync(`/proc/${name}/cwd`).startsWith(`${home}/`) || words.includes(`${home}/`);
      return isIts ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
