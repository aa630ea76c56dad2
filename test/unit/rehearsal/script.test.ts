import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readScript } from '../../../src/rehearsal/check.ts';
import { CODER_SITUATIONS, type Script, sceneFor } from '../../../src/rehearsal/script.ts';
import { STEPS } from '../../../src/rehearsal/steps.ts';

const ROOT = join(import.meta.dirname, '../../..');
const file = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

const read = (script: unknown): Script | { message: string; hint: string } =>
  readScript(typeof script === 'string' ? script : JSON.stringify(script), 's.json') as Script;
const withStep = (step: unknown): unknown => ({ scenes: [{ role: 'coder', when: 'start', steps: [step] }] });

test('the demo’s script and the example of the documentation can be played', () => {
  expect(read(file('demo/script.json'))).toHaveProperty('scenes');
  const example = /```json\n([\s\S]*?)```/.exec(file('docs/rehearsal.md'))?.[1] ?? '';
  expect(read(example)).toHaveProperty('scenes');
});

test('the documentation has every step, with its fields, and every situation', () => {
  const docs = file('docs/rehearsal.md');
  const row = (name: string): string => new RegExp(`^\\| \`${name}\`.*$`, 'm').exec(docs)?.[0] ?? '';
  for (const [name, { value, also = {} }] of Object.entries(STEPS)) {
    expect(row(name), name).not.toBe('');
    const inner = typeof value === 'object' && 'fields' in value ? Object.keys(value.fields) : [];
    for (const field of [...inner, ...Object.keys(also)]) expect(docs, `${name} ${field}`).toContain(`\`${field}\``);
  }
  for (const when of CODER_SITUATIONS) expect(row(when), when).not.toBe('');
});

describe('a mistake is told with file, place and what is allowed', () => {
  const cases: readonly (readonly [string, unknown, string, string])[] = [
    ['no JSON', '{\n"scenes": [,]\n}', 's.json, line 2: is not JSON', 'docs/rehearsal.md'],
    ['a list', [], 's.json, the script: is [], not {…}', 'A script is'],
    ['no scenes', {}, 'the script: has no list "scenes"', 'A script is'],
    ['an unknown field', { scenes: [], scene: 1 }, 'unknown field "scene"', 'it may have title, scenes'],
    [
      'a role',
      { scenes: [{ role: 'reviewer', steps: [] }] },
      'scene 1 (reviewer): role is "reviewer"',
      'planner, coder',
    ],
    [
      'a situation of another role',
      { scenes: [{ role: 'coder', when: 'HUMAN_NOTE', steps: [] }] },
      'scene 1 (coder, HUMAN_NOTE): when is "HUMAN_NOTE"',
      'for a coder, "when" is one of start, interrupted',
    ],
    ['no steps', { scenes: [{ role: 'coder', steps: [] }] }, 'has no list "steps"', 'at least one step'],
    ['a step nobody knows', withStep({ sleep: 1 }), 'step 1: has no known action: "sleep"', 'a step is one of say'],
    ['a step that is text', withStep('say'), 'step 1: is "say", not {…}', 'a step is one of'],
    [
      'a missing field',
      withStep({ write: 'a.txt' }),
      'step 1, text: is missing',
      'it is a text, or a list of its lines',
    ],
    [
      'a field too many',
      withStep({ say: 'x', loud: true }),
      'step 1 (say): has an unknown field "loud"',
      'may have say',
    ],
    ['a number as text', withStep({ wait: '3' }), 'step 1, wait: is "3"', 'it is a number'],
    ['no argv', withStep({ run: 'npm test' }), 'step 1, run: is "npm test"', 'the program and its arguments'],
    ['another expectation', withStep({ submit: 'HEAD', expect: 'done' }), 'expect: is "done"', 'one of refused'],
    [
      'a blocker without a place',
      withStep({ reject: { blockers: [{ what: 'w', why: 'y', suggestion: 's' }], overall: 'o' } }),
      'step 1, reject.blockers.at: is missing',
      'it is a text',
    ],
  ];
  test.each(cases)('%s', (_name, script, message, hint) => {
    const refusal = read(script) as { message: string; hint: string };
    expect(refusal.message).toContain(message);
    expect(refusal.message).toMatch(/^s\.json/);
    expect(refusal.hint).toContain(hint);
  });
});

test('the first scene that fits is played', () => {
  const scene = (name: string, rest: object) => ({ role: 'coder' as const, ...rest, steps: [{ say: name }] });
  const script: Script = {
    scenes: [
      scene('again', { task: 'a', when: 'rejected', nth: 2 }),
      scene('reworks', { task: 'a', when: 'rejected' }),
      scene('any', { when: 'start' }),
    ],
  };
  const said = (task: string, when: string, nth: number): unknown =>
    sceneFor(script, { role: 'coder', task, when, nth })?.steps[0]?.['say'];
  expect(said('a', 'rejected', 2)).toBe('again');
  expect(said('a', 'rejected', 1)).toBe('reworks');
  expect(said('b', 'start', 1)).toBe('any');
  expect(said('b', 'rejected', 1)).toBeUndefined();
});
