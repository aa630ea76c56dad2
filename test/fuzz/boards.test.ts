// A state.yaml that anybody may have written: read or refused, in bounded time and memory, never executed, and a
// refused one stays as it is.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freshState } from '../../src/protocol/records/new-board.ts';
import { openYamlStore } from '../../src/store/open.ts';
import { emitEntries } from '../../src/store/yaml/emit.ts';
import { hostAt } from '../host.ts';
import { boardContext } from '../support/board-context.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { CANARY, hostile, isDead, RUNS, within } from './hostile.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const root = temporaryFolder();
mkdirSync(join(root, '.liza'));
const file = join(root, '.liza', 'state.yaml');

const fresh = emitEntries({ ...freshState({ goal: 'g', spec_ref: 'specs/vision.md', now: NOW }) }, 0).join('\n');
const LINES = fresh.split('\n');
const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n`;
const line = fc.oneof(
  fc.constantFrom(...LINES),
  hostile,
  fc.constantFrom(
    bomb,
    '<<: *x',
    '? [a]\n: b',
    'tasks: !!set {a}',
    '__proto__: {polluted: true}',
    '- - - - -',
    '[[[[[['.repeat(5000),
    '{"a":'.repeat(5000),
  ),
);

/** A good board with lines taken away, doubled, moved or replaced. */
const bent = fc
  .tuple(fc.array(fc.tuple(fc.nat(LINES.length), fc.nat(2), line), { maxLength: 8 }), fc.boolean())
  .map(([edits, windows]) => {
    const lines = [...LINES];
    for (const [at, drop, put] of edits) lines.splice(at, drop, put);
    return lines.join(windows ? '\r\n' : '\n');
  });
const document = fc.oneof({ weight: 3, arbitrary: bent }, { weight: 1, arbitrary: hostile });

test('any document', async () => {
  const context = boardContext(root, { host: hostAt(() => NOW) });
  await fc.assert(
    fc.asyncProperty(document, async (text) => {
      writeFileSync(file, text);
      rmSync(join(root, '.liza', 'cache'), { recursive: true, force: true });
      const store = openYamlStore(context);
      const outcome = await within('reading', () =>
        store.read().then(
          ({ board }) => board,
          (error: Error) => error,
        ),
      );
      if (outcome instanceof Error) {
        // A reason for people, not an accident of ours.
        expect(outcome.name).toMatch(/^(EnvironmentError|Refused)$/);
        expect(readFileSync(file, 'utf8')).toBe(Buffer.from(text).toString('utf8'));
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      expect(isDead()).toBe(false);
    }),
    { numRuns: RUNS },
  );
  expect(existsSync(CANARY)).toBe(false);
}, 3_600_000);
