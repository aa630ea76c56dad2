// Whom the record names that stays: every coder whose commits were merged, every reviewer whose approval counted; the event,
// the trailers, blame, finish, the report and the audit alike.

import { beforeAll, expect, test } from 'vitest';
import { showing } from '../../support/approval.ts';
import { type Project, project, succeeded } from '../../support/project.ts';
import { UNCHANGED } from '../../unit/protocol/world.ts';

const REVIEWERS = ['code-reviewer-1', 'code-reviewer-2'];

/** As an agent's session has git sign it. */
const commitAs = (p: Project, agent: string, file: string): string => {
  const folder = p.folder('t');
  p.commit({ [file]: `${agent}\n`, 'test/app.test.ts': `test('${file}');\n` }, `t: by ${agent}`, folder);
  const who = ['-c', `user.name=${agent}`, '-c', `user.email=${agent}@liza.invalid`];
  p.git('-C', folder, ...who, 'commit', '-q', '--amend', '--no-edit', `--author=${agent} <${agent}@liza.invalid>`);
  return p.git('-C', folder, 'rev-parse', 'HEAD');
};

/** coder-1 wrote it, coder-2 took it over and, where asked to, wrote more; two approved it, and a merge commit has it. */
async function mergedOf(authors: readonly string[]): Promise<Project> {
  const p = project({ config: { reviewers_required: 2 } });
  const files = authors.map((agent) => `src/${agent}.ts`);
  await p.begun('t', 'coder-1', [...files, 'test/app.test.ts']);
  commitAs(p, 'coder-1', 'src/coder-1.ts');
  p.pass(3600);
  await p.claim('t', 'coder-2');
  if (authors.includes('coder-2')) commitAs(p, 'coder-2', 'src/coder-2.ts');
  succeeded(await p.submit('t', 'HEAD', 'coder-2'));
  for (const agent of REVIEWERS) {
    const role = 'code_reviewer';
    await p.run(agent, { name: 'register', agent, role, provider: agent, process: '', terminal: '' });
    const reason = showing(await p.task('t'));
    await p.run(
      agent,
      { name: 'claim-review', task: 't', agent },
      { name: 'submit-verdict', task: 't', verdict: 'APPROVED', reason, facts: UNCHANGED },
    );
  }
  await p.accepted({ 'other.txt': 'other\n' });
  succeeded(await p.merge('t', {}, p.as('code-reviewer-2')));
  return p;
}

let both: Project;
let one: Project;
beforeAll(async () => {
  both = await mergedOf(['coder-1', 'coder-2']);
  one = await mergedOf(['coder-1']);
});

const trailers = (p: Project, ref: string): readonly string[] =>
  p.git('show', '-s', '--format=%(trailers:only,unfold)', ref).split('\n');
const AUTHORS = ['Liza-Author: coder-1', 'Liza-Author: coder-2'];
const NAMED = REVIEWERS.map((name) => `Liza-Reviewer: ${name}`);

test('the event and the trailers name all who wrote it and all who approved it', async () => {
  expect(await both.last('t', 'merged')).toMatchObject({ author: ['coder-1', 'coder-2'], approved_by: REVIEWERS });
  const { review_commit: commit } = await both.task('t');
  expect(trailers(both, 'integration')).toEqual([
    'Liza-Task: t',
    ...AUTHORS,
    ...NAMED,
    `Liza-Reviewed-Commit: ${commit}`,
  ]);
});

test('who only submitted it is no author', async () => {
  expect(await one.last('t', 'merged')).toMatchObject({ author: 'coder-1', approved_by: REVIEWERS });
  expect(trailers(one, 'integration')).toContain('Liza-Author: coder-1');
  expect(trailers(one, 'integration')).not.toContain('Liza-Author: coder-2');
  const { stdout } = await one.ok(['blame', 'integration']);
  expect(stdout).toContain('of coder-1, submitted by coder-2');
  expect(stdout).toMatch(/author +coder-1\n/);
});

test('blame tells the same, and that the trailers agree', async () => {
  const { stdout } = await both.ok(['blame', 'integration']);
  for (const part of [/author +coder-1, coder-2\n/, /approved by\s+code-reviewer-1,\s+code-reviewer-2/])
    expect(stdout).toMatch(part);
  expect(stdout).toContain('they agree with the board');
});

test('the audit compares all of them', async () => {
  const { stdout } = await both.ok(['audit', 't']);
  const told = stdout.replace(/\s+/g, ' ');
  expect(told).toContain('it names the coders of its commits: coder-1, coder-2');
  expect(told).toContain('it names those who approved it: code-reviewer-1, code-reviewer-2');
  expect(told).toContain('the trailers of its merge commit say the same: they agree with the board');
});

test('finish and the report do, too', async () => {
  await both.ok(['finish', '--yes', '--no-ff']);
  expect(trailers(both, 'main')).toEqual(expect.arrayContaining([...AUTHORS, ...NAMED]));
  expect((await both.ok(['blame', 'main'])).stdout).toMatch(
    /written by coder-1, coder-2, approved by\s+code-reviewer-1,\s+code-reviewer-2/,
  );
  const report = (await one.ok(['report', '--out', '-', '--md'])).stdout;
  expect(report).toContain('by coder-1, submitted by coder-2');
});
