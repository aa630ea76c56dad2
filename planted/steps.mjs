// What decide() does before and after a row's own guards, each step switched off in turn. A change of those
// lines makes the script fail rather than test less.

const FILE = 'src/protocol/decide.ts';

export const STEPS = {
  role: {
    file: FILE,
    find: 'const part = partFor(row, actor, task);',
    put: 'const part = partFor(row, actor, task) ?? row.who[0];',
  },
  input: { file: FILE, find: 'if (bad !== undefined) return named(bad);', put: '' },
  concealed: { file: FILE, find: 'concealed(asked, actor, secrets)', put: 'asked' },
  credential: { file: FILE, find: 'if (told !== undefined) return named(told);', put: '' },
  task: {
    file: FILE,
    find: 'if (Array.isArray(row.from) && task === undefined) return named(noTask(board, command, actor));',
    put: '',
  },
  epoch: { file: FILE, find: "if (stale !== undefined) return named(stale, { name: 'epoch', raced: true });", put: '' },
  already: { file: FILE, find: 'if (done !== false)', put: 'if (Number(1) === 2)' },
  state: { file: FILE, find: '!admits(row, part, task.status)', put: 'Number(1) === 2' },
  switches: {
    file: FILE,
    find: 'const halted = haltedBy(board, row, part, task);',
    put: 'const halted = Number(1) === 2 ? haltedBy(board, row, part, task) : undefined;',
  },
  invariants: { file: FILE, find: 'if (violations.length === 0) return decided;', put: 'return decided;' },
};
