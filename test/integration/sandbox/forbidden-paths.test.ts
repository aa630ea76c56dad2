// What no setting may open, on a real disk: links count as what they lead to.

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { buildPolicy } from '../../../src/sandbox/build-policy.ts';
import { whyForbidden } from '../../../src/sandbox/forbidden-paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let base: string;
const at = (place: string): string => place.replace('BASE', base);
const site = () => ({
  disk: realDisk,
  root: join(base, 'p'),
  common: join(base, 'p/.git'),
  env: { HOME: join(base, 'home') },
});

beforeAll(() => {
  base = temporaryFolder();
  for (const folder of ['p/.liza', 'p/.git/liza', 'p/.worktrees', 'p/cache', 'home/.cache'])
    mkdirSync(join(base, folder), { recursive: true });
  symlinkSync(join(base, 'p'), join(base, 'to-project'));
  symlinkSync(base, join(base, 'home/to-all'));
  symlinkSync(join(base, 'p/.liza'), join(base, 'home/to-board'));
});

const NEVER = ['/proc', '/proc/1/environ', 'BASE/p/.liza', 'BASE/p/.liza/not-there-yet', 'BASE/p/.worktrees/a'];
const LINKS = ['BASE/to-project', '~/to-all', '~/to-board'];
const HOMES = ['BASE/home', 'BASE'];
const WRITTEN = ['/sys/fs/cgroup', '/dev', '/dev/shm', 'BASE/p/.git', 'BASE/p/.git/hooks', 'BASE/p'];

test.each([...NEVER, ...LINKS, ...HOMES, 'BASE/p/.git/liza'])('%s is neither shown nor opened', (place) => {
  for (const kind of ['read', 'write'] as const)
    expect(whyForbidden(site(), at(place), kind), kind).toContain('cannot be opened in the sandbox');
});

test.each(WRITTEN)('%s is not opened', (place) => {
  expect(whyForbidden(site(), at(place), 'write')).toContain('cannot be opened in the sandbox');
});

test.each(['~/.cache', '~/.npmrc', 'BASE/p/cache', '/opt/sdk', '/run/docker.sock'])('%s may be', (place) => {
  for (const kind of ['read', 'write'] as const) expect(whyForbidden(site(), at(place), kind)).toBeUndefined();
});

test('a slash at the end changes nothing', () => {
  expect(whyForbidden(site(), at('BASE/p/'), 'read')).toBeUndefined();
  expect(whyForbidden(site(), at('BASE/p//'), 'write')).toContain('the project itself');
  expect(whyForbidden(site(), '/', 'read')).toContain('cannot be opened');
});

test('one that got into the configuration all the same is left out', () => {
  const policy = buildPolicy(realDisk, {
    ...site(),
    cwd: '/',
    home: join(base, 'home'),
    tmp: base,
    network: false,
    inPlace: false,
    alsoRead: [join(base, 'p/.liza'), join(base, 'p/cache')],
    alsoWrite: ['~/to-board', '~/to-all', '/proc', '~/.cache'],
  });
  const cache = join(base, 'home/.cache');
  expect(policy.write).toEqual([{ at: cache, from: cache }]);
  expect(policy.read).not.toContainEqual(expect.objectContaining({ from: join(base, 'p/.liza') }));
});
