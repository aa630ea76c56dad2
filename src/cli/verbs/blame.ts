// `liza blame <commit or file>`: which task, coder and reviewer stand behind a commit of the integration branch, or behind
// the lines of a file there.

import type { Blame, Trailers } from '../../audit/blame.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { plantedText } from '../../protocol/messages/planted.ts';
import { onTasks } from '../open-project.ts';
import { provenanceOf, renderBlame, renderFile, renderMerged } from '../render/blame.ts';
import { lookOf } from '../render/look.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    {
      name: 'commit',
      description:
        'Its id, HEAD, a branch or a tag; with ~2 or ^2 behind it where needed. Or a file, by its path from the project’s root.',
    },
  ],
  examples: ['liza blame HEAD', 'liza blame 3f2c91ab --json', 'liza blame integration~4', 'liza blame src/greet.ts'],
  details: [
    'Says which merge brought the commit to the integration branch, who wrote it, every round of review with its verdicts, the evidence that was given, and whether the trailers in git agree with the board.',
    'Of a file on the integration branch it says of each line who wrote and who approved it, with the commit that last changed it. A branch comes before a tag or a file of the same name.',
  ],
  run: onTasks(async (context, args, io) => {
    const { blame } = await import('../../audit/blame.ts');
    const name = args.must('commit');
    const found = await blame(context, name);
    if (isRefusal(found)) {
      if (found.guard !== 'commit') return found;
      const { blameFile } = await import('../../audit/blame-file.ts');
      const file = await blameFile(context, name);
      if (file === undefined || isRefusal(file)) return file ?? found;
      return { ok: true, lines: args.json ? [] : [renderFile(file, lookOf(io))], data: { ...file } };
    }
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
