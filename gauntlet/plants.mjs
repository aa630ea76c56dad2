// Bugs that several rows are held against; see `plant` in docs/gauntlet.md.

/** What the sandbox shows read-only, the project above all, can be written. */
export const PROJECT_WRITABLE = {
  file: 'src/sandbox/bwrap.ts',
  find: "kind === 'read' ? '--ro-bind-try' : '--bind-try'",
  put: "'--bind-try'",
};

/** That folder of the project can be written from every sandbox. */
export const writableInSandbox = (folder) => ({
  file: 'src/sandbox/build-policy.ts',
  find: 'write: [...(folder?.writable',
  put: `write: [join(root, '${folder}'), ...(folder?.writable`,
});

/** Of what a program started nobody but itself is known. */
export const TREE_FORGOTTEN = {
  file: 'src/process/end-process-tree.ts',
  find: 'return [...members.values()];',
  put: 'return all.filter(({ pid }) => pid === root.pid);',
};

/** Lines taken from tests, and lines that rig them, are told to nobody. */
export const EDITS_UNTOLD = {
  file: 'src/protocol/facts/diff-facts.ts',
  find: 'edits === undefined || edits.lines.length === 0',
  put: 'true',
};
