// Sandboxes that share the network share the name space of abstract sockets, and a socket carries open folders. Where the
// kernel has scopes, none is reached from another sandbox; and a program is started as it would be without that.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Environment } from '../../../src/ports/host.ts';
import { settings } from '../../../src/protocol/state.ts';
import { type Detected, isTool } from '../../../src/sandbox/detect.ts';
import { runConfined, type SandboxSupport, sandboxSupportOf } from '../../../src/sandbox/mode.ts';
import { scoped } from '../../../src/sandbox/socket-scope.ts';
import { hostAt } from '../../host.ts';
import { type Project, project } from '../../support/project.ts';

const PERL = '/usr/bin/perl';
const support = (env: Environment = {}) => sandboxSupportOf(hostAt(Date.now, { ...process.env, ...env }), []);
const found: Detected = await support().detect();
/** Here the kernel knows scopes; elsewhere these tests are skipped. */
const isScoped = isTool(found) && found.perl !== undefined;

let p: Project;
let folder: string;
beforeEach(() => {
  p = project({});
  folder = path.join(p.root, '.worktrees/.proof-t-00000000');
  fs.mkdirSync(folder, { recursive: true });
});

const run = async (script: string, sandboxSupport: SandboxSupport = support()) => {
  const env = { ...process.env, ...p.env, LIZA_SANDBOX: undefined };
  const rules = { ...settings(await p.state()), sandbox: 'require' as const };
  const program = { argv: ['sh', '-c', script] as [string, ...string[]], cwd: folder, env, timeoutMs: 20_000 };
  return runConfined({ ...p.as('coder-1'), sandboxSupport }, rules, { folder, part: 'tests' }, program);
};

const at = (name: string): string => `use Socket; socket(my $s, 1, 1, 0); my $at = pack("S a*", 1, "\\0${name}");`;
const listen = (name: string): string =>
  `${PERL} -e '${at(name)} bind($s, $at) && listen($s, 5) or die "$!"; open(my $f, ">", "ready"); select(undef, undef, undef, 0.1) until -e "over"' &`;
const connect = (name: string): string =>
  `for n in 1 2 3 4 5 6 7 8 9; do [ -e ready ] || sleep 0.2; done; ${PERL} -e '${at(name)} print connect($s, $at) ? "reached" : "$!"'`;

test.runIf(isScoped)(
  'no program reaches the abstract socket of another sandbox, and each reaches its own',
  async () => {
    const name = path.basename(p.base);
    const other = run(`${listen(name)} wait`);
    const tried = await run(connect(name));
    expect(tried).toMatchObject({ how: 'exited', tail: expect.stringContaining('Operation not permitted') });
    fs.writeFileSync(path.join(folder, 'over'), '');
    await other;
    for (const file of ['ready', 'over']) fs.rmSync(path.join(folder, file));
    expect(await run(`${listen(`${name}-own`)} ${connect(`${name}-own`)}; kill %1 $!`)).toMatchObject({
      tail: expect.stringContaining('reached'),
    });
  },
  40_000,
);

test.runIf(isScoped)('where the kernel knows no scope, programs start without one', async () => {
  const unscoped = support({ LIZA_SANDBOX_UNSCOPED: '1' });
  expect(await unscoped.detect()).toMatchObject({ kind: 'bubblewrap', perl: undefined });
  expect(await run('echo here', unscoped)).toMatchObject({ how: 'exited', code: 0 });
});

const ENV = {
  PATH: '/usr/bin:/bin',
  LC_ALL: 'xx_YY.UTF-8',
  PERL5OPT: '-MNo::Such::Module',
  PERL_BADLANG: 'mine',
  'an odd name': '1',
  'BASH_FUNC_f%%': '() { echo hi; }',
  é: '\u0001ü\nline',
};
const BARE = ['--unshare-pid', '--die-with-parent', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'];

test.runIf(isScoped).each([
  ['environment', ['sh', '-c', 'tr "\\0" "\\n" < /proc/self/environ | sort']],
  [
    'words with line breaks, empty ones, and those that look like options',
    ['printf', '<%s>', 'a\nb', '', '-e', '--', 'ü'],
  ],
  ['first word', ['sh', '-c', 'tr "\\0" " " < /proc/$$/cmdline']],
  [
    'signals, rights and open files',
    ['sh', '-c', 'grep -E "^(Sig[PBIC]|NoNew|Cap)" /proc/self/status; ls /proc/self/fd; umask'],
  ],
  ['exit code', ['sh', '-c', 'exit 43']],
  ['end by a signal', ['sh', '-c', 'kill -PIPE $$']],
  ['complaint about a program that is not there', ['no-such-program']],
  ['complaint about a program that may not be run', ['/etc/passwd']],
] as [string, [string, ...string[]]][])('a program starts as without it: its %s', (_, argv) => {
  const ran = (options: readonly string[], inside: readonly string[]) => {
    const { status, signal, stdout, stderr } = spawnSync('bwrap', [...BARE, ...options, '--', ...inside], {
      env: ENV,
      encoding: 'utf8',
    });
    return { status, signal, stdout, stderr };
  };
  const { options, argv: inside } = scoped(PERL, argv, ENV);
  expect(ran(options, inside)).toEqual(ran([], argv));
});

test.runIf(isScoped)('where the scope cannot be had, the program is not started', () => {
  const { argv } = scoped(PERL, ['echo', 'started'], {});
  // Without the assurance that nothing gains rights, the kernel refuses it to a user who is not root.
  const [perl, , script = '', ...rest] = argv;
  const ran = spawnSync(perl, ['-e', script.replace('446', '999'), ...rest], { encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 126, stdout: '', stderr: expect.stringContaining('cannot be closed') });
});
