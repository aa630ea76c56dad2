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
  const list = (): void =>
    void access.logs().then(
      (all) => {
        logs = all;
        if (pane.kind === 'logs') tell({ logs });
      },
      () => {},
    );
  list();
  const again = setInterval(list, LIST);
  const path = (): string | undefined => (pane.kind === 'log' ? pathOf(pane, control, logs) : undefined);
  const quiet = pane.kind === 'log' ? followLog(path, (log) => tell({ log })) : () => {};
  return () => {
    stop();
    clearInterval(again);
    quiet();
  };
}

/** The running session's log, or that of the session so many before the last one. */
function pathOf(
  { agent, task, back = 0 }: Extract<Pane, { kind: 'log' }>,
  control: CrewControl,
  logs: Loaded['logs'],
): string | undefined {
  const running = control.view().members.find((member) => member.agent === agent);
  if (back === 0 && running?.session !== undefined && (task === undefined || running.task === task))
    return running.session.log;
  const own = logs.filter((log) => log.agent === agent && (task === undefined || log.task === task));
  return (own.length === 0 ? logs.filter((log) => log.agent === agent) : own)[back]?.path;
}
