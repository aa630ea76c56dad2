// `liza try`: code of a commit runs in the reviewer's folder to write in, or in the coder's own, but without anything by
// which it could speak for who asked; its output, its exit code and its end are the asker's.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { programEnvironment } from '../../../src/process/tags.ts';
import { isRefusal } from '../../../src/protocol/decision.ts';
import type { Config } from '../../../src/protocol/state.ts';
import { sandboxSupportOf } from '../../../src/sandbox/mode.ts';
import { claimReview } from '../../../src/tasks/claim-review.ts';
import type { TaskContext } from '../../../src/tasks/context.ts';
import { makeReviewFolder, type ReviewFolder } from '../../../src/tasks/review-copy.ts';
import { type TriedOut, tryOut } from '../../../src/tasks/try-out.ts';
import { hostAt } from '../../host.ts';
import { refusedBy } from '../../refused-by.ts';
import { type Project, project, succeeded, WORK } from '../../support/project.ts';

const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0;
const REVIEWER = 'code-reviewer-1';
let p: Project;
let copy: ReviewFolder | undefined;
afterEach(async () => {
  await copy?.remove();
  copy = undefined;
});

async function reviewed(config: Partial<Config> = {}): Promise<string> {
  p = project({});
  await p.submitted('t', WORK);
  succeeded(await claimReview(p.as(REVIEWER), 't', REVIEWER));
  copy = succeeded(await makeReviewFolder(p.as(REVIEWER), await p.task('t')));
  if (Object.keys(config).length > 0) await p.config(config);
  return copy.tryout ?? '';
}

/** As `liza try` runs in a reviewer's session, with all that such a session has. */
async function tried(
  script: string,
  { agent = REVIEWER, sandboxed = false, ...more }: Partial<TaskContext> & Asked = {},
) {
  const env = {
    ...p.env,
    PATH: process.env['PATH'],
    HOME: path.join(p.base, 'home'),
    LIZA_AGENT_ID: agent,
    LIZA_SESSION: 'a credential',
    LIZA_MAILBOX: '/somewhere',
    OPENAI_API_KEY: 'key',
  };
  const lines: string[] = [];
  const context: TaskContext = {
    ...p.as(agent),
    env: programEnvironment(env, { root: p.root, repository: path.join(p.root, '.git') }),
    ...(sandboxed
      ? { sandboxSupport: sandboxSupportOf(hostAt(Date.now, env), [process.execPath, '/x/dist/liza.cjs']) }
      : {}),
    ...more,
  };
  const done = await tryOut(context, { argv: ['sh', '-c', script], onLine: (line) => lines.push(line) });
  return { done, lines, said: lines.join('\n') };
}

interface Asked {
  readonly agent?: string | undefined;
  readonly sandboxed?: boolean;
}

const code = (done: Awaited<ReturnType<typeof tried>>['done']): number => (done as TriedOut).code;

describe.each([
  ['without a sandbox', false],
  ['in the sandbox', true],
] as const)('what a commit brings, %s', (_, sandboxed) => {
  const skipped = sandboxed && !works;
  const config = { sandbox: sandboxed ? 'require' : 'off' } as const;

  test.skipIf(skipped)('runs in the folder of TRY IT IN, with what the reviewer changed there', async () => {
    const folder = await reviewed(config);
    fs.writeFileSync(path.join(folder, 'tried.txt'), 'the reviewer’s\n');
    const { done, said } = await tried('pwd; cat tried.txt src/app.ts; echo made > by-the-test; exit 3', { sandboxed });
    expect(done).toMatchObject({ code: 3, how: 'ended with 3', confined: sandboxed });
    expect(said).toBe(`${folder}\nthe reviewer’s\nexport const app = 2;`);
    expect(fs.readFileSync(path.join(folder, 'by-the-test'), 'utf8')).toBe('made\n');
    expect(await copy?.changed()).toEqual([]);
  });

  test.skipIf(skipped)(
    'has nothing of the session’s: no mailbox, no credential, and the mark of a program',
    async () => {
      await reviewed(config);
      const { said } = await tried('env', { sandboxed });
      expect(said).not.toMatch(/LIZA_(SESSION|MAILBOX|AGENT_ID)|OPENAI/);
      expect(said).toMatch(new RegExp(`LIZA_PROGRAM=\\S*${Buffer.from('program').toString('hex')}`));
    },
  );

  test.skipIf(skipped)('leaves nothing on the board, whatever it does', async () => {
    await reviewed(config);
    const before = fs.readFileSync(path.join(p.root, '.liza/state.yaml'), 'utf8');
    expect(code((await tried('kill -9 $$', { sandboxed })).done)).toBe(137);
    expect(fs.readFileSync(path.join(p.root, '.liza/state.yaml'), 'utf8')).toBe(before);
  });

  test.skipIf(skipped)('ends within its limit, which is said, with all that it started', async () => {
    await reviewed({ ...config, validation_timeout: 2 });
    const { done, said } = await tried('sleep 300 & echo $!; wait', { sandboxed });
    expect(done).toMatchObject({ code: 124, how: 'did not end within 2 s (config validation_timeout)' });
    // A zombie has ended, too.
    const state = spawnSync('ps', ['-o', 'stat=', '-p', said.trim()], { encoding: 'utf8' }).stdout.trim();
    if (!sandboxed) expect(state).toMatch(/^(Z.*)?$/);
  });

  test.skipIf(skipped)('ends with who asked for it', async () => {
    await reviewed(config);
    const asked = new AbortController();
    setTimeout(() => asked.abort(), 500);
    const begun = performance.now();
    const { done } = await tried('sleep 300 & wait', { sandboxed, stop: () => asked.signal });
    expect(done).toMatchObject(refusedBy('stopped'));
    expect(performance.now() - begun).toBeLessThan(15_000);
  });
});

test('it is the folder of this review, whatever an earlier one left', async () => {
  const folder = await reviewed();
  const stale = path.join(path.dirname(folder), '.review-t-00000000');
  fs.cpSync(folder, stale, { recursive: true });
  fs.writeFileSync(path.join(stale, 'src/app.ts'), 'of the coder’s choice\n');
  const { said } = await tried('pwd; cat src/app.ts');
  expect(said).toBe(`${folder}\nexport const app = 2;`);
});

describe.skipIf(!works)('in the sandbox', () => {
  test('it plants nothing where the reviewer’s own git would run it', async () => {
    const folder = await reviewed({ sandbox: 'require', post_worktree_cmd: 'true' });
    const before = fs.readFileSync(path.join(folder, '.git/config'), 'utf8');
    const { said } = await tried(
      `git status --short; for git in .git ${path.join(p.root, '.worktrees/.checkout/.git')}; do
        git config core.fsmonitor x; mkdir -p $git/hooks && touch $git/hooks/pre-commit; mv $git $git-old; rm -rf $git; done 2>&1
      git init -q src/lib && git -C src/lib config core.fsmonitor x`,
      { sandboxed: true },
    );
    expect(said).toMatch(/cannot (move|remove)/);
    expect(fs.existsSync(path.join(folder, 'src/lib/.git'))).toBe(false);
    expect(fs.readFileSync(path.join(folder, '.git/config'), 'utf8')).toBe(before);
    expect(fs.readdirSync(folder)).not.toContain('.git-old');
    expect(fs.existsSync(path.join(folder, '.git/hooks/pre-commit'))).toBe(false);
  });

  test('git works in it on what the reviewer has', async () => {
    const folder = await reviewed({ sandbox: 'require' });
    fs.appendFileSync(path.join(folder, 'src/app.ts'), '// tried\n');
    const { said } = await tried('git status --short; git rev-parse HEAD; git log -1 --format=%s', { sandboxed: true });
    expect(said.split('\n').slice(0, 2)).toEqual([' M src/app.ts', (await p.task('t')).review_commit]);
  });

  test.each(['.liza', '.git/liza', '../home'])('a link to %s in place of .git opens nothing', async (to) => {
    const folder = await reviewed({ sandbox: 'require' });
    const place = path.join(p.root, to);
    fs.mkdirSync(place, { recursive: true });
    fs.writeFileSync(path.join(place, 'secret'), 'hush\n');
    const look = `cat .git/secret ${place}/secret; true`;
    fs.renameSync(path.join(folder, '.git'), path.join(folder, '.g'));
    fs.symlinkSync(path.relative(folder, place), path.join(folder, '.git'));
    expect((await tried(look, { sandboxed: true })).said).not.toContain('hush');
  });

  test.each([
    ['a reviewer', { reviewer: 'off' }, 'none'],
    ['a reviewer', { coder: 'off' }, 'some'],
    ['a reviewer', { tests: 'off' }, 'none'],
  ] as const)('%s with the network %j has it so', async (_, sandbox_network, network) => {
    await reviewed({ sandbox: 'require', sandbox_network });
    const look = 'tail -n +3 /proc/net/dev | cut -d: -f1';
    const here = spawnSync('sh', ['-c', look], { encoding: 'utf8' }).stdout.trimEnd();
    expect((await tried(look, { sandboxed: true })).said).toBe(network === 'some' ? here : '    lo');
  });

  test('nor in a coder’s own folder', async () => {
    p = project({ config: { sandbox: 'require' } });
    await p.claim('t');
    const folder = p.folder('t');
    fs.rmSync(path.join(folder, '.git'), { recursive: true });
    fs.symlinkSync('../../.liza', path.join(folder, '.git'));
    const look = `head -1 .git/state.yaml ${p.root}/.liza/state.yaml; true`;
    expect((await tried(look, { agent: 'coder-1', sandboxed: true })).said).not.toMatch(/version/);
  });

  test('it sees neither the board nor the session’s home', async () => {
    await reviewed({ sandbox: 'require' });
    const rooms = path.join(p.root, '.liza/cache/rooms', REVIEWER);
    fs.mkdirSync(path.join(rooms, 'session-1/mail'), { recursive: true });
    const { said } = await tried(`cat ${p.root}/.liza/state.yaml; touch ${rooms}/session-1/mail/forged.ask; ls -A ~`, {
      sandboxed: true,
    });
    expect(said).toMatch(/^cat: [^\n]*No such file[^\n]*\ntouch: [^\n]*$/);
    expect(fs.readdirSync(path.join(rooms, 'session-1/mail'))).toEqual([]);
  });
});

describe('who may', () => {
  test('a coder, in its own folder', async () => {
    p = project({});
    await p.claim('t');
    expect((await tried('pwd', { agent: 'coder-1' })).said).toBe(p.folder('t'));
  });

  test.each([
    ['coder-2', /coder-2 has no task/],
    [REVIEWER, /code-reviewer-1 has no task/],
    ['planner-1', /planner-1 has no task/],
  ])('not %s without work', async (agent, why) => {
    p = project({});
    await p.claim('t');
    const { done, said } = await tried('echo ran', { agent });
    expect(isRefusal(done) && done.message).toMatch(why);
    expect(said).toBe('');
  });

  test('not a reviewer whose coder took the submission back, and each refusal says that', async () => {
    await reviewed();
    await p.run('coder-1', { name: 'retract', task: 't', reason: 'the test passes on the base, too' });
    for (const agent of [REVIEWER, REVIEWER]) {
      const { done } = await tried('echo ran', { agent });
      expect(isRefusal(done) && done.message).toBe('the submission of t was retracted');
      expect(isRefusal(done) && done.hint).toContain('Stop now: liza exit 42');
    }
    expect(await tried('true')).toMatchObject({
      done: { hint: expect.stringContaining('the test passes on the base') },
    });
  });

  test('not a person, who has a shell', async () => {
    p = project({});
    const done = await tryOut(p.as(), { argv: ['true'], onLine: () => {} });
    expect(isRefusal(done) && done.message).toMatch(/for agents at work/);
  });

  test('not a reviewer whose folder to write in could not be made', async () => {
    const folder = await reviewed();
    fs.rmSync(folder, { recursive: true });
    const { done } = await tried('echo ran');
    expect(isRefusal(done) && done.message).toMatch(/no folder to try t in/);
  });
});
