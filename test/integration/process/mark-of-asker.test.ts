// What a command starts for an agent carries the agent's mark, whoever runs the command; a program of the project its own.

import { expect, test } from 'vitest';
import { markAt, programMarkIn } from '../../../src/process/own-rlimit-mark.ts';
import { markOf, programMark } from '../../../src/process/rlimit-mark.ts';
import { runProgram } from '../../../src/process/run.ts';
import { agentTag, programEnvironment, programsRepository, repositoryMark } from '../../../src/process/tags.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a program of the project runs under the mark that its host has', async () => {
  const mark = markOf('an agent');
  const cwd = temporaryFolder();
  const lines: string[] = [];
  const program = {
    argv: ['/bin/sh', '-c', 'cat /proc/self/limits'] as const,
    cwd,
    env: process.env,
    timeoutMs: 20_000,
    onLine: (line: string) => void lines.push(line),
  };
  expect((await runProgram({ ...hostAt(), mark }, program)).how).toBe('exited');
  const disk = { ...hostAt().disk, readFileSync: () => lines.join('\n') } as never;
  expect(markAt({ ...hostAt(), disk }, 1)).toEqual(mark);
  lines.length = 0;
  await runProgram(hostAt(), program);
  expect(markAt({ ...hostAt(), disk }, 1)).not.toEqual(mark);
});

test.skipIf(process.platform !== 'linux')(
  'a program of the project keeps its mark without its environment and away from those above it',
  async () => {
    const site = { root: '/a/project', repository: '/a/project/.git' };
    const lines: string[] = [];
    const limits = '"$(cat /proc/self/limits)"';
    const ended = await runProgram(hostAt(), {
      argv: ['/bin/sh', '-c', `exec env -i setsid /bin/sh -c 'echo "$LIZA_PROGRAM${limits}"'`],
      cwd: temporaryFolder(),
      env: programEnvironment(process.env, site),
      timeoutMs: 20_000,
      onLine: (line: string) => void lines.push(line),
    });
    expect(ended.how).toBe('exited');
    expect(programMarkIn(lines.join('\n'))).toBe(programMark(repositoryMark(site.repository)));
  },
);

test('what Liza starts otherwise bears no mark of a program', () => {
  expect(programsRepository({})).toBeUndefined();
  expect(
    programsRepository({ LIZA_PROGRAM: agentTag({ root: '/a', repository: '/a/.git' }, 'coder-1') }),
  ).toBeUndefined();
});
