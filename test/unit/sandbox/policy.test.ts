// What a policy adds up to, and how each system's tool is told.

import { describe, expect, test } from 'vitest';
import { bwrapArgv } from '../../../src/sandbox/bwrap.ts';
import { entriesOf, environmentIn, isBelow, type Policy } from '../../../src/sandbox/policy.ts';
import { profileOf, seatbeltArgv } from '../../../src/sandbox/seatbelt.ts';

const POLICY: Policy = {
  cwd: '/srv/p/.worktrees/a',
  hide: ['/home', '/srv/p/.liza', '/srv/p/.worktrees', '/srv/p/secret.txt', '/gone'],
  read: ['/srv/p', { at: '/home/me/.npmrc', from: '/dotfiles/npmrc' }],
  write: ['/srv/p/.worktrees/a', '/srv/p/.liza/mail'],
  home: { at: '/home/me', kept: '/rooms/home' },
  tmp: '/rooms/tmp',
  network: false,
};
const kindOf = (path: string) =>
  path === '/gone' ? undefined : path.endsWith('.txt') ? ('file' as const) : ('folder' as const);
const TOOL = { program: '/usr/bin/bwrap', extra: [] };
const argv = (policy: Partial<Policy> = {}) =>
  bwrapArgv(TOOL, { ...POLICY, ...policy }, ['sh', '-c', 'true'], { kindOf, env: {} });

/** Where in the list an option with these operands stands. */
const placeOf = (list: readonly string[], ...words: string[]): number =>
  list.findIndex((_, at) => words.every((word, n) => list[at + n] === word));

describe('entries', () => {
  test('from the root downwards; of two for one path the more permissive is left', () => {
    const entries = entriesOf({
      ...POLICY,
      read: [...POLICY.read, '/srv/p/.worktrees/a'],
      hide: ['/home/me', ...POLICY.hide],
    });
    const paths = entries.map(({ at }) => at);
    expect(new Set(paths).size).toBe(paths.length);
    for (const [at, path] of paths.entries()) {
      expect(paths.slice(at + 1).filter((later) => later !== path && isBelow(path, later))).toEqual([]);
    }
    expect(entries.find(({ at }) => at === '/srv/p/.worktrees/a')?.kind).toBe('write');
    expect(entries.find(({ at }) => at === '/home/me')).toMatchObject({ kind: 'write', from: '/rooms/home' });
  });

  test('what is seen anyway is not named again: unless something around it is hidden, written or made new', () => {
    const shown = (read: readonly string[]) =>
      entriesOf({ ...POLICY, hide: ['/home'], write: ['/srv/p/a'], read })
        .filter(({ kind }) => kind === 'read')
        .map(({ at }) => at);
    expect(shown(['/opt/tool', '/srv'])).toEqual([]);
    const needed = ['/home/me/tool', '/tmp/project', '/srv/p/a/.git', '/dev/shm/project'];
    expect(shown([...needed, '/home/me/tool/inner']).sort()).toEqual([...needed].sort());
  });

  test('a name that only begins alike lies not below', () => {
    expect(isBelow('/home/me2', '/home/me')).toBe(false);
    expect(isBelow('/home/me/x', '/home/me')).toBe(true);
    expect(isBelow('/anything', '/')).toBe(true);
  });
});

describe('bubblewrap', () => {
  test('nothing is writable but what the policy names; the rights of root are dropped', () => {
    const list = argv();
    const binds = list.flatMap((word, at) => (/^--(dev-)?bind(-try)?$/.test(word) ? [list[at + 2]] : []));
    expect(binds.sort()).toEqual([...POLICY.write, '/home/me', '/tmp', '/var/tmp'].sort());
    expect(placeOf(list, '--ro-bind', '/', '/')).toBeGreaterThan(0);
    expect(placeOf(list, '--cap-drop', 'ALL')).toBeGreaterThan(0);
    for (const apart of ['--unshare-pid', '--unshare-ipc', '--die-with-parent', '--new-session'])
      expect(list).toContain(apart);
    expect(placeOf(list, '--ro-bind-try', '/proc/sys', '/proc/sys')).toBeGreaterThan(placeOf(list, '--proc', '/proc'));
    expect(list.slice(-4)).toEqual(['--', 'sh', '-c', 'true']);
  });

  test('what is hidden is covered before what is shown in it, and closed after', () => {
    const list = argv();
    const hidden = placeOf(list, '--tmpfs', '/srv/p/.liza');
    const shown = placeOf(list, '--bind-try', '/srv/p/.liza/mail', '/srv/p/.liza/mail');
    const closed = placeOf(list, '--remount-ro', '/srv/p/.liza');
    expect(hidden).toBeGreaterThan(placeOf(list, '--ro-bind-try', '/srv/p', '/srv/p'));
    expect(hidden).toBeLessThan(shown);
    expect(shown).toBeLessThan(closed);
    expect(placeOf(list, '--ro-bind', '/dev/null', '/srv/p/secret.txt')).toBeGreaterThan(0);
    expect(list).not.toContain('/gone');
  });

  test('the network only where it is on', () => {
    expect(argv()).toContain('--unshare-net');
    expect(argv({ network: true })).not.toContain('--unshare-net');
  });

  test('a program that looks like an option stays a program', () => {
    const list = bwrapArgv(TOOL, POLICY, ['--bind', '/', '/'], { kindOf, env: {} });
    expect(list.slice(list.lastIndexOf('--'))).toEqual(['--', '--bind', '/', '/']);
  });
});

describe('sandbox-exec', () => {
  const rules = (policy: Partial<Policy> = {}) => profileOf({ ...POLICY, ...policy }).split('\n');

  test('no writing but what the policy names, deeper rules last', () => {
    const lines = rules();
    expect(lines[2]).toBe('(deny file-write*)');
    const at = (text: string): number => lines.findIndex((line) => line.includes(text));
    expect(lines[at('(deny file-read* file-write* (subpath "/srv/p/.liza"')]).toBeDefined();
    expect(at('(allow file-read* file-write* (subpath "/srv/p/.liza/mail"')).toBeGreaterThan(
      at('(deny file-read* file-write* (subpath "/srv/p/.liza"))'),
    );
    expect(lines).toContain('(allow signal (target same-sandbox))');
    expect(lines.indexOf('(deny signal)')).toBeLessThan(lines.indexOf('(allow signal (target same-sandbox))'));
  });

  test('the network only where it is on; a path cannot end its own string', () => {
    expect(rules()).toContain('(deny network*)');
    expect(rules({ network: true })).not.toContain('(deny network*)');
    const odd = profileOf({ ...POLICY, write: ['/a")(allow default)("\\'] });
    expect(odd).toContain('(subpath "/a\\")(allow default)(\\"\\\\")');
    expect(seatbeltArgv('/usr/bin/sandbox-exec', POLICY, ['sh']).slice(0, 2)).toEqual(['/usr/bin/sandbox-exec', '-p']);
  });
});

test('a place for files that cannot be written inside is not named', () => {
  const env = { XDG_DATA_HOME: '/data/me', XDG_CACHE_HOME: '/home/me/cache', XDG_CONFIG_HOME: undefined };
  expect(environmentIn(env, { HOME: '/home/me' })).toMatchObject({
    XDG_DATA_HOME: undefined,
    XDG_CACHE_HOME: '/home/me/cache',
  });
});

test('sockets of keys and of the desktop are not named inside', () => {
  const env = environmentIn({ SSH_AUTH_SOCK: '/x', DISPLAY: ':0', PATH: '/bin', HOME: '/home/me' }, { HOME: '/h' });
  expect(env).toMatchObject({ PATH: '/bin', HOME: '/h', SSH_AUTH_SOCK: undefined, DISPLAY: undefined });
});
