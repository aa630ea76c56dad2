// The two pipes of an agent as the SDK wants them. An agent that asks without end and reads no answer would fill our
// memory with them, and our time: what it says is read only as long as it reads what it is told, and no faster than the
// rest of the crew can bear.

import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Clock } from '../ports/host.ts';
import type { Streams } from './provider.ts';

/** Bytes that wait for it: thousands of answers; the longest thing it is told, its prompt, comes first and alone. */
const MOST_WAITING = 1_000_000;
/** Bytes for which it is given a millisecond: about as long as it takes to read them, so that half of the time is others'. */
const IN_A_MILLISECOND = 2000;

export function pacedStreams(
  clock: Clock,
  streams: Streams,
): {
  readonly told: WritableStream<Uint8Array>;
  readonly said: ReadableStream<Uint8Array>;
} {
  const { stdin } = streams;
  return {
    // Never waits: all that is not written yet is counted in one place.
    told: new WritableStream<Uint8Array>({
      write: (chunk) => void stdin.write(chunk),
      close: () => void stdin.end(),
    }),
    said: Readable.toWeb(Readable.from(paced(clock, streams), { objectMode: false })) as ReadableStream<Uint8Array>,
  };
}

async function* paced(clock: Clock, { stdin, stdout }: Streams): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of stdout as AsyncIterable<Uint8Array>) {
    yield chunk;
    while (stdin.writableLength > MOST_WAITING && !stdin.destroyed) await moved(stdin);
    read += chunk.length;
    // Many small pieces rest together: no rest is shorter than a millisecond.
    if (read < 10 * IN_A_MILLISECOND) continue;
    await clock.sleep(read / IN_A_MILLISECOND);
    read = 0;
  }
}

async function moved(stdin: Streams['stdin']): Promise<void> {
  const over = new AbortController();
  const wait = (event: string) => once(stdin, event, { signal: over.signal }).catch(() => {});
  await Promise.race([wait('drain'), wait('close')]);
  over.abort();
}
