// `liza retrospective`: drafts the sprint's numbers into a file and keeps what the people learned.

import { realDisk } from '../../ports/disk.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { committedResult, openTaskContext } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  options: { learned: { value: 'text', description: 'What you learned; - reads it from stdin.' } },
  examples: ['liza retrospective', 'liza retrospective --learned "cut tasks by file, not by feature"'],
  details: ['The draft is made once per sprint and is yours from then on: Liza only adds to its end.'],
  run: async (args, io) => {
    const learned = args.text('learned');
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const { retrospective } = await import('../../governance/retrospective.ts');
    const template = realDisk.readFileSync(io.asset('templates/retrospective.md'), 'utf8');
    const made = await retrospective(context, template, learned);
    if (isRefusal(made)) return made;
    const { committed, file, drafted } = made;
    const result = committedResult(committed, () => ({ data: { file, drafted } }));
    if (!result.ok) return result;
    const next = learned === undefined ? ['Add what you learned: liza retrospective --learned "…"'] : [];
    return { ...result, lines: [...(result.lines ?? []), `${drafted ? 'Drafted' : 'It is in'} ${file}`, ...next] };
  },
};
