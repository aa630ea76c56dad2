// What must hold in a project after a command was killed and the doctor has been there: nothing half-made,
// nothing lost, git and the blackboard tell the same, and the person's own checkout is as it was.

import fs from 'node:fs';
import path from 'node:path';
import { namesIn } from './git-places.mjs';
import { filesIn, linesOf, stateOf, tasksOf } from './git-view.mjs';
import { run } from './project.mjs';

/** What the command found: work that may not get lost. */
export async function lookBefore(view, { task }) {
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
    branch: await view.git('symbolic-ref', 'HEAD'),
    attempts: linesOf(await view.git('for-each-ref', 'refs/liza/attempts')).length,
  };
}

/** Git itself works, for everybody. */
export async function usable(view, when) {
  const problems = [];
  for (const args of [['branch'], ['worktree', 'list'], ['status', '--porcelain'], ['fsck', '--connectivity-only']]) {
    const { code, output } = await run('git', args, { cwd: view.root, env: view.env });
    if (code !== 0) problems.push(`${when} git ${args.join(' ')} ends with ${code}: ${output}`);
  }
  return problems;
}

/** All that must hold. */
export async function whole(view, scenario, before, when) {
  const found = await Promise.all([
    usable(view, when),
    noLeftovers(view, scenario),
    nothingLost(view, scenario, before),
    integrationTold(view, scenario),
    rootClean(view, before),
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
  const saved = linesOf(await view.git('for-each-ref', '--format=%(refname)', 'refs/liza/saved'));
  same('files that wait for a folder', saved, []);
  for (const id of owners) problems.push(...(await folderUsable(view, id)));
  const left = [view.root, ...owners.map((id) => path.join(view.root, '.worktrees', id))]
    .flatMap((folder) => filesIn(path.join(folder, '.git')))
    .filter((file) => LEFT.test(file) && !isOfTheLiving(file));
  if (left.length > 0) problems.push(`left behind: ${left.map((file) => path.relative(view.root, file)).join(', ')}`);
  const reserved = tasksOf(view).filter(({ claiming, merging: under }) => claiming ?? under);
  if (reserved.length > 0) problems.push(`still reserved: ${reserved.map(({ id }) => id).join(', ')}`);
  const { moving } = stateOf(view).goal;
  if (moving !== undefined) problems.push(`a ${moving.kind} is still announced`);
  return problems;
}

const LEFT =
  /\.lock$|packed-refs\.new$|\/\.(making|trash|merge|scratch)-|\/liza-(index|advance|unprepared)|\/liza\/git\/\w+\.\d+$/;

/** Another process may have the pid of the dead by now: then its scratch stays a little longer. */
function isOfTheLiving(file) {
  const pid = /\/\.scratch-(\d+)-/.exec(file)?.[1];
  return pid !== undefined && fs.existsSync(`/proc/${pid}`);
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
  const synced = (stateOf(view).goal.syncs ?? []).map(({ merge_commit: merge }) => merge);
  const strange = chain.slice(1).filter((commit) => ![...merged, ...synced].includes(commit));
  if (strange.length > 0) problems.push(`on integration, but no merge: ${strange.join(', ')}`);
  return problems;
}

/** The person's own checkout is on its branch, clean. */
async function rootClean(view, { branch }) {
  const status = await view.git('status', '--porcelain', '--untracked-files=all');
  const now = await view.git('symbolic-ref', 'HEAD');
  return [
    ...(status === '' ? [] : [`the person's checkout is not clean:\n${status}`]),
    ...(now === branch ? [] : [`the person's checkout was on ${branch.trim()} and is on ${now.trim()}`]),
  ];
}
