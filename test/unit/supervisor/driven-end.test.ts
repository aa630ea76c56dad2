// An ACP session's end, with real processes: whatever is seen first, only a turn that was over is an end by itself.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { Clock } from '../../../src/ports/host.ts';
import { realClock } from '../../../src/ports/real-host.ts';
import type { AgentExit } from '../../../src/process/agent-process.ts';
import type { AgentEvent } from '../../../src/providers/provider.ts';
import { drivenEnd } from '../../../src/supervisor/driven-end.ts';
import { provider, request } from '../providers/recordings.ts';

const { drive } = provider('mine', { mine: { kind: 'acp', argv: ['some-agent'] } });

/** Everything is waited for a quarter as long, and more than long enough for a process that ends at once. */
const clock: Clock = { ...realClock, sleep: (ms, signal) => realClock.sleep(ms / 4, signal) };

/** An agent that does this when it is prompted. */
function agent(prompted: string, id = 's'): ChildProcess {
  const code = `
    const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'initialize') say(id, { protocolVersion: 1, agentCapabilities: {} });
      else if (method === 'session/new') say(id, { sessionId: ${JSON.stringify(id)} });
      else { ${prompted} }
    });`;
  return spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function endOf(child: ChildProcess) {
  const { stdin, stdout } = child;
  if (drive === undefined || stdin === null || stdout === null) throw new Error('no pipes');
  const heard: AgentEvent[] = [];
  const exited = once(child, 'exit').then(
    ([code, signal]): AgentExit => (signal === null ? { kind: 'exited', code } : { kind: 'signalled', signal }),
  );
  const driven = drive(clock, request({}), { stdin, stdout }, (events) => heard.push(...events));
  const end = await drivenEnd(clock, exited, driven);
  child.kill('SIGKILL');
  return { end, heard };
}

test.each([
  ['is killed', `process.kill(process.pid, 'SIGKILL')`, { kind: 'signalled', signal: 'SIGKILL' }],
  [
    'closes its output, and is killed a moment later',
    `require('fs').closeSync(1); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 200)`,
    { kind: 'signalled', signal: 'SIGKILL' },
  ],
  ['leaves in the middle of its turn', 'process.exit(0)', { kind: 'exited', code: 1, cut: true }],
  ['closes its output and stays', `require('fs').closeSync(1); setInterval(() => {}, 1000)`, { cut: true }],
  ['ends its turn', `say(id, { stopReason: 'end_turn' })`, { kind: 'exited', code: 0 }],
  ['ends its turn and goes', `say(id, { stopReason: 'end_turn' }); process.exit(3)`, { kind: 'exited', code: 0 }],
])(
  'an agent that %s',
  async (_, prompted, expected) => {
    const { end } = await endOf(agent(prompted));
    expect(end).toMatchObject(expected);
    expect('cut' in end).toBe('cut' in expected);
  },
  20_000,
);

test('a session with an endless name is worked in, and its name is not taken', async () => {
  const { end, heard } = await endOf(agent(`say(id, { stopReason: 'end_turn' })`, 's'.repeat(20_000)));
  expect(end).toEqual({ kind: 'exited', code: 0 });
  expect(heard.some(({ kind }) => kind === 'session')).toBe(false);
}, 20_000);
