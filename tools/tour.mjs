// `npm run tour`: the real program, played in a temporary git repository that is removed afterwards.
// Each command is shown as one would type it, followed by what it really printed; the first that fails
// ends the tour with its output. `--keep` leaves the repository and says where it is.
// The list of commands is exported: tools/picture.mjs plays the same ones.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(import.meta.dirname, '..');
const dist = process.env.LIZA_DIST ?? path.join(root, 'dist');

const VISION = `# Vision

A program that greets people by name. After six in the evening it says "Good evening".
`;

const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from '../src/greet.mjs';

test('greets by name', () => assert.equal(greet('José'), 'Hello, José'));
`;

export const STEPS = [
  { say: 'A blackboard for a goal:', argv: ['init', 'Greet people by name'] },
  {
    say: 'Two tasks. Each says how anyone can tell that it is done, and what proves it:',
    argv: [
      'add-task',
      ...['--id', 'greet', '--desc', 'Greet one person by name', '--spec', 'specs/vision.md'],
      ...['--done', '"greet Ada" prints "Hello, Ada"', '--scope', 'IN: src/, test/'],
      ...['--validate', 'npm test', '--priority', '1'],
    ],
  },
  {
    say: 'The second waits for the first:',
    argv: [
      'add-task',
      ...['--id', 'evening', '--desc', 'Say "Good evening" after six', '--spec', 'specs/vision.md'],
      ...['--done', 'at 18:00 it prints "Good evening, Ada"', '--scope', 'IN: src/, test/'],
      ...['--validate', 'npm test', '--depends', 'greet'],
    ],
  },
  { say: 'A draft is nobody’s until it is released:', argv: ['finalize', 'greet'] },
  { argv: ['finalize', 'evening'] },
  { say: 'A word to whoever works on it next:', argv: ['note', 'Names may have accents: José, Zoë.'] },
  { say: 'The whole board, and why nothing moves:', argv: ['status'] },
  {
    say: 'Agents come with the next version; until then you can play them. A coder:',
    as: 'coder-1',
    argv: ['register', 'coder-1'],
  },
  { say: 'It gets the task in a worktree of its own:', as: 'coder-1', argv: ['claim-task', 'greet', 'coder-1'] },
  {
    say: 'It says what it is going to do, before the first line of code:',
    as: 'coder-1',
    argv: [
      'begin',
      ...['greet', '--intent', 'a function and its test'],
      ...['--risks', 'names with accents', '--validation', 'node --test: 1 passes'],
      ...['--file', 'src/greet.mjs', '--file', 'test/greet.test.mjs'],
    ],
  },
  {
    say: 'It writes, commits, and offers exactly that commit for review:',
    files: {
      'src/greet.mjs': "export const greet = (name) => ['Hello', name].join(', ');\n",
      'test/greet.test.mjs': TEST,
    },
    as: 'coder-1',
    argv: ['submit-for-review', 'greet', 'HEAD'],
  },
  {
    say: 'A reviewer, who never coded it, takes the review and approves:',
    as: 'code-reviewer-1',
    argv: ['register', 'code-reviewer-1'],
  },
  { as: 'code-reviewer-1', argv: ['claim-review', 'greet', 'code-reviewer-1'] },
  { as: 'code-reviewer-1', argv: ['submit-verdict', 'greet', 'APPROVED', 'reads well; the test was red before'] },
  {
    say: 'Only now it is merged, to the integration branch. Yours is as it was:',
    as: 'code-reviewer-1',
    argv: ['wt', 'merge', 'greet'],
  },
  { say: 'Who stands behind a commit?', argv: ['blame', 'integration'] },
  { say: 'Every change is in a journal that proves itself:', argv: ['log', 'verify'] },
];

const IDENTITY = ['-c', 'user.name=Tour', '-c', 'user.email=tour@example.invalid'];

export function buildIfMissing() {
  if (existsSync(path.join(dist, 'liza.cjs'))) return;
  const built = spawnSync(process.execPath, [path.join(root, 'tools', 'build.mjs')], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the build failed; its output is above');
}

/** A repository with one commit and a spec. Works where git knows no user and ignores the user's settings. */
export function makeProject() {
  const folder = mkdtempSync(path.join(tmpdir(), 'liza-tour-'));
  mkdirSync(path.join(folder, 'specs'));
  writeFileSync(path.join(folder, 'specs', 'vision.md'), VISION);
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    [...IDENTITY, 'commit', '-q', '-m', 'start'],
  ]) {
    const done = spawnSync('git', args, { cwd: folder, env: plainEnvironment(), encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`git ${args.join(' ')} failed: ${done.error?.message ?? done.stderr}`);
  }
  return folder;
}

/** Runs one command; on a terminal it prints by itself, colours and all. */
export function liza(folder, argv, { as, stdio = 'pipe' } = {}) {
  const env = { ...plainEnvironment(), ...(as === undefined ? {} : { LIZA_AGENT_ID: as }) };
  const options = { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', stdio, stdio] };
  const done = spawnSync(process.execPath, [path.join(dist, 'liza.cjs'), ...argv], options);
  return { status: done.status, output: `${done.stdout ?? ''}${done.stderr ?? ''}` };
}

/** As it would be typed: quoted where the shell needs it, one option a line when there are many. */
export function typed(argv, as) {
  const words = argv.map(quoted);
  const who = as === undefined ? '' : `LIZA_AGENT_ID=${as} `;
  if (words.length < 6) return `${who}liza ${words.join(' ')}`;
  const first = words.findIndex((word) => word.startsWith('--'));
  const lines = [`${who}liza ${words.slice(0, first).join(' ')}`];
  for (let at = first; at < words.length; at += 2) lines.push(`    ${words[at]} ${words[at + 1]}`);
  return lines.join(' \\\n');
}

/** What an agent would write into the task's worktree, committed there. */
export function writeAndCommit(folder, task, files) {
  const work = path.join(folder, '.worktrees', task);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(work, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(work, name), text);
  }
  for (const args of [
    ['add', '-A'],
    [...IDENTITY, 'commit', '-q', '-m', `${task}: first version`],
  ]) {
    const done = spawnSync('git', args, { cwd: work, env: plainEnvironment(), encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`git ${args.join(' ')} failed: ${done.error?.message ?? done.stderr}`);
  }
  return `$ cd .worktrees/${task} && git add -A && git commit -m "${task}: first version"   # ${Object.keys(files).join(', ')}\n`;
}

const quoted = (word) => {
  if (/^[\w./:=,-]+$/.test(word)) return word;
  return word.includes('"') ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
};

/** Whoever runs the tour inside an agent's session or a git hook shall see what everybody sees. */
function plainEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !/^(LIZA|GIT)_/.test(name));
  return { ...Object.fromEntries(kept), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
}

function play(folder) {
  const write = (text) => process.stdout.write(text);
  write('A git repository with one commit and a page that says what to build: specs/vision.md\n');
  for (const { say, files, as, argv } of STEPS) {
    if (say !== undefined) write(`\n# ${say}\n`);
    if (files !== undefined) write(writeAndCommit(folder, 'greet', files));
    write(`$ ${typed(argv, as)}\n`);
    const { status, output } = liza(folder, argv, { as, stdio: process.stdout.isTTY ? 'inherit' : 'pipe' });
    write(output);
    if (status !== 0) throw new Error(`liza ${argv[0]} ended with exit code ${status}`);
  }
}

function main() {
  const keep = process.argv.includes('--keep');
  buildIfMissing();
  const folder = makeProject();
  try {
    play(folder);
  } finally {
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`
Where to go next:
  npm run tour -- --keep   leaves the repository, so that you can look into .liza/state.yaml
  npm install -g .         puts \`liza\` on your PATH; then, in a project of yours: liza init "<goal>"
  liza help                every command; docs/blackboard.md and docs/work.md explain what is behind them
`);
  if (keep) process.stdout.write(`\nThe repository of this tour: ${folder}\n`);
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    main();
  } catch (error) {
    process.stderr.write(`\nThe tour stopped: ${error.message}\n`);
    process.exitCode = 1;
  }
}
