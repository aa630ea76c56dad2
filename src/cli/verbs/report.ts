// `liza report`: one page that says how a goal went, as HTML or Markdown.

import { onTasks } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  options: {
    md: { description: 'As Markdown, printed unless --out names a file; a file name ending in .md also selects it.' },
    out: { value: 'file', kind: 'file', description: 'Write it there; - prints it. Default .liza/report.html.' },
    goal: { value: 'id', kind: 'goal', description: 'An earlier goal, see liza goals; default: the current one.' },
    force: { description: 'Overwrite a file that is not a report in this format.' },
  },
  examples: ['liza report', 'liza report --out goal.html', 'liza report --md', 'liza report --goal goal-1 --md'],
  details: [
    'Tasks on their way through the states, progress, reviews with their reasons, time in each state, who did what, tokens and cost, anomalies, and how the plan changed. The page is one file: it loads nothing and runs no script, so it can be sent to others. It contains what agents and people wrote; known forms of secrets are redacted.',
    'It works at any time, on archived tasks too, and changes nothing on the board.',
  ],
  run: onTasks(async (context, args, io) => {
    const { keepReport, reportText } = await import('../../project/write-report.ts');
    const out = args.text('out');
    const format = args.flag('md') || /\.(?:md|markdown)$/i.test(out ?? '') ? 'md' : 'html';
    const text = await reportText(context, format, args.text('goal'));
    if (typeof text !== 'string') return text;
    if (out === '-' || (out === undefined && format === 'md')) {
      if (args.json) return { ok: true, data: { format, report: text } };
      // Into a file it is not folded to ASCII, whatever the locale: as --out writes it.
      if (format === 'md' && io.stdoutIsTty) return { ok: true, lines: [text.trimEnd()] };
      io.stdout(text);
      return { ok: true, silent: true };
    }
    const file = keepReport(context, text, { out, cwd: io.cwd, force: args.flag('force'), format });
    if (typeof file !== 'string') return file;
    return { ok: true, message: `wrote ${file}`, data: { file, format } };
  }),
};
