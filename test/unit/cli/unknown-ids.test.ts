// Every command is given an id that nothing has, and an option that it does not know: none of them ends with 0.

import { beforeEach, describe, expect, test } from 'vitest';
import { REGISTRY } from '../../../src/cli/registry.ts';
import { IDS, type Kind } from '../../../src/cli/verb.ts';
import { project as realProject } from '../../support/project.ts';
import { aBlocked, aClaim, agents, aReview, aTask, type Project, project } from './fixtures.ts';

let here: Project;
beforeEach(() => {
  here = project({
    agents: agents({ coder: 'claimed', reviewer: 'judged' }),
    tasks: [
      aTask('one'),
      aTask('open', { status: 'UNCLAIMED' }),
      aClaim('claimed'),
      aBlocked('blocked'),
      aReview('judged'),
    ],
    discovered: [{ id: 'disc-1', description: 'no timeout', severity: 'low', by: 'coder-1' }],
    human_notes: [{ id: 'note-1', timestamp: '2026-03-01T10:00:00Z', message: 'hello' }],
  });
});

const DEFINITION = ['--desc', 'Retry the login', '--done', 'three 503s in a row still log in', '--scope', 'IN: src'];
const PLAN = ['--intent', 'wrap login', '--risks', 'none', '--validation', 'npm test: exit 0', '--file', 'a.ts'];

/** One call for each argument that takes an id, by command and argument; `as`: who asks, a person without it. */
const CALLS: Readonly<Record<string, readonly [argv: string, as?: string | undefined, ...words: string[]]>> = {
  'show task': ['show nosuch'],
  'log task': ['log nosuch'],
  'audit task': ['audit nosuch'],
  'audit goal': ['audit --goal goal-9'],
  'report goal': ['report --goal goal-9'],
  'attempts task': ['attempts nosuch'],
  'pause task': ['pause nosuch'],
  'resume task': ['resume nosuch'],
  'note for': ['note hello --for nosuch'],
  'note done id': ['note done note-9'],
  'replan task': ['replan nosuch'],
  'spec-change triggered-by': ['spec-change specs/auth.md changed --triggered-by nosuch'],
  'archive task': ['archive nosuch'],
  'add-task because': ['add-task --id new --because q-9', undefined, ...DEFINITION],
  'add-task depends': ['add-task --id new --depends nosuch', undefined, ...DEFINITION],
  'amend task': ['amend nosuch --priority 2'],
  'amend depends': ['amend one --depends nosuch'],
  'finalize task': ['finalize nosuch'],
  'unblock task': ['unblock nosuch'],
  'unblock depends': ['unblock blocked --depends nosuch'],
  'unblock exclude': ['unblock blocked --exclude coder-9'],
  'unblock reserve': ['unblock blocked --reserve coder-9'],
  'supersede task': ['supersede nosuch --root-cause large --replacement one'],
  'supersede replacement': ['supersede blocked --root-cause large --replacement nosuch'],
  'abandon task': ['abandon nosuch --reason old'],
  'discovery convert discovery': ['discovery convert disc-9 one'],
  'discovery convert task': ['discovery convert disc-1 nosuch'],
  'discovery dismiss discovery': ['discovery dismiss disc-9 --reason old'],
  'discovery reopen discovery': ['discovery reopen disc-9 --reason old'],
  'ask task': ['ask why --task nosuch'],
  'ask withdraw': ['ask --withdraw q-9 --reason old'],
  'answer about': ['answer q-9 yes'],
  'begin task': ['begin nosuch', 'coder-1', ...PLAN],
  'block task': ['block nosuch --reason unclear --question how?', 'coder-1'],
  'discover during': ['discover slow --severity low --during nosuch', 'coder-1'],
  'anomaly task': ['anomaly --type retry_loop --task nosuch --detail count=3 --detail error_pattern=x', 'coder-1'],
  'anomaly processed id': ['anomaly processed anomaly-9'],
  'handoff task': ['handoff nosuch --summary x --next y', 'coder-1'],
  'submit-verdict task': ['submit-verdict nosuch APPROVED', 'code-reviewer-1'],
  'submit-for-review task': [`submit-for-review nosuch ${'a'.repeat(40)}`, 'coder-1'],
  'retract task': ['retract nosuch --reason wrong', 'coder-1'],
  'release-claim task': ['release-claim nosuch'],
  'agent task': ['agent coder nosuch'],
  'claim-task task': ['claim-task nosuch coder-2', 'coder-2'],
  'claim-task agent': ['claim-task open coder-9', 'coder-9'],
  'claim-review task': ['claim-review nosuch code-reviewer-1', 'code-reviewer-1'],
  'claim-review agent': ['claim-review judged code-reviewer-9', 'code-reviewer-9'],
  'clear-stale-review-claims agent': ['clear-stale-review-claims --agent code-reviewer-9'],
  'wt create task': ['wt create nosuch'],
  'wt merge task': ['wt merge nosuch'],
  'wt delete task': ['wt delete nosuch'],
  'queue hold task': ['queue hold nosuch'],
  'queue release task': ['queue release nosuch'],
  'queue first task': ['queue first nosuch'],
  'queue out task': ['queue out nosuch --reason red'],
  'play next agent': ['play next coder-9'],
  'play sh agent': ['play sh coder-9 ls'],
  'play say agent': ['play say coder-9 hello'],
  'play end agent': ['play end coder-9'],
};

/** These read the journal or git before they look at the id. */
const REAL = /^(audit|attempts|submit-for-review) /;
async function withJournal(): Promise<Pick<Project, 'liza' | 'state'>> {
  const made = realProject();
  await made.ok(['note', 'hello']);
  return made;
}

const loaded = Object.entries(REGISTRY).flatMap(([name, { load }]) => (load === undefined ? [] : [{ name, load }]));
const MAKES = /liza (?:add-task --id|register|run --agent player, then liza play next) \S+/g;
const isId = (kind: Kind | undefined): boolean => IDS.some((id) => id === kind);

test('each argument of a command that takes an id has a call here', async () => {
  const found = await Promise.all(
    loaded.map(async ({ name, load }) => {
      const { positionals, options } = await load();
      const words = positionals.filter(({ kind }) => isId(kind)).map((word) => word.name);
      const named = Object.entries(options).filter(([, { kind }]) => isId(kind));
      return [...words, ...named.map(([option]) => option)].map((argument) => `${name} ${argument}`);
    }),
  );
  expect(Object.keys(CALLS).sort()).toEqual(found.flat().sort());
});

test('an argument that is named like an id says what it is an id of', async () => {
  const LIKE_AN_ID = /^(id|task|agent|question|note|discovery|anomaly|goal|about)$/;
  // A goal in words, a question in words, and the ids that a rehearsal gives to its own sessions.
  const WORDS = [
    'init goal',
    'goal edit goal',
    'ask question',
    'rehearse session',
    'rehearse resume',
    'block question',
  ];
  const lacking = await Promise.all(
    loaded.map(async ({ name, load }) => {
      const { positionals, options } = await load();
      return [
        ...positionals.filter((word) => LIKE_AN_ID.test(word.name) && word.kind === undefined).map((word) => word.name),
        ...Object.entries(options)
          .filter(([, { value, kind }]) => LIKE_AN_ID.test(value ?? '') && kind === undefined)
          .map(([option]) => option),
      ].map((argument) => `${name} ${argument}`);
    }),
  );
  expect(lacking.flat().filter((one) => !WORDS.includes(one))).toEqual([]);
});

describe.each(Object.entries(CALLS))('%s', (_argument, [line, as, ...words]) => {
  test(`liza ${line}: exit 1, names the id, says what to do, changes nothing`, async () => {
    const where = REAL.test(line) ? await withJournal() : here;
    const before = await where.state();
    const ran = await where.liza([...line.split(' '), ...words], { as });
    expect(ran.code, ran.stdout).toBe(1);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toMatch(/^liza: [^\n]*(nosuch|-9)[^\n]*\n {2}→ [^\n]+/);
    // Nothing can be done with what is not there, but to make it.
    const hint = ran.stderr.slice(ran.stderr.indexOf('→')).replace(MAKES, '');
    expect(hint).not.toMatch(/nosuch|-9\b/);
    expect(await where.state()).toEqual(before);
  });
});

test.each(loaded.map(({ name }) => name))('liza %s refuses an option that it does not know', async (name) => {
  const ran = await here.liza([...name.split(' '), '--no-such-option']);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('has no option "--no-such-option"');
});

test.each([
  [['show', 'clamed'], 'did you mean claimed?'],
  [['log', 'clamed'], 'did you mean claimed?'],
  [['pause', 'blokced'], 'did you mean blocked?'],
  [['unblock', 'blokced'], 'did you mean blocked?'],
  [['note', 'hello', '--for', 'clamed'], 'did you mean claimed?'],
  [['report', '--goal', 'gaol-1'], 'did you mean goal-1?'],
  [['config', 'set', 'lease_duraton', '600'], 'did you mean lease_duration?'],
  [['config', 'get', 'lease_duraton'], 'did you mean lease_duration?'],
  [['status', '--al'], 'did you mean --all?'],
  [['agent', 'codr'], 'did you mean coder?'],
  [['statsu'], 'did you mean: liza status'],
  [['uninstall'], 'out of this project: liza deinit'],
  [['cancel', 'greet'], 'one task: liza abandon <task>'],
  [['remove'], 'off this machine: liza help install'],
  [['--versoin'], 'did you mean --version?'],
])('liza %j: says what was probably meant', async (argv, hint) => {
  const ran = await here.liza(argv);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(hint);
});
