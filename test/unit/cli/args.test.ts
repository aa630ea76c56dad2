import { expect, test } from 'vitest';
import { readArgs } from '../../../src/cli/args.ts';
import { REGISTRY } from '../../../src/cli/registry.ts';
import type { Args, LoadedVerb } from '../../../src/cli/verb.ts';
import type { Refusal } from '../../../src/protocol/decision.ts';
import { nearest } from '../../../src/text/nearest.ts';

const VERB: LoadedVerb = {
  name: 'sample',
  positionals: [
    { name: 'task', kind: 'task', description: '' },
    { name: 'words', rest: true, optional: true, description: '' },
  ],
  options: {
    reason: { value: 'text', description: '' },
    file: { value: 'path', repeat: true, description: '' },
    type: { value: 'type', choices: ['code', 'docs'], description: '' },
    ready: { short: 'r', description: '' },
  },
  examples: ['liza sample x'],
  run: async () => ({ ok: true }),
};

const read = (...argv: string[]): Args => {
  const args = readArgs(VERB, argv);
  if ('ok' in args) throw new Error(args.message);
  return args;
};
const refused = (verb: LoadedVerb, ...argv: string[]): Refusal => {
  const args = readArgs(verb, argv);
  if (!('ok' in args)) throw new Error('was accepted');
  return args;
};

test('options and words come in any order', () => {
  const args = read('--file', 'a', 'one', '--ready', 'two', '--file=b', 'three');
  expect(args.must('task')).toBe('one');
  expect(args.all('words')).toEqual(['two', 'three']);
  expect(args.all('file')).toEqual(['a', 'b']);
  expect(args.flag('ready')).toBe(true);
  expect(args.flag('reason')).toBe(false);
});

test.each([
  ['--reason=-x', '-x'],
  ['--reason=--json', '--json'],
  ['--reason=', ''],
  ['--reason=a=b', 'a=b'],
])('%s is a value', (word, value) => {
  expect(read('one', word).text('reason')).toBe(value);
});

test('a Markdown list is a text, as value and as word', () => {
  expect(read('one', '--reason', '- first\n- second').text('reason')).toBe('- first\n- second');
  expect(read('one', '- [blocker] a.ts:1').all('words')).toEqual(['- [blocker] a.ts:1']);
  expect(read('one', '-- dashes').all('words')).toEqual(['-- dashes']);
  expect(read('one', '--json prints one line').all('words')).toEqual(['--json prints one line']);
});

test('a lone dash is a word and after -- everything is', () => {
  expect(read('one', '-').all('words')).toEqual(['-']);
  expect(read('one', '--', '--ready').all('words')).toEqual(['--ready']);
});

test.each<[string[], RegExp, RegExp]>([
  [[], /needs <task>/, /usage: liza sample/],
  [['one', '--reason'], /--reason needs a value/, /usage/],
  [['one', '--reason', '--ready'], /"--ready" looks like an option/, /--reason=--ready/],
  [['one', '--reason', '-x'], /"-x" looks like an option/, /--reason=-x/],
  [['one', '--ready=yes'], /--ready takes no value/, /usage/],
  [['one', '--reason', 'a', '--reason', 'b'], /--reason is given twice/, /usage/],
  [['one', '--raedy'], /no option "--raedy"/, /did you mean --ready\?/],
  [['one', '--tsak'], /no option "--tsak"/, /did you mean <task>, which has no dashes\?/],
  [['one', '-z'], /no option "-z"/, /usage/],
  [['one', '--type', 'poem'], /--type is "poem"/, /usage/],
  [['../x'], /"..\/x" is not a task id/, /small letters/],
  [['a;b'], /"a;b" is not a task id/, /small letters/],
  [['--', '--upload-pack=x'], /"--upload-pack=x" is not a task id/, /small letters/],
  [['--upload-pack=x'], /no option "--upload-pack"/, /usage/],
  [['x'.repeat(64)], /is not a task id/, /1 to 63/],
])('%j is refused in one sentence with a hint', (argv, message, hint) => {
  const refusal = refused(VERB, ...argv);
  expect(refusal).toMatchObject({ ok: false, code: 1 });
  expect(refusal.message).toMatch(message);
  expect(refusal.message).not.toContain('\n');
  expect(refusal.hint).toMatch(hint);
});

test('one word too many is named', () => {
  const verb = { ...VERB, positionals: VERB.positionals.slice(0, 1) };
  expect(refused(verb, 'one', 'two').message).toBe('liza sample does not accept "two"');
});

test('a passthrough verb leaves what follows its first word alone', () => {
  const verb: LoadedVerb = { ...VERB, passthrough: true, positionals: [{ name: 'cmd', rest: true, description: '' }] };
  const args = readArgs(verb, ['--ready', 'yq', '-i', '--json', '.x = 1']) as Args;
  expect(args.flag('ready')).toBe(true);
  expect(args.json).toBe(false);
  expect(args.all('cmd')).toEqual(['yq', '-i', '--json', '.x = 1']);
});

test('asking for an undeclared name is a bug, not an empty answer', () => {
  expect(() => read('one').text('reson')).toThrow(/declares no "reson"/);
});

test.each([
  ['statsu', 'status'],
  ['shw', 'show'],
  ['final', 'finalize'],
  ['xyzzy', undefined],
])('%s suggests %s', (typed, meant) => {
  expect(nearest(typed, ['status', 'show', 'finalize', 'add-task'])).toBe(meant);
});

test.each([
  ['init --agent claude', 'did you mean --provider?'],
  ['init --template', 'did you mean --vision-from-template?'],
  ['init --force', 'liza deinit'],
  ['run --provider claude', 'did you mean --agent?'],
  ['run --background', 'did you mean --detach?'],
  ['run --jobs 3', 'did you mean --coders?'],
  ['finish --dry-run', 'did you mean --check?'],
  ['status --watch', 'liza attach'],
  ['log --tail 5', 'did you mean --lines?'],
  ['log --watch', 'did you mean --follow?'],
  ['show x --diff', 'git diff'],
])('liza %s is told what to type instead', async (line, told) => {
  const [name = '', ...words] = line.split(' ');
  const verb = await REGISTRY[name]?.load?.();
  if (verb === undefined) throw new Error(`no ${name}`);
  const { code, hint } = refused(verb, ...words);
  expect(code).toBe(1);
  expect(hint).toContain(told);
  expect(hint).toContain(`usage: liza ${name}`);
});

test.each([
  [['--file', 'a', '--file', ''], '--file number 2 of 2 is empty'],
  [['--file= ', '--file', 'a'], '--file number 1 of 2 is empty'],
  [['--file', ''], '--file is empty'],
])('a repeated option is not dropped because it is empty: %j', (argv, said) => {
  const { message, hint } = refused(VERB, 'one', ...argv);
  expect(message).toContain(said);
  expect(hint).toContain('--file <path>');
});
