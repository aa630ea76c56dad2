// The command table and everything that speaks of it agree: names of guards, and what the documentation says.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REGISTRY } from '../../../src/cli/registry.ts';
import { isAgentPart } from '../../../src/protocol/board.ts';
import { GUARD_NAMES } from '../../../src/protocol/refusal-names.ts';
import { TABLE } from '../../../src/protocol/table.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  begin,
  CODER,
  claim,
  claimed,
  commit,
  declare,
  OTHER_CODER,
  proof,
  ready,
  SUPERVISOR,
  submit,
  toReady,
} from '../protocol/world.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const rows = Object.values(TABLE);
const guards: readonly string[] = GUARD_NAMES;

test('every name of a guard is used by some row, and is in the list once', () => {
  const used = new Set(rows.flatMap((row) => row.guards.map(({ name }) => name)));
  expect([...used].toSorted()).toEqual([...guards]);
});

test.each(rows)('the guards of $name have different names', (row) => {
  const names = row.guards.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test.each(rows.filter(({ who, inner }) => inner !== true && who.some(isAgentPart)))(
  'what an agent is told of $name names a command that it types',
  ({ name, typed, syntax }) => {
    const said = typed ?? name;
    expect(Object.keys(REGISTRY)).toContain(said);
    expect(`${syntax} `.startsWith(`${said} `)).toBe(true);
  },
);

test('a further file that is refused after the submit is refused as `begin`', () => {
  const w = ready('a');
  toReady(w, 'a');
  const { message } = w.refused(CODER, declare('a', 'src/x.ts'));
  expect(message).toMatch(/^begin a refused: a is READY_FOR_REVIEW, and begin by a coder needs CLAIMED/);
});

test('the documentation names only guards that exist', () => {
  const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  const named = pages.flatMap((page) =>
    [...readFileSync(join(DOCS, page), 'utf8').matchAll(/\bguards? `([a-z-]+)`/g)].map(([, name = '']) => name),
  );
  expect(named).toContain('within-budget');
  expect(named.filter((name) => !guards.includes(name))).toEqual([]);
});

test('a refusal says what its guard needs besides the board, and whether others were faster', () => {
  const w = claimed();
  expect(w.refused(OTHER_CODER, submit('a', commit(1)))).not.toHaveProperty('needs');
  expect(w.refused(CODER, submit('a', commit(1)))).toMatchObject({ needs: 'facts', guard: 'checkpoint-first' });
  w.run(CODER, begin('a'));
  expect(w.refused(CODER, submit('a', commit(1), { head: '' }))).toMatchObject(
    refusedBy('clean-sync', { needs: 'facts' }),
  );
  const unproved = submit('a', commit(1), { proof: proof(commit(2)) });
  expect(w.refused(CODER, unproved)).toMatchObject(refusedBy('proof', { needs: 'proof' }));
  expect(w.refused(OTHER_CODER, begin('a'))).not.toHaveProperty('raced');
  expect(w.refused(SUPERVISOR, claim('a', 'coder-2'))).toMatchObject(refusedBy('lease-past', { raced: true }));
});
