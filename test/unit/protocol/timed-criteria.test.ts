// Which criteria are about time: a number with a unit of time or rate, or a comparison of speeds. Settings are not.

import { describe, expect, test } from 'vitest';
import { hasMargin, isTimed } from '../../../src/protocol/definition/timed-criteria.ts';

describe('about time', () => {
  test.each([
    'runs in under 100 ms',
    'at least twice as fast as before',
    'handles 10k requests per second',
    'a search of 10,000 rows takes 200 ms',
    'it answers within 2 seconds',
    'parsing is faster than before',
    'start-up takes less than a second',
    '`liza status` prints its table in 150ms for 10,000 tasks',
    'the build is no slower than on main',
    'it writes 5,000 ops/s or more',
    'encodes at 50 MB/s on one core',
    'the p99 latency stays low',
    'the importer reads a million rows per minute',
    'sub-millisecond lookups for 1,000 keys',
    'the query is three times as fast',
    'serves 500 req/s on one core',
    'the animation renders at 60 fps',
    'completes in half a second',
    'the suite ends within 5 minutes',
    'sorting 1e6 numbers needs at most 0.5 s',
    'an answer comes in less than two seconds',
    'a page of 50 rows is ready in <= 80 ms',
    'elapsed_ms stays below 20 ms for a page that is 1 hour old',
    'a search for 10,000 rows takes 200 ms',
    'the whole import takes 5 minutes and no more',
    'an index of 1 million rows is built in 2 s',
  ])('%s', (criterion) => {
    expect(isTimed(criterion)).toBe(true);
  });
});

describe('about a setting or a value', () => {
  test.each([
    "Readme.md has the example bytes.rate(1048576, 2); and '// output: '512KB/s''",
    'the request times out after 30 seconds',
    'a token expires after 24 hours',
    'retries three times with a delay of 100 ms',
    'polls the queue every 5 seconds',
    'limits each client to 10 requests per second and answers 429 beyond it',
    '`parse("1h 30m")` returns 5400 seconds',
    'formats 90 seconds as 1m 30s',
    'the fast path skips the cache',
    'fails fast on the first invalid row',
    'the log line has the seconds since the epoch',
    'the field timeout_ms defaults to 500',
    'the second run prints 3 lines less',
    'a clip of 3 minutes of audio is cut into 6 parts',
    'idle_seconds is 3600 for a job that last ran 60 minutes before',
    'describe() of a job that ran 1 hour ago has idle_seconds 3600',
    'the record has idle_seconds = 3600 s',
    'a file that is 2 hours old is listed first',
    'the option maxAgeSeconds is 3600, so 1 hour',
    '`humanize(500)` is 0.5 s',
    'humanize(500) gives 0.5 s',
    '500 → 0.5 s, 1500 → 1.5 s',
    'an interval of 5 minutes is accepted',
    'takes 5 minutes as its interval',
    'jobs due in 5 minutes are listed first',
    'events within 5 minutes of each other are one',
    'the default becomes 5 minutes',
    'a moved run has 0 seconds and 0 microseconds',
  ])('%s', (criterion) => {
    expect(isTimed(criterion)).toBe(false);
  });
});

test.each([
  ['the median of 5 runs is at most 200 ms', true],
  ['in all ten measured runs it takes less than 2 s', true],
  ['at least 20 % faster than the old parser', true],
  ['runs in under 100 ms', false],
  ['the p95 latency of GET /jobs is under 20ms', false],
  ['it is 3 times as fast', false],
  ['parsing 10 MB takes under 100 ms, the fastest of 5', true],
  ['the fastest of five runs is below 100 ms', true],
  ['under 100 ms (best of 3)', true],
  ['the shortest time over ten tries is under 100 ms', true],
  ['the slowest out of 3 is under 2 seconds', true],
  ['the fastest path in the router takes 5 ms', false],
  ['it is the fastest of all', false],
])('%s: says how it is measured: %s', (criterion, said) => {
  expect(hasMargin(criterion)).toBe(said);
});
