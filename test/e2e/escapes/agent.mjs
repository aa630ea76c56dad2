// A hostile agent. It tries to get out of its sandbox by shell and by writing files itself, as a write tool does, and
// notes in its own folder what came of each attempt; then it does its work as an honest one would.
// Told by its environment: ESCAPES, a JSON file with the paths and pids it goes for.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const { root, secret, other, pids, mailbox, canary } = JSON.parse(fs.readFileSync(process.env.ESCAPES, 'utf8'));
const role = process.env.LIZA_AGENT_ID.replace(/-\d+$/, '');
const report = {};
const note = (name, escaped, said = '') => {
  report[name] = escaped ? `ESCAPED ${said}`.trim() : 'held';
};
/** Escaped, if it does not throw. */
const attempt = (name, act) => {
  try {
    note(name, true, String(act() ?? ''));
  } catch (error) {
    note(name, false, error.code);
  }
};
const shell = (line) => spawnSync('sh', ['-c', line], { encoding: 'utf8', timeout: 20_000 });
/** Escaped, if the shell says so with 0. */
const shellAttempt = (name, line) => {
  const { status, stdout } = shell(line);
  note(name, status === 0, stdout.trim());
};
const liza = (argv, input) => spawnSync('liza', argv, { encoding: 'utf8', input: input ?? '', timeout: 60_000 });

const state = path.join(root, '.liza/state.yaml');
const outside = {
  'a file of the project': path.join(root, 'specs/vision.md'),
  'a new file in the project': path.join(root, 'planted.txt'),
  'the blackboard': state,
  'a kill switch': path.join(root, '.liza/PAUSE'),
  'a branch of the project': path.join(root, '.git/refs/heads/main'),
  'the project’s git configuration': path.join(root, '.git/config'),
  'a hook': path.join(root, '.git/hooks/post-checkout'),
  'the journal’s copy': path.join(root, '.git/liza/journal.jsonl'),
  'another worktree': path.join(other, 'planted.txt'),
  'a new worktree': path.join(root, '.worktrees/planted'),
  'the user’s home': path.join(path.dirname(secret), '.bashrc'),
  'the system': '/etc/liza-escape',
  programs: '/usr/local/bin/liza-escape',
  'a canary': canary,
};
for (const [name, file] of Object.entries(outside)) {
  // In a home or a temporary folder of its own it may write what it likes; whoever waits outside looks.
  if (name === 'the user’s home' || name === 'a canary') {
    shell(`echo x > '${file}'`);
    continue;
  }
  attempt(`write tool: ${name}`, () => fs.appendFileSync(file, 'x'));
  shellAttempt(`shell: ${name}`, `echo x >> '${file}'`);
}
attempt('read: a secret', () => fs.readFileSync(secret, 'utf8'));
attempt('read: the blackboard', () => fs.readFileSync(state, 'utf8'));
attempt('read: the journal’s copy', () => fs.readFileSync(path.join(root, '.git/liza/journal.jsonl'), 'utf8'));
attempt('read: another worktree', () => fs.readFileSync(path.join(other, 'README.md'), 'utf8'));
attempt('another mailbox', () => fs.readdirSync(mailbox));
const rooms = fs.readdirSync(path.join(root, '.liza/cache/rooms'));
note('rooms of others', rooms.join() !== process.env.LIZA_AGENT_ID, rooms.join());
if (role === 'coder') {
  fs.symlinkSync(state, 'link');
  attempt('write tool: through a link', () => fs.appendFileSync('link', 'x'));
  fs.rmSync('link', { force: true });
}
for (const pid of pids) {
  shellAttempt(`signal to ${pid}`, `kill -0 ${pid}`);
  attempt(`environment of ${pid}`, () => fs.readFileSync(`/proc/${pid}/environ`, 'latin1'));
  attempt(`memory of ${pid}`, () => fs.openSync(`/proc/${pid}/mem`, 'r+'));
}
const seen = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
const lines = seen.map((pid) => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
});
note(
  'other processes',
  lines.some((line) => /liza\.cjs\0(run|agent)/.test(line)),
  lines.join(' '),
);
shellAttempt('remount', 'mount -o remount,rw / && touch /liza-escape');
shellAttempt('bind mount', `mount --bind /tmp '${root}'`);
shellAttempt('uncover the blackboard', `umount -l '${root}/.liza' && cat '${state}'`);
shellAttempt('namespace: remount', 'unshare -Urm sh -c "mount -o remount,rw,bind / && touch /liza-escape"');
shellAttempt('namespace: uncover', `unshare -Urm sh -c "umount -l '${root}/.liza' && cat '${state}'"`);
shellAttempt('namespace: one of its own', 'unshare -U true');
shellAttempt('namespace: of another', `nsenter -t ${pids[0]} -m touch /liza-escape`);
shellAttempt('a device', 'mknod /tmp/disk b 8 0');
shellAttempt('kernel settings', 'echo 1 > /proc/sys/vm/drop_caches');
shellAttempt('the magic key', 'echo h > /proc/sysrq-trigger');
shellAttempt('a terminal', 'exec 3<>/dev/tty');
shellAttempt('sockets of the system', 'find /run -type s | grep .');

// The broker: what is planted in its own mailbox, and what is asked of it.
const mail = process.env.LIZA_MAILBOX;
const planted = 'aaaaaaaaaaaaaaaa';
shell(`mkfifo '${mail}/${planted}1.ask'; ln -s '${secret}' '${mail}/${planted}2.ask'; mkdir '${mail}/${planted}3.ask'`);
fs.writeFileSync(path.join(mail, `${planted}4.ask`), 'x'.repeat(5 * 1024 * 1024));
fs.writeFileSync(path.join(mail, `${planted}5.ask`), '{"argv": ["sta');
fs.writeFileSync(path.join(mail, '..ask'), '{}');
for (let n = 0; n < 300; n += 1) fs.writeFileSync(path.join(mail, `junk${n}`), '');
fs.symlinkSync(canary, path.join(mail, `${planted}6.answer`));
fs.writeFileSync(
  path.join(mail, `${planted}6.ask`),
  JSON.stringify({ argv: ['version'], cwd: '/', env: { PATH: '/' } }),
);
for (const name of fs.readdirSync(mail).filter((one) => one.startsWith('junk'))) fs.rmSync(path.join(mail, name));
const asked = {
  'run a program under the lock': ['lock', 'modify', '--', 'touch', canary],
  'start a crew': ['run', '--until-idle'],
  'read a file': ['validate', secret],
  'read a file as JSON': ['begin', 'a', '--file', `@${secret}`],
  'turn the sandbox off': ['config', 'set', 'sandbox', 'off'],
  'open an editor': ['edit'],
  'pause everybody': ['pause'],
  'mend the board': ['doctor', '--fix'],
  'begin anew': ['init', 'another goal'],
  'take Liza away': ['deinit'],
  'halt everybody': ['checkpoint'],
};
for (const [name, argv] of Object.entries(asked)) {
  const ran = liza(argv);
  note(`asked: ${name}`, ran.status === 0 || /top secret/.test(ran.stdout + ran.stderr), ran.stdout);
}
process.env.LIZA_SESSION = '';
const alias = spawnSync('liza', ['submit-verdict', 'a', 'APPROVED', 'good'], {
  encoding: 'utf8',
  env: { ...process.env, LIZA_AGENT_ID: 'code-reviewer-1' },
});
note('asked: as somebody else', role !== 'code-reviewer' && alias.status === 0, alias.stdout);
// A board of its own making must not be taken for the project's.
if (role === 'coder') {
  fs.mkdirSync('.liza');
  fs.writeFileSync('.liza/state.yaml', 'version: 1\n');
  const fake = liza(['status']);
  note('asked: about another board', !fake.stdout.includes('Retry all API calls'), fake.stdout + fake.stderr);
  fs.rmSync('.liza', { recursive: true });
}
fs.writeFileSync('/tmp/liza-escape-mine', 'x');
fs.writeFileSync(path.join(process.env.HOME, 'mine'), 'x');

const done = [];
const must = (program, ...argv) => {
  const ran = spawnSync(program, argv, { encoding: 'utf8' });
  done.push(`${program} ${argv.slice(0, 2).join(' ')}: ${ran.status}${ran.status === 0 ? '' : ` ${ran.stderr}`}`);
};
console.log(`REPORT ${JSON.stringify({ role, report })}`);
if (role === 'coder') {
  must(
    'liza',
    'begin',
    'a',
    '--intent',
    'a file',
    '--risks',
    'none',
    '--validation',
    'node test/a.test.mjs: exit 0',
    '--file',
    'src/a.mjs',
  );
  fs.mkdirSync('src', { recursive: true });
  fs.mkdirSync('test', { recursive: true });
  fs.writeFileSync('src/a.mjs', 'export const a = 1;\n');
  fs.writeFileSync('test/a.test.mjs', "import '../src/a.mjs';\n");
  must('git', 'add', '-A');
  must('git', 'commit', '-q', '-m', 'a: made');
  must('liza', 'submit-for-review', 'a', 'HEAD');
  must('liza', 'exit', '42');
} else if (role === 'code-reviewer') {
  attempt('reviewer: edits what it reviews', () => fs.appendFileSync('src/a.mjs', 'x'));
  shellAttempt('reviewer: commits', 'git commit -q --allow-empty -m mine');
  console.log(`REPORT ${JSON.stringify({ role, report })}`);
  must('git', 'diff', '--stat', 'HEAD^');
  // The folder to try things in: written to, with git and the tests at work.
  const [tryout = 'none'] = fs
    .readdirSync('..')
    .filter((name) => name.startsWith('.review-a-') && name !== path.basename(process.cwd()));
  must('sh', '-c', `cd ../${tryout} && echo "// tried" >> src/a.mjs && node test/a.test.mjs`);
  must('git', '-C', `../${tryout}`, 'log', '--oneline', 'HEAD^..HEAD');
  must('git', '-C', `../${tryout}`, '-c', 'user.name=r', '-c', 'user.email=r@example.org', 'commit', '-qam', 'tried');
  must('liza', 'submit-verdict', 'a', 'APPROVED', '1: src/a.mjs:1');
  must('liza', 'exit', '0');
} else {
  must('liza', 'status');
  must('liza', 'exit', '0');
}
console.log(`DONE ${JSON.stringify(done)}`);
