// Crews for the golden pages: one at work, one whose agents write whatever harms a terminal, one too large
// for any screen, and one that waits.

import { type Line, painted } from '../../../../src/cli/render/layout.ts';
import type { Task } from '../../../../src/protocol/state.ts';
import type { CrewMember, CrewView } from '../../../../src/supervisor/crew-view.ts';
import { instant } from '../../../../src/text/time.ts';
import { agent, board, task } from '../../boards/empty-board.ts';
import { EVIL } from '../../boards/full-board.ts';
import { crewAt } from './fake-crew.ts';

export const NOW = instant('2026-01-31T14:02:11Z');

/** A row without its colours. */
export const textOf = (line: Line): string => painted(line, false);

export const lively = crewAt(45, NOW, '.liza/agent-logs/coder-1.20260131T140211-120Z.log');

export const waiting: CrewView = {
  ...crewAt(84, NOW),
  waitsFor:
    'all other tasks wait for auth-header, which is BLOCKED: decide it yourself: liza note, or liza unblock auth-header',
};

export const paused: CrewView = { ...lively, board: { ...lively.board, switches: { PAUSE: NOW - 95_000 } } };

const evilTask = (id: string, status: Task['status']): Task =>
  task(id, {
    status,
    description: `${EVIL} 👨‍👩‍👧‍👦 ⚠️ e\u0301\u0301\u0301`,
    blocked_reason: EVIL,
    blocked_questions: [EVIL],
    assigned_to: 'coder-1',
  });

export const hostile: CrewView = {
  ...lively,
  board: board({
    tasks: [evilTask('evil', 'BLOCKED'), evilTask('evil-2', 'CLAIMED'), evilTask('x'.repeat(300), 'UNCLAIMED')],
    agents: { 'coder-1': agent('coder', { current_task: 'evil' }) },
    state: {
      goal: { id: 'goal-1', description: EVIL, status: 'IN_PROGRESS' },
      sprint: {
        id: EVIL,
        scope: { planned: [] },
        timeline: { started: '2026-01-31T12:00:00Z' },
        status: 'IN_PROGRESS',
      },
    },
  }),
  members: lively.members.map(
    (member): CrewMember => ({ ...member, task: EVIL, activity: EVIL, why: EVIL, provider: EVIL }),
  ),
  alarms: [{ name: 'BLOCKED', key: 'evil', level: 'alarm', text: `🚨 ${EVIL}` }],
  events: [{ time: NOW, level: 'alarm', agent: EVIL, task: EVIL, text: EVIL }],
  waitsFor: EVIL,
};

const STATES = ['BLOCKED', 'CLAIMED', 'UNCLAIMED', 'MERGED', 'READY_FOR_REVIEW', 'DRAFT'] as const;

export const crowd: CrewView = {
  ...lively,
  board: board({
    tasks: Array.from({ length: 300 }, (_, i) =>
      task(`task-${i}`, {
        status: STATES[i % STATES.length] ?? 'DRAFT',
        description: `Number ${i} of many`,
        priority: 1 + (i % 5),
      }),
    ),
    agents: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`coder-${i + 1}`, agent('coder')])),
  }),
  members: Array.from({ length: 12 }, (_, i): CrewMember => {
    const [like] = lively.members.filter(({ state }) => state === 'working');
    return {
      ...(like as CrewMember),
      agent: `coder-${i + 1}`,
      state: i % 3 === 0 ? 'working' : 'idle',
      task: `task-${i}`,
    };
  }),
  alarms: Array.from({ length: 9 }, (_, i) => ({
    name: 'BLOCKED',
    key: `${i}`,
    level: i === 8 ? 'alarm' : 'warning',
    text: `⚠️ number ${i}`,
  })),
};
