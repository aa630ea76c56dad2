// What an open page of the board needs from the disk: a diff, the list of logs, or a log that is followed.

import type { CrewControl } from '../../supervisor/crew-view.ts';
import type { BoardAccess } from './access.ts';
import { followLog } from './log-file.ts';
import type { Loaded } from './panes.ts';
import type { Pane } from './screen.ts';

/** How often the list of logs is read while a page needs it. */
const LIST = 2000;

interface Loading {
  readonly control: CrewControl;
  readonly access: BoardAccess;
  readonly found: (more: Partial<Loaded>) => void;
}

/** Returns how to stop. */
export function loadPage(pane: Pane, { control, access, found }: Loading): () => void {
  let stopped = false;
  const tell = (more: Partial<Loaded>): void => {
    if (!stopped) found(more);
  };
  const stop = (): void => {
    stopped = true;
  };
  if (pane.kind === 'diff') {
    const failed = (error: Error) => ({ title: pane.task, lines: error.message.split('\n') });
    void access
      .diff(pane.task)
      .catch(failed)
      .then((diff) => tell({ diff }));
    return stop;
  }
  if (pane.kind !== 'log' && pane.kind !== 'logs') return stop;
  let logs: Loaded['logs'] = [];
  const list = (): Promise<void> =>
    access.logs().then(
      (all) => {
        logs = all;
        if (pane.kind === 'logs') tell({ logs });
      },
      () => {},
    );
  let quiet = (): void => {};
  // The list comes first: between two sessions, it alone knows the last one.
  void list().then(() => {
    if (pane.kind !== 'log' || stopped) return;
    quiet = followLog(
      () => pathsOf(pane, control, logs),
      (log) => tell({ log }),
    );
  });
  const again = setInterval(() => void list(), LIST);
  return () => {
    stop();
    clearInterval(again);
    quiet();
  };
}

/** The running session's log and, until that has a line, the last one's; or that of the session so many before it. */
function pathsOf(
  { agent, task, back = 0 }: Extract<Pane, { kind: 'log' }>,
  control: CrewControl,
  logs: Loaded['logs'],
): readonly string[] {
  const running = control.view().members.find((member) => member.agent === agent);
  const isRunning = back === 0 && running?.session !== undefined && (task === undefined || running.task === task);
  const now = isRunning ? running.session?.log : undefined;
  const own = logs.filter((log) => log.agent === agent && (task === undefined || log.task === task));
  const ended = (own.length === 0 ? logs.filter((log) => log.agent === agent) : own).filter(({ path }) => path !== now);
  return [now, ended[back]?.path].filter((path) => path !== undefined);
}
