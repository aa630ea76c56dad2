// Where the projects of the git sweep are. Linked worktrees name each other by full path, so every worker
// has one fixed place, where a template is laid out with these paths adjusted.

import fs from 'node:fs';
import path from 'node:path';

/** Nobody's settings, no clock in the commits, and what Liza puts aside is where it can be looked at. */
export function environmentAt(place, env = {}) {
  return {
    ...env,
    HOME: path.join(place, 'home'),
    TMPDIR: path.join(place, 'tmp'),
    GIT_AUTHOR_DATE: '1700000000 +0000',
    GIT_COMMITTER_DATE: '1700000000 +0000',
  };
}

/** One per worker: a project, and around it what belongs to the run and not to the project. */
export function makePlace(base, worker) {
  const place = path.join(base, String(worker));
  for (const folder of ['home', 'tmp', 'logs']) fs.mkdirSync(path.join(place, folder), { recursive: true });
  return place;
}

export const projectIn = (place) => path.join(place, 'project');

const templateOf = (base, name, isolation) => path.join(base, 'templates', `${name}-${isolation}`);

/** The project at the worker's place, as it is now. */
export function keepTemplate(base, place, name, isolation) {
  const kept = templateOf(base, name, isolation);
  copyTree(projectIn(place), path.join(kept, 'project'));
  age(path.join(kept, 'project'));
  fs.writeFileSync(path.join(kept, 'from'), projectIn(place));
}

/** Old enough that neither git nor Liza looks twice at what might have changed within the second. */
function age(folder) {
  const then = Date.now() / 1000 - 3600;
  for (const name of fs.readdirSync(folder, { recursive: true })) {
    if (!fs.lstatSync(path.join(folder, name)).isSymbolicLink()) fs.utimesSync(path.join(folder, name), then, then);
  }
}

/** The template as if it had been made at the worker's place. */
export function layOut(base, place, name, isolation) {
  const kept = templateOf(base, name, isolation);
  const root = projectIn(place);
  fs.rmSync(root, { recursive: true, force: true });
  copyTree(path.join(kept, 'project'), root);
  const from = fs.readFileSync(path.join(kept, 'from'), 'utf8');
  for (const file of from === root ? [] : filesWithPaths(root)) {
    const text = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, text.replaceAll(from, root));
  }
  for (const folder of ['tmp', 'logs']) {
    fs.rmSync(path.join(place, folder), { recursive: true, force: true });
    fs.mkdirSync(path.join(place, folder));
  }
  return root;
}

function filesWithPaths(root) {
  const links = path.join(root, '.git', 'worktrees');
  const folders = path.join(root, '.worktrees');
  const candidates = [
    ...namesIn(links).map((name) => path.join(links, name, 'gitdir')),
    ...namesIn(folders).flatMap((name) => {
      const dot = path.join(folders, name, '.git');
      return [dot, ...namesIn(dot).map((file) => path.join(dot, file))];
    }),
  ];
  return candidates.filter((file) => fs.statSync(file).isFile() && path.basename(file) !== 'index');
}

export const namesIn = (folder) =>
  fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? fs.readdirSync(folder) : [];

function copyTree(from, to) {
  fs.cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}
