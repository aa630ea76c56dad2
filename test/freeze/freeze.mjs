// `node test/freeze/freeze.mjs [--rounds 500]`: an agent is frozen past its lease, its work is taken over, it wakes and goes
// on: submit, begin, block, hand off, a verdict, also with a raised LIZA_EPOCH (G20 of docs/gauntlet.md). In each
// round: every word of it is refused and told to stop with 42, the journal has no line by it since the takeover, and the
// new holder's task, branch and folder are as they were. Rounds take turns: the supervisor stays frozen, wakes too, is
// killed, or the same id takes over from itself; every fifth round freezes a reviewer. Prints what was accepted: must be 0.
// Runs the program in dist/: `npm run build` first.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { helpIfAsked } from '../../tools/help.mjs';
import { progress } from '../../tools/progress.mjs';
import { addTask, checkpoint, cleanEnvironment, gitIn, runToEnd, SHOWN, startRepository } from '../support/core.mjs';

helpIfAsked(import.meta.filename);
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '500' }, lanes: { type: 'string', default: '2' } },
});
const LIZA = join(process.env.LIZA_DIST ?? join(import.meta.dirname, '../../dist'), 'liza.cjs');
const base = realpathSync(mkdtempSync(join(tmpdir(), 'liza-freeze-')));
const holderFile = join(base, 'holder.mjs');
const env = cleanEnvironment(base);
const PER_PROJECT = 20;
const wrong = [];
let accepted = 0;
let attempts = 0;
let done = 0;

const run = (root, as, ...args) => runToEnd(process.execPath, [LIZA, ...args], { cwd: root, env: { ...env, ...as } });

async function liza(root, as, ...args) {
  const { code, text } = await run(root, as, ...args);
  if (code !== 0) throw new Error(`liza ${args.join(' ')}: exit ${code}: ${text}`);
  return text;
}

const git = (cwd, ...args) => gitIn(cwd, args, env).trim();
const as = (id) => ({ LIZA_AGENT_ID: id });
const BEGIN = checkpoint('src/a.mjs');

async function project(name) {
  const root = join(base, name);
  startRepository(root, env);
  await liza(root, {}, 'init', 'Freeze');
  return root;
}

const task = async (root, id) => JSON.parse(await liza(root, {}, 'show', id, '--json')).task;
const signal = (pid, name) => {
  try {
    process.kill(pid, name);
  } catch {
    // it has ended by itself
  }
};

/** Again until the lease is past, as whoever waits for it does. Whoever holds it still is told that it does. */
async function takeOver(root, id, former, ...command) {
  const until = performance.now() + 60_000;
  for (;;) {
    const { code, text } = await run(root, as(id), ...command);
    if (code === 0 && (await task(root, command[1])).epoch > former) return;
    if (performance.now() > until) throw new Error(`${id} never took over: ${text}`);
    await sleep(100);
  }
}

/** What the frozen one does when it wakes: one command a line, each ending and words kept. */
function script(folder, commands) {
  const lines = commands.map(
    (words, n) =>
      `${words.map(quote).join(' ')} >${quote(`${folder}/${n}`)} 2>&1; echo $? >${quote(`${folder}/${n}.code`)}`,
  );
  const go = quote(`${folder}/go`);
  writeFileSync(
    `${folder}/agent.sh`,
    `while [ ! -e ${go} ]; do sleep 0.02; done\n${lines.join('\n')}\n: >${quote(`${folder}/done`)}\n`,
  );
  return `${folder}/agent.sh`;
}
const quote = (word) => `'${String(word).replaceAll("'", `'\\''`)}'`;

async function hold(root, agent, role, id, epoch, file) {
  const holder = spawn(process.execPath, [holderFile, root, agent, role, id, String(epoch), file], { env, cwd: root });
  let said = '';
  let failed = '';
  holder.stderr.on('data', (chunk) => (failed += chunk));
  const session = await new Promise((resolve, reject) => {
    holder.stdout.on('data', (chunk) => {
      said += chunk;
      const line = /^session (.*)\n/.exec(said);
      if (line !== null) resolve(JSON.parse(line[1]));
    });
    holder.on('close', () => reject(new Error(`the holder ended: ${failed}`)));
  });
  return { holder, ...session };
}

const KINDS = ['stays frozen', 'wakes too', 'is killed', 'same id'];

async function round(root, n) {
  const id = `t${n}`;
  const reviewing = n % 5 === 4;
  const kind = reviewing ? KINDS[n % 3] : KINDS[n % 4];
  const folder = join(base, `round-${n}`);
  mkdirSync(folder);
  const coder = `coder-${2 * n + 1}`;
  const taker = kind === 'same id' ? coder : reviewing ? `code-reviewer-${2 * n + 2}` : `coder-${2 * n + 2}`;
  const stale = reviewing ? `code-reviewer-${2 * n + 1}` : coder;
  for (const one of new Set([coder, stale, taker])) await liza(root, as(one), 'register', one);
  await liza(root, {}, ...addTask(id));
  await liza(root, as(coder), 'claim-task', id, coder);
  const own = join(root, '.worktrees', id);
  let { epoch } = await task(root, id);
  const commitWork = () => {
    mkdirSync(join(own, 'src'), { recursive: true });
    mkdirSync(join(own, 'test'), { recursive: true });
    writeFileSync(join(own, 'src', 'a.mjs'), `export const a = ${n};\n`);
    writeFileSync(join(own, 'test', 'a.test.mjs'), "import '../src/a.mjs';\n");
    git(own, 'add', '-A');
    git(own, 'commit', '-q', '-m', `work ${n}`);
    return git(own, 'rev-parse', 'HEAD');
  };
  const L = [process.execPath, LIZA];
  const raised = () => ['env', `LIZA_EPOCH=${epoch + 1}`];
  let commands;
  if (reviewing) {
    await liza(root, as(coder), 'begin', id, ...BEGIN);
    const commit = commitWork();
    await liza(root, as(coder), 'submit-for-review', id, commit);
    await liza(root, as(stale), 'claim-review', id, stale);
    ({ epoch } = await task(root, id));
    const verdict = [...L, 'submit-verdict', id, 'APPROVED', SHOWN];
    commands = [verdict, [...verdict, '--commit', commit], [...raised(), ...verdict]];
  } else {
    const begin = [...L, 'begin', id, ...BEGIN];
    const submit = [...L, 'submit-for-review', id, 'HEAD_COMMIT'];
    const block = [...L, 'block', id, '--reason', 'x', '--question', 'y?'];
    const handoff = [...L, 'handoff', id, '--summary', 'x', '--next', 'y'];
    commands = [submit, begin, block, handoff, [...raised(), ...submit], [...raised(), ...block]];
  }
  const file = script(
    folder,
    commands.map((words) => words.map((word) => (word === 'HEAD_COMMIT' ? git(own, 'rev-parse', 'HEAD') : word))),
  );
  const held = await hold(root, stale, reviewing ? 'code_reviewer' : 'coder', id, epoch, file);
  try {
    signal(held.holder.pid, 'SIGSTOP');
    signal(held.pid, 'SIGSTOP');
    await takeOver(root, taker, epoch, reviewing ? 'claim-review' : 'claim-task', id, taker);
    const before = await task(root, id);
    const head = existsSync(own) ? git(own, 'rev-parse', 'HEAD') : '';
    const lines = readFileSync(join(root, '.liza', 'journal.jsonl'), 'utf8').split('\n').length;
    if (kind === 'is killed') signal(held.holder.pid, 'SIGKILL');
    if (kind === 'wakes too') signal(held.holder.pid, 'SIGCONT');
    writeFileSync(join(folder, 'go'), '');
    signal(held.pid, 'SIGCONT');
    while (!existsSync(join(folder, 'done'))) await sleep(20);
    for (let at = 0; at < commands.length; at += 1) {
      const said = readFileSync(join(folder, String(at)), 'utf8');
      const code = Number(readFileSync(join(folder, `${at}.code`), 'utf8'));
      attempts += 1;
      if (code === 0) accepted += 1;
      if (code === 0 || !/\b42\b/.test(said))
        wrong.push(`round ${n} (${kind}): ${commands[at].slice(2, 5).join(' ')}: ${code} ${said}`);
    }
    const since = readFileSync(join(root, '.liza', 'journal.jsonl'), 'utf8')
      .split('\n')
      .slice(lines - 1);
    const its = since.filter((line) => line.includes(`"actor":"${stale}"`));
    accepted += its.length;
    for (const line of its) wrong.push(`round ${n} (${kind}): journalled: ${line.slice(0, 300)}`);
    const after = await task(root, id);
    const kept = ['status', 'assigned_to', 'reviewing_by', 'epoch', 'review_commit', 'approved_by', 'iteration'];
    for (const key of kept) {
      if (JSON.stringify(before[key]) !== JSON.stringify(after[key]))
        wrong.push(`round ${n} (${kind}): ${key} changed`);
    }
    if (head !== '' && git(own, 'rev-parse', 'HEAD') !== head) wrong.push(`round ${n} (${kind}): the folder moved`);
  } finally {
    signal(held.pid, 'SIGKILL');
    signal(held.holder.pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  done += 1;
  progress(done, rounds, 'rounds');
  if (done % 25 === 0) console.log(`${done} rounds, ${attempts} attempts, ${accepted} accepted`);
}

const rounds = Number(values.rounds);
let next = 0;

async function lane(number) {
  for (let left = 0, root, used = 0; next < rounds; left -= 1) {
    if (left <= 0) {
      if (root !== undefined) rmSync(root, { recursive: true, force: true });
      used += 1;
      root = await project(`project-${number}-${used}`);
      left = PER_PROJECT;
    }
    const n = next++;
    await round(root, n);
  }
}

try {
  if (spawnSync('sh', ['-c', 'true']).status !== 0) throw new Error('no sh');
  await build({
    absWorkingDir: join(import.meta.dirname, '../..'),
    entryPoints: ['test/freeze/holder.ts'],
    outfile: holderFile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  await Promise.all(Array.from({ length: Number(values.lanes) }, (_, number) => lane(number)));
} finally {
  rmSync(base, { recursive: true, force: true });
}
for (const line of wrong) console.log(`WRONG ${line}`);
console.log(`${done} rounds frozen and woken, ${attempts} late words, ${accepted} accepted, ${wrong.length} wrong`);
process.exitCode = wrong.length === 0 && accepted === 0 && done === rounds ? 0 : 1;
