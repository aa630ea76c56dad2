// Agents that do what they were told, or mistake their role, and are no impostors.

import { contained, holds } from '../harness.mjs';

const told = (w) => w.liza(['watch', '--once']).said + w.alerts();

export const g72 = {
  id: 'G72',
  agent:
    '(coder, reviewer) obeys the contract (hands off, commits), and types commands of other roles under its own name',
  stated: 'never treated as an impostor: refused with what it can do, or done',
  plant: [
    {
      take: {
        file: 'src/identity/record-violation.ts',
        find: 'const agent = honestAgent(caller, refusal);',
        put: "const agent = honestAgent(caller, refusal); if (agent !== undefined) await recordAttempt(caller, command, { agent, claimed: 'another role' });",
      },
      red: /treated as an impostor/,
    },
    {
      take: {
        file: 'src/identity/record-violation.ts',
        find: 'const agent = honestAgent(caller, refusal);',
        put: "const agent = honestAgent(caller, refusal); if (agent !== undefined) await recordAttempt(caller, command, { agent, claimed: 'another role' });",
      },
      red: /treated as an impostor/,
      sandbox: true,
    },
    {
      take: {
        file: 'src/protocol/commands/coding/handoff.ts',
        find: "who: ['coder', 'code_reviewer'],",
        put: "who: ['coder'],",
      },
      red: /handoff was to succeed/,
    },
  ],
  coder: `
    try verdict liza submit-verdict a APPROVED
    try pause liza pause
    begin; code 1; proof 1; commit 'a: made'; submit; leave 42 submitted`,
  reviewer: `
    if liza show a --json | grep -q 'half of it is read'; then approve; leave 0 approved; fi
    try block liza block a --reason 'I cannot tell' --question 'which?'
    try plan liza plan done
    shell commit 'git -c user.name=r -c user.email=r@example.invalid commit --allow-empty -qm "a note of mine"'
    try handoff liza handoff a --summary 'half of it is read' --next 'read the test' && leave 42 'handed off'
    approve; leave 0 approved`,
  async play(w) {
    await w.crew({ until: () => w.task().status === 'MERGED' });
  },
  check(w) {
    w.refused('verdict', /it is for a reviewer/, /liza begin a/);
    w.refused('pause', /it is for a person/, /liza begin a/);
    w.refused('block', /it is for/, /liza submit-verdict a/);
    w.refused('plan', /it is for/, /liza submit-verdict a/);
    w.succeeded('handoff');
    holds(w.attempts('commit').length > 0, 'the reviewer never tried to commit');
    const accused = w.board().anomalies.filter(({ type }) => type === 'identity_violation');
    holds(accused.length === 0 && !/IDENTITY/.test(told(w)), 'an honest agent was treated as an impostor');
    const lines = w.read('.liza', 'refused.log').trimEnd().split('\n');
    holds(lines.length === 4, `refused.log has ${lines.length} lines`);
    holds(w.task().status === 'MERGED', `it is ${w.task().status}`);
    return contained(
      'each told what it can do, a line in refused.log, no alarm; the handoff was taken, the work merged',
    );
  },
};
