// A supervisor as far as freezing concerns it: holds one agent's lease, gives out the session's credential, and starts the
// agent's process with it. That process carries no tag, as if ending it had failed: only credential and epoch fence it.
//   holder <root> <agent> <role> <task> <epoch> <script>      says `session {json}` once all of that is so

import { spawn } from 'node:child_process';
import { openSession } from '../../src/identity/agent-sessions.ts';
import type { Role } from '../../src/protocol/state.ts';
import { yamlStore } from '../../src/store/yaml-store.ts';
import { boardContext } from '../support/board-context.ts';

const [root = '', agent = '', role = '', task = '', epoch = '0', script = ''] = process.argv.slice(2);
const context = boardContext(root);
const store = yamlStore(context);
const held = { agent, task, epoch: Number(epoch), seconds: 1, pid: process.pid };
const opening = { agent, role: role as Role, task, epoch: held.epoch, pid: process.pid };

const first = await store.renew(held);
if ('ok' in first) throw new Error(first.message);
const session = openSession(context, opening, Date.now());
const child = spawn('sh', [script], {
  cwd: root,
  detached: true,
  stdio: 'ignore',
  env: { ...process.env, LIZA_AGENT_ID: agent, LIZA_SESSION: session.credential, LIZA_EPOCH: epoch },
});
if (child.pid === undefined) throw new Error('the agent did not start');
session.begun(child.pid);
process.stdout.write(`session ${JSON.stringify({ pid: child.pid, credential: session.credential })}\n`);

// A heartbeat that is refused tells a woken supervisor that its lease is lost: it ends the session.
const beat = setInterval(async () => {
  const renewed = await store.renew(held);
  if (!('ok' in renewed)) return;
  session.over(Date.now());
  clearInterval(beat);
}, 200);
