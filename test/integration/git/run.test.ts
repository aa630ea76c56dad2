import { expect, test } from 'vitest';
import { git, isMachineFault, must } from '../../../src/git/run.ts';
import { EnvironmentError } from '../../../src/protocol/decision.ts';
import { hostAt } from '../../host.ts';

const failing = async (args: readonly string[]): Promise<EnvironmentError> => {
  const asked = must(git(hostAt(), '/', args), 'do it');
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof EnvironmentError)) throw new Error('it did not fail');
  return error;
};

test('a git that was ended says nothing about the repository; one that refused does', async () => {
  const ended = await failing(['-c', 'alias.die=!kill -9 $PPID', 'die']);
  expect(ended.message).toContain('was ended by SIGKILL');
  expect(isMachineFault(ended)).toBe(true);
  const below = await failing(['-c', 'alias.die=!kill -9 $$', 'die']);
  expect(isMachineFault(below)).toBe(true);
  expect(isMachineFault(await failing(['rev-parse', '--verify', 'nowhere']))).toBe(false);
});

test('a git that prints more than an answer may have is ended, and that is said', async () => {
  const flood = ['-c', 'alias.flood=!yes', 'flood'];
  await expect(git(hostAt(), '/', flood, { most: 100_000 })).rejects.toThrow(
    /git flood printed more than 100000 bytes/,
  );
  const little = await git(hostAt(), '/', ['--version'], { most: 100_000 });
  expect(little.stdout).toContain('git version');
});
