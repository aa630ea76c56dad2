// What a changed spec asks of the planner: each section that changed, which tasks come from it, and what to do by their
// state. Its coders and reviewers are shown the change by themselves.

import type { SectionNews } from '../../protocol/messages/news.ts';
import type { PlanningWork } from './prompt.ts';
import { inline, pathList, quote } from './quote.ts';

const MOST_SECTIONS = 8;
const MOST_LINES = 25;

export function specChanged(files: readonly string[], specs: PlanningWork['specs'] = []): readonly string[] {
  return [
    ...files.flatMap((file) => {
      const sections = specs.find(({ spec }) => spec === file)?.sections;
      const head = `* SPEC_CHANGED: ${inline(file)} has changed`;
      if (sections === undefined) return [`${head}; the old text is not kept: read the whole text again.`];
      if (sections.length === 0) return [`${head}, and was changed back since: nothing to do.`];
      const more = sections.length - MOST_SECTIONS;
      return [
        `${head} since the planner last read it:`,
        ...sections.slice(0, MOST_SECTIONS).flatMap((one) => sectionLines(one, file)),
        ...(more > 0 ? [`(${more} more sections: read ${inline(file)})`] : []),
      ];
    }),
    'Coders and reviewers of these tasks are shown it. Amend what is DRAFT, UNCLAIMED or BLOCKED; where the heading of a task is GONE, also of a CLAIMED one, name the right one: `liza amend <task> --spec <file>#<heading>`; merged work that no longer does it, or what no task covers, needs a new task: `liza add-task`, see COMMANDS. Then `liza align "what the change means for the plan" --event "spec change"`. It wakes you only this once.',
  ];
}

function sectionLines({ spec, kind, text, tasks }: SectionNews, file: string): readonly string[] {
  const lines = text.split('\n');
  const more = lines.length - MOST_LINES;
  return [
    `${kind.toUpperCase()}: ${inline(spec)}, on it: ${tasks.length === 0 ? 'no task' : pathList(tasks, 0, 10)}`,
    ...(text === '' ? [] : quote(lines.slice(0, MOST_LINES).join('\n'), `cat ${file}`)),
    ...(more > 0 ? [`(${more} more lines: read ${inline(file)})`] : []),
  ];
}
