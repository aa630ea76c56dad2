// Reads .liza/log.yaml from its end. The file only grows and can be large, so the last entries are
// found without reading the rest; following it reads what was appended since.

import { realDisk } from '../ports/disk.ts';
import { defined } from '../protocol/values.ts';
import { parseScalar } from '../store/yaml/scalar.ts';

export interface LogEntry {
  readonly timestamp: string;
  readonly agent: string;
  readonly action: string;
  readonly task?: string;
  readonly detail: string;
  /** Its number in the journal. */
  readonly entry?: number;
}

export interface Tail {
  readonly entries: readonly LogEntry[];
  /** Where the next reading begins. */
  readonly end: number;
}

const CHUNK = 64 * 1024;

/** The last `count` entries; a file that is not there has none. */
export async function readTail(path: string, count: number): Promise<Tail> {
  return reading(path, async (file) => {
    const { size } = await file.stat();
    let text = Buffer.alloc(0);
    let from = size;
    while (from > 0 && starts(text.toString('utf8')) <= count) {
      const length = Math.min(CHUNK, from);
      from -= length;
      text = Buffer.concat([await readAt(file, from, length), text]);
    }
    const whole = wholeEntries(text);
    const entries = parseEntries(whole.text);
    return { entries: count === 0 ? [] : entries.slice(-count), end: from + whole.bytes };
  });
}

/** What was appended since `from`; from the beginning when the file was replaced by a shorter one. */
export async function readSince(path: string, from: number): Promise<Tail> {
  return reading(path, async (file) => {
    const { size } = await file.stat();
    const start = size < from ? 0 : from;
    const whole = wholeEntries(await readAt(file, start, size - start));
    return { entries: parseEntries(whole.text), end: start + whole.bytes };
  });
}

type File = Awaited<ReturnType<typeof realDisk.promises.open>>;

async function reading(path: string, read: (file: File) => Promise<Tail>): Promise<Tail> {
  const file = await realDisk.promises.open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return { entries: [], end: 0 };
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

async function readAt(file: File, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}

/** An entry still being written is left for the next reading; `detail` is mandatory and ends the known fields. */
function wholeEntries(bytes: Buffer): { readonly text: string; readonly bytes: number } {
  const text = bytes.toString('utf8', 0, bytes.lastIndexOf(0x0a) + 1);
  const last = text.startsWith('- ') && !text.includes('\n- ') ? 0 : text.lastIndexOf('\n- ') + 1;
  const unfinished = text.startsWith('- ', last) && !text.includes('\n  detail: ', last);
  const settled = unfinished ? text.slice(0, last) : text;
  return { text: settled, bytes: Buffer.byteLength(settled) };
}

const starts = (text: string): number => text.match(/^- /gm)?.length ?? 0;

/** Only the layout Liza writes: `- key: value` and `  key: value`. Other lines are a person's and are skipped. */
export function parseEntries(text: string): LogEntry[] {
  const entries: Record<string, string>[] = [];
  for (const line of text.split('\n')) {
    const match = /^(- | {2})([a-z_]+):[ ]+(.*)$/.exec(line);
    if (match?.[2] === undefined || match[3] === undefined) continue;
    if (match[1] === '- ') entries.push({});
    const entry = entries.at(-1);
    if (entry !== undefined) entry[match[2]] = String(parseScalar(match[3]) ?? match[3]);
  }
  return entries.filter((entry) => entry.timestamp !== undefined && entry.action !== undefined).map(complete);
}

const complete = (entry: Record<string, string>): LogEntry => ({
  timestamp: entry.timestamp ?? '',
  agent: entry.agent ?? '',
  action: entry.action ?? '',
  ...defined({ task: entry.task }),
  detail: entry.detail ?? '',
  ...(entry.entry === undefined ? {} : { entry: Number(entry.entry) }),
});
