// What a program prints, kept within bounds: the beginning and the end in its log, the last few lines
// for a message, and each line as it comes for a listener. Memory stays flat whatever is printed,
// and nothing here throws for a full disk: a program's fate must not hang on its log.

import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Host } from '../ports/host.ts';
import { defined } from '../protocol/values.ts';
import { lineRedactor, redactor, redactTail, withoutHalf } from './redacting-stream.ts';

export interface OutputRequest {
  readonly logFile?: string | undefined;
  /** Bytes of output kept in the log. */
  readonly logLimit?: number | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
  /** Besides what looks like a credential: values that are shown and kept nowhere. */
  readonly secrets?: readonly string[] | undefined;
}

export interface Output {
  write(chunk: Buffer): void;
  /** Others have their turn while it is looked through. */
  close(): Promise<Printed>;
}

export interface Printed {
  /** The end of it, safe to print. */
  readonly tail: string;
  readonly outputBytes: number;
  /** Why the log is not whole. */
  readonly logProblem?: string;
}

const LOG_LIMIT = 2 * 1024 * 1024;
/** The usage that npm prints below its reason has four thousand. */
const TAIL = 8192;
const LINE = 4096;
/** What is looked at in one go. */
const PIECE = 64 * 1024;

type Place = Pick<Host, 'disk' | 'clock'>;

/** Throws when the log cannot be begun. */
export function openOutput(host: Place, request: OutputRequest): Output {
  const { logFile, onLine, secrets = [] } = request;
  const log = logFile === undefined ? undefined : openLog(host, logFile, request.logLimit ?? LOG_LIMIT, secrets);
  const clean = lineRedactor(secrets);
  const lines = onLine === undefined ? undefined : lineByLine((line) => onLine(clean(line)));
  const tail = lastBytes(TAIL);
  let outputBytes = 0;
  return {
    write: (chunk) => {
      outputBytes += chunk.length;
      tail.push(chunk);
      log?.write(chunk);
      lines?.write(chunk);
    },
    close: async () => {
      const logProblem = await log?.close();
      lines?.close();
      const last = wholeCharacters(tail.bytes()).toString('latin1');
      const clean = tail.dropped() > 0 ? redactTail(last, secrets) : whole(last, secrets);
      const text = legible(Buffer.from(clean, 'latin1').toString('utf8'));
      return { tail: text, outputBytes, ...defined({ logProblem }) };
    },
  };
}

const whole = (text: string, secrets: readonly string[]): string => {
  const clean = redactor(secrets);
  return clean.push(text) + clean.end();
};

/**
 * The first half of the limit goes to the file line by line; of the rest the last half follows at the end. Only what
 * is kept is looked at for secrets: a flood costs no more than its beginning and its end.
 */
function openLog({ disk, clock }: Place, file: string, limit: number, secrets: readonly string[]) {
  disk.mkdirSync(dirname(file), { recursive: true });
  // What is there, perhaps a link or a fifo that an agent made, is not written through.
  disk.rmSync(file, { force: true });
  const fd = disk.openSync(file, 'wx', 0o644);
  const half = Math.ceil(limit / 2);
  let room = half;
  let end: LastBytes | undefined;
  let problem: string | undefined;
  const clean = redactor(secrets);
  const put = (text: string): void => {
    if (problem !== undefined || text === '') return;
    try {
      const data = Buffer.from(text, 'latin1');
      for (let done = 0; done < data.length; ) done += disk.writeSync(fd, data, done, data.length - done);
    } catch (error) {
      problem = `the log ${file} is incomplete: ${(error as Error).message}`;
    }
  };
  return {
    write(chunk: Buffer): void {
      const first = chunk.subarray(0, room);
      if (first.length > 0) put(clean.push(first.toString('latin1')));
      room -= first.length;
      if (first.length === chunk.length) return;
      end ??= lastBytes(limit - half);
      end.push(chunk.subarray(first.length));
    },
    async close(): Promise<string | undefined> {
      const left = end?.dropped() ?? 0;
      const kept = end?.bytes().toString('latin1') ?? '';
      if (left > 0) put(`${clean.end(true)}\n[liza: ${left} bytes left out]\n`);
      const rest = left > 0 ? withoutHalf(kept) : kept;
      for (let at = 0; at < rest.length; at += PIECE) {
        put(clean.push(rest.slice(at, at + PIECE)));
        await clock.nextTurn();
      }
      put(clean.end());
      disk.closeSync(fd);
      return problem;
    },
  };
}

type LastBytes = ReturnType<typeof lastBytes>;

/** A ring that remembers the last `size` bytes. */
function lastBytes(size: number) {
  const ring = Buffer.alloc(size);
  let total = 0;
  return {
    push(chunk: Buffer): void {
      const kept = chunk.subarray(Math.max(0, chunk.length - size));
      const at = size === 0 ? 0 : (total + chunk.length - kept.length) % size;
      const fits = kept.copy(ring, at);
      kept.copy(ring, 0, fits);
      total += chunk.length;
    },
    bytes(): Buffer {
      if (total <= size) return ring.subarray(0, total);
      const at = size === 0 ? 0 : total % size;
      return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
    },
    dropped: (): number => Math.max(0, total - size),
  };
}

/** A line without end is told by its beginning; it must not pile up here. */
function lineByLine(onLine: (line: string) => void) {
  const decoder = new StringDecoder('utf8');
  const tell = (line: string): void => onLine(legible(line.length > LINE ? `${line.slice(0, LINE)}…` : line));
  let pending = '';
  return {
    write(chunk: Buffer): void {
      const lines = (pending + decoder.write(chunk)).split('\n');
      pending = (lines.pop() ?? '').slice(0, LINE + 1);
      for (const line of lines) tell(line);
    },
    close(): void {
      const rest = pending + decoder.end();
      if (rest !== '') tell(rest);
    },
  };
}

/** Drops the rest of a character whose beginning was dropped. */
function wholeCharacters(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return first > 0 && first < 4 ? bytes.subarray(first) : bytes;
}

/** Colours go; any other character that a terminal obeys, or that hides what is there, is replaced. */
const legible = (text: string): string =>
  text
    .replace(/\u001b\[[0-9;:]*[mK]/g, '')
    .replace(/\r+(?=\n|$)/g, '')
    .replace(/(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '\ufffd');
