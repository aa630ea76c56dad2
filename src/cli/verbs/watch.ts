// `liza watch`: looks after the board and tells what needs a person, until Ctrl-C; `--once` looks one time.

import { type Alarm, endedText } from '../../alarms/rules/alarm.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { defined } from '../../protocol/values.ts';
import type { CommandContext } from '../../store/transact.ts';
import { iso } from '../../text/time.ts';
import type { Io } from '../io.ts';
import { openProject } from '../open-project.ts';
import { printErr } from '../render/print.ts';
import { plain } from '../render/terminal.ts';
import type { Result, Verb } from '../verb.ts';

/** Cron waits this long for the webhook; what is not delivered by then, the next look delivers. */
const PATIENCE_MS = 5000;

export const verb: Verb = {
  operatorOnly: true,
  options: { once: { description: 'Look once, for cron and CI: exit 0 if no alarm is on, 1 if any is.' } },
  examples: ['liza watch', 'liza watch --once', 'liza watch --once --json'],
  details: [
    'Each alarm is reported once when it begins and once when it ends: on stderr, in .liza/alerts.log, on the desktop, and to escalation_webhook (signed with LIZA_WEBHOOK_SECRET). LIZA_NOTIFY=off keeps the desktop quiet.',
    'It also trips the circuit breaker, halts the work at the deadline, and writes the summary of a new CHECKPOINT; so does --once.',
    '`liza run` watches by itself. If several watchers run, one writes alerts.log and notifies you; all show what they see.',
    'What each alarm means: liza help alarms.',
  ],
  run: async (args, io) => {
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const trouble = (line: string): void => print(io, `liza: ${line}`);
    return args.flag('once') ? once(context, trouble) : watch(context, trouble, io, args.json);
  },
};

type Trouble = (line: string) => void;

async function once(context: CommandContext, trouble: Trouble): Promise<Result> {
  const { governOnce } = await import('../../supervisor/govern-loop.ts');
  const { watchOnce } = await import('../../alarms/watcher.ts');
  // First: what it finds and halts is an alarm of this very look.
  const { lines: governed, failed } = await governOnce(context);
  const { alarms, news, told } = await watchOnce(context, { trouble }, PATIENCE_MS);
  const data = {
    alarms: alarms.map(({ name, key, level, text }) => ({ name, key, level, text, new: news.has(key) })),
    told,
    governed,
    ...defined({ failed }),
  };
  const on = alarms.length === 1 ? '1 alarm is on' : `${alarms.length} alarms are on`;
  const lines = [...governed, ...alarms.map(({ text }) => text)].map(plain);
  if (alarms.length === 0 && failed === undefined) return { ok: true, message: 'No alarm is on.', lines, data };
  return {
    ok: false,
    code: 1,
    message: failed === undefined ? on : `the sprint is not watched: ${failed}; ${on}`,
    hint: 'see the board: liza status',
    guard: 'alarms',
    lines,
    data,
  };
}

async function watch(context: CommandContext, trouble: Trouble, io: Io, json: boolean): Promise<Result> {
  const { watchBoard } = await import('../../alarms/watcher.ts');
  const { restartOnError } = await import('../../supervisor/restart-on-error.ts');
  const { makeChangeSignal } = await import('../../supervisor/change-signal.ts');
  const { keepGoverning } = await import('../../supervisor/govern-loop.ts');
  const changeSignal = makeChangeSignal(context.clock);
  const unwatch = context.store.watch(() => changeSignal.notify());
  const over = io.interrupted;
  const tell = (event: 'raised' | 'cleared', alarm: Alarm, known = false): void => {
    const time = iso(context.clock.now());
    const { name, key, level, text } = alarm;
    if (json) io.stdout(`${JSON.stringify({ time, event, name, key, level, text, known })}\n`);
    else print(io, `${time} ${event === 'cleared' ? endedText(alarm) : alarm.text}`);
  };
  if (!json) print(io, `watching ${context.paths.root}; Ctrl-C ends it`);
  try {
    const watching = (): Promise<void> =>
      watchBoard(
        context,
        {
          trouble,
          wait: (ms, signal) => changeSignal.wait(changeSignal.count(), ms, signal),
          changed: ({ raised, cleared }, known) => {
            for (const alarm of raised) tell('raised', alarm, known.has(alarm.key));
            for (const alarm of cleared) tell('cleared', alarm);
          },
        },
        over,
      );
    const done = (line: string): void => {
      if (json) io.stdout(`${JSON.stringify({ time: iso(context.clock.now()), event: 'governed', text: line })}\n`);
      else print(io, `${iso(context.clock.now())} ${line}`);
    };
    const governing = (): Promise<void> => keepGoverning({ context, changeSignal, report: done }, over);
    const options = { warn: trouble, sleep: context.clock.sleep };
    await Promise.all([
      restartOnError('watching', watching, options, over),
      restartOnError('governing', governing, options, over),
    ]);
  } finally {
    unwatch();
  }
  return { ok: true, silent: true };
}

const print = (io: Io, text: string): void => printErr(io, `${plain(text)}\n`);
