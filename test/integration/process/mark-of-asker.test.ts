// What a command starts for an agent carries the agent's mark, whoever runs the command.

import { expect, test } from 'vitest';
import { markAt } from '../../../src/process/own-rlimit-mark.ts';
import { markOf } from '../../../src/process/rlimit-mark.ts';
import { runProgram } from '../../../src/process/run.ts';
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
