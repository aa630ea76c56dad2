// Codex's own record of a thread: tokens and context while it works.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { provider } from './recordings.ts';

const THREAD = '01a1def7-7a84-7ac2-a814-1e9544bc9e3b';
let home = '';
beforeEach(() => {
  home = temporaryFolder();
});
afterEach(() => rmSync(home, { recursive: true }));

/** As Codex 0.166 writes it. */
const counted = (input: number, last: number) =>
  JSON.stringify({
    type: 'event_msg',
    payload: {
      type: 'token_count',
      info: {
        total_token_usage: {
          input_tokens: input,
          cached_input_tokens: 100,
          output_tokens: 50,
          total_tokens: input + 50,
        },
        last_token_usage: { input_tokens: last, output_tokens: 0, total_tokens: last },
        model_context_window: 200_000,
      },
    },
  });
const NOT_YET = '{"type":"event_msg","payload":{"type":"token_count","info":null}}';

function write(day: string, lines: readonly string[], thread = THREAD): void {
  const folder = join(home, 'sessions', day);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `rollout-2026-11-15T11-20-42-${thread}.jsonl`), lines.join('\n'));
}

const { measure } = provider('codex');
const env = () => ({ CODEX_HOME: home });

test('the newest figures, of the thread asked for, wherever its day is', async () => {
  write('2026/11/15', [counted(999_999, 1)], 'another-thread');
  write(
    '2026/11/09',
    ['x'.repeat(400_000), counted(1000, 10_000), counted(40_000, 30_000), NOT_YET, '{"half a line'],
    THREAD,
  );
  expect(await measure?.({ disk: realDisk, env: env() }, THREAD)).toEqual([
    { kind: 'usage', usage: { input: 40_000, output: 50, cached: 100 } },
    { kind: 'context', percent: 15 },
  ]);
  const [used] =
    (await measure?.({ disk: realDisk, env: env() }, THREAD, { before: { input: 39_000, output: 20 } })) ?? [];
  expect(used).toMatchObject({ usage: { input: 1000, output: 30 } });
});

test('nothing to find is no trouble', async () => {
  expect(await measure?.({ disk: realDisk, env: env() }, THREAD)).toEqual([]);
  expect(await measure?.({ disk: realDisk, env: {} }, THREAD)).toEqual([]);
  write('2026/11/15', [NOT_YET]);
  expect(await measure?.({ disk: realDisk, env: env() }, THREAD)).toEqual([]);
  expect(await measure?.({ disk: realDisk, env: env() }, '../../../etc/passwd')).toEqual([]);
});

test('folders that an agent linked in a thousand ways are looked at a hundred times at most', async () => {
  const sessions = join(home, 'sessions');
  for (const folder of ['2026', 'months']) mkdirSync(join(sessions, folder), { recursive: true });
  for (let n = 1; n < 1500; n += 1) {
    symlinkSync(join(sessions, 'months'), join(sessions, String(3000 + n)));
    mkdirSync(join(sessions, 'months', String(n)));
  }
  let looks = 0;
  const disk = {
    ...realDisk,
    someNames: (...args: Parameters<typeof realDisk.someNames>) => {
      looks += 1;
      return realDisk.someNames(...args);
    },
  };
  expect(await measure?.({ disk, env: env() }, THREAD)).toEqual([]);
  expect(looks).toBeLessThanOrEqual(100);
});
