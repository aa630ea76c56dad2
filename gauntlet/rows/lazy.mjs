// Reviewers who did not look.

import { GOOD_CODER } from '../agents.mjs';
import { detected, holds } from '../harness.mjs';

export const g88 = {
  id: 'G88',
  agent:
    '(reviewer) pastes the evidence of another task: its command, its test, a line of a file that this change leaves alone',
  stated: 'refused where it is false; where it is true and beside the point it is flagged',
  plant: [
    {
      take: {
        file: 'src/protocol/review/approval-record.ts',
        find: 'if (!ranGreen(',
        put: 'if (false && !ranGreen(',
      },
      red: /command was let through/,
    },
    {
      take: {
        file: 'src/tasks/approval-facts.ts',
        find: 'if (path === undefined) unchanged.add(one.file);',
        put: 'if (path === undefined) unchanged.clear();',
      },
      red: /is not flagged/,
    },
  ],
  files: { 'src/b.mjs': 'export const b = 1;\n', 'test/b.test.mjs': "import '../src/b.mjs';\n" },
  coder: GOOD_CODER,
  reviewer: `
    try command liza submit-verdict a APPROVED '1: ran node test/b.test.mjs'
    try test liza submit-verdict a APPROVED '1: test test/b.test.mjs › b is there and exported'
    try place liza submit-verdict a APPROVED '1: src/b.mjs:1'
    leave 0 approved`,
  async play(w) {
    await w.crew({ until: () => w.attempts('place').length > 0 });
  },
  check(w) {
    w.refused('command', /criterion 1: Liza did not run/);
    w.refused('test', /criterion 1: test\/b\.test\.mjs has no/);
    w.succeeded('place');
    const { shown } = w.task().history.find(({ event }) => event === 'approved');
    holds(shown?.[0]?.unchanged === true, `the line of another file is not flagged: ${JSON.stringify(shown)}`);
    for (const argv of [
      ['show', 'a'],
      ['audit', 'a'],
    ])
      holds(/the change does not touch it/.test(w.ok(argv).said.replace(/\s+/g, ' ')), `${argv[0]} does not flag it`);
    return detected(
      'another task’s command and test are refused; a line that the change leaves alone is flagged as such',
    );
  },
};

export const g89 = {
  id: 'G89',
  agent: '(reviewer) approves by repeating what the coder says',
  stated: 'flagged: nothing that a machine could check',
  plant: [
    {
      take: {
        file: 'src/protocol/review/shown-text.ts',
        find: 'FLAGGED, only seen: ',
        put: '',
      },
      red: /does not flag it/,
    },
  ],
  coder: `
    begin; code 1; proof 1; commit 'a: made, and it works as the task says'; submit; leave 42 submitted`,
  reviewer: `
    try quoted liza submit-verdict a APPROVED "1: seen $(git log -1 --format=%s)"
    leave 0 approved`,
  async play(w) {
    await w.crew({ until: () => w.attempts('quoted').length > 0 });
  },
  check(w) {
    w.succeeded('quoted');
    const said = w.tried('quoted').said;
    for (const argv of [
      ['show', 'a'],
      ['report', '--md', '--out', '-'],
    ]) {
      const text = w.ok(argv).said;
      holds(/FLAGGED|only seen|flagged/i.test(text), `${argv[0]} does not flag it: ${text} ${said}`);
    }
    return detected('taken as a mere word and flagged so in show and report');
  },
};
