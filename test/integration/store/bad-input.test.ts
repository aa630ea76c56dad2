// Bad input, hostile files and the ways back: one clear sentence and a hint, the right exit code, and nothing changed on
// disk. In this process; that the built program answers the same way is the matter of test/e2e/input.test.ts.

import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { HANDWRITTEN } from '../../support/handwritten-board.ts';
import type { Ran } from '../../support/in-process.ts';
import { type BoardInProcess, boardInProcess, inProcessIn } from '../../support/program.ts';
import { repository } from '../../support/repository.ts';
import { fingerprint } from '../../support/temporary-folder.ts';

async function handwritten(): Promise<BoardInProcess> {
  const board = await boardInProcess(HANDWRITTEN);
  await await board.ok(['note', 'the first']);
  return board;
}

/** One sentence, one hint, nothing else; a hint may take several lines, indented below its arrow. */
function expectSentence({ stdout, stderr }: Ran): void {
  expect(stderr).toMatch(/^liza: [^\n]+\n {2}→ [^\n]+\n( {4}[^\n]+\n)*$/);
  expect(stderr).not.toMatch(/Error:|at \S+ \(|undefined|\[object/);
  expect(stdout).toBe('');
}

/**
 * Neither the blackboard nor anything around it. A refused attempt of an agent is a line of refused.log; a section's text
 * is kept before the board could name it; Liza's private git directory is made by the first command that asks git.
 */
const everything = (board: BoardInProcess): string =>
  fingerprint(board.root, ['.liza/cache', '.liza/refused.log', '.liza/specs', '.git/liza/git']);

describe('a bad argument', () => {
  const add = (...more: string[]) => ['add-task', '--desc', 'd', ...more];
  const as = (id: string) => ({ LIZA_AGENT_ID: id });
  const cases: [string, readonly string[], RegExp, Record<string, string>?][] = [
    ['an id that climbs', add('--id', '../x'), /"\.\.\/x"/],
    ['an id that is an option', add('--id=--upload-pack=x'), /--upload-pack=x/],
    ['an id for a shell', add('--id', 'a;b'), /"a;b"/],
    ['an id with a line break', add('--id', 'a\nb'), /"a\?b" is not a task id/],
    ['an id too long', add('--id', 'a'.repeat(64)), /aaa/],
    ['an empty id', add('--id', ''), /id/],
    ['a task named like an option', ['show', '--upload-pack=x'], /--upload-pack/],
    ['a task that climbs', ['show', '../../etc/passwd'], /passwd/],
    ['a duplicate id', add('--id', 'open-one'), /open-one/],
    ['priority 9', add('--id', 'x', '--priority', '9'), /priority/],
    ['priority of words', add('--id', 'x', '--priority', 'high'), /priority/],
    ['an unknown dependency', add('--id', 'x', '--depends', 'nowhere'), /nowhere/],
    ['a dependency on itself', ['amend', 'open-one', '--depends', 'open-one'], /open-one/],
    ['a cycle of two', ['amend', 'open-one', '--depends', 'needs-open'], /needs-open/],
    [
      'a spec that is missing',
      add('--id', 'x', '--done', 'd', '--scope', 's', '--spec', 'specs/none.md', '--ready'),
      /specs\/none\.md/,
    ],
    ['a spec outside', add('--id', 'x', '--spec', '../secret.md'), /secret\.md/],
    ['an absolute spec', add('--id', 'x', '--spec', '/etc/passwd'), /etc\/passwd/],
    ['text beyond all bounds', add('--id', 'x', '--done', 'x'.repeat(20_000)), /16384|16 KB|20000/],
    ['a setting that is none', ['config', 'set', 'nope', '1'], /nope/],
    ['a setting of the wrong kind', ['config', 'set', 'lease_duration', 'soon'], /lease_duration/],
    ['a command that is none', ['destroy'], /destroy/],
    ['an option that is none', ['status', '--force'], /--force/],
    ['too many words', ['finalize', 'open-one', 'draft-one'], /draft-one/],
    ['too few words', ['finalize'], /task/],
    ['an empty note', ['note', ''], /note/],
    [
      'a verdict without structure',
      ['submit-verdict', 'review-one', 'REJECTED', 'looks wrong'],
      /Blockers/,
      as('code-reviewer-1'),
    ],
    [
      'a verdict without a reason',
      ['submit-verdict', 'review-one', 'REJECTED'],
      /reason|Blockers/,
      as('code-reviewer-1'),
    ],
    [
      'a verdict on another commit',
      ['submit-verdict', 'review-one', 'APPROVED', '--commit', 'f'.repeat(40)],
      /0000001/,
      as('code-reviewer-1'),
    ],
    ['a block without a question', ['block', 'claimed-one', '--reason', 'unclear'], /question/, as('coder-1')],
    ['an agent id that is none', ['note', 'x'], /"root"/, as('root')],
    ['an agent id for a shell', ['note', 'x'], /is not an agent id/, as('coder-1; rm -rf /')],
    ['an agent id out of range', ['note', 'x'], /coder-0/, as('coder-0')],
    [
      'an agent that is not registered',
      ['block', 'claimed-one', '--reason', 'r', '--question', 'q?'],
      /coder-9/,
      as('coder-9'),
    ],
    ['another agent’s task', ['block', 'claimed-one', '--reason', 'r', '--question', 'q?'], /coder-2/, as('coder-2')],
    ['another role’s command', ['finalize', 'draft-one'], /coder/, as('coder-1')],
    ['the operator’s command', ['undo'], /operator/, as('coder-1')],
    [
      'an epoch of words',
      ['block', 'claimed-one', '--reason', 'r', '--question', 'q?'],
      /LIZA_EPOCH/,
      { ...as('coder-1'), LIZA_EPOCH: 'x' },
    ],
    [
      'a stale epoch',
      ['block', 'claimed-one', '--reason', 'r', '--question', 'q?'],
      /epoch/,
      { ...as('coder-1'), LIZA_EPOCH: '2' },
    ],
    ['a path into nowhere', ['lock', 'write', '.tasks[none].priority', '1'], /none/],
    ['a path of nonsense', ['lock', 'write', '.__proto__.x', '1'], /__proto__/],
  ];

  test('each: exit 1, one sentence and a hint, nothing changed; and as JSON', { timeout: 120_000 }, async () => {
    const board = await handwritten();
    await board.ok(['add-task', '--id', 'needs-open', '--desc', 'd', '--depends', 'open-one']);
    const before = everything(board);
    for (const [name, argv, fact, env] of cases) {
      const ran = await board.liza(argv, env === undefined ? {} : { env });
      expect({ name, code: ran.code, stderr: ran.stderr }).toMatchObject({ name, code: 1 });
      expect(ran.stderr, name).toMatch(fact);
      expectSentence(ran);
    }
    const json = await board.liza([...add('--id', '../x'), '--json']);
    expect(json).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      code: 1,
      message: expect.any(String),
      hint: expect.any(String),
    });
    expect(everything(board)).toBe(before);
    // The same words on a good board do work: the refusals above were not about something else.
    await board.ok(add('--id', 'x', '--priority', '5', '--depends', 'open-one', '--spec', 'specs/vision.md'));
  });
});

describe('a bad file', () => {
  const deep = 10_000;
  const files: [string, () => string | Buffer, RegExp][] = [
    ['broken YAML', () => HANDWRITTEN.replace('priority: 4', 'priority: [4'), /line \d+, column \d+/],
    ['a tab', () => HANDWRITTEN.replace('      priority: 4', '\tpriority: 4'), /line \d+, column \d+/],
    [
      'a key twice',
      () => HANDWRITTEN.replace('priority: 4', 'priority: 4\n      priority: 5'),
      /line 22, column \d+: .*priority.*twice/,
    ],
    ['a section twice', () => `${HANDWRITTEN}tasks: []\n`, /line \d+, column \d+: .*tasks.*twice/],
    [
      'an alias bomb',
      () =>
        `${HANDWRITTEN}a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'.replace(/./g, (c) => `${c}: &${c} [${`*${String.fromCharCode(c.charCodeAt(0) - 1)},`.repeat(9)}]\n`)}`,
      /line \d+, column \d+: (anchors|aliases)/,
    ],
    ['a second document', () => `${HANDWRITTEN}---\nversion: 1\n`, /line \d+, column \d+/],
    ['a merge key', () => HANDWRITTEN.replace('priority: 4', '<<: {priority: 4}'), /line \d+, column \d+: merge/],
    ['a tag', () => HANDWRITTEN.replace('priority: 4', 'priority: !!js/function 4'), /line \d+, column \d+/],
    [
      'blocks 10,000 deep',
      () => `${HANDWRITTEN}deep:\n${Array.from({ length: deep }, (_, at) => `${' '.repeat(at + 1)}a:\n`).join('')}`,
      /line \d+, column \d+: .*deeper/,
    ],
    ['lists 10,000 deep', () => `${HANDWRITTEN}deep:\n  ${'- '.repeat(deep)}x\n`, /line \d+, column \d+: .*deeper/],
    [
      'flow 10,000 deep',
      () => `${HANDWRITTEN}deep: ${'['.repeat(deep)}${']'.repeat(deep)}\n`,
      /line \d+, column \d+: .*deeper/,
    ],
    [
      'flow maps 10,000 deep',
      () => `${HANDWRITTEN}deep: ${'{a: '.repeat(deep)}1${'}'.repeat(deep)}\n`,
      /line \d+, column \d+: .*deeper/,
    ],
    ['100 MB', () => Buffer.alloc(100 * 1024 * 1024, '# x\n'), /64 MB/],
    ['a NUL', () => HANDWRITTEN.replace('Retry the login', 'Retry\0the login'), /line \d+, column \d+/],
    ['no UTF-8', () => Buffer.from(HANDWRITTEN.replace('Ada', 'Ad\u00e4'), 'latin1'), /UTF-8/],
  ];

  test.each(files)(
    '%s: writes exit 4, validate exit 1, reads go on, the file stays',
    { timeout: 60_000 },
    async (_name, make, fact) => {
      const board = await handwritten();
      const bytes = Buffer.from(make());
      fs.writeFileSync(board.file('.liza/state.yaml'), bytes);
      const journal = board.read('.liza/journal.jsonl');
      const started = performance.now();
      const wrote = await board.liza(['note', 'x']);
      expect(wrote).toMatchObject({ code: 4, stderr: expect.stringMatching(fact) });
      expectSentence(wrote);
      const checked = await board.liza(['validate']);
      expect(checked).toMatchObject({ code: 1, stdout: expect.stringMatching(fact) });
      expect(checked.stdout).toMatch(/^INVALID: [^\n]+\n$/);
      expect(await board.liza(['status'])).toMatchObject({ code: 0, stdout: expect.stringContaining('open-one') });
      expect(performance.now() - started).toBeLessThan(20_000);
      expect(fs.readFileSync(board.file('.liza/state.yaml')).equals(bytes)).toBe(true);
      expect(board.read('.liza/journal.jsonl')).toBe(journal);
    },
  );

  test('an unknown status: validate says which record and line', async () => {
    const board = await boardInProcess(HANDWRITTEN.replace('status: DRAFT', 'status: DONE'));
    const { code, stdout } = await board.liza(['validate']);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^INVALID: tasks\.0\.status \(line 20\): task draft-one: status is "DONE", must be one of DRAFT/,
    );
    expect((await board.liza(['validate', 'specs/vision.md'])).code).toBe(1);
    expect((await board.liza(['validate', 'no-such-file'])).code).toBe(1);
  });

  test.each([
    ['a byte-order mark', `\ufeff${HANDWRITTEN}`, /line 1, column 1: .*byte-order mark/],
    ['Windows line endings', HANDWRITTEN.replaceAll('\n', '\r\n'), /line 1, column \d+: .*Windows line endings/],
    [
      'one of them',
      HANDWRITTEN.replace('priority: 4\n', 'priority: 4\r\n'),
      /line 21, column \d+: .*Windows line endings/,
    ],
  ])('%s: refused by line and column, with what to do; the file stays', async (_name, text, fact) => {
    for (const board of [await boardInProcess(text), await handwritten()]) {
      board.write({ '.liza/state.yaml': text });
      const wrote = await board.liza(['note', 'x']);
      expect(wrote).toMatchObject({ code: 4, stderr: expect.stringMatching(fact) });
      expectSentence(wrote);
      expect(await board.liza(['validate'])).toMatchObject({ code: 1, stdout: expect.stringMatching(fact) });
      expect(board.read('.liza/state.yaml')).toBe(text);
    }
  });
});

test('a hand-written board without a sprint is refused by readers as by writers, and validate lists everything', async () => {
  const text = `${HANDWRITTEN.replace(/^sprint:\n(?:[ #].*\n|\n)*/m, '')}`;
  expect(text).not.toContain('\nsprint:');
  const board = await boardInProcess(text.replace(/priority: 4/, 'priority: 9'));
  for (const argv of [['status'], ['note', 'x']]) {
    expect(await board.liza(argv)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('section sprint is missing'),
    });
  }
  const { code, stdout } = await board.liza(['validate']);
  expect(code).toBe(1);
  expect(stdout).toContain('section sprint is missing');
  expect(stdout).toContain('must be a number from 1 (highest) to 5');
});

describe('a bad folder', () => {
  test('.liza is a link out of the project', async () => {
    const other = await handwritten();
    const board = inProcessIn(repository());
    fs.symlinkSync(other.file('.liza'), board.file('.liza'));
    const before = fingerprint(other.file('.liza'), []);
    for (const argv of [
      ['init', 'G'],
      ['note', 'x'],
      ['add-task', '--id', 'x', '--desc', 'd'],
      ['doctor', '--fix'],
    ]) {
      const ran = await board.liza(argv);
      expect({ argv, ...ran }).toMatchObject({
        argv,
        code: expect.toSatisfy((code: number) => code === 1 || code === 4),
      });
      expect(ran.stderr + ran.stdout).toContain('symbolic link');
    }
    expect(fingerprint(other.file('.liza'), [])).toBe(before);
  });
});

describe('lock modify', () => {
  test.each<[string, string, RegExp]>([
    ['broken YAML', `echo 'x: [' >> .liza/state.yaml`, /line \d+, column \d+/],
    ['a forged status', `sed -i 's/status: UNCLAIMED/status: MERGED/' .liza/state.yaml`, /tasks\/open-one/],
    [
      'guarded settings',
      `sed -i 's/test_command: npm test/test_command: "true"/' .liza/state.yaml`,
      /config\/test_command/,
    ],
    ['a deleted task', `sed -i '/- id: blocked-one/,/agent: human}/d' .liza/state.yaml`, /tasks\/blocked-one/],
    ['nothing at all', 'rm .liza/state.yaml', /no readable state\.yaml/],
    ['no text', `printf '\\377\\376' > .liza/state.yaml`, /no readable state\.yaml/],
  ])('that leaves %s: exit 4, restored, the bad version kept', async (_name, command, fact) => {
    const board = await handwritten();
    const good = board.read('.liza/state.yaml');
    const journal = board.read('.liza/journal.jsonl');
    const ran = await board.liza(['lock', 'modify', command]);
    expect(ran).toMatchObject({ code: 4, stderr: expect.stringMatching(fact) });
    expect(ran.stderr).toContain('the blackboard is unchanged');
    expectSentence(ran);
    expect(board.read('.liza/state.yaml')).toBe(good);
    expect(board.read('.liza/journal.jsonl')).toBe(journal);
    const kept = /kept in (\S+)/.exec(ran.stderr)?.[1];
    if (!command.startsWith('rm')) expect(fs.statSync(board.file(kept ?? 'none')).size).toBeGreaterThan(0);
    expect((await board.ok(['note', 'all goes on'])).stderr).toBe('');
  });

  test('what it may change counts, byte by byte, and once', async () => {
    const board = await handwritten();
    const command = `sed -i -e '/id: open-one/,/priority/s/priority: 2$/priority: 5 # later/' -e 's/# between two tasks/# between/' .liza/state.yaml`;
    expect((await board.ok(['lock', 'modify', command])).stdout).toContain('tasks/open-one: priority');
    expect(board.read('.liza/state.yaml')).toContain('priority: 5 # later');
    expect(board.read('.liza/state.yaml')).toContain('    # between\n');
    const { stderr } = await board.ok(['note', 'next']);
    expect(stderr).toBe('');
    expect(board.journal().map(({ command: name }) => name)).toEqual(['imported', 'note', 'lock modify', 'note']);
  });

  test('a command that fails leaves the blackboard as before', async () => {
    const board = await handwritten();
    const good = board.read('.liza/state.yaml');
    expect(
      await board.liza(['lock', 'modify', `sed -i 's/priority: 2/priority: 5/' .liza/state.yaml; exit 7`]),
    ).toMatchObject({ code: 1, stderr: expect.stringContaining('exit 7') });
    expect(board.read('.liza/state.yaml')).toBe(good);
  });
});

describe('undo', () => {
  test('takes the last operation back by a new one; history is never cut', async () => {
    const board = await handwritten();
    const before = board.task('open-one')['description'];
    await board.ok(['amend', 'open-one', '--desc', 'a mistake']);
    expect((await board.ok(['undo'])).stdout).toMatch(/undid entry 3: amend/);
    expect(board.task('open-one')['description']).toBe(before);
    const events = (board.task('open-one')['history'] as { event: string }[]).map(({ event }) => event);
    expect(events).toEqual(['created', 'amended', 'undone']);
    await board.ok(['add-task', '--id', 'oops', '--desc', 'd']);
    await board.ok(['undo']);
    expect(board.board().tasks.map(({ id }) => id)).not.toContain('oops');
    expect(board.journal().map(({ command }) => command)).toEqual([
      'imported',
      'note',
      'amend',
      'undo',
      'add-task',
      'undo',
    ]);
    await board.ok(['log', 'verify']);
  });

  test('takes back all that a task written by hand brought along', async () => {
    const board = await boardInProcess();
    const planned = () => (board.board()['sprint'] as { scope: { planned: string[] } }).scope.planned;
    await board.ok(['add-task', '--id', 'base', '--desc', 'd']);
    fs.writeFileSync(
      board.file('.liza/state.yaml'),
      board
        .read('.liza/state.yaml')
        .replace(
          /^agents:/m,
          '  - id: by-hand\n    status: UNCLAIMED\n    priority: 2\n    spec_ref: specs/vision.md\n    done_when: src has the module\n    scope: "IN: src"\n    validation: ["test -d src"]\nagents:',
        ),
    );
    await board.liza(['doctor', '--fix']);
    expect(planned()).toEqual(['by-hand']);
    await board.ok(['undo']);
    expect(board.board().tasks.map(({ id }) => id)).toEqual(['base']);
    expect(planned()).toEqual([]);
    await board.ok(['log', 'verify']);
  });

  test('reaches an earlier entry that nothing has built on since', async () => {
    const board = await handwritten();
    await board.ok(['amend', 'open-one', '--desc', 'a mistake']);
    await board.ok(['note', 'something else']);
    await board.ok(['undo', '3']);
    expect(board.task('open-one')['description']).toBe('Retry the login');
    expect(board.board().human_notes.map(({ message }) => message)).toContain('something else');
  });

  test('refuses what had an effect, what was built on, what has ended, what is not there', async () => {
    const board = await boardInProcess();
    const refuses = async (argv: string[], fact: RegExp) => {
      const before = everything(board);
      const ran = await board.liza(['undo', ...argv]);
      expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(fact) });
      expectSentence(ran);
      expect(everything(board)).toBe(before);
    };
    await refuses([], /effect outside the blackboard/); // init
    await board.ok(['add-task', '--id', 'a', '--desc', 'd']);
    await board.ok(['amend', 'a', '--desc', 'e']);
    await refuses(['2'], /entry 3 \(amend\) has since changed the same record/);
    await board.ok(['add-task', '--id', 'b', '--desc', 'd', '--depends', 'a']);
    await refuses(['99'], /no recent entry 99/);
    await refuses(['x'], /not the number of an entry/);
    await board.ok(['pause']);
    await refuses([], /kill switch/);
    await board.ok(['resume']);
    await board.ok(['abandon', 'b', '--reason', 'r']);
    await refuses([], /ABANDONED/);
    await board.ok(['undo', '3']);
    await refuses([], /effect|undo/); // an undo is not undone
  });
});

describe('a lost or altered record of the past', () => {
  test.each([
    ['lost', (board: BoardInProcess) => fs.rmSync(board.file('.liza/archive/index.jsonl'))],
    ['gone with the archive', (board: BoardInProcess) => fs.rmSync(board.file('.liza/archive'), { recursive: true })],
    [
      'altered',
      (board: BoardInProcess) => {
        const file = board.file('.liza/archive/index.jsonl');
        fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('MERGED', 'ABANDONED'));
      },
    ],
  ])('an archive index that is %s is found by doctor and written again from the journal', async (_, damage) => {
    const board = await handwritten();
    await board.ok(['archive', 'merged-one']);
    damage(board);
    expect(await board.liza(['doctor'])).toMatchObject({ code: 4, stdout: expect.stringContaining('merged-one') });
    // The board was written by hand: its claimed tasks have no worktree, which stays a finding.
    expect((await board.liza(['doctor', '--fix'])).stdout).toContain('written again');
    expect((await board.ok(['show', 'merged-one'])).stdout).toContain('MERGED');
    expect((await board.liza(['add-task', '--id', 'merged-one', '--desc', 'd'])).code).toBe(1);
    expect((await board.liza(['doctor'])).stdout).not.toMatch(/BAD +(archive|journal|state|rules)/);
  });

  test('metrics count archived tasks too', async () => {
    const board = await handwritten();
    const metrics = async () => (await board.ok(['metrics', '--json'])).json['metrics'];
    const before = await metrics();
    await board.ok(['archive', 'merged-one']);
    expect(await metrics()).toEqual(before);
  });

  test('doctor brings a deleted .liza back: state, journal, log and archive', async () => {
    const board = await handwritten();
    await board.ok(['archive', 'merged-one']);
    await board.ok(['note', 'the last acknowledged']);
    const was = Object.fromEntries(
      ['state.yaml', 'journal.jsonl', 'log.yaml'].map((name) => [name, board.read('.liza', name)]),
    );
    const shown = (await board.ok(['show', 'merged-one'])).stdout;
    fs.rmSync(board.file('.liza'), { recursive: true });
    const gone = await board.liza(['doctor']);
    expect(gone).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('the git directory has a copy up to entry 4'),
    });
    expect(fs.existsSync(board.file('.liza/state.yaml'))).toBe(false);
    expect((await board.liza(['doctor', '--fix'])).stdout).toContain('restored');
    for (const [name, text] of Object.entries(was)) expect(board.read('.liza', name), name).toBe(text);
    expect((await board.ok(['show', 'merged-one'])).stdout).toBe(shown);
    await board.ok(['log', 'verify']);
    await board.ok(['note', 'all goes on']);
    expect((await board.liza(['add-task', '--id', 'merged-one', '--desc', 'd'])).code).toBe(1);
  });

  test.each(['state.yaml', 'journal.jsonl', 'log.yaml', 'cache', 'archive'])(
    '%s deleted alone: the next command goes on',
    async (name) => {
      const board = await handwritten();
      const notes = board.board().human_notes.length;
      fs.rmSync(board.file('.liza', name), { recursive: true, force: true });
      await board.ok(['note', 'next']);
      expect(board.board().human_notes).toHaveLength(notes + 1);
      await board.ok(['log', 'verify']);
      expect(board.journal()).toHaveLength(3);
      if (name !== 'log.yaml') expect(board.read('.liza/log.yaml').match(/entry: /g)).toHaveLength(3);
    },
  );

  const lines = (text: string) => text.trimEnd().split('\n');
  test.each<[string, (journal: string[]) => string[]]>([
    ['an altered line', (all) => all.map((line, at) => (at === 2 ? line.replace('by liza', 'by Liza') : line))],
    [
      'an altered last line',
      (all) => all.map((line, at) => (at === all.length - 1 ? line.replace(' left for', ' lost for') : line)),
    ],
    [
      'an altered actor',
      (all) => all.map((line, at) => (at === 1 ? line.replace('"actor":"human"', '"actor":"admin"') : line)),
    ],
    ['a deleted line', (all) => all.filter((_, at) => at !== 2)],
    ['a deleted first line', (all) => all.slice(1)],
    ['two lines that changed places', (all) => [...all.slice(0, 2), all[3] ?? '', all[2] ?? '', ...all.slice(4)]],
    [
      'an altered state hash',
      (all) => all.map((line, at) => (at === 2 ? line.replace(/"state":"[0-9a-f]{8}/, '"state":"00000000') : line)),
    ],
    ['a line of nonsense', (all) => [...all.slice(0, 2), '{"seq":3}', ...all.slice(2)]],
  ])('log verify finds %s', async (name, alter) => {
    const board = await handwritten();
    await board.ok(['amend', 'open-one', '--desc', 'by liza']);
    for (const message of ['one', 'two']) await board.ok(['note', message]);
    await board.ok(['log', 'verify']);
    const altered = alter(lines(board.read('.liza/journal.jsonl')));
    expect(altered).not.toEqual(lines(board.read('.liza/journal.jsonl')));
    board.write({ '.liza/journal.jsonl': `${altered.join('\n')}\n` });
    const { code, stderr } = await board.liza(['log', 'verify']);
    expect(code).toBe(4);
    expect(stderr).toContain('the journal is broken');
    expect((await board.liza(['doctor'])).code).toBe(4);
    // Where lines no longer follow from each other nobody builds on them, and no state is rolled back.
    const chain = !/last line|nonsense/.test(name);
    const state = board.read('.liza/state.yaml');
    expect((await board.liza(['note', 'next'])).code).toBe(chain ? 4 : 0);
    if (chain) expect(board.read('.liza/state.yaml')).toBe(state);
    expect(board.task('open-one')['description']).toBe('by liza');
  });

  test('a forged state is not adopted by way of a journal whose beginning is gone', async () => {
    const board = await handwritten();
    board.write({ '.liza/journal.jsonl': `${lines(board.read('.liza/journal.jsonl')).slice(1).join('\n')}\n` });
    board.write({ '.liza/state.yaml': board.read('.liza/state.yaml').replace('status: UNCLAIMED', 'status: BLOCKED') });
    const forged = board.read('.liza/state.yaml');
    for (const argv of [['note', 'x'], ['status'], ['lock', 'write', '.config.poll_interval', '3']]) {
      expect({ argv, ...(await board.liza(argv)) }).toMatchObject({
        argv,
        code: 4,
        stderr: expect.stringContaining('journal is broken'),
      });
    }
    expect(board.read('.liza/state.yaml')).toBe(forged);
  });

  test('a cut end is no loss: the copy in the git directory has it', async () => {
    const board = await handwritten();
    await board.ok(['note', 'one']);
    const whole = board.read('.liza/journal.jsonl');
    board.write({ '.liza/journal.jsonl': `${lines(whole).slice(0, -1).join('\n')}\n` });
    expect((await board.ok(['status'])).stdout).toContain('open-one');
    await board.ok(['note', 'two']);
    expect(board.read('.liza/journal.jsonl').startsWith(whole)).toBe(true);
    expect(board.board().human_notes.map(({ message }) => message)).toEqual(expect.arrayContaining(['one', 'two']));
    await board.ok(['log', 'verify']);
  });
});
