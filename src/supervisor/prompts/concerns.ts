// What approvals said beside yes: concerns, and criteria that nothing but the reviewer's word shows. A planner is told
// of each until a session that was shown it has ended well; nobody is woken for it.

import { concernsOf, concernText, isFlagged, shownIn, shownText } from '../../protocol/approval-record.ts';
import { historyOf } from '../../protocol/leases.ts';
import type { State } from '../../protocol/state.ts';
import { whole } from '../../text/format.ts';
import { quoteList } from './quote.ts';

interface Said {
  /** Kept among the wakes that a session handled. */
  readonly key: string;
  readonly lines: readonly string[];
}

export function newConcerns({ tasks, agents, goal }: State): readonly Said[] {
  const told = new Set(Object.values(agents).flatMap(({ handled }) => handled ?? []));
  const { created = '' } = goal;
  return tasks.flatMap((task) =>
    historyOf(task).flatMap((entry): readonly Said[] => {
      const key = `CONCERNS:${task.id}@${entry.time}`;
      if (entry.event !== 'approved' || entry.time < created || told.has(key)) return [];
      const lines = [
        ...concernsOf(entry).map((one) => `${task.id}: ${concernText(one)}`),
        ...shownIn(entry)
          .filter(isFlagged)
          .map((one) => `${task.id}, criterion ${one.n} (${whole(one.criterion)}): ${shownText(one)}`),
      ];
      return lines.length === 0 ? [] : [{ key, lines }];
    }),
  );
}

const MOST = 12;

export function concernLines(state: State): readonly string[] {
  const all = newConcerns(state).flatMap(({ lines }) => lines);
  if (all.length === 0) return [];
  const shown = all.slice(-MOST);
  const more = all.length - shown.length;
  return [
    'SAID IN APPROVALS (nothing of it blocked; what matters becomes a task, the rest needs nothing):',
    ...(more === 0 ? [] : [`(${more} older: \`liza report\`)`]),
    ...quoteList(shown, 'liza report'),
  ];
}
