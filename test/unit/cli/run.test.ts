import { beforeEach, expect, test } from 'vitest';
import { REGISTRY } from '../../../src/cli/registry.ts';
import { hang } from '../../../src/cli/render/terminal.ts';
import { TOPICS } from '../../../src/cli/topics.ts';
import { EnvironmentError, Refused, refuse } from '../../../src/protocol/decision.ts';
import { aTask, type Project, project } from './fixtures.ts';

let here: Project;
beforeEach(() => {
  here = project({ tasks: [aTask('retry-login')] });
});

test('an unknown verb suggests the nearest and exits 1', async () => {
  const ran = await here.liza(['statsu']);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toBe('liza: there is no command "statsu"\n  → did you mean: liza status\n');
});

test('notes have no command of their own: it is said where they are', async () => {
  const ran = await here.liza(['notes']);
  expect(ran.stderr).toContain('notes are listed in the log: liza log -n 60');
  expect(ran.stderr).toContain('liza note done note-1');
});

test('a family without its second word lists the choices', async () => {
  const ran = await here.liza(['config', 'put', 'x', '1']);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('config get, config set');
});

test.each([['toString'], ['__proto__'], ['constructor', 'x'], ['']])('%j is no verb', async (...argv) => {
  expect((await here.liza(argv)).code).toBe(1);
});

test.each([
  ['--coder', '1', 'for how many coders: liza run --coders 1'],
  ['--reviewer', '1', 'for how many reviewers: liza run --reviewers 1'],
  ['--planner', '2', 'a crew has one planner; its agent CLI: liza run --planner claude'],
])('liza run %s %s names what was meant', async (option, n, hint) => {
  const ran = await here.liza(['run', option, n]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toBe(`liza: ${option} takes the name of an agent CLI, not the number ${n}\n  → ${hint}\n`);
});

test.each(['mcp'])('the planned verb %s says that it is not in this version', async (name) => {
  const ran = await here.liza([...name.split(' '), 'whatever']);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(`liza ${name} is not in this version`);
});

test.each(['cost', 'money', 'budget'])('liza help %s tells of budgets', async (word) => {
  expect((await here.liza(['help', word])).stdout).toContain('liza config set budgets ');
});

test.each([
  ['cost', 'liza status'],
  ['usage', 'liza report'],
  ['budget', 'liza config set budgets.goal.usd'],
  ['diff', 'git diff HEAD...'],
])('liza %s is no command, and says where to look', async (word, where) => {
  const ran = await here.liza([word]);
  expect(ran.stderr).toContain(`there is no command "${word}"`);
  expect(ran.stderr).toContain(where);
});

test('help --all lists the commands by who uses them, and the topics; what is not in this version is not listed', async () => {
  const ran = await here.liza(['help', '--all']);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/Anyone:[\s\S]*status[\s\S]*Planner:[\s\S]*add-task[\s\S]*Topics/);
  expect(ran.stdout).not.toMatch(/planned\)|\bmcp\b/);
});

test.each(['states', 'roles', 'identity', 'anomalies', 'exit-codes', 'environment', 'getting-started'])(
  'liza help %s explains the topic',
  async (topic) => {
    const ran = await here.liza(['help', topic]);
    expect(ran.code).toBe(0);
    expect(ran.stdout.split('\n').length).toBeGreaterThan(5);
  },
);

test.each(Object.keys(TOPICS))('on a terminal of 80 columns no word of the topic %s is broken by it', async (topic) => {
  const { stdout } = await here.liza(['help', topic]);
  const shown = stdout.split('\n').flatMap((line) => hang(line, 80));
  expect(shown.filter((line) => line.length > 80)).toEqual([]);
});

test('the protocol in help is the table’s own', async () => {
  expect((await here.liza(['help', 'states'])).stdout).toMatch(
    /^DRAFT\n(?: {2}.*\n)* {2}finalize +\(planner, human\) → UNCLAIMED$/m,
  );
  expect((await here.liza(['help', 'roles'])).stdout).toMatch(/^reviewer:\n(?: {2}.*\n)* {2}submit-verdict /m);
  expect((await here.liza(['help', 'anomalies'])).stdout).toContain('retry_loop');
  expect((await here.liza(['help', 'rehearsal'])).stdout).toContain('liza help rehearse');
});

test('an unknown topic is refused with a suggestion', async () => {
  const ran = await here.liza(['help', 'finalise']);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('liza help finalize');
});

test('--version and version print the version of the package', async () => {
  const ran = await here.liza(['--version']);
  expect(ran.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await here.liza(['version'])).stdout).toBe(ran.stdout);
});

test('--json puts success and refusal on stdout, wherever it stands', async () => {
  const shown = await here.liza(['show', 'retry-login', '--json']);
  expect(shown.json).toMatchObject({ ok: true, code: 0, message: null, hint: null, task: { id: 'retry-login' } });
  expect(shown.stderr).toBe('');
  const missing = await here.liza(['--json', 'show', 'nothing']);
  expect(missing.json).toEqual({
    ok: false,
    code: 1,
    message: 'there is no task nothing',
    hint: 'see the tasks: liza status --all',
  });
  expect(missing).toMatchObject({ code: 1, stderr: '' });
  expect((await here.liza(['shwo', '--json'])).json).toMatchObject({
    ok: false,
    code: 1,
    hint: 'did you mean: liza show',
  });
});

test('after -- nothing is an option', async () => {
  const ran = await here.liza(['show', '--', '--json']);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('"--json" is not a task id');
});

test('outside a project the refusal names init', async () => {
  const ran = await here.liza(['status'], { cwd: '/' });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/no Liza project here: .*\n {2}→ .*liza init/);
});

test('the project is found from a folder below it', async () => {
  expect((await here.liza(['show', 'retry-login'], { cwd: `${here.root}/specs` })).code).toBe(0);
});

test('outside UTF-8 everything printed is ASCII, but --json stays exact', async () => {
  const ran = await here.liza(['statsu'], { io: { unicode: false } });
  expect(ran.stderr).toContain('  -> did you mean');
  expect(ran.stderr).toMatch(/^[\x20-\x7e\n]*$/);
  const json = await here.liza(['show', 'größe', '--json'], { io: { unicode: false } });
  expect(json.json.message).toBe('"größe" is not a task id');
});

test('on a terminal long lines are broken at words; in a pipe and in JSON they are not', async () => {
  const narrow = { columns: 60, unicode: false };
  const shown = await here.liza(['help', 'validation'], { io: { ...narrow, stdoutIsTty: true } });
  expect(shown.stdout.split('\n').filter((line) => line.length > 60)).toEqual([]);
  const piped = await here.liza(['help', 'validation'], { io: { ...narrow, stdoutIsTty: false } });
  expect(piped.stdout.split('\n').some((line) => line.length > 60)).toBe(true);
  const words = (text: string): readonly string[] => text.split(/\s+/);
  expect(words(shown.stdout)).toEqual(words(piped.stdout));
  const json = await here.liza(['help', 'validation', '--json'], { io: { ...narrow, stdoutIsTty: true } });
  expect(json.stdout.trim()).not.toContain('\n');
});

test('what is suggested for a mistyped name is a command', async () => {
  expect((await here.liza(['questions'])).stderr).toContain('did you mean: liza question list\n');
});

test('escape sequences in a message do not reach the terminal', async () => {
  const ran = await here.liza(['show'], {
    io: {
      openStore: () => {
        throw new Refused(refuse('bad \u001b[31mred', '\u009b2J', 4));
      },
    },
  });
  expect(ran.code).toBe(4);
  expect(ran.stderr).not.toMatch(/[\u001b\u009b]/);
});

const failing = (error: Error) => ({
  io: {
    openStore: (): never => {
      throw error;
    },
  },
});
const errno = (code: string, path?: string) =>
  Object.assign(new Error(`${code}: bad`), { code, ...(path ? { path } : {}) });

test.each([
  [errno('ENOSPC', '/p/.liza/state.yaml'), 1, /^liza: the disk is full: \/p\/.liza\/state.yaml\n/],
  [errno('EACCES', '/p/x'), 1, /^liza: permission denied: \/p\/x\n/],
  [errno('EROFS'), 1, /^liza: the file system is read-only\n/],
  [errno('EIO', '/p/x'), 1, /^liza: the disk reported an input\/output error: \/p\/x\n/],
  [new Refused(refuse('line 3 is broken', 'liza edit', 4)), 4, /^liza: line 3 is broken\n {2}→ liza edit\n$/],
  [new EnvironmentError('git was not found', 'install git', 3), 3, /^liza: git was not found\n {2}→ install git\n$/],
  [
    new TypeError('x is undefined\nat y'),
    4,
    /^liza: this should not have happened: TypeError: x is undefined\n.*LIZA_DEBUG=1/,
  ],
])('%s ends in one sentence and its exit code', async (error, code, said) => {
  const ran = await here.liza(['status'], failing(error));
  expect(ran.code).toBe(code);
  expect(ran.stderr).toMatch(said);
  expect(ran.stderr.trimEnd().split('\n')).toHaveLength(2);
});

test('LIZA_DEBUG=1 shows the stack', async () => {
  const ran = await here.liza(['status'], { ...failing(new TypeError('odd')), env: { LIZA_DEBUG: '1' } });
  expect(ran.stderr).toMatch(/TypeError: odd\n {4}at /);
});

test('show lists every command that is run at submit, the test_command of the project too, each once', async () => {
  here = project({ tasks: [{ ...aTask('retry-login'), validation: ['npm run lint', 'npm test'] }] });
  const shown = (await here.liza(['show', 'retry-login'])).stdout;
  expect(shown).toMatch(/validation\s+\$ npm run lint\n\s+\$ npm test\n/);
  expect(shown.match(/npm test/g)).toHaveLength(1);
  here = project({ tasks: [{ ...aTask('retry-login'), validation: ['npm run lint'] }] });
  expect((await here.liza(['show', 'retry-login'])).stdout).toMatch(/validation\s+\$ npm run lint\n\s+\$ npm test\n/);
});

test('liza alone shows the eight everyday commands, each as it is typed, and where the others are', async () => {
  const { EVERYDAY } = await import('../../../src/cli/verbs/help.ts');
  const ran = await project().liza([]);
  expect(ran.code).toBe(0);
  expect(EVERYDAY).toHaveLength(8);
  const typed = ran.stdout.split('\n').flatMap((line) => /^ {2}liza ([a-z-]+)/.exec(line)?.[1] ?? []);
  expect(typed).toEqual(EVERYDAY.map(([name]) => name));
  expect(typed.filter((name) => REGISTRY[name]?.load === undefined)).toEqual([]);
  expect(ran.stdout).toContain('liza help --all');
  expect((await project().liza(['help'])).stdout).toBe(ran.stdout);
});

test('liza help --all lists every command, and an agent that asks for help sees all of them', async () => {
  const all = (await project().liza(['help', '--all'])).stdout;
  const there = Object.entries(REGISTRY).flatMap(([name, { load }]) => (load === undefined ? [] : [name]));
  const missing = there.filter((name) => !new RegExp(`^ {2}${name} `, 'm').test(all));
  expect(missing).toEqual([]);
  expect((await project().liza(['help'], { as: 'coder-1' })).stdout).toMatch(/^ {2}submit-for-review /m);
});

test.each([['-v'], ['-V'], ['--version'], ['version']])('liza %s prints the version', async (word) => {
  expect((await project().liza([word])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  ['init', '--agent', '--provider'],
  ['init', '--test-command', '--test'],
  ['run', '--provider', '--agent'],
  ['finish', '--dry-run', '--check'],
  ['run', '--dry-run', '--check'],
])('liza %s %s names the option that is meant', async (verb, typed, meant) => {
  const ran = await project().liza([verb, typed]);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(`did you mean ${meant}?`) });
});

test('run on a goal that is complete says so and what comes next, and registers nobody', async () => {
  const here = project({ goal: { id: 'goal-1', description: 'Retry all API calls', status: 'COMPLETED' } });
  const { agents } = await here.state();
  const ran = await here.liza(['run', '--plain']);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/^the goal is complete: Retry all API calls\nmerge it into your branch: liza finish\n$/);
  expect((await here.state()).agents).toEqual(agents);
});

test('run on a goal that is complete name notes that nobody has handled', async () => {
  const note = { timestamp: '2026-03-01T09:00:00Z', message: 'mind the total' };
  const here = project({
    goal: { id: 'goal-1', description: 'Retry all API calls', status: 'COMPLETED' },
    human_notes: [
      { ...note, id: 'note-1', for: 'greet' },
      { ...note, id: 'note-2', processed_at: note.timestamp, processed_by: 'coder-1' },
      { ...note, id: 'note-3' },
    ],
  });
  const { stdout } = await here.liza(['run', '--plain']);
  expect(stdout.split('\n').slice(1, 3)).toEqual([
    'merge it into your branch: liza finish',
    'note-1 for greet, note-3 for everyone were not marked as handled: liza show note-1',
  ]);
});

test('attach on a goal that is complete says so, and what comes next', async () => {
  const here = project({ goal: { id: 'goal-1', description: 'Retry all API calls', status: 'COMPLETED' } });
  const ran = await here.liza(['attach']);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('here: the goal is complete\n') });
  expect(ran.stderr).toContain('merge it into your branch: liza finish');
});

test.each(['PAUSE', 'CHECKPOINT'])('run --check does not say that nothing stops a run while %s is on', async (name) => {
  const here = project();
  await here.liza(name === 'PAUSE' ? ['pause'] : ['checkpoint']);
  const { json } = await here.liza(['run', '--check', '--json']);
  expect(json['checks']).toContainEqual(
    expect.objectContaining({ level: 'stop', message: `${name} is on: no work starts` }),
  );
});

test('run on a goal that was aborted says so before anything else, and registers nobody', async () => {
  const here = project({ goal: { id: 'goal-1', description: 'Retry all API calls', status: 'ABORTED' } });
  const { agents } = await here.state();
  const ran = await here.liza(['run', '--plain']);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/the goal is aborted: .*[\s\S]*liza resume/) });
  expect((await here.state()).agents).toEqual(agents);
});

test.each([['--bogus'], ['-x'], ['--']])('liza %s is refused, not taken for help', async (word) => {
  const ran = await project().liza([word]);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain(`liza has no option "${word}"`);
});

test.each(Object.entries(TOPICS))('no paragraph of the topic %s breaks off', async (_name, { lines }) => {
  const told = typeof lines === 'function' ? await lines((name) => name) : lines;
  const depth = (line = ''): number => line.search(/\S|$/);
  const open = told.filter((line, at) => /[;,]$/.test(line) && depth(told[at + 1]) < depth(line));
  expect(open).toEqual([]);
});
