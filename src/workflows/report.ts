// `liza report`: reads the board and writes the report, over a former one but over nothing else. Changes no state.

import { statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { secretsOf } from '../core/alarms/redact.ts';
import { type Refusal, refuse } from '../core/decision.ts';
import { reportOf } from '../core/report/facts.ts';
import { MARKDOWN_MARK, markdownReport } from '../core/report/markdown.ts';
import { PAGE_MARK, page } from '../core/report/page.ts';
import type { Hands } from './hands.ts';
import { writePaper } from './papers.ts';

export type ReportFormat = 'html' | 'md';

export async function reportText(hands: Pick<Hands, 'store' | 'env'>, format: ReportFormat): Promise<string> {
  const { board, now } = await hands.store.read();
  const archived = await hands.store.archivedTasks();
  const report = reportOf({ state: board.state, archived, now, secrets: secretsOf(hands.env) });
  return format === 'html' ? page(report) : markdownReport(report);
}

export interface Place {
  /** As it was typed; absent: beside the board. */
  readonly out?: string | undefined;
  readonly cwd: string;
  /** Over whatever is there. */
  readonly force: boolean;
}

/** The path of what was written: from the project's root where it lies there. */
export function keepReport(
  { context }: Pick<Hands, 'context'>,
  text: string,
  { out, cwd, force }: Place,
): string | Refusal {
  const path = out === undefined ? join(context.paths.liza, 'report.html') : resolve(cwd, out);
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFile() === false) {
    // A device or a pipe would be replaced by a file, for files are only ever written whole.
    return refuse(`${out ?? path} is no plain file`, 'name a file; --out - prints the report', 1, 'out');
  }
  if (there !== undefined && !force && !isReport(context.files.readRange(path, 0, HEAD).toString('utf8'))) {
    return refuse(
      `${out ?? path} is there and is no report: it was left as it is`,
      'name another file, or overwrite it with --force; --out - prints the report',
      1,
      'out',
    );
  }
  writePaper(context, path, text);
  const inside = relative(context.paths.root, path);
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}

const HEAD = 1000;
const isReport = (head: string): boolean => head.startsWith(MARKDOWN_MARK) || head.includes(PAGE_MARK);
