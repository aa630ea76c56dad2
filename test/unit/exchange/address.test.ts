// What may be an exchange, and what is refused with its reason.

import { expect, test } from 'vitest';
import { readExchange } from '../../../src/exchange/rules/address.ts';

test.each([
  ['git@example.org:team/hub.git', 'ssh', 'example.org:team/hub.git'],
  ['example.org:hub.git', 'ssh', 'example.org:hub.git'],
  ['ssh://git@example.org:2222/hub.git', 'ssh', 'ssh://example.org:2222/hub.git'],
  ['https://example.org/hub.git', 'https', 'https://example.org/hub.git'],
  ['http://127.0.0.1:8080/hub.git', 'http', 'http://127.0.0.1:8080/hub.git'],
  ['git://localhost/hub.git', 'git', 'git://localhost/hub.git'],
  ['/srv/hub.git', 'file', '/srv/hub.git'],
  ['file:///srv/hub.git', 'file', '/srv/hub.git'],
])('%s is an address, by %s', (said, transport, shown) => {
  expect(readExchange(said)).toMatchObject({ kind: 'address', address: { transport, shown } });
});

test('a home is what the machine says', () => {
  expect(readExchange('~/hub.git', '/home/me')).toMatchObject({
    address: { url: '/home/me/hub.git', shown: '~/hub.git' },
  });
});

test.each(['origin', 'my-hub', 'hub.2'])('%s is the name of a remote', (said) => {
  expect(readExchange(said)).toEqual({ kind: 'remote', name: said });
});

test.each([
  ['https://me:secret@example.org/hub.git', 'login'],
  ['https://token@example.org/hub.git', 'login'],
  ['ssh://me:secret@example.org/hub.git', 'login'],
  ['http://example.org/hub.git', 'without encryption'],
  ['git://example.org/hub.git', 'without encryption'],
  ['ext::sh -c touch% /tmp/x', 'start a program'],
  ['-oProxyCommand=x', 'begins with -'],
  ['ssh://-oProxyCommand=x/hub.git', 'no host'],
  ['-x@host:hub.git', 'begins with -'],
  ['host:-x', 'begins with -'],
  ['https://example.org/', 'no repository'],
  ['https://example.org/hub.git?token=1', 'query'],
  ['ftp://example.org/hub.git', 'not used'],
  ['/', 'not a repository'],
  ['a b', 'neither'],
  ['..', 'neither'],
  ['hub\n', 'empty'],
  ['', 'empty'],
])('%j is refused: %s', (said, why) => {
  expect(readExchange(said)).toEqual({ kind: 'fault', why: expect.stringContaining(why), mend: expect.anything() });
});
