// `liza blame <commit>`: which task, coder and reviewer stand behind a commit of the integration branch.

import type { Blame, Trailers } from '../../audit/blame.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { plantedText } from '../../protocol/messages/planted.ts';
import { onTasks } from '../open-project.ts';
import { provenanceOf, renderBlame, renderMerged } from '../render/blame.ts';
import { lookOf } from '../render/look.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'commit', description: 'Its id, HEAD, a branch or a tag; with ~2 or ^2 behind it where needed.' },
  ],
  examples: ['liza blame HEAD', 'liza blame 3f2c91ab --json', 'liza blame integration~4'],
  details: [
    'Says which merge brought the commit to the integration branch, who wrote it, every round of review with its verdicts, the evidence that was given, and whether the trailers in git agree with the board.',
    'A branch comes before a tag of the same name. Which commit last changed a line: git blame refs/heads/integration -- <file>',
  ],
  run: onTasks(async (context, args, io) => {
    const { blame } = await import('../../audit/blame.ts');
    const found = await blame(context, args.must('commit'));
    if (isRefusal(found)) return found;
    if ('brought' in found)
      return { ok: true, lines: args.json ? [] : [renderMerged(found, lookOf(io))], data: { ...found } };
    const { task, ...facts } = found;
    const behind = provenanceOf(task, found.merge.reviewed);
    const look = lookOf(io);
    return {
      ok: true,
      lines: args.json ? [] : [renderBlame(found, behind, look), ...replacedLine(found)],
      data: {
        ...facts,
        task: task.id,
        description: task.description,
        ...behind,
        trailers: { ...found.trailers, agree: agreeing(found.trailers) },
      },
    };
  }),
};

const replacedLine = ({ replaced }: Blame): readonly string[] =>
  replaced === undefined ? [] : [`warning: ${plantedText(replaced)}`];

/** null: there are none, and none are expected. */
const agreeing = ({ found, differ }: Trailers): boolean | null =>
  differ.length > 0 ? false : Object.keys(found).length > 0 || null;
