import { beforeEach, expect, test } from 'vitest';
import { agents, aReview, aTask, type Project, project } from './fixtures.ts';

let here: Project;
beforeEach(() => {
  here = project({
    agents: agents({ reviewer: 'judged' }),
    tasks: [aTask('one'), aTask('two', { depends_on: ['one'] }), aReview('judged')],
  });
});

const ADD = ['--desc', 'x', '--done', 'x', '--scope', 'IN: src'];
const REJECTION = 'Blockers: 1\n- [blocker] a.ts:1 — wrong';

const LONG = 'x'.repeat(16_385);

const ROWS: readonly (readonly [string[], string | undefined, RegExp])[] = [
  [['add-task', '--id', '../x', ...ADD], 'planner-1', /"..\/x" is not a task id/],
  [['add-task', '--id=--upload-pack=x', ...ADD], 'planner-1', /"--upload-pack=x" is not a task id/],
  [['add-task', '--id', '--upload-pack=x', ...ADD], 'planner-1', /looks like an option/],
  [['add-task', '--id', 'a;b', ...ADD], 'planner-1', /"a;b" is not a task id/],
  [['add-task', '--id', 'A', ...ADD], 'planner-1', /"A" is not a task id/],
  [['add-task', '--id', '', ...ADD], 'planner-1', /"" is not a task id/],
  [['add-task', ...ADD], 'planner-1', /needs --id/],
  [['add-task', '--id', 'one', ...ADD], 'planner-1', /one/],
  [['add-task', '--id', 'new', '--priority', '9', ...ADD], 'planner-1', /priority/],
  [['add-task', '--id', 'new', '--priority', 'high', ...ADD], 'planner-1', /--priority is "high"/],
  [['add-task', '--id', 'new', '--priority=-1', ...ADD], 'planner-1', /priority/],
  [['add-task', '--id', 'new', '--depends', 'ghost', ...ADD], 'planner-1', /ghost/],
  [['add-task', '--id', 'new', '--depends', '../x', ...ADD], 'planner-1', /"..\/x" is not a task id/],
  [['add-task', '--id', 'new', '--depends', 'new', ...ADD], 'planner-1', /new/],
  [['amend', 'one', '--depends', 'two'], 'planner-1', /one.*two|two.*one|cycl/],
  [['add-task', '--id', 'new', '--spec', '/etc/passwd', ...ADD], 'planner-1', /no document of the project/],
  [['add-task', '--id', 'new', '--spec', '../up.md', ...ADD], 'planner-1', /no document of the project/],
  [
    ['add-task', '--id', 'new', '--spec', 'specs/none.md', '--validate', 'true', '--ready', ...ADD],
    'planner-1',
    /specs\/none\.md/,
  ],
  [['add-task', '--id', 'new', '--type', 'poem', ...ADD], 'planner-1', /--type is "poem"/],
  [['add-task', '--id', 'new', '--desc', LONG], 'planner-1', /16385|16384/],
  [['finalize', 'ghost'], 'planner-1', /there is no task ghost/],
  [['finalize', 'a;b'], 'planner-1', /"a;b" is not a task id/],
  [['show', '../../etc/passwd'], undefined, /is not a task id/],
  [['submit-verdict', 'judged', 'MAYBE'], 'code-reviewer-1', /<verdict> is "MAYBE"/],
  [['submit-verdict', 'judged', 'REJECTED'], 'code-reviewer-1', /Blockers/],
  [['submit-verdict', 'judged', 'REJECTED', 'looks wrong'], 'code-reviewer-1', /Blockers/],
  [['submit-verdict', 'judged', 'REJECTED', REJECTION], 'code-reviewer-1', /Why it matters|Concerns/],
  [['submit-verdict', 'judged', 'APPROVED', '--commit', 'zzz'], 'code-reviewer-1', /zzz|commit/],
  [['submit-verdict', 'judged', 'APPROVED'], 'coder-1', /reviewer/],
  [['note'], undefined, /needs <message>/],
  [['config', 'set', 'no_such_key', '1'], undefined, /no_such_key/],
  [['config', 'set', 'lease_duration', 'long'], undefined, /lease_duration/],
  [['exit', '300'], 'coder-1', /0 to 255/],
  [['exit', 'now'], 'coder-1', /0 to 255/],
  [['anomaly', '--type', 'retry_loop', '--detail', 'count'], 'coder-1', /key=value/],
  [['anomaly', '--type', 'retry_loop', '--detail', 'count=1', '--detail', 'count=2'], 'coder-1', /given twice/],
  [['anomaly', '--type', 'bad_mood'], 'coder-1', /bad_mood/],
  [['sprint', 'start', '--deadline', 'soon'], undefined, /"soon" was not understood/],
  [['sprint', 'start', '--deadline', '2020-01-01'], undefined, /is past/],
  [['spec-change', '../x', 'changed'], undefined, /no document of the project/],
  [['block', 'one', '--reason', 'unclear'], 'coder-1', /needs --question/],
  [['pause'], 'boss-1', /"boss-1" is not an agent id/],
];

const named = ROWS.map(([argv, agent, said]) => ({ line: argv.join(' ').slice(0, 70), argv, agent, said }));

test.each(named)('liza $line: one sentence, a hint, exit 1, nothing changed', async ({ argv, agent, said }) => {
  const before = await here.state();
  const ran = await here.liza(argv, { as: agent });
  expect(ran.code).toBe(1);
  expect(ran.stdout).toBe('');
  expect(ran.stderr).toMatch(said);
  expect(ran.stderr).toMatch(/^liza: [^\n]+\n {2}→ [^\n]+/);
  expect(await here.state()).toBe(before);
});
