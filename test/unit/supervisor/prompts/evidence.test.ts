// What a reviewer is told of the facts that Liza found.

import { describe, expect, test } from 'vitest';
import { withTask } from '../../../../src/protocol/change.ts';
import { NO_TEST_COMMAND, proofOf, type TestProof } from '../../../../src/protocol/review/proof.ts';
import {
  BASE,
  begin,
  CODER,
  claimed,
  claimReview,
  commit,
  proved,
  SUPERVISOR,
  submit,
  type World,
} from '../../protocol/world.ts';
import { toPlanner, toReviewer } from './situations.ts';

const AT = commit(0x2000);
const LONG = `node --test ${'--test-name-pattern=retries '.repeat(8)}test/client.test.ts`;

function reviewed(tests?: Partial<TestProof>): World {
  const w = claimed();
  w.edit((state) => ({ ...state, config: { ...state.config, test_command: LONG } }));
  w.run(CODER, begin('a', BASE));
  const found = { mode: 'evidence', base: BASE, base_alone: 'green', on_base: 'red', base_tests: 'same' } as const;
  const proof = proved(w, 'a', AT, tests === undefined ? {} : { tests: { ...found, ...tests } });
  w.run(CODER, submit('a', AT, { proof }));
  w.run(SUPERVISOR, claimReview('a'));
  return w;
}

/** As Liza tried it before the change. */
function triedOnBase(w: World, commands: readonly string[], output: string): World {
  w.edit((state) => ({
    ...state,
    tasks: state.tasks.map((task) => ({
      ...task,
      validation: [...commands],
      history: [
        ...(task.history ?? []),
        {
          event: 'validation_tried',
          time: '2026-01-20T10:00:00Z',
          commit: BASE,
          commands: [...commands],
          under: 'u',
          runs: [
            { command: commands[0] ?? '', is: 'red', how: 'ended with 1', seconds: 1, output },
            { command: commands[1] ?? '', is: 'green', how: 'ended with 0', seconds: 1 },
          ],
        },
      ],
    })),
  }));
  return w;
}

test('each red command on the base has its telling line, the first two a few more', () => {
  const commands = ['make a', 'make b', 'make c', 'make d'];
  const w = reviewed({});
  w.edit((state) => ({
    ...state,
    tasks: state.tasks.map((task) => ({
      ...task,
      validation: commands,
      history: [
        ...(task.history ?? []),
        {
          event: 'validation_tried',
          time: '2026-01-20T10:00:00Z',
          commit: BASE,
          commands,
          under: 'u',
          runs: commands.map((command, n) => {
            const output = `TypeError: x is no function, ${n}\n  of ${command}`;
            return { command, is: 'red', how: 'ended with 1', seconds: 1, output };
          }),
        },
      ],
    })),
  }));
  const told = toReviewer(w, 'a');
  expect(told).toContain('| #2 red, ended with 1: make b\n|     TypeError: x is no function, 1\n|       of make b\n');
  expect(told).toContain('| #3 red, ended with 1: make c\n|     TypeError: x is no function, 2\n| #4');
});

test('red runs before the green one are one line, with how little differs from them', () => {
  const w = claimed();
  w.run(CODER, begin('a', BASE));
  const since_red = { red: 2, commit: commit(7), lines: 1, files: { paths: ['src/a.ts'] } };
  w.run(CODER, submit('a', AT, { since_red, proof: proved(w, 'a', AT) }));
  w.run(SUPERVISOR, claimReview('a'));
  const line = toReviewer(w, 'a')
    .split('\n')
    .filter((one) => one.startsWith('RED BEFORE IT WAS GREEN'));
  expect(line).toEqual([
    `RED BEFORE IT WAS GREEN: red, red, green; the nearest red commit, ${commit(7).slice(0, 12)}, differs by 1 line (blanks not counted), in src/a.ts. That is nearly the same: find out whether the difference mends it, or what was red is a flake.`,
  ]);
  expect(toReviewer(reviewed(), 'a')).not.toContain('RED BEFORE IT WAS GREEN');
  const at = [{ commit: commit(7), times: 2, command: 'npm test' }];
  const again = claimed();
  again.run(CODER, begin('a', BASE));
  again.run(CODER, submit('a', AT, { since_red: { ...since_red, at }, proof: proved(again, 'a', AT) }));
  again.run(SUPERVISOR, claimReview('a'));
  expect(toReviewer(again, 'a')).toContain(
    `RED BEFORE IT WAS GREEN: red at ${commit(7).slice(0, 12)} (both times; by npm test), then green;`,
  );
  expect(toReviewer(again, 'a')).toContain('red each time, so not by chance');
  // What only reads a text does not come out otherwise by chance.
  const text = claimed();
  text.run(CODER, begin('a', BASE));
  const grep = { ...since_red, red: 1, at: [{ commit: commit(7), times: 1, command: '! grep -n TODO src/a.ts' }] };
  text.run(CODER, submit('a', AT, { since_red: grep, proof: proved(text, 'a', AT) }));
  text.run(SUPERVISOR, claimReview('a'));
  expect(toReviewer(text, 'a')).toContain('RED BEFORE IT WAS GREEN: red at');
  expect(toReviewer(text, 'a')).not.toContain('That is nearly the same');
});

describe('the validation on the base', () => {
  const RED = `node -e "${'require("./a");'.repeat(10)}"`;
  const output = 'Error: No test files found: "test/range.js"\nnpm notice\nnpm notice New minor version of npm\n';

  test('has the numbers of VALIDATION, and a command that is missing there says why', () => {
    const told = toReviewer(triedOnBase(reviewed(), [RED, 'npm run lint', 'make slow'], output), 'a');
    expect(told).toContain(`| #1 ${RED}`);
    expect(told).toContain('\n| #1 red, ended with 1\n|     Error: No test files found: "test/range.js"\n| #2 GREEN');
    expect(told).toContain('| #3 not tried, time was up: make slow');
    expect(told).toContain('| #4 no part of this trial, the project’s own\n');
    expect(told).not.toContain('npm notice');
  });

  test('of the project’s own command nobody says that it was not run there, where it was', () => {
    const counted = (tests?: Partial<TestProof>): World => {
      const w = reviewed(tests);
      w.edit((state) => ({
        ...state,
        tasks: state.tasks.map((task) => ({
          ...task,
          history: (task.history ?? []).map((one) => {
            const proof = proofOf(one);
            const ran = { command: LONG, ok: true, how: 'ended with 0', seconds: 1, log: 'x', tests: 36 };
            const run = { ...ran, idle_script: 'exit 0' };
            return proof === undefined ? one : { ...one, proof: { ...proof, runs: [{ ...run, tests_on_base: 30 }] } };
          }),
        })),
      }));
      return triedOnBase(w, [RED, 'npm run lint'], output);
    };
    const red = toReviewer(counted(), 'a');
    expect(red).toContain('| #3 no part of this trial (the project’s own), run there later: see RUN BY LIZA\n');
    expect(red).toContain('36 tests (30 on the base), ITS SCRIPT CANNOT FAIL (exit 0)');
    expect(red).toContain('A GREEN COMMAND RUNS A SCRIPT THAT CANNOT FAIL: its green shows nothing.');
    const green = counted({});
    expect(toReviewer(green, 'a')).toContain('| #3 GREEN, the project’s own, known from another run\n');
    for (const told of [red, toReviewer(green, 'a')]) expect(told).not.toContain('not tried');
  });

  test('a green one means something for code, and for a text nothing is said of new tests', () => {
    const w = triedOnBase(reviewed(), [RED, 'npm run lint'], output);
    expect(toReviewer(w, 'a')).toContain('GREEN there, with the tests of the base');
    w.edit((state) => ({ ...state, tasks: state.tasks.map((task) => ({ ...task, type: 'docs' as const })) }));
    expect(toReviewer(w, 'a')).toContain('| #2 GREEN: npm run lint');
    expect(toReviewer(w, 'a')).not.toContain('GREEN there');
  });
});

test('of a green one that runs no test, only that is said', () => {
  const look = 'test "$(git diff --numstat HEAD~1 HEAD -- a.py | cut -f2)" = 0';
  const told = toReviewer(triedOnBase(reviewed(), ['make red', look], ''), 'a');
  expect(told).toContain('| #1 red, ended with 1: make red\n');
  expect(told).toContain(`| #2 GREEN there, too, and it runs no test: right for what must stay: ${look}`);
  expect(told).not.toContain('GREEN there, with the tests of the base');
});

test('a green one that leads to no test says nothing of new tests; the others are named', () => {
  const w = triedOnBase(reviewed(), ['npm run lint', 'npm run all'], '');
  const green = { is: 'green', how: 'ended with 0', seconds: 1 };
  const runs = [
    { ...green, command: 'npm run lint', runs_no_tests: true },
    { ...green, command: 'npm run all', changed: { paths: ['Readme.md'] } },
  ];
  w.edit((state) => ({
    ...state,
    tasks: state.tasks.map((task) => ({
      ...task,
      history: (task.history ?? []).map((one) => (one.event === 'validation_tried' ? { ...one, runs } : one)),
    })),
  }));
  const told = toReviewer(w, 'a');
  expect(told).toContain('| #1 GREEN there, too, and it runs no test: right for what must stay: npm run lint');
  expect(told).toContain('| #2 GREEN, it CHANGED TRACKED FILES (Readme.md): npm run all');
  expect(told).toContain('\n#2 GREEN there, with the tests of the base: what it shows now depends on the new tests');
  expect(toPlanner(w)).toContain('`npm run all` it CHANGED TRACKED FILES (Readme.md): let it work on a copy');
});

test('a test file that a green command names and the base lacks is told', () => {
  const run = { command: 'npm test -- test/a.js', is: 'green', how: 'ended with 0', seconds: 1, absent: 'test/a.js' };
  const w = triedOnBase(reviewed(), [run.command, 'make'], '');
  w.edit((state) => ({
    ...state,
    tasks: state.tasks.map((task) => ({
      ...task,
      history: (task.history ?? []).map((one) => (one.event === 'validation_tried' ? { ...one, runs: [run] } : one)),
    })),
  }));
  expect(toReviewer(w, 'a')).toContain('| #1 GREEN, test/a.js is not there yet: npm test -- test/a.js');
});

describe('the form of an approval', () => {
  test.each([
    ['code', '1: test <file> › <name>'],
    ['docs', '1: <file>:<line>'],
    ['spec', '1: <file>:<line>'],
  ] as const)('of a %s task begins with %s', (type, first) => {
    const w = reviewed();
    w.edit((state) => ({ ...state, tasks: state.tasks.map((task) => ({ ...task, type })) }));
    expect(toReviewer(w, 'a')).toContain(`<<'VERDICT'\n${first}\n`);
  });

  test('says how to name a range, and what the reviewer ran itself', () => {
    const told = toReviewer(reviewed(), 'a');
    expect(told).toContain('`n: <file>:<line>` or `:10-20`');
    expect(told).toContain('`n: seen I ran <command>: <result>`');
    expect(told).toContain('goes to the planner');
  });
});

describe('a long command', () => {
  test('is written out once: the runs name it by its place', () => {
    const told = toReviewer(reviewed({ by: LONG }), 'a');
    expect(told.split(LONG)).toHaveLength(2);
    expect(told).toContain(`| #1 ${LONG}`);
    expect(told).toMatch(/\| #1 green, [\d.]+ s$/m);
    expect(told).toMatch(/red; VALIDATION #1: the runner names no test/);
  });

  test('is written out where VALIDATION is not told again', () => {
    expect(toReviewer(reviewed(), 'a', { resumed: true })).toContain(`s: ${LONG}`);
  });
});

test('each run has the number by which an approval names it, and what its runner left out stands beside green', () => {
  const w = reviewed();
  expect(toReviewer(w, 'a')).toMatch(/\| #1 green, [\d.]+ s$/m);
  const runs = (more: object) =>
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({
        ...task,
        history: (task.history ?? []).map((entry) => {
          const proof = proofOf(entry);
          if (proof === undefined) return entry;
          return { ...entry, proof: { ...proof, runs: proof.runs.map((run) => ({ ...run, ...more })) } };
        }),
      })),
    }));
  runs({ skipped: 'skipped 2' });
  expect(toReviewer(w, 'a')).toMatch(/\| #1 green, [\d.]+ s, skipped 2 \(the command itself chooses tests\)$/m);
  runs({ command: 'node --test' });
  expect(toReviewer(w, 'a')).toMatch(/\| #1 green, [\d.]+ s, BUT NOT ALL RAN \(skipped 2\): node --test$/m);
});

test('each fact has its own reason, and one that needs none has none', () => {
  const told = toReviewer(reviewed({ base_tests: 'red', because: { base_tests: 'X ended with 1' }, why: 'both' }), 'a');
  expect(told).toContain('(on BASE): red\n');
  expect(told).toContain('no longer holds, because X ended with 1\n');
  expect(told).not.toContain('because both');
  const many = toReviewer(reviewed({ by: 'x', failed: ['adds'], failed_more: 7, untold: ['is fast'] }), 'a');
  expect(many).toContain('failed: adds and 7 more, in the logs that `liza show` names');
  expect(many).toContain(
    'THE RUNNER DOES NOT NAME THESE WITHOUT IT (they pass there, are skipped or do not run: try them): is fast',
  );
  const named = toReviewer(reviewed({ base_tests: 'red', base_failed: ['adds', 'subtracts'] }), 'a');
  expect(named).toContain('no longer holds (adds; subtracts)\n');
});

test('tests that stop at what the base lacks are red by that, and what strict could not decide is told', () => {
  expect(toReviewer(reviewed({ by: 'make check', missing: "No module named 'calc'" }), 'a')).toContain(
    "red; make check: the runner names no test; they stop at what BASE does not have (No module named 'calc'): that they are red there shows no more\n",
  );
  const open = reviewed({ mode: 'strict', on_base: 'unknown', because: { on_base: 'X is red there, too' }, why: 'x' });
  expect(toReviewer(open, 'a')).toContain(
    '(on BASE): not known, because X is red there, too. tdd is strict, and could not decide: try them without the change\n',
  );
});

test('tests of the base that run no more are told, and not that they are unchanged alone', () => {
  const told = (more: object, setup?: object) => {
    const w = reviewed({ base_tests: 'same' });
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({
        ...task,
        history: (task.history ?? []).map((entry) => {
          const proof = proofOf(entry);
          if (proof === undefined) return entry;
          return {
            ...entry,
            diff: { ...((entry as { diff?: object }).diff ?? {}), ...setup },
            proof: { ...proof, ...more },
          };
        }),
      })),
    }));
    return toReviewer(w, 'a');
  };
  const setup = { test_setup: { paths: ['package.json'] } };
  const lost = told({ base_unrun: { paths: ['test/add.test.js'] } }, setup);
  expect(lost).toContain(
    'TEST FILES OF BASE THAT NO COMMAND RUNS ANY MORE: test/add.test.js, because the change alters how tests are run (package.json). What they check is checked no more: is that right?\n',
  );
  expect(lost).toContain('their files are unchanged, BUT NOT ALL OF THEM RUN ANY MORE\n');
  const run = { command: 'npm test', ok: true, how: 'ended with 0', seconds: 1, log: 'x', tests: 4, tests_on_base: 4 };
  const made = told({ runs: [run], tests_added: 2 }, setup);
  expect(made).toContain(
    'FEWER TESTS RAN than those of the base and the 2 that the change declares besides, and it alters how tests are run (package.json)',
  );
  expect(told({ runs: [run], tests_added: 2 })).not.toContain('FEWER TESTS RAN');
  expect(told({ runs: [{ ...run, tests: 6 }], tests_added: 2 }, setup)).not.toContain('FEWER TESTS RAN');
  expect(told({})).toContain('TESTS OF BASE ON THE NEW CODE: unchanged, and green where a command runs them\n');
});

test('how many tests of the base were skipped stands beside green, and an old test that gained lines is not called new', () => {
  const told = toReviewer(reviewed({ base_tests: 'green', base_skipped: 41 }), 'a');
  expect(told).toContain('TESTS OF BASE ON THE NEW CODE: green (41 skipped)\n');
  expect(told).toContain('\nNEW OR CHANGED TESTS WITHOUT THE CHANGE (on BASE): red');
});

test('what was written before the plan is told with what that means', () => {
  const w = reviewed();
  w.edit((state) => ({
    ...state,
    tasks: state.tasks.map((task) => ({
      ...task,
      history: (task.history ?? []).map((entry) =>
        entry.event === 'submitted' ? { ...entry, diff: { files: 1, brought_back: { paths: ['src/a.ts'] } } } : entry,
      ),
    })),
  }));
  expect(toReviewer(w, 'a')).toContain(
    'brought back unchanged (no fault by itself: does it fit the plan?): src/a.ts\n',
  );
});

test('new tests that pass without the change are named; of a test task they should', () => {
  const w = reviewed({ failed: ['adds'], passed: ['is there', 'has a name'] });
  expect(toReviewer(w, 'a')).toContain(
    '\nOF THE NEW TESTS THESE PASS WITHOUT THE CHANGE: is there; has a name\nTESTS OF BASE',
  );
  w.edit((state) => ({ ...state, tasks: state.tasks.map((task) => ({ ...task, type: 'test' as const })) }));
  expect(toReviewer(w, 'a')).not.toContain('PASS WITHOUT THE CHANGE');
  expect(toReviewer(reviewed({ failed: ['adds'] }), 'a')).not.toContain('PASS WITHOUT THE CHANGE');
});

test('a reason that an older version recorded is told below both', () => {
  expect(toReviewer(reviewed({ on_base: 'unknown', why: 'it took too long' }), 'a')).toContain(
    '\n  because it took too long\n',
  );
});

test('tests that no command can run are told as not run, neither green nor red', () => {
  const prompt = toReviewer(reviewed({ on_base: 'not_run', base_tests: 'not_run', why: NO_TEST_COMMAND }), 'a');
  expect(prompt).toContain('(on BASE): NOT RUN, and not at the commit either: no command that Liza runs can run tests');
  expect(prompt).toContain('TESTS OF BASE ON THE NEW CODE: not run\n');
  expect(prompt).not.toContain('GREEN: they pass');
});

test('tests of a test task that are green on the base are told as they should be', () => {
  const w = reviewed({ on_base: 'green' });
  expect(toReviewer(w, 'a')).toContain('(on BASE): GREEN: they pass without the change');
  w.edit((state) => withTask(state, { ...w.task('a'), type: 'test' }));
  expect(toReviewer(w, 'a')).toContain('(on BASE): green, as tests for code that is merged already should be\n');
});

test('a file of which scope OUT names a part is told with what it says', () => {
  const w = claimed();
  w.edit((state) => withTask(state, { ...w.task('a'), scope: 'IN: src/, test/\nOUT: src/a.ts: all but add' }));
  w.run(CODER, begin('a', BASE));
  const changes = ['src/a.ts', 'test/a.test.ts'].map((path) => ({ path, kind: 'changed' as const }));
  w.run(CODER, submit('a', AT, { changes }));
  w.run(SUPERVISOR, claimReview('a'));
  expect(toReviewer(w, 'a')).toMatch(/SCOPE OUT THAT NO MACHINE CHECKS: src\/a\.ts: all but add\n/);
});

test('a commit that was red before is told with the command, and its tests are not blamed', () => {
  const w = claimed();
  w.run(CODER, begin('a', BASE));
  w.edit((state) => ({
    ...state,
    tasks: state.tasks.map((task) => {
      const red = { event: 'validation_failed', time: '2026-01-20T10:05:00Z', commit: AT, command: 'node time.mjs' };
      return { ...task, history: [...(task.history ?? []), red] };
    }),
  }));
  w.run(CODER, submit('a', AT, { proof: proved(w, 'a', AT) }));
  w.run(SUPERVISOR, claimReview('a'));
  const told = toReviewer(w, 'a');
  expect(told).toContain(
    'THE SAME COMMIT WAS RED 1 TIME BEFORE, and is green now: “node time.mjs” was red and green on the same files, a flake of that command.',
  );
  expect(told).not.toContain('do not always pass');
});

test('what Liza did not look at is counted and measured', () => {
  const w = reviewed({ base_tests: 'same' });
  const unread = { paths: ['test/big.test.js', 'test/more.test.js'], more: 39 };
  const diff = { files: 41, unread, unread_bytes: 164_000_000 };
  w.edit((state) => ({
    ...state,
    tasks: state.tasks.map((task) => ({
      ...task,
      history: (task.history ?? []).map((entry) => (proofOf(entry) === undefined ? entry : { ...entry, diff })),
    })),
  }));
  expect(toReviewer(w, 'a')).toContain('look yourself): 41 files, 164 MB: test/big.test.js, test/more.test.js');
});
