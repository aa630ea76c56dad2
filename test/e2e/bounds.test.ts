// What an agent spends, prints and leaves, under the real supervisor: budgets, secrets, floods, spins, hangs, crashes
// and daemons (rows G16 to G19, G23 and G24 of the gauntlet). Each agent is a small script.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { inFull } from '../runs.ts';
import { type BuiltProject, builtProject, until } from '../support/program.ts';

/** A project with one task, and an agent that is this shell script for every role. */
function scripted(script: string): BuiltProject {
  const p = builtProject();
  const file = p.file('.liza', 'agent.sh');
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  p.ok(['config', 'set', 'sandbox', 'off']); // the gauntlet has the same with it
  p.ok(['config', 'set', 'providers', JSON.stringify({ script: { kind: 'command', argv: [file] } })]);
  p.ok(['config', 'set', 'test_command', 'npm test']);
  p.ok([
    ...['add-task', '--id', 'a', '--desc', 'make a', '--spec', 'specs/vision.md', '--done', 'a is there and exported'],
    ...['--scope', 'IN: src/, test/', '--ready'],
  ]);
  return p;
}

const CODER = ['agent', 'coder', '--agent', 'script', '--until-idle'];
const KEY = `sk-ant-api03-${'Ab3_x-9Z'.repeat(11)}-AAAAAA`;
const SHAPELESS = 'correct-horse-battery';
const SECRETS = { ANTHROPIC_API_KEY: KEY, SHOP_PASSWORD: SHAPELESS };

/** Files below a folder that hold this text. */
const holding = (folder: string, text: string): string =>
  spawnSync('grep', ['-rl', '--', text, folder], { encoding: 'utf8' }).stdout;

describe('G24: an agent prints a credential from its environment, and says it wherever it can', () => {
  const TELLS = `
echo "key: $ANTHROPIC_API_KEY and $SHOP_PASSWORD"
printf '%s' "$ANTHROPIC_API_KEY" | head -c 30; sleep 0.2; printf '%s\\n' "$ANTHROPIC_API_KEY" | tail -c +31
echo "oops $ANTHROPIC_API_KEY" >&2
liza discover "found $ANTHROPIC_API_KEY in the environment, and $SHOP_PASSWORD" --severity high --urgency immediate
liza anomaly --type trade_off --task a --detail "what=used $ANTHROPIC_API_KEY" --detail "why=$SHOP_PASSWORD" --detail debt_created=true
liza block a --reason "cannot log in with $ANTHROPIC_API_KEY or $SHOP_PASSWORD" --question "Is $ANTHROPIC_API_KEY valid?"
liza exit 42 --reason "because of $ANTHROPIC_API_KEY"`;

  test('it is nowhere: not in logs, state, journal, alerts, webhook or on any screen', async () => {
    const bodies: string[] = [];
    const server = createServer((request, answer) => {
      let body = '';
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        bodies.push(body);
        answer.end();
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    try {
      const p = scripted(TELLS);
      const { port } = server.address() as AddressInfo;
      p.ok(['config', 'set', 'escalation_webhook', `http://127.0.0.1:${port}/`]);
      const running = p.start(['run', '--agent', 'script', '--plain', '--coders', '1'], { env: SECRETS });
      await until(() => p.task('a').status === 'BLOCKED');
      await until(() => bodies.some((body) => body.includes('BLOCKED')));
      running.child.kill('SIGINT');
      const { stdout, stderr } = await running.ended;
      for (const secret of [KEY, KEY.slice(20, 60), SHAPELESS]) {
        expect(holding(p.file('.liza/'), secret)).toBe('');
        expect(holding(p.file('.git'), secret)).toBe('');
        for (const shown of [stdout, stderr, ...bodies]) expect(shown).not.toContain(secret);
        for (const look of [
          ['status'],
          ['status', '--json'],
          ['show', 'a'],
          ['show', 'a', '--json'],
          ['log'],
          ['discovery', 'list'],
        ]) {
          const { stdout: page, stderr: said } = p.liza(look, { env: SECRETS });
          expect(page + said, look.join(' ')).not.toContain(secret);
        }
      }
      expect(p.task('a')['blocked_reason']).toBe('cannot log in with [redacted] or [redacted]');
      const logs = fs.readdirSync(p.file('.liza/agent-logs')).filter((name) => name.startsWith('coder-1'));
      expect(p.read(`.liza/agent-logs/${logs[0]}`)).toContain('key: [redacted] and [redacted]');
    } finally {
      server.close();
    }
  });

  test('a person’s own words stay, but no agent is told them', () => {
    const p = scripted('cat > ../../.liza/told; echo 1 > note.txt; exit 0');
    p.ok(['amend', 'a', '--done', `it can be called with ${KEY}`]);
    expect(p.task('a')['done_when']).toContain(KEY);
    p.ok(['config', 'set', 'max_coder_iterations', '1']);
    p.liza(CODER, { as: 'coder-1' });
    expect(p.read('.liza/told')).toContain('it can be called with [redacted]');
    const [prompt] = fs.readdirSync(p.file('.liza/agent-prompts'));
    expect(p.read(`.liza/agent-prompts/${prompt}`)).not.toContain(KEY.slice(0, 30));
  });
});

describe.runIf(inFull)('G23: an agent prints without end (in test:all)', () => {
  test('its log stays bounded, with its beginning and its end; memory stays flat', async () => {
    const megabytes = 128;
    const p = scripted(
      `echo first words; yes "a line of a flood" | head -c ${megabytes}000000; echo last words; sleep 1; liza exit 0`,
    );
    const running = p.start(CODER, { as: 'coder-1' });
    let most = 0;
    const look = setInterval(() => {
      const status = spawnSync('cat', [`/proc/${running.pid}/status`], { encoding: 'utf8' }).stdout;
      most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0));
    }, 100);
    await until(() => p.read('.liza/log.yaml').includes('session-end'));
    clearInterval(look);
    running.child.kill('SIGINT');
    await running.ended;
    const [name] = fs.readdirSync(p.file('.liza/agent-logs'));
    const log = p.read(`.liza/agent-logs/${name}`);
    expect(log.length).toBeLessThan(17 * 1024 * 1024);
    expect(log.startsWith('first words\n')).toBe(true);
    expect(log).toMatch(/\[liza: \d+ bytes left out\]/);
    expect(log.slice(-300)).toContain('last words');
    if (fs.existsSync('/proc/self/status')) expect(most).toBeGreaterThan(1000);
    expect(most / 1000).toBeLessThan(300);
  });
});

describe('budgets', () => {
  test('used up: the run says so in one sentence with the command that helps, and status tells what is spent', () => {
    const p = scripted('echo 1 >> note.txt; exit 0');
    p.ok(['config', 'set', 'budgets.day.sessions', '2']);
    const ran = p.liza(['run', '--agent', 'script', '--plain', '--coders', '1', '--until-idle']);
    expect(ran.code).toBe(1);
    expect(ran.stdout + ran.stderr).toContain('the budget of today (UTC) is used up: 2 sessions of 2 sessions');
    expect(ran.stdout + ran.stderr).toContain('liza config set budgets.day.sessions 4');
    const status = p.ok(['status']).stdout;
    expect(status).toContain('today (UTC)  2 sessions of 2 sessions, used up · tokens of 2 sessions unknown');
    expect(status).toContain('BUDGET: today (UTC) — used up: 2 sessions of 2 sessions; no session');
    const { spending } = JSON.parse(p.ok(['status', '--json']).stdout) as { spending: object[] };
    expect(spending).toMatchObject([
      { scope: 'goal', sessions: 2 },
      { scope: 'day', sessions: 2, limits: { sessions: { limit: 2, left: 0, percent: 100, level: 'hard' } } },
    ]);
    expect(p.liza(['claim-task', 'a', 'coder-1'], { as: 'coder-1' }).stderr).toContain('is used up');
  });

  test('an agent cannot raise its own', () => {
    const p = scripted('liza config set budgets.day.usd 1000; echo "code $?" > ../../.liza/answer; liza exit 0');
    p.ok(['config', 'set', 'budgets.day.usd', '5']);
    p.liza(CODER, { as: 'coder-1' });
    expect(p.read('.liza/answer')).toBe('code 1\n');
    expect(p.board().config['budgets']).toEqual({ day: { usd: 5 } });
  });
});

test('a disk without room: the run says so, and starts nothing', () => {
  const p = scripted('exit 0');
  p.ok(['config', 'set', 'min_free_mb', '900000000']);
  const ran = p.liza(['run', '--agent', 'script', '--plain', '--until-idle']);
  expect(ran.stdout + ran.stderr).toMatch(/the disk has \d+ MB left, and a session needs 900000000/);
  expect(fs.readdirSync(p.file('.liza/agent-logs'))).toEqual([]);
});

describe.runIf(inFull)('G16, G17, G18 (in test:all)', () => {
  test('G16: it exits again and again having changed nothing: blocked after three, with what to ask', () => {
    const p = scripted('echo "I looked at it"; exit 0');
    p.liza(CODER, { as: 'coder-1' });
    expect(p.task('a')).toMatchObject({ status: 'BLOCKED', blocked_reason: expect.stringContaining('spin') });
    expect(fs.readdirSync(p.file('.liza/agent-logs'))).toHaveLength(3);
  });

  test('G17: it hangs without a word: ended with its whole tree, tried again, then blocked', () => {
    const p = scripted('setsid sleep 1000 & sleep 1000');
    p.ok(['config', 'set', 'progress_timeout', '1']);
    p.liza(CODER, { as: 'coder-1' });
    expect(p.task('a')).toMatchObject({ status: 'BLOCKED', blocked_reason: expect.stringContaining('silence') });
  });

  test('G18: it crashes at every start: three within five minutes stop the supervisor, with an alarm', () => {
    const p = scripted('echo "Error: cannot find module" >&2; exit 1');
    const { code, stderr } = p.liza(CODER, { as: 'coder-1' });
    expect(code).toBe(1);
    expect(stderr).toContain('3 crashes within 5m');
    expect(p.ok(['status']).stdout).toContain('CRASH LOOP: coder-1');
  });
});
