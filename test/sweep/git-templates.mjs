// The projects of the git sweep, made by the command line as people and agents would: one for each
// scenario and isolation, kept as a template.

import fs from 'node:fs';
import path from 'node:path';
import { addTask, checkpoint, SHOWN } from '../support/core.mjs';
import { environmentAt, keepTemplate, layOut, projectIn } from './git-places.mjs';
import { CODER, claim, merge, OTHER, REVIEWER } from './git-scenarios.mjs';
import { must, run } from './project.mjs';

const FROM_READY = [
  ...['ready', 'worked', 'dirty', 'blocked', 'approved', 'checkout'],
  ...['claim-killed', 'release-killed', 'merge-killed', 'missing'],
];

/** The templates that the given scenarios need, by `from` and isolation. */
export async function makeTemplates({ base, program }, place, isolation, wanted) {
  const shell = shellIn(program, place);
  const keep = (name) => keepTemplate(base, place, name, isolation);
  const needs = (...names) => names.some((name) => wanted.has(name));
  if (needs(...FROM_READY)) {
    await begin(shell, isolation, {});
    keep('ready');
    if (needs('claim-killed')) {
      await shell.killed(claim, 'read-tree --reset -u');
      keep('claim-killed');
      shell.layOut(base, 'ready', isolation);
    }
    await shell.claim('greet', CODER);
    await shell.work('greet', CODER, 'src/hello.js');
    keep('worked');
    if (needs('missing')) {
      shell.remove('.worktrees/greet');
      keep('missing');
      shell.layOut(base, 'worked', isolation);
    }
    if (needs('dirty', 'blocked', 'release-killed')) {
      shell.write('.worktrees/greet/src/a.js', 'a, changed and not committed\n');
      shell.write('.worktrees/greet/notes/idea.txt', 'not even added\n');
      keep('dirty');
      await shell.liza(['block', 'greet', '--reason', 'no limit is named', '--question', 'How many?'], CODER);
      keep('blocked');
      shell.layOut(base, 'dirty', isolation);
      await shell.killed({ argv: ['release-claim', 'greet'], env: {} }, 'commit-tree');
      keep('release-killed');
    }
    if (needs('approved', 'checkout', 'merge-killed')) {
      shell.layOut(base, 'worked', isolation);
      await shell.approve('greet', CODER);
      keep('approved');
      await shell.git('switch', '-q', 'integration');
      keep('checkout');
      await shell.killed(merge, 'read-tree -m -u [0-9a-f]*');
      keep('merge-killed');
    }
  }
  if (needs('tested')) {
    const test = '#!/bin/sh\ntest -f src/hello.js && echo green > result.txt\n';
    await begin(shell, isolation, { 'scripts/integration-test.sh': test });
    await shell.claim('greet', CODER);
    await shell.work('greet', CODER, 'src/hello.js');
    await shell.approve('greet', CODER);
    keep('tested');
  }
  // Both the integration branch and the person's, which is checked out, went on.
  if (needs('apart')) {
    await begin(shell, isolation, { 'scripts/integration-test.sh': '#!/bin/sh\ntest -f src/other.js\n' });
    await shell.claim('other', OTHER);
    await shell.work('other', OTHER, 'src/other.js');
    await shell.approve('other', OTHER);
    await shell.liza(['wt', 'merge', 'other'], REVIEWER);
    shell.write('src/mine.js', 'mine\n');
    await shell.git('add', '-A');
    await shell.git('commit', '-q', '-m', 'mine');
    keep('apart');
  }
  // Without a checkpoint there is nothing to continue.
  for (const name of ['expired', 'left']) {
    if (!needs(name)) continue;
    await begin(shell, isolation, {});
    await shell.liza(['config', 'set', 'lease_duration', '5']);
    await shell.claim('greet', CODER);
    await shell.liza(['config', 'set', 'lease_duration', '86400']);
    if (name === 'left') await shell.work('greet', CODER, 'src/hello.js');
    else await shell.commit('greet', 'src/hello.js');
    shell.write('.worktrees/greet/notes/idea.txt', 'not even added\n');
    await new Promise((resolve) => setTimeout(resolve, 5500));
    keep(name);
  }
  for (const [name, file] of [
    ['diverged', 'src/other.js'],
    ['conflict', 'src/hello.js'],
  ]) {
    if (!needs(name)) continue;
    await begin(shell, isolation, {});
    await shell.claim('greet', CODER);
    await shell.claim('other', OTHER);
    await shell.work('other', OTHER, file);
    await shell.approve('other', OTHER);
    await shell.liza(['wt', 'merge', 'other'], REVIEWER);
    await shell.work('greet', CODER, 'src/hello.js');
    await shell.approve('greet', CODER);
    if (name === 'conflict') await shell.liza(['wt', 'merge', 'greet'], REVIEWER, 3);
    keep(name);
  }
}

async function begin(shell, isolation, files) {
  shell.clear();
  const start = {
    'specs/vision.md': '# Vision\n',
    'src/a.js': 'a\n',
    'src/deep/b.js': 'b\n',
    '.gitignore': '.env\n',
    '.env': 'SECRET=1\n',
    ...files,
  };
  for (const [file, text] of Object.entries(start)) shell.write(file, text);
  await shell.git('init', '-q', '--template=', '-b', 'main');
  // In the repository itself: the homes of the workers have no settings.
  for (const word of ['name', 'email']) await shell.git('config', `user.${word}`, 'me@example.org');
  await shell.git('add', '-A');
  await shell.git('commit', '-q', '-m', 'start');
  await shell.liza(['init', 'Greet everybody']);
  for (const [key, value] of [
    ['isolation', isolation],
    // Where it is on, all folders are clones.
    ['sandbox', 'off'],
    ['worktree_files', '[".env"]'],
    ['lease_duration', '86400'],
    ['review_lease_duration', '86400'],
    // One run at the commit says as much about crashes as three.
    ['tdd', 'off'],
  ])
    await shell.liza(['config', 'set', key, value]);
  for (const [id, priority] of [
    ['greet', '1'],
    ['other', '2'],
  ]) {
    await shell.liza(addTask(id, { priority }));
  }
  await shell.liza(['register', 'coder-1'], CODER);
  await shell.liza(['register', 'coder-2'], OTHER);
  await shell.liza(['register', 'code-reviewer-1'], REVIEWER);
}

function shellIn(program, place) {
  const root = projectIn(place);
  const env = environmentAt(place);
  const at = (folder) => ({ cwd: path.join(root, folder), env });
  const git = (...args) => must('git', args, at('.'));
  const liza = async (argv, who = {}, wanted = 0, folder = '.') => {
    const { code, output } = await run('node', [program, ...argv], { ...at(folder), env: { ...env, ...who } });
    if (code !== wanted) throw new Error(`liza ${argv.join(' ')} ended with ${code}:\n${output}`);
  };
  const write = (file, text) => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text, { mode: file.endsWith('.sh') ? 0o755 : 0o644 });
  };
  const commit = async (task, file) => {
    const folder = path.join('.worktrees', task);
    write(path.join(folder, file), `hello from ${task}\n`);
    write(path.join(folder, 'test', `${task}.test.js`), `test of ${task}\n`);
    await must('git', ['add', '-A'], at(folder));
    await must('git', ['commit', '-q', '-m', `say ${task}`], at(folder));
  };
  return {
    git,
    liza,
    write,
    clear: () => fs.rmSync(root, { recursive: true, force: true }),
    remove: (file) => fs.rmSync(path.join(root, file), { recursive: true }),
    /** The whole of Liza dies as it starts the git that the pattern of sh names. */
    killed: async ({ argv, env: who }, pattern) => {
      const bin = path.join(place, 'bin');
      fs.rmSync(bin, { recursive: true, force: true });
      fs.mkdirSync(bin);
      const script = `#!/bin/sh\ncase "$*" in *${pattern.replaceAll(' ', '\\ ')}*) kill -9 $PPID; exit 1;; esac\nPATH=\${PATH#*:} exec git "$@"\n`;
      fs.writeFileSync(path.join(bin, 'git'), script, { mode: 0o755 });
      await liza(argv, { ...who, PATH: `${bin}:${process.env.PATH}` }, 137);
    },
    layOut: (base, name, isolation) => layOut(base, place, name, isolation),
    claim: (task, who) => liza(['claim-task', task, who.LIZA_AGENT_ID], who),
    commit,
    work: async (task, who, file) => {
      await liza(['begin', task, ...checkpoint(file)], who, 0, path.join('.worktrees', task));
      await commit(task, file);
    },
    approve: async (task, who) => {
      await liza(['submit-for-review', task, 'HEAD'], who, 0, path.join('.worktrees', task));
      await liza(['claim-review', task, 'code-reviewer-1'], REVIEWER);
      await liza(['submit-verdict', task, 'APPROVED', SHOWN], REVIEWER);
    },
  };
}
