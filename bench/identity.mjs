// What it costs to check who really asks, as a share of a whole command. The program is built a second time with the
// check taken out (it believes the environment), and both run in turns on one board with four live sessions: a person's
// note and an agent's own heartbeat, each below four shells. What counts is the median of what each pair differs by.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { cleanEnvironment, startRepository } from '../test/support/core.mjs';
import { finish, median, quick } from './part.mjs';

/** The folder of a build and the contents of its code cache change its speed a little: so several of each. */
const BUILDS = quick ? 1 : 5;
const PAIRS = quick ? 40 : 600;
const LIMIT = 2;
const repo = join(import.meta.dirname, '..');
const base = realpathSync(mkdtempSync(join(tmpdir(), 'liza-bench-identity-')));
const clean = Object.entries(process.env).filter(([name]) => !/^(LIZA_|GIT_|NODE_EXTRA_CA_CERTS$)/.test(name));
const env = Object.fromEntries(clean);

const BELIEVED = `export async function gatherFacts(caller, _root, claim) {
  const credential = claim.id !== undefined && caller.env.LIZA_SESSION ? 'valid' : 'none';
  return { claim: { ...claim, credential }, program: false, live: false };
}
`;

function program(name, change) {
  const folder = join(base, name);
  mkdirSync(folder);
  for (const part of ['src', 'tools', 'package.json', 'contracts', 'schema', 'templates', 'scripts', 'demo'])
    cpSync(join(repo, part), join(folder, part), { recursive: true });
  symlinkSync(join(repo, 'node_modules'), join(folder, 'node_modules'));
  change(folder);
  execFileSync(process.execPath, [join(folder, 'tools', 'build.mjs')], { cwd: folder, env, stdio: 'inherit' });
  return join(folder, 'dist', 'liza.cjs');
}

try {
  if (process.platform !== 'linux') throw new Error('needs /proc');
  const builds = Array.from({ length: BUILDS }, (_, n) => ({
    checked: program(`checked-${n}`, () => {}),
    believed: program(`believed-${n}`, (folder) => writeFileSync(join(folder, 'src/identity/gather.ts'), BELIEVED)),
  }));
  const root = join(base, 'project');
  startRepository(root, cleanEnvironment(base));
  const liza = (as, ...args) =>
    execFileSync(process.execPath, [builds[0].checked, ...args], { cwd: root, env: { ...env, ...as }, stdio: 'pipe' });
  liza({}, 'init', 'Measure');
  await build({
    absWorkingDir: repo,
    stdin: {
      contents: `export { openSession } from './src/identity/agent-sessions.ts'; export { realFiles } from './src/ports/files.ts'; export { realHost } from './src/ports/real-host.ts';`,
      resolveDir: repo,
    },
    outfile: join(base, 'sessions.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  const { openSession, realFiles, realHost } = await import(join(base, 'sessions.mjs'));
  const context = { ...realHost(env), files: realFiles, paths: { agents: join(root, '.liza/agents') } };
  const sessions = new Map();
  for (const [agent, role] of [
    ['planner-1', 'planner'],
    ['coder-1', 'coder'],
    ['coder-2', 'coder'],
    ['code-reviewer-1', 'code_reviewer'],
  ]) {
    liza({ LIZA_AGENT_ID: agent }, 'register', agent);
    const session = openSession(context, { agent, role, pid: process.pid }, Date.now());
    sessions.set(agent, session);
  }
  /** As deep as a tool of an agent CLI is. */
  const deep = (argv, as) => {
    const nested = ['sh', '-c', '"$@"; exit $?', 'sh'];
    const words = [...nested, ...nested, ...nested, ...nested, process.execPath, ...argv];
    const begun = performance.now();
    const ran = spawnSync(words[0], words.slice(1), { cwd: root, env: { ...env, ...as }, encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(`${argv.join(' ')}: ${ran.stderr}`);
    return performance.now() - begun;
  };
  const agent = { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: sessions.get('coder-1').credential };
  const missed = [];
  const table = ['| checking who asks | share of the whole command | limit |', '|---|--:|--:|'];
  for (const [name, as, words] of [
    ['note, by a person', {}, () => ['note', `hello ${performance.now()}`]],
    ['heartbeat, by an agent', agent, () => ['heartbeat']],
  ]) {
    // From here on this very process is the agent's.
    if (as === agent) sessions.get('coder-1').begun(process.pid);
    const runs = { checked: [], believed: [] };
    const more = [];
    for (const build of builds)
      for (const program of Object.values(build)) for (let n = 0; n < 3; n += 1) deep([program, ...words()], as);
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const build = builds[Math.floor(pair / 2) % BUILDS];
      const took = {};
      for (const side of pair % 2 === 0 ? ['checked', 'believed'] : ['believed', 'checked']) {
        took[side] = deep([build[side], ...words()], as);
        runs[side].push(took[side]);
      }
      more.push(took.checked - took.believed);
    }
    const share = (100 * median(more)) / median(runs.believed);
    console.log(
      `${name}: ${median(runs.checked).toFixed(1)} ms checked, ${median(runs.believed).toFixed(1)} believed; in pairs ${median(more).toFixed(2)} ms more: ${share.toFixed(2)} % (≤ ${LIMIT}); ${PAIRS} pairs`,
    );
    table.push(`| ${name} | ${share.toFixed(1)} % | ${LIMIT} % |`);
    if (share > LIMIT) missed.push(`${name}: ${share.toFixed(2)} > ${LIMIT}`);
  }
  finish({ marker: 'identity', table, missed });
} finally {
  rmSync(base, { recursive: true, force: true });
}
