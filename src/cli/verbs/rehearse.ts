// `liza rehearse --script <file>`: one session of an agent, played from a script instead of by a model. It is
// what the provider `rehearsal` starts; by hand it plays the part of LIZA_AGENT_ID with a prompt on stdin. With --player
// it is what the provider `player` starts: the session does what `liza play` asks of it.

import { randomUUID } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { agentId } from '../../identity/identify.ts';
import { realDisk } from '../../ports/disk.ts';
import { roleOfId } from '../../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { quoted } from '../../protocol/ids.ts';
import { readScript } from '../../rehearsal/check.ts';
import { play } from '../../rehearsal/play.ts';
import { lendSession } from '../../rehearsal/player.ts';
import type { Script, ScriptRole } from '../../rehearsal/script.ts';
import type { Io } from '../io.ts';
import type { Args, Result, Verb } from '../verb.ts';

export const verb: Verb = {
  options: {
    script: { value: 'file', kind: 'file', description: 'The script; docs/rehearsal.md explains it.' },
    player: { value: 'folder', kind: 'file', description: 'Instead of a script: wait there to be played (liza play).' },
    pace: { value: 'factor', description: 'Multiplies its waits: 1 as written (default), 0 for none.' },
    session: { value: 'id', description: 'The id of this session.' },
    resume: { value: 'id', description: 'The session it continues.' },
    check: { description: 'Only check whether the script can be played.' },
  },
  examples: [
    'liza rehearse --script rehearsal.json --check',
    "printf '=== ASSIGNED TASK ===\\nTASK ID: greet\\n' | LIZA_AGENT_ID=coder-1 liza rehearse --script rehearsal.json --pace 0",
  ],
  details: [
    'Reads the prompt from stdin, looks up on the board what happened to the task, picks the first scene that fits, and plays its steps with the real commands. The first step that does not go as written ends it with exit 1 and the reason.',
    'Prints one JSON object a line. Token counts are the script’s: no model is asked.',
  ],
  run: async (args, io) => {
    const folder = args.text('player');
    if (folder !== undefined) return lend(args, io, resolve(io.cwd, folder));
    const name = args.text('script');
    if (name === undefined) return refuse('no script is named', 'name a script: --script <file>', 1, 'usage');
    const file = resolve(io.cwd, name);
    const script = scriptIn(file, name);
    if (isRefusal(script)) return script;
    if (args.flag('check')) return { ok: true, message: `${name} can be played: ${script.scenes.length} scenes` };
    const pace = Number(args.text('pace') ?? '1');
    if (!(pace >= 0 && pace <= 100)) {
      return refuse(`--pace is ${quoted(args.must('pace'))}`, 'give a number from 0 to 100', 1, 'usage');
    }
    const part = partOf(io);
    if (isRefusal(part)) return part;
    const resumed = args.text('resume');
    const played = await play({
      ...io.host,
      ...part,
      script,
      beside: dirname(file),
      prompt: await io.readStdin(),
      cwd: io.cwd,
      program: io.self.argv,
      pace,
      session: resumed ?? args.text('session') ?? randomUUID(),
      resumed: resumed !== undefined,
      print: (text) => io.stdout(text),
      die: () => io.host.processes.kill(io.self.pid, 'SIGKILL'),
      leave: (status) => io.self.exit(status),
    });
    if (played.ok) return { ok: true, silent: true };
    return refuse(`the rehearsal stopped: ${played.text}`, `look at ${name}`, 1, 'rehearsal');
  },
};

interface Part {
  readonly agent: string;
  readonly role: ScriptRole;
}

/** This alone permits nothing: each command that is played is judged by who really asks. */
function partOf(io: Io): Part | Refusal {
  const agent = agentId(io.env.LIZA_AGENT_ID ?? '');
  const role = typeof agent === 'string' ? roleOfId(agent) : undefined;
  if (typeof agent !== 'string' && io.env.LIZA_AGENT_ID) return agent;
  if (typeof agent !== 'string' || role === undefined) {
    return refuse(
      'a rehearsal plays an agent, and LIZA_AGENT_ID is not set to one',
      'set LIZA_AGENT_ID, e.g. to coder-1',
    );
  }
  return { agent, role: role.replace('_', '-') as ScriptRole };
}

async function lend(args: Args, io: Io, folder: string): Promise<Result> {
  const part = partOf(io);
  if (isRefusal(part)) return part;
  const session = args.text('session') ?? randomUUID();
  const played = { ...part, session, cwd: io.cwd, prompt: await io.readStdin() };
  const status = await lendSession({ ...io.host, folder, played, print: (text) => io.stdout(text) });
  if (status === 0) return { ok: true, silent: true };
  return io.self.exit(status);
}

function scriptIn(file: string, name: string): Script | Refusal {
  try {
    return readScript(realDisk.readFileSync(file, 'utf8'), name);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ENOENT', 'EISDIR', 'EACCES', 'ENOTDIR'].includes(code)) throw error;
    return refuse(
      `the script ${quoted(name)} cannot be read (${code})`,
      'name a JSON file: --script <file>',
      1,
      'script',
    );
  }
}
