// An answer that differs from what was assumed: the planner is told which tasks say the old thing and what mends each,
// and a coder whose plan is older is told so.

import { describe, expect, test } from 'vitest';
import type { Command } from '../../../../src/protocol/command.ts';
import { openWakes } from '../../../../src/supervisor/rules/wakes.ts';
import {
  addDraft,
  addReady,
  begin,
  CODER,
  claim,
  commit,
  HUMAN,
  PLANNER,
  SUPERVISOR,
  type World,
  world,
} from '../../protocol/world.ts';
import { toCoder, toPlanner, toReviewer } from './situations.ts';

const answer = (about: string, text: string): Command => ({
  name: 'answer',
  about,
  text,
  facts: { spec_exists: true },
});
const prompt = (w: World): string => toPlanner(w, { wakes: openWakes(w.board, w.now) });

/** Planned on the assumption: by its words, by its id, and with neither. */
function assumed(): World {
  const w = world();
  w.run(PLANNER, { name: 'ask', text: 'How often?', spec_ref: 'specs/retry.md', assume: 'At most three times' });
  w.run(PLANNER, addReady('words', { done_when: 'Each call is retried, at most three times.' }));
  w.run(PLANNER, addDraft('cites', { description: 'Tell the user, see q-1' }));
  w.run(PLANNER, addReady('neither', { done_when: 'the log names each call' }));
  w.pass(1);
  return w;
}

describe('a person answers otherwise than was assumed', () => {
  test('the planner reads which tasks say it, each with the command that mends it in its state', () => {
    const w = assumed();
    w.run(SUPERVISOR, claim('words'));
    w.run(HUMAN, answer('q-1', 'five times'));
    const told = prompt(w);
    expect(told).toContain('BUILT ON THE ASSUMPTION: words (CLAIMED), cites (DRAFT)');
    expect(told).toContain(
      'words has the assumption in its definition, and coder-1 works on it: `liza amend words --replace-done "1: the criterion, as the answer has it"`',
    );
    expect(told).toContain(
      'cites has the assumption in its definition: `liza amend cites --replace-done "number: the criterion, as the answer has it"`',
    );
    expect(told).not.toContain('neither says it');
  });

  test('a blocked task is mended by unblock', () => {
    const w = assumed();
    w.run(HUMAN, { name: 'replan', task: 'words' });
    w.run(HUMAN, answer('q-1', 'five times'));
    expect(prompt(w)).toContain(
      'words has the assumption in its definition: `liza unblock words --keep-worktree --replace-done "1:',
    );
  });

  test('the line that mends one criterion leaves the others alone', () => {
    const w = world();
    w.run(PLANNER, { name: 'ask', text: 'How often?', spec_ref: 'specs/retry.md', assume: 'At most three times' });
    const done_when = '- each call is retried, at most three times\n- `npm test` prints "ok"';
    w.run(PLANNER, addReady('words', { done_when }));
    w.pass(1);
    w.run(SUPERVISOR, claim('words'));
    w.run(HUMAN, answer('q-1', 'five times'));
    expect(prompt(w)).toContain('`liza amend words --replace-done "1: the criterion, as the answer has it"`');
  });

  test('what was amended under way is in the prompts of the coder and the reviewer', () => {
    const w = assumed();
    w.run(SUPERVISOR, claim('words'));
    w.run(CODER, begin('words'));
    w.pass(1);
    w.run(HUMAN, answer('q-1', 'five times'));
    const done_when = 'Each call is retried, five times.';
    w.run(PLANNER, { name: 'amend', task: 'words', changes: { done_when }, facts: { spec_exists: true } });
    for (const told of [toCoder(w, 'words'), toReviewer(w, 'words')]) {
      expect(told).toContain('AMENDED while its coder worked');
      expect(told).toContain('by planner-1, after the answer to q-1');
      expect(told).toContain('|   done_when - Each call is retried, at most three times.');
      expect(told).toContain('|   done_when + Each call is retried, five times.');
    }
    expect(toCoder(w, 'words')).toContain(
      'THE PLAN IS OLDER than the answer to q-1 (see ANSWERS) and the amendment (see AMENDED)',
    );
  });

  test('the coder’s next prompt says that its plan is older, until it is recorded again, with work in the folder', () => {
    const w = assumed();
    w.run(SUPERVISOR, claim('words'));
    w.run(CODER, begin('words'));
    expect(toCoder(w, 'words')).not.toContain('THE PLAN IS OLDER');
    w.pass(1);
    w.run(HUMAN, answer('q-1', 'five times'));
    const told = toCoder(w, 'words');
    expect(told).toContain('THE PLAN IS OLDER than the answer to q-1');
    expect(told).toContain('(no second `begin` unless it changes)');
    w.pass(1);
    const again = begin('words', commit(7), {
      intent: 'Five times',
      assumptions: [],
      risks: 'none',
      validation: 'npm test: green',
      files_to_modify: ['src/a.ts'],
    });
    w.run(CODER, again);
    expect(toCoder(w, 'words')).not.toContain('THE PLAN IS OLDER');
    expect(toCoder(w, 'words')).toContain('intent: Five times');
  });

  test('an accepted assumption leaves the plan as it is', () => {
    const w = assumed();
    w.run(SUPERVISOR, claim('words'));
    w.run(CODER, begin('words'));
    w.pass(1);
    w.run(HUMAN, { name: 'answer', about: 'q-1', accept: true, facts: {} });
    expect(toCoder(w, 'words')).not.toContain('THE PLAN IS OLDER');
    expect(
      w.refused(
        CODER,
        begin('words', commit(7), {
          intent: 'x',
          assumptions: [],
          risks: 'x',
          validation: 'x',
          files_to_modify: ['x'],
        }),
      ).guard,
    ).toBe('once');
  });
});

test('a changed spec: the planner reads each section, bounded, the tasks on it, and what to do by their state', () => {
  const w = world();
  const sections = [
    { spec: 'specs/a.md#retry', kind: 'changed' as const, text: '-Three.\n+Five.', tasks: ['words (MERGED)'] },
    { spec: 'specs/a.md#new', kind: 'new' as const, text: Array(40).fill('=== X ===').join('\n'), tasks: [] },
  ];
  const wakes = [1, 2].map((n) => ({
    trigger: 'SPEC_CHANGED' as const,
    key: `SPEC_CHANGED:${n}`,
    record: 'specs/a.md',
  }));
  const told = toPlanner(w, { wakes, specs: [{ spec: 'specs/a.md', sections }] });
  expect(told).toContain('WAKE TRIGGER: SPEC_CHANGED (specs/a.md)\n');
  expect(told).toContain('CHANGED: specs/a.md#retry, on it: words (MERGED)\n| -Three.\n| +Five.\n');
  expect(told).toContain('NEW: specs/a.md#new, on it: no task\n| === X ===\n');
  expect(told).toContain('(15 more lines: read specs/a.md)');
  expect(toPlanner(w, { wakes, specs: [] })).toContain('the old text is not kept');
});

test('DONE WHEN counts before an assumption that nobody answered yet, and the prompt says so', () => {
  const w = assumed();
  w.run(SUPERVISOR, claim('words'));
  expect(toCoder(w, 'words')).toContain(
    'ANSWERS (an A counts like DONE WHEN; where there is no answer yet, DONE WHEN counts):',
  );
  w.run(PLANNER, { name: 'withdraw', question: 'q-1', reason: 'overtaken' });
  expect(toCoder(w, 'words')).not.toContain('ANSWERS');
});

describe('a question about the whole spec', () => {
  const LONG = `Which language is it written in, ${'and why, '.repeat(60)}and until when?`;
  function asked(): World {
    const w = world();
    const file = 'specs/retry.md';
    w.run(PLANNER, { name: 'ask', text: LONG, spec_ref: file, assume: 'English' });
    w.run(PLANNER, { name: 'ask', text: LONG, spec_ref: `${file}#limits`, assume: 'three' });
    w.run(PLANNER, addReady('mine', { spec_ref: `${file}#limits` }));
    w.run(SUPERVISOR, claim('mine'));
    return w;
  }

  test('is one line with its id in the prompt of a task that has a section of its own; one about that section is whole', () => {
    const told = toCoder(asked(), 'mine');
    const line = /^\| - q-1, on the whole spec .*$/m.exec(told)?.[0] ?? '';
    expect(line).toContain('`liza show q-1`');
    expect(line).toContain('not answered yet; planner-1 continues with: English');
    expect(line.length).toBeLessThan(900);
    expect(told).toContain(`q-2 Q ${LONG.slice(0, 300)}`);
  });
});

describe('answers by which other work was built', () => {
  /** `parse` and `print` are merged or under way; nobody asked about `manual` itself. */
  function documented(manual: Parameters<typeof addReady>[1]): World {
    const w = world();
    w.run(PLANNER, addReady('parse', { spec_ref: 'specs/retry.md#parse' }));
    w.run(PLANNER, addReady('print', { spec_ref: 'specs/retry.md#print' }));
    w.run(PLANNER, { name: 'ask', task: 'parse', text: 'Is zero a number?', assume: 'it is' });
    w.run(PLANNER, { name: 'ask', task: 'print', text: 'Which colour?', assume: 'red' });
    w.run(PLANNER, { name: 'ask', task: 'parse', text: 'And infinity?', assume: 'no' });
    w.run(HUMAN, answer('q-1', `no, never${' and so on'.repeat(100)}`));
    w.run(HUMAN, { name: 'answer', about: 'q-2', accept: true, facts: {} });
    w.run(PLANNER, addReady('manual', { type: 'docs', ...manual }));
    return w;
  }

  test('a task reads those of the tasks that it depends on, a line each, and no open question', () => {
    const told = toCoder(documented({ spec_ref: 'specs/retry.md#manual', depends_on: ['parse'] }), 'manual');
    const [, beside = ''] = told.split('RELATED ANSWERS');
    expect(beside).toMatch(
      /^.*`liza show q-1`.*\n\| - q-1 on parse: Is zero a number\? A no, never and so on.*… \(assumed until then: it is\)\n/,
    );
    expect(beside.split('\n')[1]?.length).toBeLessThan(250);
    expect(told).not.toContain('Which colour?');
    expect(told).not.toContain('And infinity?');
    expect(toReviewer(documented({ depends_on: ['parse'] }), 'manual')).toContain('q-1 on parse');
  });

  test('also of those that they depend on, and of the work in which a discovery was made that it takes up', () => {
    const w = documented({ spec_ref: 'specs/retry.md#manual' });
    w.run(PLANNER, addReady('between', { spec_ref: 'specs/retry.md#between', depends_on: ['parse'] }));
    w.run(PLANNER, addReady('last', { spec_ref: 'specs/retry.md#last', depends_on: ['between'] }));
    expect(toCoder(w, 'last')).toContain('| - q-1 on parse');
    expect(toCoder(w, 'manual')).not.toContain('RELATED ANSWERS');
    w.run(CODER, {
      name: 'discover',
      description: 'blue is cut',
      severity: 'low',
      during: 'print',
      recommendation: 'mend it',
    });
    w.run(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'manual' });
    expect(toCoder(w, 'manual')).toContain('| - q-2 on print: Which colour? A red');
  });

  test('only what is cut is named with the command that shows it whole', () => {
    const w = documented({ spec_ref: 'specs/retry.md' });
    w.run(HUMAN, answer('q-3', `only so${' and so on'.repeat(100)}`));
    expect(toCoder(w, 'manual')).toContain('(whole: `liza show q-1`, `liza show q-3`):');
    const short = documented({ spec_ref: 'specs/retry.md#manual', depends_on: ['print'] });
    expect(toCoder(short, 'manual')).toContain('do not contradict them:\n| - q-2 on print');
  });

  test('a docs task of a whole spec reads those about all its parts; a code task of it does not', () => {
    const docs = toCoder(documented({ spec_ref: 'specs/retry.md' }), 'manual');
    expect(docs).toContain('| - q-1 on parse: Is zero a number?');
    expect(docs).toContain('| - q-2 on print: Which colour? A red');
    expect(toCoder(documented({ spec_ref: 'specs/retry.md', type: 'code' }), 'manual')).not.toContain(
      'RELATED ANSWERS',
    );
    expect(toCoder(documented({ spec_ref: 'specs/other.md' }), 'manual')).not.toContain('RELATED ANSWERS');
  });

  test('at most ten, the newest, with where the others are', () => {
    const w = documented({ spec_ref: 'specs/retry.md' });
    for (let n = 4; n <= 15; n += 1) {
      w.run(PLANNER, { name: 'ask', task: 'parse', text: `Is ${n} a number?`, assume: 'it is' });
      w.run(HUMAN, answer(`q-${n}`, 'not here'));
    }
    const told = toCoder(w, 'manual');
    expect(told.match(/^\| - q-\d+ on /gm)).toHaveLength(10);
    expect(told).toContain('4 older: `liza question list --all`');
    expect(told).toContain('Is 15 a number?');
  });
});
