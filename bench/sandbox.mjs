// What the sandbox costs, in paired runs on this machine, medians. Without a sandbox it says SKIPPED.
//   start     from the spawn of a program to its end, bare and confined as a coder's session is
//   command   `liza show` by an agent: bare, and from inside, through the mailbox

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { addTask, cleanEnvironment, startRepository } from '../test/support/core.mjs';
import { finish, median, quick } from './part.mjs';

const ROOT = join(import.meta.dirname, '..');
const LIZA = join(ROOT, 'dist', 'liza.cjs');
const LIMIT_MS = 25;
const { LIZA_AGENT_ID: _id, LIZA_SANDBOX: _off, ...env } = process.env;

const base = realpathSync(mkdtempSync(join(tmpdir(), 'liza-bench-sandbox-')));
const { detect, buildPolicy, confine, openBroker, realHost, furtherDescriptors, giveDescriptor3, holdUntilNoted } =
  await parts();
const host = realHost(env);
const tool = await detect(host);
if (tool.kind === undefined) {
  console.log(`SKIPPED sandbox: ${tool.why} → ${tool.remedy}`);
  rmSync(base, { recursive: true });
  process.exit(0);
}

/** The sources themselves: what is measured is what a supervisor does. */
async function parts() {
  const outfile = join(base, 'parts.cjs');
  const from = (file) => JSON.stringify(join(ROOT, 'src', file));
  await build({
    stdin: {
      contents: `export { detect } from ${from('sandbox/detect.ts')};
export { buildPolicy } from ${from('sandbox/build-policy.ts')};
export { confine } from ${from('sandbox/confine.ts')};
export { openBroker } from ${from('sandbox/mailbox-broker.ts')};
export { furtherDescriptors, giveDescriptor3 } from ${from('process/start.ts')};
export { holdUntilNoted } from ${from('process/first-inside.ts')};
export { realHost } from ${from('ports/real-host.ts')};`,
      resolveDir: ROOT,
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  return createRequire(import.meta.url)(outfile);
}

function project() {
  const root = join(base, 'project');
  startRepository(root, cleanEnvironment(base));
  const liza = (...args) => execFileSync(process.execPath, [LIZA, ...args], { cwd: root, env, encoding: 'utf8' });
  liza('init', 'Measure it');
  liza(...addTask('a'));
  return root;
}

/** Both ways in turn, so that whatever else the machine does hits both alike. */
async function paired(rounds, bare, confined) {
  const times = { bare: [], confined: [], more: [] };
  for (let round = 0; round < rounds + 2; round += 1) {
    const one = await timed(bare);
    const other = await timed(confined);
    if (round < 2) continue; // the first ones fill caches
    times.bare.push(one);
    times.confined.push(other);
    times.more.push(other - one);
  }
  return { bare: median(times.bare), confined: median(times.confined), more: median(times.more) };
}

async function timed(run) {
  const begun = performance.now();
  const status = await run();
  if (status !== 0) throw new Error(`it ended with ${status}`);
  return performance.now() - begun;
}

/** As a supervisor starts it: with the filter, and held until its first process is noted. */
const run = ({ argv, descriptor3, held, env: runEnv = env }, cwd) =>
  new Promise((done) => {
    const stdio = ['ignore', 'ignore', 'ignore', ...furtherDescriptors({ descriptor3, held })];
    const child = spawn(argv[0], argv.slice(1), { cwd, env: runEnv, stdio });
    giveDescriptor3(child, descriptor3);
    if (held) holdUntilNoted(host, child, () => {});
    child.once('exit', done);
  });

try {
  const root = project();
  const folder = join(root, '.worktrees', 'a');
  const [home, tmp, mail] = ['home', 'tmp', 'mail'].map((name) => join(base, name));
  for (const path of [folder, home, tmp]) mkdirSync(path, { recursive: true });
  const broker = openBroker(host, {
    folder: mail,
    program: [process.execPath, LIZA],
    root,
    env: { ...env, LIZA_AGENT_ID: 'coder-1' },
  });
  const policy = () =>
    buildPolicy(host.disk, {
      env,
      cwd: folder,
      root,
      common: join(root, '.git'),
      folder: { path: folder, writable: true },
      home,
      tmp,
      network: true,
      show: [ROOT],
      write: [mail],
      inPlace: tool.kind === 'seatbelt',
    });
  const inside = (argv) => run(confine(host.disk, tool, policy(), { argv, env, held: true }), folder);
  const start = await paired(
    quick ? 15 : 60,
    () => run({ argv: ['/bin/true'] }, folder),
    () => inside(['/bin/true']),
  );
  // In the sandbox the answer comes from this very process: it must be free to give it.
  const asked = confine(host.disk, tool, policy(), {
    argv: [process.execPath, LIZA, 'show', 'a'],
    env: { ...env, LIZA_MAILBOX: mail },
    held: true,
  });
  const command = await paired(
    quick ? 8 : 30,
    () => run({ argv: [process.execPath, LIZA, 'show', 'a'] }, root),
    () => run(asked, folder),
  );
  await broker.close(0);
  const row = (name, { bare, confined, more }, limit) =>
    `| ${name} | ${bare.toFixed(1)} | ${confined.toFixed(1)} | ${more.toFixed(1)} | ${limit} |`;
  const table = [
    '| in the sandbox, paired runs, medians | bare, ms | confined, ms | more, ms | limit |',
    '|---|--:|--:|--:|--:|',
    row('start of a program', start, LIMIT_MS),
    row('`liza show` by an agent, with its start', command, ''),
  ];
  const missed = start.more > LIMIT_MS ? [`start of a program: ${start.more.toFixed(2)} > ${LIMIT_MS}`] : [];
  console.log(table.join('\n'));
  finish({ marker: 'sandbox', table, missed });
} finally {
  rmSync(base, { recursive: true, force: true });
}
