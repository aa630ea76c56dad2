// `liza edit`: state.yaml in your editor, merged record by record when you are done.

import { isRefusal, refuse } from '../../protocol/decision.ts';
import { defined } from '../../protocol/values.ts';
import { counted } from '../../text/format.ts';
import type { Io } from '../io.ts';
import { openBoard } from '../open-board.ts';
import { printErr } from '../render/print.ts';
import type { Result, Verb } from '../verb.ts';

export const verb: Verb = {
  operatorOnly: true,
  options: {
    restore: {
      description: 'Restore the last good state.yaml; a file that cannot be read is kept in .liza/rejected.',
    },
    adopt: { description: 'Also adopt settings that execute, spend or loosen something, including those that wait.' },
  },
  examples: ['liza edit', 'EDITOR="code --wait" liza edit', 'liza edit --adopt', 'liza edit --restore'],
  details: [
    'You edit a copy; agents keep working. When you save, Liza merges your changes with theirs, record by record.',
    'If the file cannot be read, the editor opens again. What Liza may not adopt is kept in .liza/rejected.',
    'If settings from an earlier edit wait, --adopt adopts them and opens no editor.',
  ],
  run: async (args, io) => {
    const context = openBoard(io);
    if (isRefusal(context)) return context;
    if (args.flag('restore')) {
      const done = await (await import('../../project/restore-state.ts')).restoreState(context);
      if (isRefusal(done)) return done;
      const lines = done.kept === undefined ? [] : [`the old file is kept as ${done.kept}`];
      return { ok: true, message: done.message, lines, data: defined({ kept: done.kept }) };
    }
    const { adoptWaiting, edit, waitingSettings } = await import('../../project/edit.ts');
    if (args.flag('adopt')) {
      const waiting = await waitingSettings(context);
      if (waiting.length > 0) {
        const done = await adoptWaiting(context, waiting);
        return 'ok' in done ? done : { ok: true, message: `adopted ${counted(done.length, 'setting')}`, lines: done };
      }
    }
    const editor = shellWords(io.env['VISUAL'] || io.env['EDITOR'] || 'vi');
    const done = await edit(context, { editor, adopt: args.flag('adopt'), again: (problem) => askAgain(io, problem) });
    return isRefusal(done) ? done : told(done);
  },
};

function told(done: { message: string; aside: number; notices: Result['notices'] }): Result {
  const notices = done.notices ?? [];
  if (done.aside === 0) return { ok: true, message: done.message, notices };
  const message = `${done.message}; set aside: ${counted(done.aside, 'record')}`;
  return { ...refuse(message, 'the notes above say why and where they are kept', 1, 'aside'), notices };
}

async function askAgain(io: Io, problem: string): Promise<boolean> {
  if (!io.stdoutIsTty) return false;
  printErr(
    io,
    `liza: the file cannot be read: ${problem}\n  → Enter: back to the editor, q: give up (your text is kept) `,
  );
  return !/^q/i.test(await io.readLine());
}

/** What a person put into EDITOR, as program and arguments, without a shell. */
function shellWords(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}
