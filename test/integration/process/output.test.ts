// What is kept of what a program printed.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type OutputRequest, openOutput } from '../../../src/process/output.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const host = hostAt();
let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});

async function print(request: OutputRequest, ...chunks: readonly (string | Buffer)[]) {
  const output = openOutput(host, request);
  for (const chunk of chunks) output.write(Buffer.from(chunk));
  return output.close();
}

describe('the log', () => {
  const log = async (limit: number, ...chunks: readonly string[]): Promise<string> => {
    const logFile = join(folder, 'logs', 'deep', 'run.log');
    await print({ logFile, logLimit: limit }, ...chunks);
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
  ])('%s', async (_, limit, chunks, expected) => {
    expect(await log(limit, ...chunks)).toBe(expected);
  });

  test('is there as it is printed, not only at the end', async () => {
    const logFile = join(folder, 'run.log');
    const output = openOutput(host, { logFile });
    output.write(Buffer.from('so far\n'));
    expect(readFileSync(logFile, 'utf8')).toBe('so far\n');
    await output.close();
  });

  test('never goes through what lies in its place', async () => {
    const precious = join(folder, 'precious');
    writeFileSync(precious, 'mine');
    symlinkSync(precious, join(folder, 'link.log'));
    execFileSync('mkfifo', [join(folder, 'fifo.log')]);
    for (const name of ['link.log', 'fifo.log']) {
      await print({ logFile: join(folder, name) }, 'text');
      expect(readFileSync(join(folder, name), 'utf8')).toBe('text');
    }
    expect(readFileSync(precious, 'utf8')).toBe('mine');
  });

  test('is looked through at its end in pieces: others have their turn', async () => {
    const logFile = join(folder, 'run.log');
    const output = openOutput(host, { logFile, logLimit: 4 << 20 });
    output.write(Buffer.from('token=a1 '.repeat(1 << 20)));
    let others = 0;
    const other = setInterval(() => (others += 1), 0);
    await output.close();
    clearInterval(other);
    expect(others).toBeGreaterThan(10);
    expect(readFileSync(logFile).length).toBeGreaterThan(4 << 20);
  });

  test('that cannot be begun throws', () => {
    mkdirSync(join(folder, 'taken'));
    expect(() => openOutput(host, { logFile: join(folder, 'taken') })).toThrow();
  });
});

describe('secrets', () => {
  const SECRET = 'corréct-horse-battery-9';
  const KEY = `sk-ant-api03-${'Ab3_x-9Z'.repeat(11)}`;
  const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEowIBAAKCAQEAabcdefgh\n'.repeat(20)}-----END RSA PRIVATE KEY-----\n`;
  const printed = async (text: string, size: number, limit = 1 << 20) => {
    const logFile = join(folder, 'run.log');
    const bytes = Buffer.from(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    );
    const lines: string[] = [];
    const { tail } = await print(
      { logFile, logLimit: limit, secrets: [SECRET], onLine: (line) => lines.push(line) },
      ...pieces,
    );
    return { log: readFileSync(logFile, 'utf8'), tail, lines: lines.join('\n') };
  };

  test.each([1, 2, 3, 7, 64, 1000])('are nowhere, cut into pieces of %i bytes', async (size) => {
    const text = `begin ${SECRET} and "${KEY}"\n${PEM}end ü\nno newline ${KEY}`;
    const { log, tail, lines } = await printed(text, size);
    expect(log).toBe('begin [redacted] and "[redacted]"\n[redacted]\nend ü\nno newline [redacted]');
    expect(tail).toBe(log);
    expect(lines).not.toContain('horse');
    expect(lines).not.toContain('sk-ant');
  });

  test('are not left in halves where the middle was left out, wherever the cut falls', async () => {
    for (let shift = 0; shift < 130; shift += 1) {
      const text = `${'.'.repeat(shift)} ${KEY} ${SECRET} ${'-'.repeat(400)} ${KEY} ${SECRET} ${'.'.repeat(130 - shift)}`;
      const { log } = await printed(text, 50, 240);
      // A word as short as this is no secret any more.
      for (let at = 0; at + 20 <= KEY.length; at += 1) expect(log).not.toContain(KEY.slice(at, at + 20));
      expect(log).toContain('bytes left out');
    }
  });

  test('a key without its beginning is one', async () => {
    const { log, tail } = await printed(`${'x\n'.repeat(4000)}${PEM.repeat(40)}after\n`, 512, 2000);
    expect(log).not.toContain('MIIEow');
    expect(tail).not.toContain('MIIEow');
    expect(tail).toContain('after');
  });

  test('every byte that is none stays as it was', async () => {
    const logFile = join(folder, 'run.log');
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, n) => (n * 7919) % 256));
    const output = openOutput(host, { logFile, logLimit: 1 << 20, secrets: [SECRET] });
    for (let at = 0; at < bytes.length; at += 777) output.write(bytes.subarray(at, at + 777));
    await output.close();
    expect(readFileSync(logFile).equals(bytes)).toBe(true);
  });

  test('a line without end goes to the log before it ends', async () => {
    const logFile = join(folder, 'run.log');
    const output = openOutput(host, { logFile });
    for (let n = 0; n < 100; n += 1) output.write(Buffer.from('word '.repeat(1000)));
    expect(readFileSync(logFile).length).toBeGreaterThan(400_000);
    await output.close();
  });
});

describe('the tail', () => {
  test('is the last 8 KB, beginning with a whole character', async () => {
    const printed = await print({}, 'x'.repeat(3), 'é'.repeat(5000));
    expect(printed.outputBytes).toBe(10_003);
    expect(printed.tail).toBe('é'.repeat(4096));
    expect((await print({}, 'x', 'é'.repeat(5000), 'y')).tail).toBe(`${'é'.repeat(4095)}y`);
  });

  test('shows nothing a terminal would obey', async () => {
    const printed = await print(
      {},
      '\u001b[31mred\u001b[0m\r\n\ttab \u001b]0;title\u0007 \u009b2J \u202egnol\u0000 \u007f',
    );
    expect(printed.tail).toBe('red\n\ttab \ufffd]0;title\ufffd \ufffd2J \ufffdgnol\ufffd \ufffd');
  });

  test('of bytes that are no text is still text', async () => {
    expect((await print({}, Buffer.from([0xff, 0xfe, 0x41]))).tail).toBe('\ufffd\ufffdA');
    expect((await print({}, Buffer.alloc(10, 0x80))).tail).toBe('\ufffd'.repeat(10));
  });
});

describe('lines as they come', () => {
  const lines = async (...chunks: readonly (string | Buffer)[]): Promise<readonly string[]> => {
    const seen: string[] = [];
    await print({ onLine: (line) => seen.push(line) }, ...chunks);
    return seen;
  };

  test('are whole, wherever chunks and characters are cut', async () => {
    const bytes = Buffer.from('één\r\n\ntwo\nthree');
    const expected = ['één', '', 'two', 'three'];
    expect(await lines(bytes)).toEqual(expected);
    expect(await lines(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
    expect(await lines('a\n')).toEqual(['a']);
  });

  test('without end are told by their beginning', async () => {
    const [long, next, ...more] = await lines(...Array.from({ length: 50 }, () => 'x'.repeat(1000)), '\nnext\n');
    expect(long).toBe(`${'x'.repeat(4096)}…`);
    expect([next, more]).toEqual(['next', []]);
  });
});
