import { expect, test } from 'vitest';
import { git, isOfTheMachine, must } from '../../../src/git/run.ts';
import { EnvironmentError } from '../../../src/protocol/decision.ts';

const failing = async (args: readonly string[]): Promise<EnvironmentError> => {
  const asked = must(git(process.env, '/', args), 'do it');
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
  expect(isOfTheMachine(ended)).toBe(true);
  const below = await failing(['-c', 'alias.die=!kill -9 $$', 'die']);
  expect(isOfTheMachine(below)).toBe(true);
  expect(isOfTheMachine(await failing(['rev-parse', '--verify', 'nowhere']))).toBe(false);
});
