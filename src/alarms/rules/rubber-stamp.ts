// Reviews that approve nearly everything, or faster than the diff could be read. Counted over the tasks on the board;
// a fast approval counts only in the sprint in which it was given.

import type { State, Task } from '../../protocol/state.ts';
import { isFields } from '../../protocol/values.ts';
import { counted } from '../../text/format.ts';
import { type Instant, instant } from '../../text/time.ts';
import { type Alarm, warning } from './alarm.ts';

/** Verdicts that say something about a rate. */
const ENOUGH_VERDICTS = 5;
const TOO_MANY_PERCENT = 95;
/** One tool call or one screen per file is the least that reading takes. */
const READ_MS_PER_FILE = 2000;
/** A smaller diff is read at a glance, and times are told in whole seconds. */
const GLANCE_FILES = 5;
/** Fifty screens in the time that one takes. */
const READ_MS_PER_LINE = 5;
const GLANCE_LINES = 400;

export function rubberStamps(state: State): readonly Alarm[] {
  const { started } = state.sprint.timeline;
  const found: Alarm[] = [];
  let approvals = 0;
  let verdicts = 0;
  for (const task of state.tasks) {
    let reading = UNREAD;
    for (const one of task.history ?? []) {
      switch (one.event) {
        case 'submitted':
          reading = sizeOf(one);
          break;
        case 'review_claimed':
          reading = { ...reading, since: one.time };
          break;
        case 'rejected':
          verdicts += 1;
          break;
        case 'approved':
          approvals += 1;
          verdicts += 1;
          // Times of one format compare as texts.
          if (one.time >= started) found.push(...tooFast(task, reading, one.agent, one.time));
          break;
        default:
      }
    }
  }
  if (verdicts >= ENOUGH_VERDICTS && approvals * 100 > verdicts * TOO_MANY_PERCENT) {
    found.unshift(warning('RUBBER STAMP', undefined, `${approvals} of ${verdicts} verdicts approved`));
  }
  return found;
}

const UNREAD: Reading = {};

interface Reading {
  readonly files?: number | undefined;
  /** Added and removed. */
  readonly lines?: number | undefined;
  readonly since?: string;
}

function sizeOf(submitted: object): Reading {
  const diff = (submitted as { readonly diff?: unknown }).diff;
  if (!isFields(diff)) return {};
  const { files, lines } = diff;
  return {
    files: typeof files === 'number' ? files : undefined,
    lines: isFields(lines) ? Number(lines['added']) + Number(lines['removed']) : undefined,
  };
}

function tooFast(
  task: Task,
  { files = 0, lines = 0, since }: Reading,
  reviewer: string | undefined,
  at: string,
): Alarm[] {
  if (since === undefined) return [];
  const took: Instant = instant(at) - instant(since);
  const tooLittle = (count: number, glance: number, each: number): boolean => count >= glance && took < count * each;
  const many = tooLittle(files, GLANCE_FILES, READ_MS_PER_FILE);
  if (took < 0 || !(many || tooLittle(lines, GLANCE_LINES, READ_MS_PER_LINE))) return [];
  const size = many ? counted(files, 'file') : counted(lines, 'line');
  const words = `${task.id} — ${reviewer ?? 'somebody'} approved ${size} in ${took / 1000}s`;
  return [warning('RUBBER STAMP', `${task.id}:${at}`, words)];
}
