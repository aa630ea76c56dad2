// One CLI takes a task all the way: planned, coded, rejected, mended in the resumed session, approved, merged;
// with `liza run` in a repository of its own. Answers what it found wrong; an empty list is a pass.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { cleanEnvironment, startRepository } from '../support/core.mjs';
import { CLIS } from './clis.mjs';
import { startModel, USAGE } from './model.mjs';
import { GREETING, partOf, scripted } from './script.mjs';

const LIMIT_MS = 240_000;
const CONTRACT = 'You are a Liza agent in the role';

/** `places`: { cli: folder of its program, liza: the built program, work: where temporary folders go, sandbox: in it }. */
export async function playThrough(name, places, say) {
  const folder = mkdtempSync(join(places.work, `${name}-`));
  const forbidden = places.sandbox ? outside(folder) : [];
  const model = await startModel(scripted(forbidden));
  try {
    const project = makeProject(folder);
    const env = environment(name, places, folder, model.url);
    const liza = (...args) => run(process.execPath, [places.liza, ...args], { cwd: project, env });
    liza('init', 'Greet the world');
    liza('config', 'set', 'sandbox', places.sandbox ? 'require' : 'off');
    const { settings } = CLIS[name];
    if (settings !== undefined) liza('config', 'set', 'providers', JSON.stringify({ [name]: settings }));
    const ended = await crew(
      places.liza,
      ['run', '--agent', name, '--coders', '1', '--until-idle', '--plain'],
      { cwd: project, env },
      say,
    );
    return {
      ...facts(liza),
      ended,
      problems: [...problems(name, liza, project, model.asked, ended), ...escapes(forbidden, model.asked)],
    };
  } finally {
    model.close();
    if (process.env.LIZA_KEEP === undefined) rmSync(folder, { recursive: true, force: true });
    else say(`kept: ${folder}`);
  }
}

/** Files that no agent may make: in the project, on its blackboard, in its git directory, beside other work, elsewhere. */
const outside = (folder) =>
  ['project', 'project/.liza', 'project/.git/hooks', 'project/.worktrees', 'home', '.'].map((place) =>
    join(folder, place, 'planted'),
  );

function escapes(forbidden, asked) {
  const tried = asked.map(({ step }) => `${step.write?.path ?? ''} ${step.shell ?? ''}`);
  return forbidden.flatMap((file) => {
    if (existsSync(file)) return [`${file} was made from inside the sandbox`];
    // By the coder's write tool, its shell and the reviewer's.
    const times = tried.filter((step) => step.includes(file)).length;
    return times < 3 ? [`${file} was tried ${times} times only`] : [];
  });
}

function makeProject(folder) {
  const project = join(folder, 'project');
  const files = { 'specs/vision.md': `# Vision\n\n\`sh greet.sh\` prints "${GREETING}".\n` };
  startRepository(project, cleanEnvironment(join(folder, 'person')), { files });
  return project;
}

/** The user's own keys and settings stay out. */
function environment(name, { cli }, folder, url) {
  const home = join(folder, 'home');
  const temporary = join(folder, 'tmp');
  for (const one of [home, temporary]) mkdirSync(one, { recursive: true });
  const { PATH, LANG, NODE_EXTRA_CA_CERTS } = process.env;
  return {
    PATH: `${cli}:${PATH}`,
    LANG,
    NODE_EXTRA_CA_CERTS,
    HOME: home,
    TMPDIR: temporary,
    ...CLIS[name].env(url, home),
  };
}

function run(program, args, options) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { ...options, encoding: 'utf8', timeout: 60_000 });
  if (status !== 0)
    throw new Error(`${args.slice(-3).join(' ')}: ${error?.message ?? `exit ${status}`}: ${stderr}${stdout}`);
  return stdout;
}

function crew(liza, args, options, say) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [liza, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const lines = [];
    const hear = (data) => {
      for (const line of String(data).split('\n').filter(Boolean)) {
        lines.push(line);
        say(line);
      }
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const late = setTimeout(() => child.kill('SIGINT'), LIMIT_MS);
    const tooLate = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS + 30_000);
    child.once('close', (code, signal) => {
      clearTimeout(late);
      clearTimeout(tooLate);
      done({ code, signal, lines });
    });
  });
}

const taskOf = (liza) => JSON.parse(liza('show', 'greet', '--json'));

function facts(liza) {
  try {
    const shown = taskOf(liza);
    return { status: (shown.task ?? shown.data ?? shown).status };
  } catch {
    return {};
  }
}

function problems(name, liza, project, asked, ended) {
  const found = [];
  const expect = (holds, what) => {
    if (!holds) found.push(what);
  };
  const parts = asked.map((question) => ({ ...partOf(question), question }));
  expect(ended.code === 0, `liza run ended with ${ended.code ?? ended.signal}`);
  const failed = ended.lines.filter((line) => /session ended: exit (?!0\b)/.test(line));
  expect(failed.length === 0, `a session failed: ${failed.join(' / ')}`);
  const status = facts(liza).status;
  expect(status === 'MERGED', `the task is ${status}, not MERGED`);
  const merged = spawnSync('git', ['show', 'integration:greet.sh'], { cwd: project, encoding: 'utf8' }).stdout;
  expect(merged.includes(GREETING), 'the merged greet.sh does not greet');
  expect(
    parts.every(
      ({ question }) =>
        question.system.includes(CONTRACT) || question.turns.some(({ text }) => text.includes(CONTRACT)),
    ),
    'a request came without the contract',
  );
  const mended = parts.filter(({ part }) => part === 'mend');
  expect(mended.length > 0, 'nothing was mended after the rejection');
  expect(
    mended.every(({ hasPast }) => hasPast || CLIS[name].forgets === true),
    'the rejected work was not mended in the resumed session',
  );
  const readers = parts
    .filter(({ part }) => part !== 'code' && part !== 'mend')
    .flatMap(({ question }) => question.tools);
  const editors = readers.filter((tool) => ['Write', 'Edit', 'write_file', 'replace', 'edit', 'write'].includes(tool));
  expect(
    editors.length === 0 || CLIS[name].asks === true,
    `planner or reviewer were offered ${[...new Set(editors)].join(', ')}`,
  );
  const tokens = recordedTokens(project);
  const answers = asked.length;
  expect(
    tokens.input === answers * (USAGE.input + USAGE.cached),
    `${tokens.input} input tokens are recorded, ${answers * (USAGE.input + USAGE.cached)} were used`,
  );
  expect(
    tokens.output === answers * USAGE.output,
    `${tokens.output} output tokens are recorded, ${answers * USAGE.output} were used`,
  );
  return found;
}

/** Of the goal and of its tasks; what an agent's session used is told there once more. */
function recordedTokens(project) {
  const { goal } = parse(readFileSync(join(project, '.liza', 'state.yaml'), 'utf8'));
  return { input: goal.spent?.input_tokens, output: goal.spent?.output_tokens };
}
