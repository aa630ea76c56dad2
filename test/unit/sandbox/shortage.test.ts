// Too few files, processes or memory is said as just that, and never taken for a sandbox that does not work.

import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Host } from '../../../src/ports/host.ts';
import { reasonOf } from '../../../src/process/start.ts';
import { tryTool } from '../../../src/sandbox/detect.ts';
import { sandboxMode } from '../../../src/sandbox/mode.ts';
import { shortageIn } from '../../../src/text/shortage.ts';
import { hostAt } from '../../host.ts';

/** A machine on which no program can be started, or bubblewrap itself says why not. */
function starved(code: string, said?: string): Host {
  const host = hostAt();
  const spawn = () => {
    const child = Object.assign(new EventEmitter(), { stderr: new PassThrough(), kill: () => true });
    setImmediate(() => {
      if (said === undefined) return child.emit('error', Object.assign(new Error(`spawn bwrap ${code}`), { code }));
      child.stderr.end(said);
      return child.stderr.once('end', () => child.emit('close', 1, null));
    });
    return child;
  };
  return { ...host, processes: { ...host.processes, spawn: spawn as unknown as Host['processes']['spawn'] } };
}

const TOOL = { kind: 'bubblewrap', program: '/usr/bin/bwrap', extra: [] } as const;

test.each([
  ['EMFILE', undefined, 'too many open files'],
  ['ENFILE', undefined, 'too many open files in the system'],
  ['EAGAIN', undefined, 'no more processes'],
  ['EAGAIN', 'bwrap: Creating new namespace failed: Resource temporarily unavailable\n', 'no more processes'],
  ['ENOMEM', 'bwrap: fork: Cannot allocate memory\n', 'no memory left'],
])('%s, said as %j: nothing is known of the sandbox, and nothing starts without it', async (code, said, words) => {
  const host = starved(code, said);
  const found = await tryTool(host, TOOL);
  expect(found).toMatchObject({ short: true, why: expect.stringContaining(words) });
  const support = { tool: () => TOOL, detect: async () => found, off: false, program: [] };
  expect(await sandboxMode(support, { sandbox: 'auto' })).toMatchObject({ ok: false, guard: 'sandbox' });
});

test('one that does not work is still off where that is allowed', async () => {
  const found = await tryTool(starved('', 'bwrap: setting up uid map: Permission denied\n'), TOOL);
  expect(found).not.toHaveProperty('short');
  const support = { tool: () => TOOL, detect: async () => found, off: false, program: [] };
  expect(await sandboxMode(support, { sandbox: 'auto' })).toHaveProperty('off');
});

test('a program that was not started says what helps', () => {
  const error = Object.assign(new Error('spawn npm EAGAIN'), { code: 'EAGAIN' });
  const { disk } = hostAt();
  expect(reasonOf(disk, error, { argv: ['npm'], cwd: '/' })).toContain('close some programs');
  expect(shortageIn('fatal: unable to open: Too many open files in system')?.[1]).toContain('close some programs');
  expect(shortageIn('No such file or directory')).toBeUndefined();
});
