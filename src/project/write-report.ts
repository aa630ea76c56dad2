// `liza report`: reads the board and writes the report, over a former one but over nothing else. Changes no state.

import { type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { baseDistance } from '../git/base-branch.ts';
import { writeDocument } from '../governance/write-document.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { boardOfGoal, noGoal } from '../protocol/goal/goal-record.ts';
import { reportOf } from '../report/facts.ts';
import { MARKDOWN_MARK, markdownReport } from '../report/markdown.ts';
import { PAGE_MARK, page } from '../report/page.ts';
import type { BoardContext } from '../store/context.ts';
import type { TaskContext } from '../tasks/context.ts';
import { secretsOf } from '../text/redact.ts';

type ReportFormat = 'html' | 'md';

/** On the current goal, or on an earlier one. */
export async function reportText(context: TaskContext, format: ReportFormat, goal?: string): Promise<string | Refusal> {
  const { store, env } = context;
  const { board, now } = await store.read();
  const isPast = goal !== undefined && goal !== board.state.goal.id;
  const past = isPast ? await store.pastGoals() : [];
  const record = past.find(({ id }) => id === goal);
  if (isPast && record === undefined) return noGoal(goal, [...past.map(({ id }) => id), board.state.goal.id]);
  const state = record === undefined ? board.state : boardOfGoal(record, board.state);
  const archived = await store.archivedTasks(record ?? state.goal);
  const base = record === undefined ? await baseDistance(context, board) : undefined;
  const report = reportOf({ state, archived, now, gone: board.gone, secrets: secretsOf(env), base });
  return format === 'html' ? page(report) : markdownReport(report);
}

export interface Place {
  /** As it was typed; absent: beside the board. */
  readonly out?: string | undefined;
  readonly cwd: string;
  /** Over whatever is there. */
  readonly force: boolean;
  readonly format: ReportFormat;
}

/** Returns the path that was written, relative to the project's root where it is inside. */
export function keepReport(context: BoardContext, text: string, { out, cwd, force, format }: Place): string | Refusal {
  const { liza, root } = context.paths;
  const path = out === undefined ? join(liza, OWN) : resolve(cwd, out);
  const bad = unfit(context, path, out ?? path, force ? undefined : format);
  if (bad !== undefined) return bad;
  writeDocument(context, path, text);
  const inside = relative(root, path);
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}

const OWN = 'report.html';
const LONGEST = 200;

/** `over`: what a file that is there may be; undefined: anything. */
function unfit(
  { files, paths: { liza } }: BoardContext,
  path: string,
  named: string,
  over: ReportFormat | undefined,
): Refusal | undefined {
  if (named.trim() === '') return refusal('--out does not name a file');
  // It is written beside, under a longer name, and then renamed.
  if (Buffer.byteLength(basename(path)) > LONGEST) return refusal(`the name ${named.slice(0, 40)}… is too long`);
  // A file of that name there may be the board itself, or a kill switch.
  if (`${path}/`.startsWith(`${liza}/`) && path !== join(liza, OWN)) {
    return refusal(`${named} is one of Liza's own files`);
  }
  let there: Stats | undefined;
  try {
    if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true) {
      return refusal(`there is no folder ${dirname(named)}`);
    }
    there = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return refusal(
      `${named.slice(0, 80)} cannot be a file: ${error instanceof Error ? error.message.slice(0, 80) : error}`,
    );
  }
  // A device or a pipe would be replaced by a file, for files are only ever written whole.
  if (there?.isFile() === false) return refusal(`${named} is not a regular file`);
  if (there === undefined || over === undefined) return undefined;
  const found = formatOf(files.readRange(path, 0, HEAD).toString('utf8'));
  if (found === over) return undefined;
  const what = found === undefined ? 'no report' : found === 'md' ? 'a report in Markdown' : 'a report in HTML';
  return refuse(
    `${named} is there and is ${what}: it was not changed`,
    'name another file, or overwrite it with --force; --out - prints the report',
    1,
    'out',
  );
}

const refusal = (fact: string): Refusal => refuse(fact, 'name another file; --out - prints the report', 1, 'out');

const HEAD = 1000;
const formatOf = (head: string): ReportFormat | undefined =>
  head.startsWith(MARKDOWN_MARK) ? 'md' : head.includes(PAGE_MARK) ? 'html' : undefined;
