// A merge that was judged may have moved the branch already: until that is recorded or taken back, no command takes its
// task, or another of its batch, to another state.

import { expect, it } from 'vitest';
import type { Actor } from '../../../src/protocol/board.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { TABLE } from '../../../src/protocol/table.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  BASE,
  CODER,
  commit,
  HUMAN,
  MERGE,
  mergeFailed,
  PLANNER,
  REVIEWER,
  ready,
  reserveMerge,
  SUPERVISOR,
  supervisorOf,
  toApproved,
  type World,
} from './world.ts';

const MINE = 'boot/7/100';
const MIDDLE = commit(0x1b);
const judged = { tested: 'tests green', log: 'x.log' };
const link = (task: string, candidate: string, onto: string) => ({ task, candidate, onto });
const before = [link('a', commit(0x1a), BASE)];

/** a and b are landing; c was tested with them, and red. */
function landing(): World {
  const w = ready('a', 'b', 'c');
  for (const id of ['a', 'b', 'c']) toApproved(w, id);
  const all = [...before, link('b', MIDDLE, commit(0x1a))];
  w.run(SUPERVISOR, { name: 'reserve-merge', ...link('c', MERGE, MIDDLE), before: all, process: MINE });
  w.run(SUPERVISOR, { name: 'merge-run', task: 'c', candidate: MERGE, red: true });
  w.run(SUPERVISOR, { name: 'reserve-merge', ...link('b', MIDDLE, commit(0x1a)), before, judged, process: MINE });
  return w;
}

/** One of each that an approved task knows, but for those that settle it. */
const COMMANDS: Readonly<Record<string, object>> = {
  replan: {},
  retract: { reason: 'wrong' },
  'record-trial': { commit: BASE, commands: [], runs: [], under: 'x' },
  'second-verdict': { verdict: 'REJECTED', reason: 'a backdoor' },
  'verdict-disputed': { verdict: 'REJECTED', reason: 'a backdoor' },
  'review-changed': { paths: ['src/a.ts'] },
  'reserve-merge': link('', MERGE, BASE),
  'merge-failed': { reason: 'taken out by a person' },
  'hold-merge': { reason: 'a checkout' },
  'merge-run': { candidate: MIDDLE, red: true },
  'merge-ahead': link('', commit(0x1c), MERGE),
  'queue first': {},
  'spec-changed': { spec_hash: 'x', seen: 'y' },
};
const SETTLE: ReadonlySet<string> = new Set(['merge', 'release-merge']);
const ACTORS: readonly Actor[] = [HUMAN, SUPERVISOR, PLANNER, CODER, REVIEWER, supervisorOf('code-reviewer-1')];

it('no command but its outcome moves what is landing, nor what is announced with it, whoever merges or has died', () => {
  const rows = Object.values(TABLE).filter(({ from }) => from !== 'board' && from.includes('APPROVED'));
  expect(rows.map(({ name }) => name).filter((name) => !SETTLE.has(name))).toEqual(Object.keys(COMMANDS));
  const of = (w: World) => ['a', 'b'].map((id) => [w.task(id).status, w.task(id).merging?.candidate]);
  const w = landing();
  const was = of(w);
  for (const dies of [false, true]) {
    if (dies) w.ends(MINE);
    const { board } = w;
    for (const task of ['a', 'b', 'c'])
      for (const [name, more] of Object.entries(COMMANDS))
        for (const actor of ACTORS) {
          w.board = board;
          w.tell(actor, { ...more, name, task } as Command);
          if (name === 'reserve-merge' && dies) expect(w.task(task).status).toBe('APPROVED');
          else expect([name, task, of(w)]).toEqual([name, task, was]);
        }
  }
});

it('a person who takes it out is told so; before its verdict, and after its record, they may', () => {
  const w = landing();
  for (const id of ['a', 'b', 'c']) {
    const refusal = w.refused(HUMAN, mergeFailed(id));
    expect(refusal).toMatchObject(
      refusedBy('no-merge-under-way', { hint: 'Wait for it; if its process died: liza doctor --fix' }),
    );
    expect(refusal.message).toContain(`${id === 'b' ? 'b' : 'a'} was tested green and is landing`);
  }
  w.run(SUPERVISOR, { name: 'merge', task: 'b', merge_commit: MIDDLE, before: [{ task: 'a' }] });
  w.run(HUMAN, mergeFailed('c'));
  const other = ready('a');
  toApproved(other, 'a');
  other.run(SUPERVISOR, reserveMerge('a', MERGE, BASE, MINE));
  other.run(HUMAN, mergeFailed('a'));
  expect([w.task('c').status, other.task('a').status]).toEqual(['INTEGRATION_FAILED', 'INTEGRATION_FAILED']);
});
