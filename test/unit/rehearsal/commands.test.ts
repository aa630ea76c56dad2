// What a script's steps type is what the verbs take.

import { describe, expect, test } from 'vitest';
import { readArgs } from '../../../src/cli/args.ts';
import { REGISTRY } from '../../../src/cli/registry.ts';
import { parseRejection } from '../../../src/protocol/review/verdict.ts';
import { filled, rejection, typed } from '../../../src/rehearsal/commands.ts';

const STEPS = {
  add: {
    id: 'a',
    desc: 'd',
    spec: 's.md',
    done: 'x',
    scope: ['IN: src/', 'OUT: bin/'],
    priority: 1,
    depends: ['b'],
    validate: ['t'],
  },
  begin: { intent: 'i', risks: '- none', validation: 'node --test: passes', files: ['a', 'b'], assume: ['x'] },
  submit: 'HEAD',
  block: { reason: 'r', questions: ['q', '- q2'], attempted: ['t'] },
  handoff: { summary: 's', next: 'n' },
  approve: 'fine',
  reject: { blockers: [{ at: 'a.ts:1', what: 'w', why: 'y', suggestion: 's' }], overall: 'o' },
} as const;

describe.each(Object.entries(STEPS))('%s', (verb, value) => {
  test('is accepted as it is typed', async () => {
    const command = typed({ [verb]: value }, verb, 'task-1');
    const [name = '', ...rest] = command?.argv ?? [];
    const loaded = await REGISTRY[name]?.load?.();
    if (loaded === undefined) throw new Error(`no verb ${name}`);
    expect(readArgs(loaded, rest)).not.toHaveProperty('ok', false);
  });
});

test('a list repeats its flag where the flag may be repeated, and is one text elsewhere', () => {
  expect(typed({ add: STEPS.add }, 'add', '')?.argv).toEqual(
    expect.arrayContaining(['--scope=IN: src/\nOUT: bin/', '--depends=b']),
  );
  expect(typed({ begin: STEPS.begin }, 'begin', 't')?.argv).toEqual(expect.arrayContaining(['--file=a', '--file=b']));
});

test('a rejection has the form that is asked for', () => {
  const text = rejection({ ...STEPS.reject, concerns: ['slow'], prior: ['RESOLVED: the sign'] });
  expect(parseRejection(text, true)).toEqual({ blockers: [{ file: 'a.ts', line: 1, text: 'w' }], problems: [] });
});

test('known words in braces are filled in, everywhere in a step; others stay', () => {
  const step = { liza: ['note', '{task} at {commit}', '{other} {'], input: '{agent}' };
  expect(filled(step, { task: 'a', commit: 'c1', agent: 'coder-1' })).toEqual({
    liza: ['note', 'a at c1', '{other} {'],
    input: 'coder-1',
  });
});
