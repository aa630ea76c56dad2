// The one place where a Result becomes text or JSON and an exit code. Results go to stdout, errors
// and notices to stderr, so that a pipe carries only what was asked for. Messages quote what agents
// wrote, so they pass `plain`; `lines` are laid out already and come ready to print.

import type { Notice } from '../../protocol/notice.ts';
import type { Io } from '../io.ts';
import type { Result } from '../verb.ts';
import { printErr, printOut } from './print.ts';
import { plain } from './terminal.ts';

/** What an agent is told with the answer to its command: as data, and as lines for stderr. */
export interface NewsOutput {
  readonly list: readonly object[];
  readonly lines: readonly string[];
}

const NO_NEWS: NewsOutput = { list: [], lines: [] };

export function emit(result: Result, io: Io, json: boolean, news: NewsOutput = NO_NEWS): number {
  if (result.ok && result.silent) return exitCode(result);
  io.ending?.(exitCode(result));
  if (json) {
    const told = news.list.length === 0 ? {} : { news: news.list };
    io.stdout(`${JSON.stringify({ ...asJson(result), ...told })}\n`);
    return exitCode(result);
  }
  print(result, io);
  // Never on stdout: a pipe carries only what was asked for.
  for (const line of news.lines) printErr(io, `${line.startsWith(' ') ? '' : 'liza: '}${plain(line)}\n`);
  return exitCode(result);
}

export const exitCode = (result: Result): number => (result.ok ? (result.code ?? 0) : result.code);

function asJson(result: Result): Readonly<Record<string, unknown>> {
  return {
    ...result.data,
    ok: result.ok,
    code: exitCode(result),
    message: result.message ?? null,
    hint: result.ok ? null : result.hint,
    ...(result.notices === undefined || result.notices.length === 0 ? {} : { notices: result.notices }),
  };
}

function print(result: Result, io: Io): void {
  for (const notice of result.notices ?? []) printNotice(notice, io);
  const message = result.ok && result.message !== undefined ? [plain(result.message)] : [];
  const below = result.ok && result.sumsUp === true;
  const lines = below ? [...(result.lines ?? []), ...message] : [...message, ...(result.lines ?? [])];
  if (lines.length > 0) printOut(io, `${lines.join('\n')}\n`);
  if (!result.ok)
    printErr(io, `liza: ${plain(result.message)}\n  → ${plain(result.hint).replaceAll('\n', '\n    ')}\n`);
}

const printNotice = (notice: Notice, io: Io): void =>
  printErr(io, `liza: ${notice.level === 'alarm' ? 'ALARM' : 'note'}: ${plain(notice.message)}\n`);
