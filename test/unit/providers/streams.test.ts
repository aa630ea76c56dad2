// What the real CLIs printed, read: session, doing, tokens, money, context, and why they failed.

import { describe, expect, test } from 'vitest';
import { tool } from '../../../src/providers/json-lines.ts';
import { atLeast } from '../../../src/providers/token-counts.ts';
import { cpuTimer } from '../../support/cpu-time.ts';
import { activities, last, play, provider, RECORDED } from './recordings.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

describe('an id that an agent wrote into its CLI’s stream', () => {
  const said: Readonly<Record<string, (id: string) => object>> = {
    claude: (session_id) => ({ type: 'system', subtype: 'init', session_id }),
    codex: (thread_id) => ({ type: 'thread.started', thread_id }),
    gemini: (session_id) => ({ type: 'init', session_id }),
    opencode: (sessionID) => ({ type: 'step_start', sessionID, part: {} }),
  };
  test.each(Object.keys(said))('%s: is never an option of its next session', (name) => {
    const ids = (id: string) =>
      provider(name)
        .parser({})
        .stdout(JSON.stringify(said[name]?.(id)), 0)
        .filter(({ kind }) => kind === 'session');
    expect(ids('0192-af.b_c:1')).toEqual([{ kind: 'session', id: '0192-af.b_c:1' }]);
    for (const bad of ['-cdeveloper_instructions="x"', '--settings={}', 'a b', 'a\u0000b', '', '../x', 'é', 'a\n'])
      expect(ids(bad)).toEqual([]);
  });
});

describe('a session that worked', () => {
  test.each(['claude', 'codex', 'gemini', 'opencode'])('%s: id, doing, tokens, a good end', (name) => {
    const events = play(name, 'work');
    expect(last(events, 'session')?.id).toMatch(/^(\S{36}|ses_\w+)$/);
    expect(activities(events)).toContain('I will look around.');
    expect(activities(events).some((text) => text.includes('echo hello from the shell'))).toBe(true);
    expect(activities(events).at(-1)).toBe('DONE: wrote w.txt');
    const { input, output, cached } = last(events, 'usage')?.usage ?? {};
    // Whatever each calls them: 3,900 read anew, 12,000 from the cache; claude wrote 500 to it besides.
    expect({ input, output, cached }).toEqual({
      input: name === 'claude' ? 16_400 : 15_900,
      output: 120,
      cached: 12_000,
    });
    expect(last(events, 'result')).toMatchObject({ ok: true });
    expect(last(events, 'failure')).toBeUndefined();
  });

  test('context and money, where they are told', () => {
    expect(last(play('claude', 'work'), 'context')?.percent).toBe(3.2);
    expect(last(play('claude', 'work'), 'usage')?.usage).toMatchObject({
      cost_usd: 0.018975,
      model: 'claude-sonnet-4-5',
    });
    expect(last(play('opencode', 'work'), 'context')?.percent).toBe(3.2);
    expect(last(play('opencode', 'work'), 'usage')?.usage.cost_usd).toBe(0.0135);
  });

  test('tools by their names and what they are about', () => {
    expect(activities(play('claude', 'work'))).toContain('Bash: echo hello from the shell; pwd | wc -c');
    expect(activities(play('claude', 'work'))).toContain('Write: w.txt');
    expect(activities(play('codex', 'work'))).toContain('shell: echo hello from the shell; pwd | wc -c');
    expect(activities(play('gemini', 'work'))).toContain('write_file: w.txt');
    expect(activities(play('opencode', 'work'))).toContain('write: w.txt');
  });

  test('a command that branches is never told as if its last part ran: by what the agent calls it, or its first part', () => {
    const verdict = `if sh greet.sh | grep -q hello; then liza submit-verdict greet APPROVED '1: greet.sh'; else liza submit-verdict greet REJECTED 'no'; fi`;
    const told = (input: object): string =>
      tool('Bash', input)
        .map((event) => (event.kind === 'activity' ? event.text : ''))
        .join();
    expect(told({ command: verdict, description: 'Judge the greeting' })).toBe('Bash: Judge the greeting');
    expect(told({ command: verdict })).toBe('Bash: if sh greet.sh | grep -q hello; … (the rest depends on it)');
    expect(told({ command: 'npm test || liza exit 1' })).toBe('Bash: npm test; … (the rest depends on it)');
    expect(told({ command: `cd src && grep -n 'if (a || b)' x.ts`, description: 'Look' })).toBe(
      `Bash: cd src && grep -n 'if (a || b)' x.ts`,
    );
    expect(told({ command: 'git diff --stat' })).toBe('Bash: git diff --stat');
  });
});

describe('a session that was resumed counts what it used itself', () => {
  const before = { input: 15_900, output: 120, cached: 12_000, cost_usd: 0.018975 };

  test.each(['claude', 'codex', 'gemini', 'opencode'])('%s', (name) => {
    const events = play(name, 'resumed', { before });
    const { input, output, cached } = last(events, 'usage')?.usage ?? {};
    expect({ input, output, cached }).toEqual({ input: 17_100, output: 45, cached: 13_000 });
    expect(activities(events).at(-1)).toBe('DONE again');
  });

  test('claude goes on with its money', () => {
    expect(last(play('claude', 'resumed', { before }), 'usage')?.usage.cost_usd).toBe(0.016875);
  });

  test('a claude that begins its money anew is not taken for one that goes on: its tokens tell', () => {
    const told = (total: number, former: number) => {
      const parser = provider('claude').parser({ before: { ...before, cost_usd: former } });
      const init = { type: 'system', subtype: 'init', session_id: 's', model: 'claude-sonnet-4-5' };
      const usage = { input_tokens: 100_000, output_tokens: 10_000 }; // $0.45
      const lines = [init, { type: 'result', result: 'done', usage, total_cost_usd: total }];
      const events = lines.flatMap((line) => parser.stdout(JSON.stringify(line), RECORDED));
      return last(events, 'usage')?.usage.cost_usd;
    };
    expect(told(0.45, 0.6)).toBe(0.45);
    expect(told(0.45, 0.2)).toBe(0.45);
    expect(told(1.05, 0.6)).toBe(0.45);
  });
});

describe('numbers that cannot be', () => {
  const heard = (...lines: readonly object[]) => {
    const parser = provider('claude').parser();
    const events = lines.flatMap((line) => parser.stdout(JSON.stringify(line), RECORDED));
    const all = events.flatMap((event) => (event.kind === 'usage' ? [event.usage] : []));
    return all.reduce(atLeast, { input: 0, output: 0 });
  };
  const result = (usage: unknown, total_cost_usd: unknown) => ({ type: 'result', result: 'x', usage, total_cost_usd });

  test.each([-5, 1e308, '12', null, true, [3], {}])('%j counts for nothing, neither as tokens nor as money', (odd) => {
    const used = heard(result({ input_tokens: 7, output_tokens: odd, cache_read_input_tokens: odd }, odd));
    expect(used).toEqual({ input: 7, output: 0, cached: 0, written: 0, written_1h: 0 });
  });

  test('halves of a token are rounded: the board takes whole ones', () => {
    expect(heard(result({ input_tokens: 7.4, output_tokens: 0.6 }, 0.1))).toMatchObject({ input: 7, output: 1 });
  });

  test('a result said again, or said smaller, changes nothing', () => {
    const big = result({ input_tokens: 100, output_tokens: 10 }, 2);
    const small = result({ input_tokens: 1, output_tokens: 1 }, 0);
    expect(heard(big, big, small)).toMatchObject({ input: 100, output: 10, cost_usd: 2 });
  });
});

describe('why it failed', () => {
  test.each([
    ['claude', 'login', 'login', 'Invalid API key'],
    ['claude', 'server-error', 'model', '500 Internal server error'],
    ['claude', 'no-credit', 'quota', 'Credit balance is too low'],
    ['claude', 'no-model', 'model', 'issue with the selected model'],
    ['claude', 'rate-limit', 'quota', 'Request rejected (429)'],
    ['claude', 'cut', 'network', 'Connection dropped'],
    ['claude', 'lost-session', 'other', 'No conversation found'],
    ['claude', 'not-logged-in', 'login', 'Please run /login'],
    ['codex', 'no-network', 'network', 'waiting for network'],
    ['gemini', 'not-logged-in', 'login', 'Please set an Auth method'],
    ['opencode', 'no-network', 'network', 'Cannot connect to API'],
    ['codex', 'login', 'login', '401 Unauthorized'],
    ['codex', 'server-error', 'model', 'high demand'],
    ['codex', 'no-model', 'model', '404 Not Found'],
    ['codex', 'rate-limit', 'quota', '429 Too Many Requests'],
    ['codex', 'cut', 'network', 'stream disconnected'],
    ['codex', 'lost-session', 'other', 'no rollout found'],
    ['gemini', 'login', 'login', 'invalid x-api-key'],
    ['gemini', 'no-model', 'model', 'no-such-model'],
    ['gemini', 'plan-limit', 'quota', 'exhausted your daily quota'],
    ['gemini', 'lost-session', 'other', 'Invalid session identifier'],
    ['opencode', 'login', 'login', 'invalid x-api-key'],
    ['opencode', 'no-model', 'model', 'no-such-model'],
    ['opencode', 'no-credit', 'quota', 'credit balance is too low'],
    ['opencode', 'rate-limit', 'quota', 'Rate limit reached'],
    ['opencode', 'lost-session', 'other', 'Session not found'],
  ])('%s: %s', (name, recording, kind, text) => {
    const events = play(name, recording);
    expect(last(events, 'failure')).toMatchObject({ failure: kind, text: expect.stringContaining(text) });
    expect(last(events, 'result')?.ok ?? false).toBe(false);
  });

  test.each([['\n'], ['"'], ["'"], ['; '], ['a && ']])('megabytes of %j as a command are read at once', (unit) => {
    const spent = cpuTimer();
    tool('Bash', { command: `echo a\n${unit.repeat(3_000_000 / unit.length)}` });
    expect(spent()).toBeLessThan(500);
  });

  test('a plan’s limit names its reset: claude by the event, codex by its clock', () => {
    expect(last(play('claude', 'plan-limit'), 'failure')).toMatchObject({ failure: 'quota', until: 1_794_757_168_000 });
    const until = last(play('codex', 'plan-limit'), 'failure')?.until ?? 0;
    // It says a time of the day only, in the zone of the machine.
    const offset = new Date(RECORDED).getTimezoneOffset() * MINUTE;
    expect((until - offset) % (24 * HOUR)).toBe(15 * HOUR + 39 * MINUTE);
    expect(until).toBeGreaterThan(RECORDED);
  });

  test('what it tries again is shown and is no failure', () => {
    const events = play('gemini', 'rate-limit');
    expect(last(events, 'failure')).toBeUndefined();
    expect(activities(events).at(-1)).toContain('Retrying');
    const lines = activities(play('claude', 'login'));
    expect(lines[0]).toBe('waits to try again: authentication_failed (401), try 1 of 1');
  });

  test.each(['claude', 'codex'])('%s that hangs has said who it is, and nothing else', (name) => {
    const events = play(name, 'hang');
    expect(last(events, 'session')).toBeDefined();
    expect(last(events, 'result')).toBeUndefined();
  });
});
