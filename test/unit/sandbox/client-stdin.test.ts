// Which commands take stdin with them out of the sandbox.

import { expect, test } from 'vitest';
import { type ClientHost, forward } from '../../../src/sandbox/mailbox-client.ts';

/** What is laid into the mailbox, which is gone just then. */
async function laid(argv: readonly string[]): Promise<unknown> {
  let asked: unknown;
  const disk = {
    existsSync: () => false,
    writeFileSync: (_file: string, text: string) => {
      asked = JSON.parse(text);
      throw new Error('gone');
    },
  } as unknown as ClientHost['disk'];
  const silent = () => undefined;
  const host = { disk, newId: () => 'n', every: () => silent, git: silent, stdout: silent, stderr: silent };
  await forward({ ...host, readStdin: () => 'from stdin' }, '/mail', argv);
  return asked;
}

test.each([
  ['try', '-'],
  ['try', '--json', '-'],
  ['note', '-'],
  ['anomaly', '--detail', 'what=-'],
])('liza %s %s takes stdin with it', async (...argv) => {
  const words = argv.filter(Boolean);
  expect(await laid(words)).toEqual({ argv: words, stdin: 'from stdin' });
});

test.each([['try', 'cat', '-'], ['try', 'npm', 'test'], ['status']])('liza %s %s does not', async (...argv) => {
  const words = argv.filter(Boolean);
  expect(await laid(words)).toEqual({ argv: words });
});
