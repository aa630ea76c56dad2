// `-` for every text of every command, and the options that define criteria.

import { expect, test } from 'vitest';
import { REGISTRY } from '../../../src/cli/registry.ts';
import { aTask, type Project, project } from './fixtures.ts';

const planner = { as: 'planner-1' };
const TEXT = 'a 503 is retried\nthree times at most';

const here = (): Project =>
  project({
    tasks: [
      aTask('first', { status: 'DRAFT' }),
      aTask('stuck', { status: 'BLOCKED', blocked_reason: 'r', blocked_questions: ['q?'] }),
    ],
  });

test('--done - is the text of stdin, never a dash', async () => {
  const p = here();
  const ran = await p.liza(['amend', 'first', '--done', '-'], { ...planner, stdin: `${TEXT}\n` });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect((await p.task('first')).done_when).toBe(TEXT);
});

test.each<[string, readonly string[], string]>([
  ['--scope', ['amend', 'first', '--scope=-'], 'tasks'],
  ['--validate', ['amend', 'first', '--validate', '-'], 'tasks'],
  ['--assessment', ['unblock', 'stuck', '--withdraw', 'not needed', '--assessment', '-'], 'tasks'],
  ['--withdraw', ['unblock', 'stuck', '--withdraw', '-'], 'questions'],
  ['a positional', ['align', '-'], 'goal'],
  ['a question', ['ask', '-', '--assume', 'three'], 'questions'],
  ['a reason', ['abandon', 'first', '--reason', '-'], 'tasks'],
])('%s reads stdin', async (_what, argv, section) => {
  const p = here();
  expect(await p.liza(argv, { ...planner, stdin: TEXT })).toMatchObject({ code: 0 });
  const kept = JSON.stringify((await p.state())[section as 'tasks']);
  expect(kept).toContain(JSON.stringify(TEXT).slice(1, -1));
  expect(kept).not.toContain('"-"');
});

test('the value of a setting reads stdin', async () => {
  const p = here();
  const ran = await p.liza(['config', 'set', 'test_command', '-'], { stdin: 'make test\n' });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect((await p.state()).config.test_command).toBe('make test');
});

test('the value of a detail reads stdin, too', async () => {
  const p = here();
  const argv = ['anomaly', '--type', 'spec_gap', '--task', 'first', '--detail', 'what=-'];
  expect(await p.liza(argv, { ...planner, stdin: TEXT })).toMatchObject({ code: 0 });
  expect((await p.state()).anomalies.at(-1)?.details).toEqual({ what: TEXT });
});

test('two dashes are refused, naming both', async () => {
  const p = here();
  const ran = await p.liza(['amend', 'first', '--done', '-', '--scope', '-'], { ...planner, stdin: TEXT });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('for --done and --scope, and there is one stdin');
  expect((await p.task('first')).done_when).not.toBe(TEXT);
});

test('a dash with nothing on stdin is refused', async () => {
  const ran = await here().liza(['amend', 'first', '--done', '-'], { ...planner, stdin: ' \n' });
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('is empty') });
});

test('every option that takes a text takes it from stdin', async () => {
  for (const [name, { load }] of Object.entries(REGISTRY)) {
    if (load === undefined) continue;
    const { options, positionals } = await load();
    // What is a text is called so: a new word for it would be stored as a dash.
    for (const [option, { value }] of Object.entries(options)) {
      expect(['message', 'reason', 'words', 'sentence', 'note'], `liza ${name} --${option}`).not.toContain(value);
    }
    const free = positionals.filter(({ rest, kind, text }) => rest === true && kind === undefined && text !== true);
    expect(free.map((one) => `${name} <${one.name}>`).filter((one) => !NO_TEXT.has(one))).toEqual([]);
  }
});

/** Ids, single words, and another program's arguments. */
const NO_TEXT = new Set([
  ...['anomaly processed <id>', 'note done <id>', 'hosts tag <tag>', 'lock modify <command>', 'try <command>'],
]);

test('--done repeats, each is one criterion; --add-done keeps those there are', async () => {
  const p = here();
  await p.liza(['amend', 'first', '--done', 'a 503 is retried once', '--done', 'a 401 is not retried'], planner);
  expect((await p.task('first')).done_when).toBe('- a 503 is retried once\n- a 401 is not retried');
  await p.liza(['amend', 'first', '--add-done', 'a timeout counts as 503'], planner);
  expect((await p.task('first')).done_when).toBe(
    '- a 503 is retried once\n- a 401 is not retried\n- a timeout counts as 503',
  );
});

test.each(['--done', '--add-done'])(
  'an empty %s is refused by name and place, and nothing is stored',
  async (option) => {
    const p = here();
    await p.liza(['amend', 'first', '--done', 'a 503 is retried once'], planner);
    for (const empty of ['', ' \n']) {
      const refused = await p.liza(['amend', 'first', option, empty], planner);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`${option} is empty`) });
      const among = await p.liza(['amend', 'first', option, 'a 401 is not retried', option, empty], planner);
      expect(among).toMatchObject({ code: 1, stderr: expect.stringContaining(`${option} number 2 of 2 is empty`) });
    }
    expect((await p.task('first')).done_when).toBe('a 503 is retried once');
    const added = await p.liza(['add-task', '--id', 'n', '--desc', 'd', option, ''], planner);
    expect(added).toMatchObject({ code: 1, stderr: expect.stringContaining(`${option} is empty`) });
  },
);

test('of a new task --add-done is --done', async () => {
  const p = here();
  await p.liza(['add-task', '--id', 'n', '--done', 'a 503 is retried once', '--add-done', 'a 401 is not'], planner);
  expect((await p.task('n')).done_when).toBe('- a 503 is retried once\n- a 401 is not');
});

test('an anchor that the spec does not have is refused at finalize, with the nearest one', async () => {
  const p = here();
  p.write({ 'specs/auth.md': '# Login\n\n## Retry & back-off\n\n<a id="limits"></a>\n## How often\n' });
  await p.liza(['amend', 'first', '--spec', 'specs/auth.md#retry--backof'], planner);
  const ran = await p.liza(['finalize', 'first'], planner);
  expect(ran.stderr).toContain('specs/auth.md has no section #retry--backof');
  expect(ran.stderr).toContain('liza amend first --spec specs/auth.md#retry--back-off');
  for (const anchor of ['retry--back-off', 'limits', 'how-often']) {
    await p.liza(['amend', 'first', '--spec', `specs/auth.md#${anchor}`], planner);
    expect(await p.liza(['finalize', 'first'], planner)).toMatchObject({ code: 0 });
    await p.liza(['undo'], {});
  }
});

test('of what is no Markdown no anchor is judged', async () => {
  const p = here();
  p.write({ 'specs/auth.rst': 'Login\n' });
  await p.liza(['amend', 'first', '--spec', 'specs/auth.rst#login'], planner);
  expect(await p.liza(['finalize', 'first'], planner)).toMatchObject({ code: 0 });
});

test('finalize says which command of a criterion nobody runs', async () => {
  const p = here();
  await p.liza(['amend', 'first', '--done', 'a 503 is retried once', '--done', '`npm run bench` is green'], planner);
  const ran = await p.liza(['finalize', 'first'], planner);
  expect(ran.stdout).toContain('checked by no command: criterion 2 `npm run bench`');
});

test('the refusal of an anchor names the nearest first and says how many more there are; an empty one is none', async () => {
  const p = here();
  const many = Array.from({ length: 11 }, (_, at) => `## Part ${at}\n`).join('');
  p.write({ 'specs/auth.md': `# Login\n\n${many}## __Retry__ rules\n` });
  const refused = async (anchor: string) => {
    await p.liza(['amend', 'first', '--spec', `specs/auth.md#${anchor}`], planner);
    return (await p.liza(['finalize', 'first'], planner)).stderr;
  };
  expect(await refused('retri-rules')).toMatch(/it has #retry-rules, #login, (?:#part-\d, ){5}#part-5 and 5 more\n/);
  expect(await refused('')).toContain('specs/auth.md# names no section: it has #login');
});

test.each([
  ['names areas is warned of', 'IN: the parser, error messages', true],
  ['names a folder in one word is not', 'IN: src', false],
])('a scope that %s', async (_what, scope, told) => {
  const p = here();
  p.write({ 'src/a.ts': '' });
  await p.liza(['amend', 'first', '--scope', scope], planner);
  const { code, stdout } = await p.liza(['finalize', 'first'], planner);
  expect(code).toBe(0);
  expect(stdout.includes('names areas, no files (the parser, error messages)')).toBe(told);
});

test('--replace-done changes one criterion by its number', async () => {
  const p = here();
  await p.liza(['amend', 'first', '--done', 'a 503 is retried once', '--done', 'a 401 is not retried'], planner);
  await p.liza(['amend', 'first', '--replace-done', '2: a 401 is answered at once'], planner);
  expect((await p.task('first')).done_when).toBe('- a 503 is retried once\n- a 401 is answered at once');
  for (const value of ['a 401 is answered', '2:', 'x: y'])
    expect((await p.liza(['amend', 'first', '--replace-done', value], planner)).stderr).toContain(
      'must be the number of a criterion and its new text',
    );
  const wrong = await p.liza(['amend', 'first', '--replace-done', '3: a 500 is retried'], planner);
  expect(wrong).toMatchObject({ code: 1 });
  expect(wrong.stderr).toContain('first has no criterion 3; it has these:\n  1: a 503 is retried once\n  2: a 401');
});
