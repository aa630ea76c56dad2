// The next goal must not be planned from the text of the completed one.

import { expect, test } from 'vitest';
import { describesLastGoal } from '../../../src/preflight/rules/former-vision.ts';
import type { State } from '../../../src/protocol/state.ts';

const now = { file: 'specs/vision.md', hash: 'aa' };
const seen = [{ spec: 'specs/vision.md', hash: 'aa' }];
const last = { status: 'COMPLETED', specs_seen: seen } as const;
const board = (goal: object = {}, tasks: readonly object[] = []) =>
  ({ goal, tasks }) as unknown as Pick<State, 'goal' | 'tasks'>;

test.each([
  ['the same text', board(), last, now, true],
  ['no goal before', board(), undefined, now, false],
  ['a goal that was given up may be tried again', board(), { ...last, status: 'ABORTED' as const }, now, false],
  ['another text', board(), last, { ...now, hash: 'bb' }, false],
  ['another document', board(), last, { ...now, file: 'specs/next.md' }, false],
  ['nothing is known of the text', board(), { status: 'COMPLETED' as const }, now, false],
  ['the person has said so', board({ alignment_history: [{ event: 'goal_edited' }] }), last, now, false],
  ['it is planned', board({ specs_seen: seen }), last, now, false],
  ['its tasks are drafted', board({}, [{ status: 'DRAFT' }]), last, now, false],
  ['tasks of the last goal are still here', board({}, [{ status: 'MERGED' }]), last, now, true],
])('%s', (_, state, before, text, expected) => {
  expect(describesLastGoal(state, before, text)).toBe(expected);
});
