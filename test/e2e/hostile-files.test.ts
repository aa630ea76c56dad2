// A pipe in place of a file of the blackboard: no command waits for it, and a crew at work still ends in time.

import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { agentsOf, atWork, crewOf, DETACHED, isAlive, rehearsedCrew } from '../support/background-crew.ts';
import { type BuiltProject, builtProject, program, until } from '../support/program.ts';

const FILES = ['state.yaml', 'journal.jsonl', 'log.yaml', 'state.yaml.lock'];

/** Puts a pipe there; returns how to put the file back. */
function piped(path: string): () => void {
  const saved = `${path}.saved`;
  fs.renameSync(path, saved);
  execFileSync('mkfifo', [path]);
  return () => fs.renameSync(saved, path);
}

/** A pipe that is waited for would hold the command until the time is up. */
const LONGEST_MS = 30_000;

const ends = (p: BuiltProject, words: readonly string[]): { status: number | null; said: string } => {
  const ran = spawnSync(process.execPath, [program(), ...words], {
    cwd: p.root,
    env: p.env,
    encoding: 'utf8',
    timeout: LONGEST_MS,
  });
  return { status: ran.status, said: `${ran.stdout}${ran.stderr}` };
};

describe.each(FILES)('a pipe in place of %s', (name) => {
  test('every command ends, and the board goes on when it is removed', () => {
    const p = builtProject();
    p.ok(['note', 'first']);
    const back = piped(p.file('.liza', name));
    for (const words of [['status'], ['note', 'second'], ['log'], ['validate'], ['doctor'], ['audit']]) {
      const { status, said } = ends(p, words);
      expect([words, status], said).toEqual([words, expect.any(Number)]);
      expect(status, said).not.toBe(4);
    }
    // Of state.yaml the journal has everything: the next writer put it back.
    if (name === 'state.yaml') expect(fs.statSync(p.file('.liza', name)).isFile()).toBe(true);
    else back();
    p.ok(['note', 'third']);
    expect(p.ok(['validate']).stdout).toContain('VALID');
  });

  // Of the others its rounds read nothing.
  test.runIf(/^(state|journal)\.\w+$/.test(name))('a crew at work ends within ten seconds of SIGTERM', async () => {
    const p = rehearsedCrew();
    p.ok(DETACHED);
    const pid = crewOf(p);
    await atWork(p);
    const back = piped(p.file('.liza', name));
    // Long enough for a round of the supervisors to come upon it.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const asked = performance.now();
    process.kill(pid, 'SIGTERM');
    await until(() => !isAlive(pid));
    expect(performance.now() - asked).toBeLessThan(10_000);
    if (fs.statSync(p.file('.liza', name)).isFIFO()) back();
    await until(() => agentsOf(p).length === 0);
  });
});

test.skipIf(process.platform !== 'linux')('too few descriptors are called just that', () => {
  const p = builtProject();
  const said = [18, 19, 20, 21, 22, 23, 24, 25, 26, 28].map((limit) => {
    const words = ['-c', `ulimit -n ${limit}; exec "$@"`, '-', process.execPath, program(), 'note', 'x'];
    return spawnSync('bash', words, { cwd: p.root, env: p.env, encoding: 'utf8', timeout: LONGEST_MS }).stderr;
  });
  expect(said.join('')).not.toContain('util-linux');
});
