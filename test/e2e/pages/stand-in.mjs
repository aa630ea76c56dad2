// Stands in for an agent CLI: `node stand-in.mjs <script> <name> <the CLI's arguments>`. Takes the prompt as that CLI does,
// and plays a rehearsal's script through the real `liza` commands. `opencode acp` speaks the Agent Client Protocol.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [script, name, ...words] = process.argv.slice(2);

/** `out`: where what it says goes. */
const play = (prompt, out) =>
  spawnSync('liza', ['rehearse', '--script', script, '--pace', '0'], { input: prompt, stdio: ['pipe', out, 2] })
    .status ?? 1;

/** Stdout is the protocol's, so the session prints to stderr. */
function speakAcp() {
  const answers = {
    initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
    'session/new': () => ({ sessionId: 'stand-in' }),
    'session/prompt': ({ prompt }) => {
      const status = play(prompt.map(({ text }) => text).join('\n'), 2);
      return { stopReason: status === 0 ? 'end_turn' : 'refusal' };
    },
  };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined || method === undefined) return;
    const result = answers[method]?.(params) ?? {};
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  });
}

if (words[0] === '--version') console.log(`${name} 1.0.0 (stand-in)`);
else if (words[0] === 'acp') speakAcp();
else process.exitCode = play(readFileSync(name === 'my-agent' ? words[0] : 0, 'utf8'), 1);
