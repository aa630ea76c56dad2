// The one place where a Result becomes text or JSON and an exit code. Results go to stdout, errors
// and notices to stderr, so that a pipe carries only what was asked for. Messages quote what agents
// wrote, so they pass `plain`; `lines` are laid out already and come ready to print.

import type { Notice } from '../../protocol/notice.ts';
import type { Io } from '../io.ts';
import type { Result } from '../verb.ts';
import { ascii, plain } from './terminal.ts';

export function emit(result: Result, io: Io, json: boolean): number {
  if (result.ok && result.silent) return 0;
  io.ending?.(exitCode(result));
  if (json) io.stdout(`${JSON.stringify(asJson(result))}\n`);
  else print(result, io);
  return exitCode(result);
}

export const exitCode = (result: Result): number => (result.ok ? 0 : result.code);

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
  const lines = [...message, ...(result.lines ?? [])];
  if (lines.length > 0) io.stdout(fold(`${lines.join('\n')}\n`, io));
  if (!result.ok)
    io.stderr(fold(`liza: ${plain(result.message)}\n  → ${plain(result.hint).replaceAll('\n', '\n    ')}\n`, io));
}

const printNotice = (notice: Notice, io: Io): void =>
  io.stderr(fold(`liza: ${notice.level === 'alarm' ? 'ALARM' : 'note'}: ${plain(notice.message)}\n`, io));

/** Outside UTF-8 locales everything printed has an ASCII stand-in. */
export const fold = (text: string, io: Pick<Io, 'unicode'>): string => (io.unicode ? text : ascii(text));
