// What an agent's row says of it, where crew and blackboard are a moment apart.

import { describe, expect, it } from 'vitest';
import { memberRows } from '../../../../src/cli/live/agents.ts';
import type { Task } from '../../../../src/protocol/state.ts';
import { statusView } from '../../../../src/report/status-view.ts';
import type { CrewMember } from '../../../../src/supervisor/crew-view.ts';
import { board, NOW, task } from '../../boards/empty-board.ts';

const look = { color: false, unicode: true, width: 120, height: 40, zone: 0 };
function row(role: CrewMember['role'], more: Partial<Task>): readonly (string | undefined)[] {
  const agent = role === 'coder' ? 'coder-1' : 'code-reviewer-1';
  const at = board({ tasks: [task('t', more)] });
  const member: CrewMember = { agent, role, provider: 'fake', state: 'working', since: NOW, task: 't' };
  const view = { now: NOW, board: at, members: [{ ...member, activity: 'Bash: ls' }], alarms: [], events: [] };
  return memberRows(view, statusView(at, NOW, []), look).map(({ state, now }) => `${state}: ${now}`);
}

describe('an agent whose session still runs', () => {
  it('works while the task is its own', () => {
    expect(row('coder', { status: 'CLAIMED', assigned_to: 'coder-1' })).toEqual(['working: Bash: ls']);
    expect(row('code_reviewer', { status: 'READY_FOR_REVIEW', reviewing_by: 'code-reviewer-1' })).toEqual([
      'working: Bash: ls',
    ]);
  });

  it.each<[CrewMember['role'], Partial<Task>]>([
    ['code_reviewer', { status: 'MERGED', assigned_to: 'coder-1' }],
    ['code_reviewer', { status: 'REJECTED', assigned_to: 'coder-1' }],
    ['coder', { status: 'READY_FOR_REVIEW', assigned_to: 'coder-1' }],
    ['coder', { status: 'MERGED', assigned_to: 'coder-1' }],
  ])('%s: is about to end once its part of the task is done (%o)', (role, more) => {
    expect(row(role, more)).toEqual(['ending: its part is done; its session ends']);
  });
});

it('a crew that tells late of a switch that is off is not believed', () => {
  const member: CrewMember = { agent: 'coder-1', role: 'coder', provider: 'fake', state: 'idle', since: NOW };
  const now = (why: string, at = board({})) =>
    memberRows(
      { now: NOW, board: at, members: [{ ...member, why }], alarms: [], events: [] },
      statusView(at, NOW, []),
      look,
    )[0]?.now;
  expect(now('PAUSE is on', { ...board({}), switches: { PAUSE: NOW } })).toBe('PAUSE is on');
  expect(now('PAUSE is on')).toBe('nothing to do');
  expect(now('usage limit reached')).toBe('usage limit reached');
});
