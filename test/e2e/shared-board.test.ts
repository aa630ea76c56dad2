// A whole goal on a board that is on PostgreSQL, as its users run it: agents work, are reviewed and merged; a second host sees
// it; and nowhere that an agent or a bystander could look is the address of the database, or its password.

import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inFull } from '../runs.ts';
import { emptyDatabase, type Server, startPostgres, stopPostgres } from '../support/postgres.mjs';
import { type BuiltProject, builtIn, builtProject, until } from '../support/program.ts';
import { keptFolder } from '../support/temporary-folder.ts';

/** What the environment, the arguments and the files in reach of a session are, told by the session itself. */
const DUMP = `
env > ../../../env.$$
for pid in /proc/[0-9]*; do tr '\\0' ' ' < $pid/cmdline; echo; done > ../../../ps.$$ 2>/dev/null
`;
const SCENES = [
  {
    role: 'coder',
    steps: [
      { begin: { intent: 'a file and its test', risks: 'none', validation: 'test -d . passes', files: ['src/a.mjs'] } },
      { run: ['sh', '-c', DUMP] },
      { write: 'src/a.mjs', text: 'export const a = 1;\n' },
      { write: 'test/a.test.mjs', text: "import '../src/a.mjs';\n" },
      { commit: 'a: made' },
      { submit: 'HEAD' },
      { exit: 42, reason: 'submitted' },
    ],
  },
  { role: 'code-reviewer', steps: [{ run: ['sh', '-c', DUMP] }, { approve: 'good\n1: src/a.mjs:1' }, { exit: 0 }] },
  { role: 'planner', when: 'ALL_TERMINAL', steps: [{ liza: ['goal', 'complete'] }, { exit: 0 }] },
  { role: 'planner', steps: [{ exit: 0 }] },
];

async function database(): Promise<{ readonly server: Server; readonly url: string }> {
  const folder = keptFolder();
  onTestFinished(() => stopPostgres(folder));
  const server = await startPostgres(folder);
  return { server, url: (await emptyDatabase(server)).url };
}

function rehearsed(): BuiltProject {
  const made = builtProject();
  made.ok(['config', 'set', 'sandbox', 'off']);
  const script = made.file('.liza', 'rehearsal.json');
  fs.writeFileSync(script, JSON.stringify({ scenes: SCENES }));
  made.ok(['config', 'set', 'providers', JSON.stringify({ rehearsal: { script, pace: 0 } })]);
  made.ok([
    ...['add-task', '--id', 'a', '--desc', 'make a', '--spec', 'specs/vision.md', '--done', 'a is there and exported'],
    ...['--scope', 'IN: src/, test/', '--validate', 'test -d .', '--ready'],
  ]);
  return made;
}

/** Every file below a folder that is not the address's own. */
function* textsIn(folder: string): Generator<readonly [string, string]> {
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name !== 'store-address') yield [file, fs.readFileSync(file, 'latin1')];
  }
}

test('a crew brings a task from its plan into the integration branch, and no one learns the address', {
  timeout: 120_000,
}, async () => {
  const { server, url } = await database();
  const p = rehearsed();
  p.ok(['store', 'move', 'postgres'], { env: { LIZA_STORE_URL: url } });
  expect(fs.statSync(p.file('.git', 'liza', 'store-address')).mode & 0o777).toBe(0o600);
  // As a person may have it set all the time.
  const env = { LIZA_STORE_URL: url, PGPASSWORD: server.password, PGHOST: server.host };
  const crew = p.start(['run', '--agent', 'rehearsal', '--plain', '--coders', '1'], { env });
  const ended = await crew.ended;
  expect(ended, ended.stdout + ended.stderr).toMatchObject({ code: 0 });
  expect(p.ok(['status']).stdout).toContain('COMPLETED');
  expect(p.git('show', 'integration:src/a.mjs')).toBe('export const a = 1;');
  expect(p.ok(['log', 'verify']).stdout).toMatch(/the journal is intact/);
  expect(p.ok(['audit']).stdout).toMatch(/0 contradicted/);
  expect(p.liza(['doctor']).stdout).not.toContain('BROKEN');

  const told = fs.readdirSync(p.base).filter((name) => /^(env|ps)\.\d+$/.test(name));
  expect(told.length).toBeGreaterThanOrEqual(4);
  const port = `:${server.port}`;
  for (const [file, text] of textsIn(p.base))
    for (const secret of [server.password, url, `${server.host}${port}`, 'LIZA_STORE_URL=', 'PGPASSWORD='])
      expect(text.includes(secret), `${file} has ${secret.replace(server.password, '…')}`).toBe(false);
  expect(`${ended.stdout}${ended.stderr}`).not.toContain(server.password);
});

test('a second host joins with its clone, sees and changes the board, and PAUSE there holds here', {
  timeout: 120_000,
}, async () => {
  const { url } = await database();
  const p = builtProject();
  p.ok(['store', 'move', 'postgres'], { env: { LIZA_STORE_URL: url } });
  const root = path.join(p.base, 'second');
  p.git('clone', '--quiet', p.root, root);
  const q = builtIn({
    ...p,
    root,
    file: (...parts) => path.join(root, ...parts),
    read: (...parts) => fs.readFileSync(path.join(root, ...parts), 'utf8'),
  });
  const joined = q.ok(['init', '--join'], { env: { LIZA_STORE_URL: url } }).stdout;
  expect(joined).toContain('is on the board');
  // A clone has people's branches alone; and nothing of what happens here would reach the other.
  expect(joined).toContain('the branch integration is at');
  expect(joined).toContain('liza config set exchange');
  expect(q.git('rev-parse', 'integration')).toBe(p.git('rev-parse', 'integration'));
  expect(q.ok(['status']).stdout).not.toContain('INTEGRATION GONE');
  const names = JSON.parse(p.ok(['hosts', '--json']).stdout).hosts.map(({ name }: { name: string }) => name);
  expect(names).toEqual([names[0], `${names[0]}-2`]);
  q.ok(['note', 'from the second host']);
  expect(p.ok(['note', 'list']).stdout).toContain('from the second host');
  const watch = p.start(['watch']);
  try {
    await until(() => p.ok(['hosts', '--json']).stdout.includes('"lag"'));
    fs.writeFileSync(q.file('.liza', 'PAUSE'), '');
    q.ok(['status']);
    // The view of a host that watches follows by itself.
    await until(() => fs.existsSync(p.file('.liza', 'PAUSE')));
    q.ok(['note', 'another']);
    await until(() => p.read('.liza', 'state.yaml').includes('another'));
  } finally {
    watch.child.kill('SIGINT');
    await watch.ended;
  }
  // A host leaves; the board stays for the others.
  expect(q.ok(['deinit', '--yes']).code).toBe(0);
  expect(fs.existsSync(path.join(root, '.liza'))).toBe(false);
  expect(fs.existsSync(path.join(root, '.git', 'liza', 'store-address'))).toBe(false);
  expect(p.ok(['note', 'list']).stdout).toContain('another');
  // A clone of something else is not taken.
  const other = builtIn({
    ...p,
    root: path.join(p.base, 'other'),
    file: (...parts) => path.join(p.base, 'other', ...parts),
  });
  fs.mkdirSync(other.root);
  p.gitIn(other.root, 'init', '--quiet');
  p.gitIn(other.root, '-c', 'user.name=o', '-c', 'user.email=o@o', 'commit', '--quiet', '--allow-empty', '-m', 'other');
  const refused = other.liza(['init', '--join'], { env: { LIZA_STORE_URL: url } });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('no board of the database is of this repository');
});

const WORK = `
t=$(basename "$PWD")
liza begin "$t" --intent "a file and its test" --risks none --validation "test -d . passes" --file src/
mkdir -p src test && echo "export const made = 1;" > "src/$t.mjs" && echo "import '../src/$t.mjs';" > "test/$t.test.mjs"
git add -A && git commit -qm "$t" && liza submit-for-review "$t" HEAD
`;

test.runIf(inFull)(
  'liza run works on two hosts at once, with an exchange; without one the second does not start (in test:all)',
  {
    timeout: 180_000,
  },
  async () => {
    const { url } = await database();
    const p = rehearsed();
    p.ok(['abandon', 'a', '--reason', 'others are made']);
    const script = p.file('.liza', 'rehearsal.json');
    const coder = { role: 'coder', steps: [{ run: ['sh', '-c', WORK] }, { exit: 42, reason: 'submitted' }] };
    const reviewer = { role: 'code-reviewer', steps: [{ approve: 'good\n1: ran test -d .' }, { exit: 0 }] };
    const planner = { role: 'planner', steps: [{ exit: 0 }] };
    fs.writeFileSync(script, JSON.stringify({ scenes: [coder, reviewer, planner] }));
    const add = (id: string) =>
      p.ok([
        ...[
          'add-task',
          '--id',
          id,
          '--desc',
          `make ${id}`,
          '--spec',
          'specs/vision.md',
          '--done',
          `${id} is there and exported`,
        ],
        ...['--scope', 'IN: src/, test/', '--validate', 'test -d .', '--ready'],
      ]);
    p.ok(['store', 'move', 'postgres'], { env: { LIZA_STORE_URL: url } });
    const root = path.join(p.base, 'second');
    p.git('clone', '--quiet', p.root, root);
    const q = builtIn({ ...p, root, file: (...parts) => path.join(root, ...parts) });
    q.ok(['init', '--join'], { env: { LIZA_STORE_URL: url } });
    const run = ['run', '--agent', 'rehearsal', '--plain', '--coders', '1', '--until-idle'];
    add('first');
    await p.start(run).ended;
    expect(JSON.parse(p.ok(['show', 'first', '--json']).stdout).task.status).toBe('MERGED');
    expect(q.liza(run)).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no exchange') });
    // Its clone has nothing of that merge: the exchange brings it.
    const bare = path.join(p.base, 'exchange.git');
    p.git('init', '--quiet', '--bare', bare);
    p.git('push', '--quiet', bare, 'integration');
    p.ok(['config', 'set', 'exchange', bare]);
    const ids = ['t1', 't2', 't3', 't4'];
    for (const id of ids) add(id);
    const ends = await Promise.all([p.start(run).ended, q.start(run).ended]);
    const told = ends.map(({ stdout, stderr }) => stdout + stderr).join('\n----\n');
    const statusOf = (id: string) => JSON.parse(p.ok(['show', id, '--json']).stdout).task.status;
    for (const id of ids) expect(statusOf(id), told).toBe('MERGED');
    const entries = p.read('.liza', 'journal.jsonl').trimEnd().split('\n');
    const registered = entries.flatMap((line) =>
      / registered as /.test(line) ? [JSON.parse(line).actor as string] : [],
    );
    expect(new Set(registered)).toEqual(
      new Set(['planner', 'coder', 'code-reviewer'].flatMap((role) => [`${role}-1`, `${role}-2`])),
    );
    expect(p.ok(['log', 'verify']).stdout).toMatch(/the journal is intact/);
  },
);

test('commands for the file work on a copy, and an edit of the view is set aside', { timeout: 60_000 }, async () => {
  const { url } = await database();
  const p = builtProject();
  p.ok(['store', 'move', 'postgres'], { env: { LIZA_STORE_URL: url } });
  const heading = () => p.read('.liza', 'state.yaml').split('\n')[0] ?? '';
  expect(heading()).toMatch(/^# A view of entry 1 of a board on PostgreSQL/);
  p.ok(['lock', 'write', '.config.poll_interval', '7']);
  p.ok(['lock', 'modify', "sed -i 's/poll_interval: 7/poll_interval: 9/' .liza/state.yaml"]);
  expect(p.ok(['config', 'get', 'poll_interval']).stdout).toContain('9');
  expect(heading()).toMatch(/^# A view of entry 3 /);
  const editor = p.file('..', 'editor.sh');
  fs.writeFileSync(editor, '#!/bin/sh\nsed -i "s/poll_interval: 9/poll_interval: 8/" "$1"\n', { mode: 0o755 });
  p.ok(['edit'], { env: { EDITOR: editor } });
  expect(p.ok(['lock', 'read']).stdout).toContain('poll_interval: 8');
  p.ok(['undo']);
  expect(p.ok(['lock', 'read']).stdout).toContain('poll_interval: 9');
  // Without the file that names the board, the view is no board.
  const named = p.read('.liza', 'store');
  fs.rmSync(p.file('.liza', 'store'));
  expect(p.liza(['note', 'nowhere'])).toMatchObject({ code: 4, stderr: expect.stringContaining('.liza/store') });
  fs.writeFileSync(p.file('.liza', 'store'), named);
  fs.appendFileSync(p.file('.liza', 'state.yaml'), '# by hand\n');
  const noted = p.ok(['note', 'after it']);
  expect(noted.stderr).toContain('make the change with: liza edit');
  expect(fs.readdirSync(p.file('.liza', 'rejected')).some((name) => name.endsWith('state-yaml.yaml'))).toBe(true);
  expect(p.ok(['lock', 'read']).stdout).not.toContain('# by hand');
  expect(p.ok(['store', 'move', 'yaml']).stdout).toContain('in state.yaml again');
  expect(heading()).not.toContain('A view of');
  expect(p.ok(['note', 'at home']).code).toBe(0);
  expect(p.ok(['log', 'verify']).stdout).toMatch(/the journal is intact: 7 entries/);
});

test.runIf(inFull)(
  'a drained host ends its sessions and its crew, hands its task back, and works again when it may (in test:all)',
  {
    timeout: 90_000,
  },
  async () => {
    const { url } = await database();
    const p = rehearsed();
    p.ok(['config', 'set', 'pause_grace', '2']);
    const script = p.file('.liza', 'rehearsal.json');
    const scenes = JSON.parse(fs.readFileSync(script, 'utf8'));
    fs.writeFileSync(
      script,
      JSON.stringify({ scenes: [{ role: 'coder', when: 'start', steps: [{ wait: 600 }] }, ...scenes.scenes] }),
    );
    p.ok(['config', 'set', 'providers', JSON.stringify({ rehearsal: { script, pace: 1 } })]);
    p.ok(['store', 'move', 'postgres'], { env: { LIZA_STORE_URL: url } });
    const run = ['run', '--agent', 'rehearsal', '--plain', '--coders', '1'];
    const crew = p.start(run);
    await until(() => p.ok(['status']).stdout.includes('WORKING'));
    const [host] = JSON.parse(p.ok(['hosts', '--json']).stdout).hosts;
    expect(p.ok(['hosts', 'drain', host.id]).stdout).toContain('takes no new work');
    const ended = await crew.ended;
    expect(ended, ended.stdout + ended.stderr).toMatchObject({ code: 0 });
    expect(ended.stdout + ended.stderr).toContain('is drained: it takes no new work');
    // Nobody is missed, and whoever may take the task need not wait for a lease.
    const hosts = p.ok(['hosts']).stdout;
    expect(hosts).toContain('drained');
    expect(hosts).toContain('no agents');
    expect(p.ok(['status']).stdout).not.toContain('HOST LOST');
    expect(p.liza(['claim-task', 'a', 'coder-1'], { env: { LIZA_AGENT_ID: 'coder-1' } }).stderr).toContain(
      'is drained',
    );
    expect(p.ok(['log']).stdout).toContain('takes no new work');
    expect(p.ok(['hosts', 'drain', host.id, '--undo']).stdout).toContain('takes work again');
    p.ok(['hosts', 'tag', host.id, 'gpu']);
    p.ok(['add-task', '--id', 'b', '--desc', 'needs what nobody has', '--needs', 'tpu,gpu']);
    expect(JSON.parse(p.ok(['show', 'b', '--json']).stdout).task.needs).toEqual(['tpu', 'gpu']);
    expect(p.ok(['hosts']).stdout).toContain('has gpu');
    p.ok(['abandon', 'b', '--reason', 'only looked at']);
    const again = p.start(run);
    await until(() => p.ok(['status']).stdout.includes('WORKING'));
    again.child.kill('SIGINT');
    await again.ended;
  },
);
