// What a session costs before it has done anything: the contract and the prompt, the task's own text apart.
//
// Counted without a tokenizer, on the safe side: English prose takes about 4.2 characters or 0.75 words a
// token in the tokenizers of today, commands and ids about 3.6 characters. Whichever of characters / 3.6
// and words × 1.35 is more is taken for the count.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROLES, type Role } from '../../../../src/protocol/state.ts';
import { contractFor, contractPaths } from '../../../../src/supervisor/prompts/contract.ts';
import { SITUATIONS } from './situations.ts';

const LIMIT = 4000;
const tokens = (text: string): number =>
  Math.ceil(Math.max(text.length / 3.6, (text.match(/\S+/g) ?? []).length * 1.35));

const page = (path: string): string => readFileSync(join(import.meta.dirname, '../../../..', path), 'utf8');

function contract(role: Role): string {
  const { core, mode, role: own } = contractPaths(role);
  return contractFor(role, { core: page(core), mode: page(mode), role: page(own) });
}

const roleOf = (situation: string): Role =>
  situation.startsWith('coder') ? 'coder' : situation.startsWith('reviewer') ? 'code_reviewer' : 'planner';

/** The longest project anyone works in, rather than the short paths of the fixtures. */
const deep = (prompt: string): string => prompt.replaceAll('/home/ada/shop', `/home/${'deep/'.repeat(12)}shop`);

test.each(Object.entries(SITUATIONS))('%s stays below the limit with its contract', (name, told) => {
  const ours = deep(told())
    .split('\n')
    .filter((line) => !line.startsWith('|'))
    .join('\n');
  expect(tokens(contract(roleOf(name)) + ours)).toBeLessThan(LIMIT);
});

test.each(
  Object.keys(SITUATIONS).filter((name) => SITUATIONS[name.replace('-resumed', '')] && name.endsWith('resumed')),
)('%s is short', (name) => {
  const whole = SITUATIONS[name.replace('-resumed', '')]?.() ?? '';
  expect(tokens(SITUATIONS[name]?.() ?? '')).toBeLessThan(tokens(whole) * 0.6);
});

test.each(ROLES)('the contract of a %s is core, mode and role, and nothing of pairing', (role) => {
  const text = contract(role);
  const headings = [...text.matchAll(/^# (.*)$/gm)].map(([, heading]) => heading);
  const own = { coder: 'Coder', code_reviewer: 'Code reviewer', planner: 'Planner' }[role];
  expect(headings).toEqual(['Core contract', 'Multi-agent mode', own]);
  expect(text).not.toContain('=== ');
  expect(tokens(text)).toBeLessThan(2200);
});
