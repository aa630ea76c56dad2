// What every test project starts from, for the builder (repository.ts) and for the proofs and benches that plain node
// runs: an environment in which nothing of the user has a say, a repository, the words of a task, a program to its end.

import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Of the caller's environment only where programs and temporary folders are. */
export function cleanEnvironment(home) {
  const { PATH, TMPDIR } = process.env;
  const kept = { PATH, ...(TMPDIR && { TMPDIR }) };
  return { ...kept, HOME: home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1', GIT_EDITOR: 'true' };
}

export function write(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.rmSync(file, { recursive: true, force: true });
    if (content === null) continue;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    if (typeof content === 'function') content(file);
    else fs.writeFileSync(file, content);
  }
}

/** What git printed, as it is. */
export const gitIn = (folder, args, env, input) =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], env, input });

/** A commit asks git's housekeeping each time whether there is something to do, which takes as long as the commit. */
const SETTINGS = '[user]\n\tname = Person\n\temail = person@example.org\n[maintenance]\n\tauto = false\n';

/**
 * One commit on a branch, of these files and whatever is in the folder; HOME gets the author's name. Git's own templates
 * are samples of hooks: copying them takes time.
 */
export function startRepository(root, env, { files = VISION, branch = 'main', format = 'sha1' } = {}) {
  write(env.HOME, { '.gitconfig': SETTINGS });
  fs.mkdirSync(root, { recursive: true });
  gitIn(root, ['init', '-q', '-b', branch, '--template=', `--object-format=${format}`], env);
  write(root, { '.git/info/exclude': '# exclude patterns\n', ...files });
  fs.mkdirSync(path.join(root, '.git/hooks'));
  gitIn(root, ['add', '-A'], env);
  gitIn(root, ['commit', '-q', '--allow-empty', '-m', 'start'], env);
}
const VISION = { 'specs/vision.md': '# Vision\n' };

export const flags = (values) => Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);

/** Proves the tasks of `addTask`. */
const VALIDATION = 'test -d .';
/** What shows that such a task is done. */
export const SHOWN = `1: ran ${VALIDATION}`;

/** The words that add a task which can be claimed at once. */
export function addTask(id, more = {}) {
  const task = { desc: `Build ${id}`, spec: 'specs/vision.md', done: `${id} is there and exported` };
  const given = { id, ...task, scope: 'IN: src/, test/, tests/', validate: VALIDATION, ...more };
  return ['add-task', ...flags(given), '--ready'];
}

/** The words of a checkpoint. */
export const checkpoint = (file, intent = 'make the file') =>
  flags({ intent, risks: 'none', validation: 'npm test is green', file });

/** Runs a program to its end. `code` is 137 for one that was killed; `text` is all that it printed. */
export function runToEnd(program, args, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: signal === null ? code : 137, text }));
  });
}
