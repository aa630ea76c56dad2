// What is kept of what a program printed.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { type OutputRequest, openOutput } from '../../../src/process/output.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});

function print(request: OutputRequest, ...chunks: readonly (string | Buffer)[]) {
  const output = openOutput(realDisk, request);
  for (const chunk of chunks) output.write(Buffer.from(chunk));
  return output.close();
}

describe('the log', () => {
  const log = (limit: number, ...chunks: readonly string[]): string => {
    const logFile = join(folder, 'logs', 'deep', 'run.log');
    print({ logFile, logLimit: limit }, ...chunks);
    return readFileSync(logFile, 'utf8');
  };

  test.each([
    ['within the limit', 10, ['abc', 'defghij'], 'abcdefghij'],
    ['nothing at all', 10, [], ''],
    ['one byte too many', 10, ['abcde', 'f', 'ghijk'], 'abcde\n[liza: 1 bytes left out]\nghijk'],
    ['one great chunk', 10, ['abcdefghijklmnopqrstuvwxyz'], 'abcde\n[liza: 16 bytes left out]\nvwxyz'],
    ['many small ones', 10, [...'abcdefghijklmnopqrstuvwxyz'], 'abcde\n[liza: 16 bytes left out]\nvwxyz'],
    [
      'a ring that turned',
      10,
      ['abcde', 'fghi', 'jklm', 'nopqrstuv', 'wx', 'yz'],
      'abcde\n[liza: 16 bytes left out]\nvwxyz',
    ],
    ['an odd limit', 5, ['abcdefgh'], 'abc\n[liza: 3 bytes left out]\ngh'],
    ['a limit of one', 1, ['abc'], 'a\n[liza: 2 bytes left out]\n'],
  ])('%s', (_, limit, chunks, expected) => {
    expect(log(limit, ...chunks)).toBe(expected);
  });

  test('is there as it is printed, not only at the end', () => {
    const logFile = join(folder, 'run.log');
    const output = openOutput(realDisk, { logFile });
    output.write(Buffer.from('so far\n'));
    expect(readFileSync(logFile, 'utf8')).toBe('so far\n');
    output.close();
  });

  test('never goes through what lies in its place', () => {
    const precious = join(folder, 'precious');
    writeFileSync(precious, 'mine');
    symlinkSync(precious, join(folder, 'link.log'));
    execFileSync('mkfifo', [join(folder, 'fifo.log')]);
    for (const name of ['link.log', 'fifo.log']) {
      print({ logFile: join(folder, name) }, 'text');
      expect(readFileSync(join(folder, name), 'utf8')).toBe('text');
    }
    expect(readFileSync(precious, 'utf8')).toBe('mine');
  });

  test('that cannot be begun throws', () => {
    mkdirSync(join(folder, 'taken'));
    expect(() => openOutput(realDisk, { logFile: join(folder, 'taken') })).toThrow();
  });
});

describe('secrets', () => {
  const SECRET = 'corréct-horse-battery-9';
  const KEY = `sk-ant-api03-${'Ab3_x-9Z'.repeat(11)}`;
  const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEowIBAAKCAQEAabcdefgh\n'.repeat(20)}-----END RSA PRIVATE KEY-----\n`;
  const printed = (text: string, size: number, limit = 1 << 20) => {
    const logFile = join(folder, 'run.log');
    const bytes = Buffer.from(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    );
    const lines: string[] = [];
    const { tail } = print(
      { logFile, logLimit: limit, secrets: [SECRET], onLine: (line) => lines.push(line) },
      ...pieces,
    );
    return { log: readFileSync(logFile, 'utf8'), tail, lines: lines.join('\n') };
  };

  test.each([1, 2, 3, 7, 64, 1000])('are nowhere, cut into pieces of %i bytes', (size) => {
    const text = `begin ${SECRET} and "${KEY}"\n${PEM}end ü\nno newline ${KEY}`;
    const { log, tail, lines } = printed(text, size);
    expect(log).toBe('begin [redacted] and "[redacted]"\n[redacted]\nend ü\nno newline [redacted]');
    expect(tail).toBe(log);
    expect(lines).not.toContain('horse');
    expect(lines).not.toContain('sk-ant');
  });

  test('are not left in halves where the middle was left out, wherever the cut falls', () => {
    for (let shift = 0; shift < 130; shift += 1) {
      const text = `${'.'.repeat(shift)} ${KEY} ${SECRET} ${'-'.repeat(400)} ${KEY} ${SECRET} ${'.'.repeat(130 - shift)}`;
      const { log } = printed(text, 50, 240);
      // A word as short as this is no secret any more.
      for (let at = 0; at + 20 <= KEY.length; at += 1) expect(log).not.toContain(KEY.slice(at, at + 20));
      expect(log).toContain('bytes left out');
    }
  });

  test('a key without its beginning is one', () => {
    const { log, tail } = printed(`${'x\n'.repeat(4000)}${PEM.repeat(40)}after\n`, 512, 2000);
    expect(log).not.toContain('MIIEow');
    expect(tail).not.toContain('MIIEow');
    expect(tail).toContain('after');
  });

  test('every byte that is none stays as it was', () => {
    const logFile = join(folder, 'run.log');
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, n) => (n * 7919) % 256));
    const output = openOutput(realDisk, { logFile, logLimit: 1 << 20, secrets: [SECRET] });
    for (let at = 0; at < bytes.length; at += 777) output.write(bytes.subarray(at, at + 777));
    output.close();
    expect(readFileSync(logFile).equals(bytes)).toBe(true);
  });

  test('a line without end goes to the log before it ends', () => {
    const logFile = join(folder, 'run.log');
    const output = openOutput(realDisk, { logFile });
    for (let n = 0; n < 100; n += 1) output.write(Buffer.from('word '.repeat(1000)));
    expect(readFileSync(logFile).length).toBeGreaterThan(400_000);
    output.close();
  });
});

describe('the tail', () => {
  test('is the last 8 KB, beginning with a whole character', () => {
    const printed = print({}, 'x'.repeat(3), 'é'.repeat(5000));
    expect(printed.outputBytes).toBe(10_003);
    expect(printed.tail).toBe('é'.repeat(4096));
    expect(print({}, 'x', 'é'.repeat(5000), 'y').tail).toBe(`${'é'.repeat(4095)}y`);
  });

  test('shows nothing a terminal would obey', () => {
    const printed = print({}, '\u001b[31mred\u001b[0m\r\n\ttab \u001b]0;title\u0007 \u009b2J \u202egnol\u0000 \u007f');
    expect(printed.tail).toBe('red\n\ttab \ufffd]0;title\ufffd \ufffd2J \ufffdgnol\ufffd \ufffd');
  });

  test('of bytes that are no text is still text', () => {
    expect(print({}, Buffer.from([0xff, 0xfe, 0x41])).tail).toBe('\ufffd\ufffdA');
    expect(print({}, Buffer.alloc(10, 0x80)).tail).toBe('\ufffd'.repeat(10));
  });
});

describe('lines as they come', () => {
  const lines = (...chunks: readonly (string | Buffer)[]): readonly string[] => {
    const seen: string[] = [];
    print({ onLine: (line) => seen.push(line) }, ...chunks);
    return seen;
  };

  test('are whole, wherever chunks and characters are cut', () => {
    const bytes = Buffer.from('één\r\n\ntwo\nthree');
    const expected = ['één', '', 'two', 'three'];
    expect(lines(bytes)).toEqual(expected);
    expect(lines(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
    expect(lines('a\n')).toEqual(['a']);
  });

  test('without end are told by their beginning', () => {
    const [long, next, ...more] = lines(...Array.from({ length: 50 }, () => 'x'.repeat(1000)), '\nnext\n');
    expect(long).toBe(`${'x'.repeat(4096)}…`);
    expect([next, more]).toEqual(['next', []]);
  });
});
