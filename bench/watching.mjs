// The built `liza watch` as a process: how long after a change its alarm is in alerts.log, and what a storm makes.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBoard } from './boards.mjs';
import { LIZA } from './part.mjs';

const { NODE_EXTRA_CA_CERTS: _certificates, LIZA_AGENT_ID: _id, ...inherited } = process.env;
const env = { ...inherited, LIZA_NOTIFY: 'off' };

const liza = (root, ...args) => execFileSync(process.execPath, [LIZA, ...args], { cwd: root, env, stdio: 'pipe' });
const FIRST = 'task-99';
const lines = (root) => {
  const file = join(root, '.liza', 'alerts.log');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
};

async function until(what, holds, limit = 60_000) {
  for (const start = performance.now(); !holds(); await sleep(2)) {
    if (performance.now() - start > limit) throw new Error(`${what} did not happen within ${limit / 1000} s`);
  }
}

/** Runs `work` while the watcher is at work, and lets it end by Ctrl-C. */
async function whileWatching(root, work) {
  // An alarm that is on already: its line says that the watcher has looked, and what follows is told from then on.
  liza(root, 'replan', FIRST);
  const child = spawn(process.execPath, [LIZA, 'watch'], { cwd: root, env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    await until('the first look', () => lines(root).some((line) => line.includes(FIRST)));
    return await work();
  } finally {
    child.kill('SIGINT');
    await ended;
  }
}

/**
 * Milliseconds from the end of the command that blocks a task, and from its start, to the alarm's line. The truth is
 * in between: the change is committed shortly before the command ends.
 */
export async function alarmLatency(size, rounds) {
  const root = makeBoard(size);
  try {
    return await whileWatching(root, async () => {
      const [sinceStart, sinceEnd] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        const start = performance.now();
        liza(root, 'replan', `task-${round}`);
        const end = performance.now();
        await until('the alarm', () => lines(root).some((line) => line.includes(`BLOCKED: task-${round} `)));
        const told = performance.now();
        sinceStart.push(told - start);
        sinceEnd.push(told - end);
      }
      return { sinceStart: Math.max(...sinceStart), sinceEnd: Math.max(...sinceEnd) };
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** So many tasks are blocked in one moment: lines in alerts.log about them, and messages that the webhook got. */
export async function storm(size) {
  const root = makeBoard(size + 1);
  const messages = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      messages.push(JSON.parse(body));
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    liza(root, 'config', 'set', 'escalation_webhook', `http://127.0.0.1:${server.address().port}/`);
    const told = () => lines(root).filter((line) => line.includes('⚠️ BLOCKED: ') && !line.includes(`${FIRST} `));
    const before = () => messages.filter(({ raised_total: total }) => total < size).length;
    await whileWatching(root, async () => {
      await until('the first message', () => messages.length > 0);
      const blocked = 's/^    status: UNCLAIMED/    status: BLOCKED\\n    blocked_reason: no token/';
      liza(root, 'lock', 'modify', 'sed', '-i', blocked, '.liza/state.yaml');
      await until('the storm', () => told().length >= size);
      await sleep(3000);
    });
    return {
      lines: told().length,
      distinct: new Set(told()).size,
      messages: messages.length - before(),
      others: before(),
    };
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(root, { recursive: true, force: true });
  }
}
