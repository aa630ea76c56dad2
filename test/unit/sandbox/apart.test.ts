// Which folders may be used again: those that nobody can have kept open in another sandbox.

import { describe, expect, test } from 'vitest';
import { isApart } from '../../../src/sandbox/apart.ts';

const TOOL = { kind: 'bubblewrap', program: '/usr/bin/bwrap', extra: [] } as const;
const SCOPED = { ...TOOL, perl: '/usr/bin/perl' };

describe('a folder is used again', () => {
  test('where sockets are scoped', () => {
    expect([isApart(SCOPED, {}, 'task'), isApart(SCOPED, {}, 'proof')]).toEqual([true, true]);
  });

  test('where no program that works there has the network', () => {
    const off = { setup: 'off', tests: 'off' } as const;
    expect(isApart(TOOL, { sandbox_network: off }, 'proof')).toBe(true);
    expect(isApart(TOOL, { sandbox_network: off }, 'task')).toBe(false);
    expect(isApart(TOOL, { sandbox_network: { ...off, coder: 'off' } }, 'task')).toBe(true);
    expect(isApart(TOOL, { sandbox_network: { tests: 'off' } }, 'proof')).toBe(false);
    expect(isApart(TOOL, { sandbox_network: { setup: 'off' } }, 'setup')).toBe(true);
  });

  test('without a sandbox, where agents write everywhere anyway', () => {
    expect(isApart({ why: 'there is none', remedy: 'none' }, {}, 'proof')).toBe(true);
  });
});

describe('a folder is not used again', () => {
  test('where sandboxes share abstract sockets', () => {
    expect([isApart(TOOL, {}, 'task'), isApart(TOOL, {}, 'proof')]).toEqual([false, false]);
  });

  test('where all of them write a folder, in which a socket may be', () => {
    expect(isApart(SCOPED, { sandbox_write: ['~/.cache/x'] }, 'proof')).toBe(false);
  });

  test('where it is not known whether there is a sandbox', () => {
    expect(isApart({ why: 'no memory', remedy: 'wait', short: true }, {}, 'proof')).toBe(false);
  });
});
