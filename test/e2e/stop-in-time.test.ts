// Every supervisor ends within ten seconds of SIGTERM, whatever it waits for: a git at a pipe, programs and agents that
// ignore every signal they can, a server that never answers, files that are pipes. Nothing of it is left behind.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inFull } from '../runs.ts';
import { agentsOf, atWork, crewOf, DETACHED, isAlive, rehearsedCrew } from '../support/background-crew.ts';
import { type BuiltProject, until } from '../support/program.ts';

/** Names the project, so that it is told from others on this machine. */
const stubborn = ({ root }: BuiltProject): string => `: ${root} hangs; trap "" TERM INT HUP; while :; do sleep 1; done`;
const hangs = ({ root }: BuiltProject): boolean => withWord(`: ${root} hangs`).length > 0;

const pipe = (path: string): void => {
  fs.rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
};

/** Processes that have the word in their command line or folder. */
const withWord = (word: string): readonly number[] =>
  fs.readdirSync('/proc').flatMap((name) => {
    try {
      const said = ['cmdline', 'cwd'].map((file) =>
        file === 'cwd' ? fs.readlinkSync(`/proc/${name}/cwd`) : fs.readFileSync(`/proc/${name}/cmdline`, 'latin1'),
      );
      return said.join(' ').includes(word) && Number(name) !== process.pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });

async function endsInTime(p: BuiltProject, pid: number): Promise<void> {
  const asked = performance.now();
  process.kill(pid, 'SIGTERM');
  await until(() => !isAlive(pid));
  expect(performance.now() - asked, fs.readFileSync(p.file('.liza/crew.log'), 'utf8')).toBeLessThan(10_000);
  await until(() => agentsOf(p).length === 0);
  await until(() => withWord(p.root).length === 0);
}

const WRITING = {
  role: 'coder',
  steps: [
    { begin: { intent: 'a file', risks: 'none', validation: 'node --test passes', files: ['src/a.mjs'] } },
    { write: 'src/a.mjs', text: 'export const a = 1;\n' },
    {
      write: 'test/a.test.mjs',
      text: "import assert from 'node:assert';\nimport { a } from '../src/a.mjs';\nassert.equal(a, 1);\n",
    },
    { commit: 'a: made' },
  ],
};
const IDLE = { role: 'planner', steps: [{ exit: 0 }] };

describe('a crew ends within ten seconds of SIGTERM', () => {
  test('with a pipe in the configuration of the project’s git, in its documents and files, a hook and a server that hang', async () => {
    const p = rehearsedCrew();
    const server = net.createServer(() => {}).listen(0);
    onTestFinished(() => void server.close());
    const { port } = server.address() as net.AddressInfo;
    p.write({ '.env': 'A=1\n' });
    fs.appendFileSync(p.file('.git/info/exclude'), '.env\n');
    p.config({ escalation_webhook: `http://127.0.0.1:${port}/`, worktree_files: ['.env'] });
    p.ok(DETACHED);
    const pid = crewOf(p);
    await atWork(p);
    for (const file of ['specs/vision.md', 'REPOSITORY.md', 'package.json', '.env']) pipe(p.file(file));
    for (const hook of ['post-checkout', 'reference-transaction', 'post-merge'])
      fs.writeFileSync(p.file('.git/hooks', hook), `#!/bin/sh\n${stubborn(p)}\n`, { mode: 0o755 });
    pipe(p.file('.git/held'));
    fs.appendFileSync(p.file('.git/config'), `[include]\n\tpath = ${p.file('.git/held')}\n`);
    p.ok(['note', 'look']);
    await until(() => withWord('.git/held').length + withWord(p.root).length > 0);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await endsInTime(p, pid);
  });

  test('with an agent that hears no signal', async () => {
    const p = rehearsedCrew();
    const argv = ['bash', '-c', `touch working; ${stubborn(p)}`];
    p.config({ providers: { stubborn: { kind: 'command', argv } } });
    p.ok(['run', '--detach', '--agent', 'stubborn', '--coders', '1']);
    const pid = crewOf(p);
    await until(() => fs.existsSync(p.folder('a', 'working')));
    await endsInTime(p, pid);
  });

  test('with a set-up that hears no signal', async () => {
    const p = rehearsedCrew();
    p.config({ post_worktree_cmd: stubborn(p) });
    p.ok(DETACHED);
    const pid = crewOf(p);
    await until(() => hangs(p));
    await endsInTime(p, pid);
  });

  test.runIf(inFull)('with a validation that hears no signal (in test:all)', async () => {
    const p = rehearsedCrew([{ ...WRITING, steps: [...WRITING.steps, { submit: 'HEAD' }] }, IDLE]);
    p.config({ test_command: stubborn(p) });
    p.ok(DETACHED);
    const pid = crewOf(p);
    await until(() => hangs(p));
    await endsInTime(p, pid);
  });
});
