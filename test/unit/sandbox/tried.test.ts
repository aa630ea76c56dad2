// A supervisor's own trial of the sandbox holds for the commands that it runs for its agents, and for nobody else.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Environment, Host } from '../../../src/ports/host.ts';
import { detect, findTool, isTool, triedEnvironment } from '../../../src/sandbox/detect.ts';
import { leaseFilter } from '../../../src/sandbox/lease-filter.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const WAY = ['--unshare-user', '--disable-userns'];

/** A Linux on which a bubblewrap is found, and nothing can be started. */
function machine(env: Environment): Host {
  const host = hostAt();
  const bin = temporaryFolder();
  fs.writeFileSync(path.join(bin, 'bwrap'), '', { mode: 0o755 });
  const spawn = (): never => {
    throw new Error('a trial');
  };
  return { ...host, env: { PATH: bin, ...env }, processes: { ...host.processes, platform: 'linux', spawn } };
}

const program = (host: Host): string => {
  const tool = findTool(host);
  return isTool(tool) ? tool.program : '';
};

const FILTERS = [leaseFilter(process.arch), undefined];

test.each(FILTERS)('told by the supervisor, it is not tried again: filter %#', async (filter) => {
  const host = machine({ LIZA_BROKERED: '1' });
  const tool = { kind: 'bubblewrap', program: program(host), extra: WAY, filter } as const;
  const told = { ...host, env: { ...host.env, ...triedEnvironment(tool) } };
  expect(await detect(told)).toEqual(tool);
});

test.each([
  ['nobody says so', { LIZA_BROKERED: '1' }, undefined],
  ['it is no command that a supervisor runs', {}, (at: string) => `${at} ${WAY.join(' ')}`],
  ['it was another program', { LIZA_BROKERED: '1' }, () => `/tmp/bwrap ${WAY.join(' ')}`],
  ['it is no way that Liza knows', { LIZA_BROKERED: '1' }, (at: string) => `${at} --share-net`],
])('it is tried where %s', async (_, env: Environment, value: ((at: string) => string) | undefined) => {
  const host = machine(env);
  const tried = value === undefined ? {} : { LIZA_SANDBOX_TRIED: value(program(host)) };
  await expect(detect({ ...host, env: { ...host.env, ...tried } })).rejects.toThrow('a trial');
});
