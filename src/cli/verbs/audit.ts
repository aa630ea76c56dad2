// `liza audit [task]`: the whole provenance of a task or the goal, each fact compared with journal and git.

import { unconfined, unsupervised } from '../../audit/rules/sessions.ts';
import { isRefusal, refuse } from '../../protocol/decision.ts';
import { defined } from '../../protocol/values.ts';
import { counted } from '../../text/format.ts';
import { onTasks } from '../open-project.ts';
import { renderAudit } from '../render/audit.ts';
import { lookOf } from '../render/look.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    {
      name: 'task',
      kind: 'task',
      optional: true,
      description: 'Archived ones too; without it: all tasks of the goal.',
    },
  ],
  options: {
    goal: {
      value: 'id',
      kind: 'goal',
      description: 'An earlier goal, see liza goals, or all; default: the current one.',
    },
  },
  examples: ['liza audit', 'liza audit retry-login', 'liza audit --goal goal-1', 'liza audit --goal all --json'],
  details: [
    'Who planned, claimed, began, submitted, judged and merged, and what people did to it. Each fact is marked: ok (the journal or git confirms it), ? (nothing can confirm it; also a step under an agent’s id without a session of a supervisor), CONTRADICTED (with the reason). A session that ran without a sandbox is marked NOT CONFINED.',
    'Exit 0: nothing is contradicted. Exit 4: something is.',
  ],
  run: onTasks(async (context, args, io) => {
    const { audit } = await import('../../audit/gather.ts');
    const only = args.text('task');
    const found = await audit(context, defined({ task: only, goal: args.text('goal') }));
    if (isRefusal(found)) return found;
    const facts = [...found.goal, ...found.tasks.flatMap((one) => one.facts)];
    const alone = unsupervised(facts);
    const open = unconfined(facts);
    const count = (mark: string): number => facts.filter((fact) => fact.mark === mark).length;
    const counts = {
      verified: count('verified'),
      unverifiable: count('unverifiable'),
      contradicted: count('contradicted'),
    };
    const look = lookOf(io);
    const lines = args.json ? [] : [renderAudit(found, only === undefined, look), ''];
    const data = {
      ...counts,
      unsupervised: alone,
      unconfined: open,
      goal: found.goal,
      tasks: found.tasks.map((one) => ({ task: one.task.id, status: one.task.status, facts: one.facts })),
    };
    const said = [
      `${counts.verified} facts verified, ${counts.unverifiable} cannot be, ${counts.contradicted} contradicted`,
      ...(alone === 0
        ? []
        : [
            `NOT FULLY VERIFIED: ${counted(alone, 'step')} under an agent’s id, without a recorded session of a supervisor`,
          ]),
      ...(open === 0
        ? []
        : [
            `NOT CONFINED: ${counted(open, 'session')} ran without a sandbox: they could read and write everything that the user can`,
          ]),
    ].join('; ');
    if (counts.contradicted === 0)
      return { ok: true, lines: args.json ? [] : [...lines, said], data: { ...data, summary: said } };
    const hint = 'compare the lines marked CONTRADICTED; the journal’s copy and lost work: liza doctor, liza attempts';
    return { ...refuse(said, hint, 4, 'contradicted'), lines, data };
  }),
};
