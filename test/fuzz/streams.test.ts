// Whatever a CLI prints, a parser neither throws nor passes on without bounds.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../src/providers/provider.ts';
import { resetTime } from '../../src/providers/quota-reset.ts';
import { provider, RECORDED } from '../unit/providers/recordings.ts';
import { RUNS } from './hostile.ts';

const NAMES = ['claude', 'codex', 'gemini', 'opencode', 'mine'];
const CONFIG = { mine: { kind: 'command', argv: ['my-agent'] } };

const recorded = NAMES.slice(0, 4).flatMap((name) => {
  const folder = join(import.meta.dirname, '../unit/providers/fixtures', name);
  return readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
});

/** A recorded event with some of its values replaced by anything. */
const bent = fc
  .tuple(fc.constantFrom(...recorded), fc.infiniteStream(fc.anything()), fc.nat(9))
  .map(([line, any, rate]) => {
    let count = 0;
    const bend = (value: unknown): unknown => {
      count += 1;
      if (count % 10 === rate) return any.next().value;
      if (Array.isArray(value)) return value.map(bend);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bend(inner)]));
    };
    try {
      return JSON.stringify(bend(JSON.parse(line)), (_, value) => (typeof value === 'bigint' ? 1 : value)) ?? '';
    } catch {
      return line;
    }
  });

const isBounded = (event: AgentEvent): boolean => {
  switch (event.kind) {
    case 'session':
      return event.id.length <= 200;
    case 'activity':
      return event.text !== '' && event.text.length <= 400 && !/[\n\x1b]/.test(event.text);
    case 'usage':
      return [event.usage.input, event.usage.output, event.usage.cached ?? 0, event.usage.cost_usd ?? 0].every(
        (value) => Number.isFinite(value) && value >= 0,
      );
    case 'context':
      return event.percent >= 0 && event.percent <= 100;
    case 'failure':
      return event.text.length <= 400 && (event.until === undefined || event.until > RECORDED);
    case 'result':
      return (event.text ?? '').length <= 2000;
    default:
      return event satisfies never;
  }
};

describe.each(NAMES)('%s', (name) => {
  test('any line', () => {
    const lines = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.json(), bent), { maxLength: 12 });
    fc.assert(
      fc.property(lines, fc.boolean(), (some, onStderr) => {
        const parser = provider(name, CONFIG).parser();
        const events = some.flatMap((line) => parser[onStderr ? 'stderr' : 'stdout'](line, RECORDED));
        expect(events.filter((event) => !isBounded(event))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test('a line without end', () => {
    const parser = provider(name, CONFIG).parser();
    const long = `{"type":"assistant","message":{"content":[{"type":"text","text":"${'x'.repeat(3_000_000)}`;
    expect([...parser.stdout(`${long}"}]}}`, RECORDED), ...parser.stderr(long, RECORDED)].every(isBounded)).toBe(true);
  });
});

test('any words about a reset', () => {
  const word = fc.constantFrom(
    'resets',
    'try again',
    'in',
    'at',
    '3pm',
    '99',
    'h',
    'Nov',
    '31st',
    '(UTC)',
    '|',
    '1794757168',
    's',
    ',',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(word).map((words) => words.join(' ')),
      ),
      (text) => {
        const until = resetTime(text, RECORDED);
        return until === undefined || until > RECORDED;
      },
    ),
    { numRuns: RUNS },
  );
});
