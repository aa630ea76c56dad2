// What a user gets: packs the project, installs the tarball globally into a clean prefix
// without running scripts, as a normal user, with a PATH that holds node, git and a few basic tools but
// neither a compiler nor this checkout; then starts a blackboard in a fresh repository, plays the demo by npx, and installs
// below ~/.local as README.md says. Also holds what the package weighs.
// As root it becomes `nobody` for all of that; where that is impossible it says SKIPPED and goes on as root.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { helpIfAsked } from './help.mjs';

helpIfAsked(import.meta.filename);
const root = path.join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const NOBODY = 65534;
const SHIPPED = [
  ...['liza', 'main', 'program', 'inside', 'acp', 'yaml', 'diff'].map((part) => `dist/${part}.cjs`),
  ...['dist/dashboard.js', 'dist/dashboard.css', 'contracts/CORE.md', 'templates/vision.md', 'demo/script.json'],
  ...['schema/state.schema.json', 'scripts/liza-init.sh', 'docs/README.md', 'man/liza.1'],
  ...['package.json', 'README.md', 'LICENSE'],
];
/** What people download. */
const MOST_BYTES = 1_150_000;
const TOOLS = ['git', 'sh', 'env', 'flock', 'dirname', 'mkdir', 'mkfifo', 'rm', 'sed'];
const COMPILERS = ['cc', 'gcc', 'clang', 'make', 'python3'];

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'liza-pack-')));
const [home, prefix, bin, project, temporary] = ['home', 'prefix', 'bin', 'project', 'tmp'].map((name) =>
  path.join(folder, name),
);
try {
  main();
} catch (error) {
  process.stderr.write(`FAILED: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function main() {
  const tarball = pack();
  for (const place of [home, prefix, bin, project, temporary]) mkdirSync(place);
  for (const tool of TOOLS) linkTool(tool);
  symlinkSync(realpathSync(process.execPath), path.join(bin, 'node'));
  const user = normalUser();
  const as = (program, ...args) => {
    const done = start(user, program, args);
    if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${told(done)}`);
    return done.stdout + done.stderr;
  };

  as('sh', '-c', COMPILERS.map((name) => `! command -v ${name}`).join(' && '));
  const options = ['--ignore-scripts', '--offline', '--no-audit', '--no-fund', '--loglevel=error'];
  as('node', npmCli(), 'install', '--global', '--prefix', prefix, ...options, tarball);
  const installed = path.join(prefix, 'lib', 'node_modules', 'liza');
  if (existsSync(path.join(installed, 'node_modules'))) throw new Error('the package brought dependencies along');
  const who = user === undefined ? 'this user' : `uid ${user.uid}`;
  say(`installed by ${who}, no scripts, no compiler: ${as('liza', 'version').trim()}`);

  as('sh', '-c', 'mkdir specs && echo "# Vision" > specs/vision.md');
  as('git', 'init', '-q', '-b', 'main');
  as('git', 'add', '-A');
  as('git', '-c', 'user.name=n', '-c', 'user.email=n@example.invalid', 'commit', '-q', '-m', 'start');
  expect(as('liza', 'init', 'Install and begin'), 'blackboard ready');
  expect(as('liza', 'status'), 'Install and begin');
  // Text that Liza would not write itself, and changes in two places: this takes both bundled libraries.
  as(
    'sh',
    '-c',
    'sed -i.old -e "1s/^/# mine\\n/" .liza/state.yaml && printf "mine: \\"two\\n  lines\\"\\n" >> .liza/state.yaml',
  );
  expect(as('liza', 'note', 'hello'), 'mine added');
  expect(as('liza', 'log', 'verify'), 'the journal is intact');
  expect(as('sh', path.join(installed, 'scripts', 'liza-validate.sh')), 'VALID');
  if (!existsSync(path.join(project, '.liza', 'state.schema.json'))) throw new Error('the schema was not installed');
  say('init, status, an edit by hand, log verify and the shims work there');
  withoutInstalling(as, tarball);
  withoutRoot(as, tarball);
}

/** npx takes the program out of the tarball: what it prints is to be typed in a shell that has no `liza`. */
function withoutInstalling(as, tarball) {
  as('node', npmCli(), 'uninstall', '--global', '--prefix', prefix, 'liza');
  const npx = ['exec', '--yes', '--offline', '--loglevel=error', `--package=${tarball}`, '--', 'liza'];
  expect(as('node', npmCli(), ...npx, 'version').trim(), version);
  expect(as('sh', '-c', '! command -v liza'), '');
  const told = as('node', npmCli(), ...npx, 'demo', '--fast');
  for (const said of ['planned by', 'rejected by code-reviewer-1', 'approved by code-reviewer-1', 'run by Liza'])
    expect(told.slice(told.indexOf(' blame ')), said);
  const [inDemo] = told
    .slice(told.indexOf('The repository of this demo stays'))
    .split(/^(?:Install Liza:|In a git repository of your own)/m);
  const enter = (inDemo.match(/^ {2}(?!.*\S {2}).*$/gm) ?? []).join('\n');
  const suggested = new Map([...inDemo.matchAll(/^ {2}(\S.*?) {2,}(\S.*)$/gm)].map(([, about, line]) => [about, line]));
  const type = (about) =>
    as('sh', '-c', `${enter}\n${suggested.get(about) ?? `echo "it suggests nothing for: ${about}"; exit 1`}`);
  expect(type('the board'), 'money');
  for (const about of ['who did what', 'one task', 'what is proven', 'what was merged']) type(about);
  type('remove it');
  const left = readdirSync(temporary);
  if (left.length > 0) throw new Error(`the demo left ${left.join(', ')} behind`);
  say('npx runs the demo from the tarball; what it suggests works as printed, and nothing is left behind');
}

/** The line of README.md, where npm's own prefix is root's: it works all the same, and its man page is found. */
function withoutRoot(as, tarball) {
  const options = ['--offline', '--no-audit', '--no-fund', '--loglevel=error'];
  as('node', npmCli(), 'install', '-g', '--prefix', path.join(home, '.local'), ...options, tarball);
  expect(as(path.join(home, '.local', 'bin', 'liza'), 'version').trim(), version);
  const page = path.join(home, '.local', 'share', 'man', 'man1', 'liza.1');
  if (!existsSync(page)) throw new Error('npm has not installed the man page');
  say('installs below ~/.local, with its man page');
}

/** The tarball, outside the checkout. `prepack` builds, as it does for a release. */
function pack() {
  const args = ['pack', '--json', '--loglevel=error', '--pack-destination', folder];
  const done = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`npm pack: ${told(done)}`);
  const [{ filename, files, size }] = JSON.parse(done.stdout.slice(done.stdout.indexOf('[\n')));
  const names = files.map((file) => file.path);
  const missing = SHIPPED.filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`the package lacks ${missing.join(', ')}`);
  const extra = names.filter((name) => /^(src|test|tools|bench|node_modules)\/|\.(cache|png)$/.test(name));
  if (extra.length > 0) throw new Error(`the package should not carry ${extra.join(', ')}`);
  if (size > MOST_BYTES) throw new Error(`the package has ${size} bytes, more than ${MOST_BYTES}`);
  say(`packed ${names.length} files, ${Math.round(size / 1024)} KB`);
  const tarball = path.join(folder, filename);
  chmodSync(tarball, 0o644);
  return tarball;
}

function linkTool(name) {
  const found = (process.env.PATH ?? '').split(':').map((place) => path.join(place, name));
  const tool = found.find((file) => existsSync(file));
  if (tool !== undefined) symlinkSync(realpathSync(tool), path.join(bin, name));
}

/** The user to become: nobody, if we are root and that user can run node and npm; undefined: stay as we are. */
function normalUser() {
  if (process.getuid() !== 0) return undefined;
  const user = { uid: NOBODY, gid: NOBODY };
  for (const place of [folder, home, prefix, project, temporary]) chownSync(place, user.uid, user.gid);
  // A node below root's own home cannot be reached by others: a copy can.
  if (start(user, 'node', ['-e', '0']).status !== 0) {
    rmSync(path.join(bin, 'node'));
    copyFileSync(process.execPath, path.join(bin, 'node'));
    chmodSync(path.join(bin, 'node'), 0o755);
  }
  const tried = start(user, 'node', [npmCli(), '--version']);
  if (tried.status === 0) return user;
  say(`SKIPPED: installing as a normal user: uid ${user.uid} cannot run npm (${told(tried)}); run it as a normal user`);
  for (const place of [folder, home, prefix, project, temporary]) chownSync(place, 0, 0);
  return undefined;
}

function start(user, program, args) {
  const env = {
    PATH: `${path.join(prefix, 'bin')}:${bin}`,
    HOME: home,
    LANG: 'C.UTF-8',
    TMPDIR: temporary,
    npm_config_cache: home,
  };
  return spawnSync(program, args, { cwd: project, env, encoding: 'utf8', ...user });
}

function npmCli() {
  const asked = spawnSync('npm', ['prefix', '--global'], { encoding: 'utf8' }).stdout?.trim() ?? '';
  const beside = path.join(path.dirname(realpathSync(process.execPath)), '..');
  const found = [process.env.npm_execpath, ...[beside, asked].map((at) => `${at}/lib/node_modules/npm/bin/npm-cli.js`)];
  const cli = found.find((file) => file !== undefined && /npm-cli\.js$/.test(file) && existsSync(file));
  if (cli === undefined)
    throw new Error('npm’s own program was not found; run this through npm: npm exec -- node tools/pack-test.mjs');
  return realpathSync(cli);
}

function expect(output, part) {
  if (!output.includes(part)) throw new Error(`expected ${JSON.stringify(part)} in:\n${output}`);
}

function told({ error, status, stdout, stderr }) {
  return error?.message ?? `exit ${status}: ${`${stderr}${stdout}`.trim()}`;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
