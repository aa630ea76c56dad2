// What the filter answers, by a small machine for the instructions it uses.

import { expect, test } from 'vitest';
import { leaseFilter } from '../../../src/sandbox/lease-filter.ts';

interface Call {
  readonly set: number;
  readonly number: number;
  readonly second?: number;
}

/** As the kernel does it: load a word of the call, jump if it is the value, answer. */
function answer(filter: Buffer, { set, number, second = 0 }: Call): number {
  const call = Buffer.alloc(64);
  call.writeUInt32LE(number, 0);
  call.writeUInt32LE(set, 4);
  call.writeUInt32LE(second, 24);
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const [code, value] = [filter.readUInt16LE(at), filter.readUInt32LE(at + 4)];
    if (code === 0x06) return value;
    if (code === 0x20) loaded = call.readUInt32LE(value);
    else if (code === 0x15) at += 8 * filter.readUInt8(at + (loaded === value ? 2 : 3));
    else throw new Error(`no instruction of it: ${code}`);
  }
  throw new Error('it ends without an answer');
}

const ALLOWED = 0x7fff0000;
const REFUSED = 0x00050001;
const SETS = { x64: 0xc000003e, i386: 0x40000003, arm64: 0xc00000b7, arm: 0x40000028 };

test.each([
  ['x64', SETS.x64, 72],
  ['x64', SETS.x64, 0x40000000 + 72],
  ['x64', SETS.i386, 55],
  ['x64', SETS.i386, 221],
  ['arm64', SETS.arm64, 25],
  ['arm64', SETS.arm, 221],
])('%s: fcntl of %d, call %d, takes no lease and does all else', (arch, set, number) => {
  const filter = leaseFilter(arch) ?? Buffer.alloc(0);
  expect(answer(filter, { set, number, second: 1024 })).toBe(REFUSED);
  for (const second of [0, 1, 1023, 1025, 1030]) expect(answer(filter, { set, number, second })).toBe(ALLOWED);
});

test('every other call is allowed, and so are those of a set that it does not know', () => {
  const filter = leaseFilter('x64') ?? Buffer.alloc(0);
  for (let number = 0; number < 500; number += 1)
    if (number !== 72) expect(answer(filter, { set: SETS.x64, number, second: 1024 })).toBe(ALLOWED);
  expect(answer(filter, { set: SETS.arm64, number: 25, second: 1024 })).toBe(ALLOWED);
  expect(leaseFilter('mips')).toBeUndefined();
  expect(leaseFilter('constructor')).toBeUndefined();
});
