// The outside view of the sweep: projects copied from templates, the built command line run in them,
// and what a stranger with a shell can tell about a board: is it the old one or the new one, is it whole.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { cleanEnvironment, runToEnd, startRepository } from '../support/core.mjs';

const here = import.meta.dirname;
const BOARD = path.join(here, 'board.yaml.txt');
const NEXT = 'a word from the next command';
const NO_BOARD = 'no board';

export const OPERATIONS = [
  { name: 'init', board: 'repository', argv: ['init', 'Retry all API calls'], shows: undefined },
  {
    name: 'add-task',
    board: 'working',
    argv: [
      'add-task',
      '--id=retry-search',
      '--desc=Retry the search; “again”, and again',
      '--spec=specs/vision.md',
      '--done=the search is tried three times',
      '--scope=IN: src/search.ts, test/search.test.ts',
      '--validate=npm test',
    ],
    shows: 'retry-search',
  },
  {
    name: 'lock write',
    board: 'working',
    argv: ['lock', 'write', '.tasks[retry-upload].priority', '2'],
    shows: 'retry-upload',
  },
  {
    name: 'submit-verdict',
    board: 'working',
    argv: ['submit-verdict', 'retry-login', 'APPROVED', '1: seen with own eyes today'],
    agent: 'code-reviewer-1',
    shows: 'retry-login',
  },
  { name: 'archive', board: 'working', argv: ['archive', 'old-spike'], shows: 'old-spike' },
];

/** Runs a program to its end, with the caller's environment but for what would speak for an agent. */
export async function run(program, args, { cwd, env = {} } = {}) {
  const { NODE_EXTRA_CA_CERTS: _slow, LIZA_AGENT_ID: _id, LIZA_SESSION: _session, ...inherited } = process.env;
  const { code, text } = await runToEnd(program, args, { cwd, env: { ...inherited, ...env } });
  return { code, output: text };
}

export async function must(program, args, options) {
  const { code, output } = await run(program, args, options);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}`);
  return output;
}

/** A folder with a build of its own: nobody rebuilds it meanwhile. */
export async function buildApart(root) {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'liza-sweep-')));
  await must('node', ['tools/build.mjs'], { cwd: root, env: { LIZA_DIST: path.join(base, 'package', 'dist') } });
  fs.cpSync(path.join(root, 'schema'), path.join(base, 'package', 'schema'), { recursive: true });
  return { base, program: path.join(base, 'package', 'dist', 'liza.cjs') };
}

/** With the templates. */
export async function makeYard(root) {
  const { base, program } = await buildApart(root);
  const folder = (name) => path.join(base, name);
  startRepository(folder('repository'), cleanEnvironment(base));
  fs.cpSync(folder('repository'), folder('working'), { recursive: true });
  fs.mkdirSync(path.join(folder('working'), '.liza'));
  fs.copyFileSync(BOARD, path.join(folder('working'), '.liza', 'state.yaml'));
  await must('node', [program, 'note', 'look at the scope'], { cwd: folder('working') });
  let copies = 0;
  return {
    base,
    program,
    liza: (cwd, argv, env) => run('node', [program, ...argv], { cwd, env }),
    copy: (template) => {
      copies += 1;
      fs.cpSync(folder(template), folder(`try-${copies}`), { recursive: true, preserveTimestamps: true });
      return folder(`try-${copies}`);
    },
    drop: (copy) => fs.rmSync(copy, { recursive: true, force: true }),
    remove: () => fs.rmSync(base, { recursive: true, force: true }),
  };
}

export const environmentOf = ({ agent }) => (agent === undefined ? {} : { LIZA_AGENT_ID: agent });

/** What the board looks like, untouched and after the operation; each also after the next command. */
export async function rehearse(yard, operation) {
  const look = async (does) => {
    const root = yard.copy(operation.board);
    if (does) await must('node', [yard.program, ...operation.argv], { cwd: root, env: environmentOf(operation) });
    const shown = await show(yard, root, operation);
    const text = stateIn(root);
    if (text !== undefined) await must('node', [yard.program, 'note', NEXT], { cwd: root });
    const seen = { shown, text, after: stateIn(root), entries: journalIn(root).length };
    yard.drop(root);
    return seen;
  };
  const [before, after] = [await look(false), await look(true)];
  if (before.after === after.after) throw new Error(`${operation.name} changes nothing: the sweep could prove nothing`);
  return { before, after };
}

/** Old, new, or neither: with the reasons. `code` is how the interrupted command ended. */
export async function examine(yard, operation, root, { before, after }, code) {
  const problems = [];
  const shown = await show(yard, root, operation);
  if (shown !== before.shown && shown !== after.shown) problems.push(`show tells neither old nor new:\n${shown}`);
  const none = shown === NO_BOARD;
  if (none) problems.push(...(await repeat(yard, operation, root)));
  else problems.push(...(await green(yard, root, 'before the next command')));
  const next = await yard.liza(root, ['note', NEXT]);
  if (next.code !== 0) problems.push(`the next command ends with ${next.code}: ${next.output}`);
  const text = stateIn(root);
  const end = none ? 'old' : text === before.after ? 'old' : text === after.after ? 'new' : 'neither';
  if (end === 'neither' || (none && text !== after.after)) problems.push(`state.yaml is neither old nor new:\n${text}`);
  if (!none && shown !== (end === 'old' ? before : after).shown) problems.push('the reader saw the other state');
  if (code === 0 && end !== 'new') problems.push('it was acknowledged and is lost');
  if (code !== 0 && code !== 137 && end !== 'old') problems.push(`it ended with ${code}, yet it stands`);
  problems.push(...(await green(yard, root, 'after the next command')), ...audit(root));
  if (journalIn(root).length !== (end === 'old' && !none ? before : after).entries)
    problems.push('entries lost or invented');
  return { end, problems };
}

async function show(yard, root, { shows }) {
  const argv = shows === undefined ? ['status', '--json'] : ['show', shows, '--json'];
  const { output } = await yard.liza(root, argv);
  if (/no Liza project here|there is no blackboard here/.test(output)) return NO_BOARD;
  return shows === undefined ? (/"goal":\{[^}]*\}/.exec(output)?.[0] ?? output) : timeless(output);
}

/** An init that was stopped is finished by the next one. A lock file of git that died stays git's own affair. */
async function repeat(yard, operation, root) {
  for (const file of filesIn(root)) if (/\.git\/.*\.lock$/.test(file)) fs.rmSync(file);
  const { code, output } = await yard.liza(root, operation.argv);
  return code === 0 ? [] : [`it cannot be done again: ${output}`];
}

async function green(yard, root, when) {
  const [valid, verified] = await Promise.all([
    yard.liza(root, ['validate']),
    yard.liza(root, ['log', 'verify', '--json']),
  ]);
  const problems = [];
  // A board whose state.yaml was not yet written has nothing to validate: the next command writes it.
  if (!valid.output.startsWith('VALID') && fs.existsSync(path.join(root, '.liza', 'state.yaml')))
    problems.push(`${when} validate says ${valid.output}`);
  const told = verified.code === 0 ? JSON.parse(verified.output) : {};
  if (verified.code !== 0) problems.push(`${when} log verify says ${verified.output}`);
  else if (when.startsWith('after') && (told.remarks ?? told.data?.remarks ?? []).length > 0)
    problems.push(`${when} log verify remarks ${verified.output}`);
  return problems;
}

/** The log tells every entry once and in order; nothing temporary is left. */
function audit(root) {
  const log = fs.readFileSync(path.join(root, '.liza', 'log.yaml'), 'utf8');
  const told = [...log.matchAll(/^ {2}entry: (\d+)$/gm)].map(([, entry]) => Number(entry));
  const begun = [...log.matchAll(/^- timestamp: /gm)].length;
  const wanted = journalIn(root).map((_, index) => index + 1);
  const problems = [];
  if (told.join() !== wanted.join() || begun !== wanted.length) problems.push(`log.yaml is not the journal:\n${log}`);
  const left = filesIn(root).filter((file) => /\.\d+\.new$|\.liza-\d+$/.test(file));
  if (left.length > 0) problems.push(`left behind: ${left.join(', ')}`);
  return problems;
}

const journalIn = (root) => linesOf(read(path.join(root, '.liza', 'journal.jsonl')) ?? '');
const linesOf = (text) => text.split('\n').filter((line) => line !== '');
const stateIn = (root) => {
  const text = read(path.join(root, '.liza', 'state.yaml'));
  return text === undefined ? undefined : timeless(text);
};
const read = (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined);

/** Two runs differ in the time of day only; the board's own times are of 2026-03 and 2099. */
const timeless = (text) =>
  text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (time) => (/^(2026-03|2099)/.test(time) ? time : 'NOW'));

const filesIn = (root) =>
  fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
