// The checks that bench/checks.mjs measures, taken out of the sources. Each place is there exactly once: what is moved or
// renamed must be found again, or nothing is built.

const takenOut = (file, find, put = '') => ({ file, find, put });

export const WITHOUT_CHECKS = [
  takenOut('src/ports/inherited.ts', "if (process.platform !== 'linux') return;", 'return;'),
  ...['log.showSignature=false', 'gpg.program=false', 'gpg.ssh.program=false', 'gpg.x509.program=false'].map((line) =>
    takenOut('src/ports/git-program.ts', `  '${line}',\n`),
  ),
  takenOut('src/git/own-directory.ts', "let stamp = '';", 'let stamp;'),
  takenOut('src/git/own-directory.ts', 'const now = stampOf(host.disk, path, files);', "const now = '';"),
  takenOut('src/git/own-directory.ts', ' stamp = stampOf(host.disk, path, files);', " stamp = '';"),
  takenOut('src/identity/branch-watch.ts', 'const mayHold = await', 'const mayHold = false && await'),
  takenOut('src/identity/branch-watch.ts', 'last && (await lostSince(', 'undefined && (await lostSince('),
  takenOut('src/identity/branch-watch.ts', 'readRefs(gitDir, ...PEOPLES, ...beside)', "readRefs(gitDir, 'refs/heads')"),
  takenOut('src/identity/branch-watch.ts', 'plantedFiles(context, names).filter(', '[].filter('),
  takenOut('src/identity/branch-watch.ts', '...(await plantedAmong(context, names, moved)), ...files', '...files'),
  takenOut('src/supervisor/assignments.ts', 'inspect: () => restFolder(taskContext, held.id, player.agent),'),
  takenOut('src/tasks/disposable-checkout.ts', 'const isOpen = !needs', 'const isOpen = false && !needs'),
  takenOut('src/git/laid-out.ts', '| undefined => known.get(folder);', '| undefined => undefined;'),
  takenOut('src/tasks/disposable-checkout.ts', "await laid.note(tree ?? commit, join(folder, '.git', 'index'));"),
  takenOut('src/tasks/commit-facts.ts', '...(await readHistory(gitDir, newer ?? base, commit, changed)),'),
  takenOut('src/tasks/commit-facts.ts', '...(await namesOfCommits(asked, newer ?? base, commit)),'),
  takenOut('src/tasks/commit-facts.ts', '...(await beforePlan(asked, commit)),'),
  takenOut('src/tasks/commit-facts.ts', 'since_red: await sinceRed(gitDir, task, commit),'),
  takenOut('src/tasks/queue/chain.ts', 'const waits = await', 'const waits = undefined && await'),
];
