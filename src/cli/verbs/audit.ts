// `liza audit [task]`: the whole provenance of a task or the goal, each fact held against journal and git.

import { unsupervised } from '../../audit/rules/sessions.ts';
import { isRefusal, refuse } from '../../protocol/decision.ts';
import { counted } from '../../text/format.ts';
import { openTaskContext } from '../open-task-context.ts';
import { renderAudit } from '../render/audit.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', optional: true, description: 'Archived ones too; left out: all.' }],
  examples: ['liza audit', 'liza audit retry-login', 'liza audit --json'],
  details: [
    'Who planned, claimed, began, submitted, judged and merged, and what people did to it. Each fact is marked: ok (the journal or git bears it out), ? (nobody can tell: also a step under an agent’s id with no session of a supervisor behind it), CONTRADICTED (with the reason).',
    'Exit 0: nothing is contradicted. Exit 4: something is.',
  ],
  run: async (args, io) => {
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const { audit } = await import('../../audit/gather.ts');
    const only = args.text('task');
    const found = await audit(context, only);
    if (isRefusal(found)) return found;
    const facts = [...found.goal, ...found.tasks.flatMap((one) => one.facts)];
    const alone = unsupervised(facts);
    const count = (mark: string): number => facts.filter((fact) => fact.mark === mark).length;
    const counts = {
      verified: count('verified'),
      unverifiable: count('unverifiable'),
      contradicted: count('contradicted'),
    };
    const look = { color: io.color, unicode: io.unicode, width: io.columns };
    const lines = args.json ? [] : [renderAudit(found, only === undefined, look), ''];
    const data = {
      ...counts,
      unsupervised: alone,
      goal: found.goal,
      tasks: found.tasks.map((one) => ({ task: one.task.id, status: one.task.status, facts: one.facts })),
    };
    const said = [
      `${counts.verified} facts verified, ${counts.unverifiable} cannot be, ${counts.contradicted} contradicted`,
      ...(alone === 0
        ? []
        : [
            `NOT FULLY VERIFIED: ${counted(alone, 'step')} under an agent’s id, with no session of a supervisor on record`,
          ]),
    ].join('; ');
    if (counts.contradicted === 0)
      return { ok: true, lines: args.json ? [] : [...lines, said], data: { ...data, summary: said } };
    const hint = 'compare the lines marked CONTRADICTED; the journal’s copy and lost work: liza doctor, liza attempts';
    return { ...refuse(said, hint, 4, 'contradicted'), lines, data };
  },
};
