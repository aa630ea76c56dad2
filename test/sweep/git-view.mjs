// A project of the git sweep as a stranger with a shell sees it.

import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { environmentAt, projectIn } from './git-places.mjs';
import { must, run } from './project.mjs';

export function viewOf({ program }, place) {
  const root = projectIn(place);
  const env = { ...environmentAt(place), GIT_OPTIONAL_LOCKS: '0' };
  return {
    root,
    env,
    must: (program, args) => must(program, args, { cwd: root, env }),
    git: (...args) => must('git', args, { cwd: root, env }),
    liza: (argv, who = {}) => run('node', [program, ...argv], { cwd: root, env: { ...environmentAt(place), ...who } }),
  };
}

export const stateOf = ({ root }) => parse(fs.readFileSync(path.join(root, '.liza', 'state.yaml'), 'utf8'));
export const tasksOf = (view) => stateOf(view).tasks;
export const taskOf = (view, { task }) => tasksOf(view).find(({ id }) => id === task);

export const linesOf = (text) => text.split('\n').filter((line) => line !== '');

export function filesIn(root) {
  if (!fs.statSync(root, { throwIfNoEntry: false })?.isDirectory()) return [];
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => path.join(entry.parentPath, entry.name));
}
