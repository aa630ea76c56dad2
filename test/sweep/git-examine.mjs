// What must hold in a project after a command was killed and `liza doctor --fix` has run, as a stranger
// with git and the command line can tell; and that the command can then be done again.

import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { environmentAt, namesIn, projectIn } from './git-projects.mjs';
import { must, run } from './project.mjs';

/** What the command found: work that may not get lost. */
export async function lookBefore(place, { task }) {
  const view = viewOf(place);
  const folder = path.join(view.root, '.worktrees', task);
  const there = fs.existsSync(folder);
  const at = (...args) => view.must('git', ['-C', folder, ...args]);
  const tips = await view.git(
    'for-each-ref',
    '--format=%(objectname)',
    'refs/heads',
    'refs/liza/review',
    'refs/liza/seen',
  );
  const changed = there ? linesOf(await at('status', '--porcelain', '--untracked-files=all')) : [];
  return {
    tips: [...new Set([...linesOf(tips), ...(there ? linesOf(await at('rev-parse', 'HEAD')) : [])])],
    uncommitted: changed
      .filter((line) => !/^(UU|AA)/.test(line))
      .map((line) => {
        const file = line.slice(3);
        return { file, text: fs.readFileSync(path.join(folder, file), 'utf8') };
      }),
    attempts: linesOf(await view.git('for-each-ref', 'refs/liza/attempts')).length,
  };
}

/**
 * Problems, in words. `another`: repeated by another agent, where that is possible; `orphaned` waits for a
 * git that outlived Liza; `straight`: repeated first, as by a supervisor that does not start anew.
 */
export async function examine(yard, place, scenario, before, { another, orphaned, straight }) {
  const view = viewOf(place, yard);
  const doctored = async () => {
    const fixed = await view.liza(['doctor', '--fix']);
    await orphaned?.();
    const again = await view.liza(['doctor']);
    return [
      ...(fixed.code === 0 ? [] : [`doctor --fix ends with ${fixed.code}: ${fixed.output}`]),
      ...(again.output.includes('git and the blackboard agree') ? [] : [`doctor still finds: ${again.output}`]),
      ...(await whole(view, scenario, before, 'after doctor')),
    ];
  };
  const repeated = async () => {
    await orphaned?.();
    const [problems, after] = await repeat(view, scenario, another);
    if (!straight) problems.push(...(await whole(view, scenario, before, 'after repeating')));
    return [...problems, ...(await begun(view, scenario, after))];
  };
  const steps = straight ? [repeated, doctored] : [doctored, repeated];
  const problems = await usable(view, 'after the kill');
  for (const step of steps) problems.push(...(await step()));
  return problems;
}

async function repeat(view, scenario, another) {
  const { status } = taskOf(view, scenario);
  const { argv, env } = another && status === 'UNCLAIMED' ? scenario.another : scenario;
  const { code, output } = await view.liza(argv, env);
  const after = taskOf(view, scenario);
  const problems = [
    ...(code === 0 ? [] : [`repeated, it ends with ${code}: ${output}`]),
    ...(after.status === scenario.ends ? [] : [`repeated, ${scenario.task} is ${after.status}`]),
  ];
  return [problems, after];
}

/** Whoever holds the task can work in its folder. */
async function begun(view, { task }, { status, assigned_to: agent }) {
  if (status !== 'CLAIMED') return [];
  const checkpoint = [
    '--intent',
    'say it',
    '--risks',
    'none',
    '--validation',
    'npm test: ok',
    '--file',
    'src/hello.js',
  ];
  const { code, output } = await view.liza(['begin', task, ...checkpoint], { LIZA_AGENT_ID: agent });
  return code === 0 ? [] : [`in the worktree, begin ends with ${code}: ${output}`];
}

/** A Liza that sees git die says so. A merge that was done stands: of a checkout that did not follow it tells. */
export function judgeSurvivor({ argv }, { code, output }) {
  const told = /ended by SIGKILL|died of signal 9/.test(output);
  if (told && code === (argv[0] === 'doctor' && output.includes('did not follow') ? 4 : 3)) return [];
  if (told && code === 0 && /could not be advanced/.test(output)) return [];
  return [`Liza saw git die and ended with ${code}: ${output}`];
}

/** Git itself works, for everybody. */
async function usable(view, when) {
  const problems = [];
  for (const args of [['branch'], ['worktree', 'list'], ['status', '--porcelain'], ['fsck', '--connectivity-only']]) {
    const { code, output } = await run('git', args, { cwd: view.root, env: view.env });
    if (code !== 0) problems.push(`${when} git ${args.join(' ')} ends with ${code}: ${output}`);
  }
  return problems;
}

async function whole(view, scenario, before, when) {
  const found = await Promise.all([
    usable(view, when),
    noLeftovers(view, scenario),
    nothingLost(view, scenario, before),
    integrationTold(view, scenario),
    rootClean(view),
    boardWhole(view),
  ]);
  return found.flat().map((problem) => (problem.startsWith(when) ? problem : `${when}: ${problem}`));
}

async function boardWhole(view) {
  const valid = await view.liza(['validate']);
  const verified = await view.liza(['log', 'verify']);
  return [
    ...(valid.output.startsWith('VALID') ? [] : [`validate says ${valid.output}`]),
    ...(verified.code === 0 ? [] : [`log verify says ${verified.output}`]),
  ];
}

/** Folders, branches and refs of exactly those tasks that own one; no lock and nothing half-made. */
async function noLeftovers(view, { isolation }) {
  const problems = [];
  const owners = tasksOf(view)
    .filter(({ worktree }) => worktree !== undefined)
    .map(({ id }) => id);
  const same = (what, found, wanted) => {
    if ([...found].sort().join() !== [...wanted].sort().join())
      problems.push(`${what}: ${found.join(', ') || 'none'} instead of ${wanted.join(', ') || 'none'}`);
  };
  same('folders in .worktrees', namesIn(path.join(view.root, '.worktrees')), owners);
  const linked = isolation === 'worktree' ? owners : [];
  same(
    'links',
    namesIn(path.join(view.root, '.git', 'worktrees')),
    linked.map((id) => `liza-${id}`),
  );
  const heads = linesOf(await view.git('for-each-ref', '--format=%(refname:lstrip=3)', 'refs/heads/task'));
  same('branches', heads, linked);
  const seen = linesOf(await view.git('for-each-ref', '--format=%(refname:lstrip=3)', 'refs/liza/seen'));
  same('seen', seen, owners);
  const merging = linesOf(await view.git('for-each-ref', '--format=%(refname)', 'refs/liza/merging'));
  same('merges under way', merging, []);
  for (const id of owners) problems.push(...(await folderUsable(view, id)));
  const left = filesIn(path.join(view.root, '.git'))
    .concat(owners.flatMap((id) => filesIn(path.join(view.root, '.worktrees', id, '.git'))))
    .filter((file) =>
      /\.lock$|packed-refs\.new$|\/\.(making|trash|merge|scratch)-|\/liza-(index|advance)|\/liza\/git\/\w+\.\d+$/.test(
        file,
      ),
    );
  if (left.length > 0) problems.push(`left behind: ${left.map((file) => path.relative(view.root, file)).join(', ')}`);
  const reserved = tasksOf(view).filter(({ claiming, merging: under }) => claiming ?? under);
  if (reserved.length > 0) problems.push(`still reserved: ${reserved.map(({ id }) => id).join(', ')}`);
  return problems;
}

async function folderUsable(view, id) {
  const folder = path.join(view.root, '.worktrees', id);
  if (!fs.existsSync(folder)) return [`${id} has no folder`];
  const { code, output } = await run('git', ['-C', folder, 'status', '--porcelain'], { env: view.env });
  const { output: branch } = await run('git', ['-C', folder, 'symbolic-ref', 'HEAD'], { env: view.env });
  const { code: headed } = await run('git', ['-C', folder, 'rev-parse', '--verify', 'HEAD^{commit}'], {
    env: view.env,
  });
  return [
    ...(code === 0 ? [] : [`git status in ${folder} ends with ${code}: ${output}`]),
    ...(branch.trim() === `refs/heads/task/${id}` ? [] : [`${folder} is on ${branch}`]),
    ...(headed === 0 ? [] : [`HEAD of ${folder} leads nowhere`]),
    ...(fs.existsSync(path.join(folder, '.env')) ? [] : [`${folder} lacks its worktree_files`]),
  ];
}

/** Every commit that was there can be reached; uncommitted files are where they were, or kept. */
async function nothingLost(view, { task }, { tips, uncommitted, attempts }) {
  const problems = [];
  const folder = path.join(view.root, '.worktrees', task);
  const known = new Set(linesOf(await view.git('rev-list', '--all')));
  if (fs.existsSync(path.join(folder, '.git'))) {
    const { code, output } = await run('git', ['-C', folder, 'rev-list', '--all', 'HEAD'], { env: view.env });
    if (code === 0) for (const commit of linesOf(output)) known.add(commit);
  }
  for (const tip of tips) if (!known.has(tip)) problems.push(`commit ${tip} is out of reach`);
  const kept = linesOf(await view.git('for-each-ref', '--format=%(refname)', `refs/liza/attempts/${task}`));
  for (const { file, text } of uncommitted) {
    const there = fs.existsSync(path.join(folder, file)) && fs.readFileSync(path.join(folder, file), 'utf8') === text;
    const found = await Promise.all(
      kept.map((ref) => run('git', ['show', `${ref}:${file}`], { cwd: view.root, env: view.env })),
    );
    if (!there && !found.some(({ code, output }) => code === 0 && output === text)) problems.push(`${file} is lost`);
  }
  for (const ref of kept) {
    if ((await run('git', ['show', `${ref}:.env`], { cwd: view.root, env: view.env })).code === 0)
      problems.push(`${ref} holds .env`);
  }
  if (kept.length > attempts + 1) problems.push(`the same work is kept ${kept.length - attempts} times`);
  return problems;
}

/** The branch is where the board says, and a task is MERGED exactly when its commit is on it. */
async function integrationTold(view) {
  const problems = [];
  const head = (await view.git('rev-parse', 'integration')).trim();
  const told = stateOf(view).goal.integration_head;
  if (told !== head) problems.push(`integration is at ${head}, the board says ${told}`);
  const chain = linesOf(await view.git('rev-list', '--first-parent', '--reverse', 'integration'));
  const all = new Set(linesOf(await view.git('rev-list', 'integration')));
  const tasks = tasksOf(view);
  for (const { id, status, review_commit: commit, merge_commit: merge } of tasks) {
    if (commit !== undefined && (status === 'MERGED') !== all.has(commit))
      problems.push(`${id} is ${status}, yet its commit is ${all.has(commit) ? '' : 'not '}on integration`);
    if (status === 'MERGED' && !chain.includes(merge)) problems.push(`${merge} of ${id} is not in the chain of merges`);
  }
  const merged = tasks.filter(({ status }) => status === 'MERGED').map(({ merge_commit: merge }) => merge);
  const strange = chain.slice(1).filter((commit) => !merged.includes(commit));
  if (strange.length > 0) problems.push(`on integration, but no merge: ${strange.join(', ')}`);
  return problems;
}

/** The person's own checkout was clean, and is. */
async function rootClean(view) {
  const status = await view.git('status', '--porcelain', '--untracked-files=all');
  return status === '' ? [] : [`the person's checkout is not clean any more:\n${status}`];
}

function viewOf(place, yard) {
  const root = projectIn(place);
  const env = { ...environmentAt(place), GIT_OPTIONAL_LOCKS: '0' };
  return {
    root,
    env,
    must: (program, args) => must(program, args, { cwd: root, env }),
    git: (...args) => must('git', args, { cwd: root, env }),
    liza: (argv, who = {}) =>
      run('node', [yard.program, ...argv], { cwd: root, env: { ...environmentAt(place), ...who } }),
  };
}

const stateOf = ({ root }) => parse(fs.readFileSync(path.join(root, '.liza', 'state.yaml'), 'utf8'));
const tasksOf = (view) => stateOf(view).tasks;
const taskOf = (view, { task }) => tasksOf(view).find(({ id }) => id === task);

const linesOf = (text) => text.split('\n').filter((line) => line !== '');

function filesIn(root) {
  if (!fs.statSync(root, { throwIfNoEntry: false })?.isDirectory()) return [];
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => path.join(entry.parentPath, entry.name));
}
