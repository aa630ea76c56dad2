// Bad input, hostile files, odd places and the ways back, with the built program: one clear
// sentence and a hint, the right exit code, and nothing changed on disk.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { write } from '../support/core.mjs';
import { HANDWRITTEN } from '../support/handwritten-board.ts';
import { type BuiltProject, builtIn, builtProject, fingerprint, program, type Ran } from '../support/program.ts';
import { repository } from '../support/repository.ts';

function handwritten(): BuiltProject {
  const board = builtProject(HANDWRITTEN);
  board.ok(['note', 'the first']);
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
const everything = (board: BuiltProject): string =>
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

  test('each: exit 1, one sentence and a hint, nothing changed; and as JSON', { timeout: 120_000 }, () => {
    const board = handwritten();
    board.ok(['add-task', '--id', 'needs-open', '--desc', 'd', '--depends', 'open-one']);
    const before = everything(board);
    for (const [name, argv, fact, env] of cases) {
      const ran = board.liza(argv, env === undefined ? {} : { env });
      expect({ name, code: ran.code, stderr: ran.stderr }).toMatchObject({ name, code: 1 });
      expect(ran.stderr, name).toMatch(fact);
      expectSentence(ran);
    }
    const json = board.liza([...add('--id', '../x'), '--json']);
    expect(json).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      code: 1,
      message: expect.any(String),
      hint: expect.any(String),
    });
    expect(everything(board)).toBe(before);
    // The same words on a good board do work: the refusals above were not about something else.
    board.ok(add('--id', 'x', '--priority', '5', '--depends', 'open-one', '--spec', 'specs/vision.md'));
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
    (_name, make, fact) => {
      const board = handwritten();
      const bytes = Buffer.from(make());
      fs.writeFileSync(board.file('.liza/state.yaml'), bytes);
      const journal = board.read('.liza/journal.jsonl');
      const started = performance.now();
      const wrote = board.liza(['note', 'x']);
      expect(wrote).toMatchObject({ code: 4, stderr: expect.stringMatching(fact) });
      expectSentence(wrote);
      const checked = board.liza(['validate']);
      expect(checked).toMatchObject({ code: 1, stdout: expect.stringMatching(fact) });
      expect(checked.stdout).toMatch(/^INVALID: [^\n]+\n$/);
      expect(board.liza(['status'])).toMatchObject({ code: 0, stdout: expect.stringContaining('open-one') });
      expect(performance.now() - started).toBeLessThan(20_000);
      expect(fs.readFileSync(board.file('.liza/state.yaml')).equals(bytes)).toBe(true);
      expect(board.read('.liza/journal.jsonl')).toBe(journal);
    },
  );

  test('an unknown status: validate says which record and line', () => {
    const board = builtProject(HANDWRITTEN.replace('status: DRAFT', 'status: DONE'));
    const { code, stdout } = board.liza(['validate']);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^INVALID: tasks\.0\.status \(line 20\): task draft-one: status is "DONE", must be one of DRAFT/,
    );
    expect(board.liza(['validate', 'specs/vision.md']).code).toBe(1);
    expect(board.liza(['validate', 'no-such-file']).code).toBe(1);
  });

  test.each([
    ['a byte-order mark', `\ufeff${HANDWRITTEN}`, /line 1, column 1: .*byte-order mark/],
    ['Windows line endings', HANDWRITTEN.replaceAll('\n', '\r\n'), /line 1, column \d+: .*Windows line endings/],
    [
      'one of them',
      HANDWRITTEN.replace('priority: 4\n', 'priority: 4\r\n'),
      /line 21, column \d+: .*Windows line endings/,
    ],
  ])('%s: refused by line and column, with what to do; the file stays', (_name, text, fact) => {
    for (const board of [builtProject(text), handwritten()]) {
      board.write({ '.liza/state.yaml': text });
      const wrote = board.liza(['note', 'x']);
      expect(wrote).toMatchObject({ code: 4, stderr: expect.stringMatching(fact) });
      expectSentence(wrote);
      expect(board.liza(['validate'])).toMatchObject({ code: 1, stdout: expect.stringMatching(fact) });
      expect(board.read('.liza/state.yaml')).toBe(text);
    }
  });
});

test('a hand-written board without a sprint is refused by readers as by writers, and validate lists everything', () => {
  const text = `${HANDWRITTEN.replace(/^sprint:\n(?:[ #].*\n|\n)*/m, '')}`;
  expect(text).not.toContain('\nsprint:');
  const board = builtProject(text.replace(/priority: 4/, 'priority: 9'));
  for (const argv of [['status'], ['note', 'x']]) {
    expect(board.liza(argv)).toMatchObject({ code: 4, stderr: expect.stringContaining('section sprint is missing') });
  }
  const { code, stdout } = board.liza(['validate']);
  expect(code).toBe(1);
  expect(stdout).toContain('section sprint is missing');
  expect(stdout).toContain('must be a number from 1 (highest) to 5');
});

describe('a bad folder', () => {
  test('.liza is a link out of the project', () => {
    const other = handwritten();
    const board = builtIn(repository());
    fs.symlinkSync(other.file('.liza'), board.file('.liza'));
    const before = fingerprint(other.file('.liza'), []);
    for (const argv of [
      ['init', 'G'],
      ['note', 'x'],
      ['add-task', '--id', 'x', '--desc', 'd'],
      ['doctor', '--fix'],
    ]) {
      const ran = board.liza(argv);
      expect({ argv, ...ran }).toMatchObject({
        argv,
        code: expect.toSatisfy((code: number) => code === 1 || code === 4),
      });
      expect(ran.stderr + ran.stdout).toContain('symbolic link');
    }
    expect(fingerprint(other.file('.liza'), [])).toBe(before);
  });

  test('init is refused without a git repository, without a commit, in a bare one, and inside .git', () => {
    const board = builtIn(repository());
    write(board.base, { 'unborn/specs/vision.md': 'v', 'plain/x': '' });
    const [plain, unborn, bare] = ['plain', 'unborn', 'bare'].map((name) => path.join(board.base, name));
    board.git('init', '-q', `${unborn}`);
    board.git('init', '-q', '--bare', `${bare}`);
    for (const [root = '', fact] of [
      [plain, /not in a git repository/],
      [unborn, /no commit yet/],
      [bare, /bare repository/],
      [board.file('.git'), /bare repository, or inside its git directory/],
    ] as const) {
      const before = fingerprint(root, []);
      const ran = board.liza(['init', 'G'], { cwd: root });
      expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(fact) });
      expectSentence(ran);
      expect(fingerprint(root, [])).toBe(before);
    }
  });

  test('a command is refused without a project, init without a spec or a goal', () => {
    const board = builtIn(repository());
    const before = fingerprint(board.root, []);
    for (const argv of [
      ['status'],
      ['note', 'x'],
      ['init', ''],
      ['init', 'G', '--spec', 'specs/none.md'],
      ['init', 'G', '--spec', '../x'],
      ['init'],
    ]) {
      const ran = board.liza(argv);
      expect({ argv, code: ran.code }).toEqual({ argv, code: 1 });
      expectSentence(ran);
    }
    expect(fingerprint(board.root, [])).toBe(before);
  });

  test('a folder one may not write to: exit 1, the reason, nothing changed; reading works', () => {
    const board = handwritten();
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    // Root may write anywhere: the program is run as nobody, who may look but not touch.
    if (nobody.uid === undefined) spawnSync('chmod', ['-R', 'a-w', board.file('.liza')]);
    for (const folder of [board.base, board.root]) fs.chmodSync(folder, 0o755);
    const as = (argv: string[]) =>
      spawnSync(process.execPath, [program(), ...argv], {
        cwd: board.root,
        env: board.env,
        encoding: 'utf8',
        ...nobody,
      });
    const before = everything(board);
    for (const argv of [['note', 'x'], ['edit'], ['lock', 'modify', 'true']]) {
      const { status, signal, stdout, stderr } = as(argv);
      expect({ argv, status, stderr }).toMatchObject({
        argv,
        status: 1,
        stderr: expect.stringContaining('permission denied'),
      });
      expectSentence({ code: status, signal, stdout, stderr });
    }
    expect(as(['status'])).toMatchObject({ status: 0, stdout: expect.stringContaining('open-one') });
    expect(as(['show', 'open-one'])).toMatchObject({ status: 0 });
    expect(everything(board)).toBe(before);
  });
});

describe('output', () => {
  test('a reader that went away is no error', async () => {
    const board = handwritten();
    for (const words of ['log', 'status', 'lock read', 'log --json', 'help']) {
      // The reader has ended for certain before the first byte is written.
      const ended = await board.shell(
        `exec 3> >(:); wait $!; '${process.execPath}' '${program()}' ${words} >&3; echo "code $?"`,
      ).ended;
      expect({ words, ...ended }).toMatchObject({ words, stdout: 'code 0', stderr: '' });
    }
  });

  test('NO_COLOR and TERM=dumb: no escape sequence, even in a terminal', async () => {
    const board = handwritten();
    const terminal = async (env: string) =>
      (
        await board.shell(
          `env TERM=xterm ${env} script -qec "'${process.execPath}' '${program()}' status" /dev/null < /dev/null`,
        ).ended
      ).stdout;
    expect(await terminal('A=b')).toContain('\u001b[');
    expect(await terminal('NO_COLOR=1')).not.toContain('\u001b[');
    expect(await terminal('TERM=dumb')).not.toContain('\u001b[');
    expect(board.ok(['status']).stdout).not.toContain('\u001b[');
  });

  test('outside a UTF-8 locale all that is printed is ASCII; files and --json stay exact', () => {
    const board = handwritten();
    const env = { LANG: 'C', LC_ALL: undefined };
    const ascii = /^[\n\x20-\x7e]*$/;
    board.ok(['note', 'größer — schöner…'], { env });
    for (const argv of [['status'], ['show', 'open-one'], ['log'], ['help'], ['help', 'verdict'], ['metrics']]) {
      expect(board.liza(argv, { env }).stdout, argv.join(' ')).toMatch(ascii);
    }
    const refused = board.liza(['show', 'nö'], { env });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(ascii);
    expect(board.ok(['status']).stdout).not.toMatch(ascii);
    expect(board.read('.liza/state.yaml')).toContain('größer — schöner…');
    expect(board.ok(['lock', 'read', '--json'], { env }).stdout).toContain('größer — schöner…');
  });
});

describe('lock modify', () => {
  test('a liza that writes inside it fails at once', () => {
    const board = handwritten();
    const started = performance.now();
    const before = everything(board);
    const { code, stderr } = board.liza(['lock', 'modify', `'${process.execPath}' '${program()}' note inner`]);
    expect(code).toBe(1);
    expect(stderr).toContain('cannot run inside liza lock modify');
    expect(stderr).toContain('the command failed (exit 2)');
    expect(performance.now() - started).toBeLessThan(8_000);
    expect(everything(board)).toBe(before);
    board.ok(['lock', 'modify', `'${process.execPath}' '${program()}' show open-one >/dev/null`]);
  });

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
  ])('that leaves %s: exit 4, restored, the bad version kept', (_name, command, fact) => {
    const board = handwritten();
    const good = board.read('.liza/state.yaml');
    const journal = board.read('.liza/journal.jsonl');
    const ran = board.liza(['lock', 'modify', command]);
    expect(ran).toMatchObject({ code: 4, stderr: expect.stringMatching(fact) });
    expect(ran.stderr).toContain('the blackboard is unchanged');
    expectSentence(ran);
    expect(board.read('.liza/state.yaml')).toBe(good);
    expect(board.read('.liza/journal.jsonl')).toBe(journal);
    const kept = /kept in (\S+)/.exec(ran.stderr)?.[1];
    if (!command.startsWith('rm')) expect(fs.statSync(board.file(kept ?? 'none')).size).toBeGreaterThan(0);
    expect(board.ok(['note', 'all goes on']).stderr).toBe('');
  });

  test('what it may change counts, byte by byte, and once', () => {
    const board = handwritten();
    const command = `sed -i -e '/id: open-one/,/priority/s/priority: 2$/priority: 5 # later/' -e 's/# between two tasks/# between/' .liza/state.yaml`;
    expect(board.ok(['lock', 'modify', command]).stdout).toContain('tasks/open-one: priority');
    expect(board.read('.liza/state.yaml')).toContain('priority: 5 # later');
    expect(board.read('.liza/state.yaml')).toContain('    # between\n');
    const { stderr } = board.ok(['note', 'next']);
    expect(stderr).toBe('');
    expect(board.journal().map(({ command: name }) => name)).toEqual(['imported', 'note', 'lock modify', 'note']);
  });

  test('a command that fails leaves the blackboard as before', () => {
    const board = handwritten();
    const good = board.read('.liza/state.yaml');
    expect(
      board.liza(['lock', 'modify', `sed -i 's/priority: 2/priority: 5/' .liza/state.yaml; exit 7`]),
    ).toMatchObject({ code: 1, stderr: expect.stringContaining('exit 7') });
    expect(board.read('.liza/state.yaml')).toBe(good);
  });
});

describe('undo', () => {
  test('takes the last operation back by a new one; history is never cut', () => {
    const board = handwritten();
    const before = board.task('open-one')['description'];
    board.ok(['amend', 'open-one', '--desc', 'a mistake']);
    expect(board.ok(['undo']).stdout).toMatch(/undid entry 3: amend/);
    expect(board.task('open-one')['description']).toBe(before);
    const events = (board.task('open-one')['history'] as { event: string }[]).map(({ event }) => event);
    expect(events).toEqual(['created', 'amended', 'undone']);
    board.ok(['add-task', '--id', 'oops', '--desc', 'd']);
    board.ok(['undo']);
    expect(board.board().tasks.map(({ id }) => id)).not.toContain('oops');
    expect(board.journal().map(({ command }) => command)).toEqual([
      'imported',
      'note',
      'amend',
      'undo',
      'add-task',
      'undo',
    ]);
    board.ok(['log', 'verify']);
  });

  test('takes back all that a task written by hand brought along', () => {
    const board = builtProject();
    const planned = () => (board.board()['sprint'] as { scope: { planned: string[] } }).scope.planned;
    board.ok(['add-task', '--id', 'base', '--desc', 'd']);
    fs.writeFileSync(
      board.file('.liza/state.yaml'),
      board
        .read('.liza/state.yaml')
        .replace(
          /^agents:/m,
          '  - id: by-hand\n    status: UNCLAIMED\n    priority: 2\n    spec_ref: specs/vision.md\n    done_when: src has the module\n    scope: "IN: src"\n    validation: ["test -d src"]\nagents:',
        ),
    );
    board.liza(['doctor', '--fix']);
    expect(planned()).toEqual(['by-hand']);
    board.ok(['undo']);
    expect(board.board().tasks.map(({ id }) => id)).toEqual(['base']);
    expect(planned()).toEqual([]);
    board.ok(['log', 'verify']);
  });

  test('reaches an earlier entry that nothing has built on since', () => {
    const board = handwritten();
    board.ok(['amend', 'open-one', '--desc', 'a mistake']);
    board.ok(['note', 'something else']);
    board.ok(['undo', '3']);
    expect(board.task('open-one')['description']).toBe('Retry the login');
    expect(board.board().human_notes.map(({ message }) => message)).toContain('something else');
  });

  test('refuses what had an effect, what was built on, what has ended, what is not there', () => {
    const board = builtProject();
    const refuses = (argv: string[], fact: RegExp) => {
      const before = everything(board);
      const ran = board.liza(['undo', ...argv]);
      expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(fact) });
      expectSentence(ran);
      expect(everything(board)).toBe(before);
    };
    refuses([], /effect outside the blackboard/); // init
    board.ok(['add-task', '--id', 'a', '--desc', 'd']);
    board.ok(['amend', 'a', '--desc', 'e']);
    refuses(['2'], /entry 3 \(amend\) has since changed the same record/);
    board.ok(['add-task', '--id', 'b', '--desc', 'd', '--depends', 'a']);
    refuses(['99'], /no recent entry 99/);
    refuses(['x'], /not the number of an entry/);
    board.ok(['pause']);
    refuses([], /kill switch/);
    board.ok(['resume']);
    board.ok(['abandon', 'b', '--reason', 'r']);
    refuses([], /ABANDONED/);
    board.ok(['undo', '3']);
    refuses([], /effect|undo/); // an undo is not undone
  });
});

describe('a lost or altered record of the past', () => {
  test.each([
    ['lost', (board: BuiltProject) => fs.rmSync(board.file('.liza/archive/index.jsonl'))],
    ['gone with the archive', (board: BuiltProject) => fs.rmSync(board.file('.liza/archive'), { recursive: true })],
    [
      'altered',
      (board: BuiltProject) => {
        const file = board.file('.liza/archive/index.jsonl');
        fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('MERGED', 'ABANDONED'));
      },
    ],
  ])('an archive index that is %s is found by doctor and written again from the journal', (_, damage) => {
    const board = handwritten();
    board.ok(['archive', 'merged-one']);
    damage(board);
    expect(board.liza(['doctor'])).toMatchObject({ code: 4, stdout: expect.stringContaining('merged-one') });
    // The board was written by hand: its claimed tasks have no worktree, which stays a finding.
    expect(board.liza(['doctor', '--fix']).stdout).toContain('written again');
    expect(board.ok(['show', 'merged-one']).stdout).toContain('MERGED');
    expect(board.liza(['add-task', '--id', 'merged-one', '--desc', 'd']).code).toBe(1);
    expect(board.liza(['doctor']).stdout).not.toMatch(/BAD +(archive|journal|state|rules)/);
  });

  test('metrics count archived tasks too', () => {
    const board = handwritten();
    const metrics = () => JSON.parse(board.ok(['metrics', '--json']).stdout).metrics;
    const before = metrics();
    board.ok(['archive', 'merged-one']);
    expect(metrics()).toEqual(before);
  });

  test('doctor brings a deleted .liza back: state, journal, log and archive', () => {
    const board = handwritten();
    board.ok(['archive', 'merged-one']);
    board.ok(['note', 'the last acknowledged']);
    const was = Object.fromEntries(
      ['state.yaml', 'journal.jsonl', 'log.yaml'].map((name) => [name, board.read('.liza', name)]),
    );
    const shown = board.ok(['show', 'merged-one']).stdout;
    fs.rmSync(board.file('.liza'), { recursive: true });
    const gone = board.liza(['doctor']);
    expect(gone).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('the git directory has a copy up to entry 4'),
    });
    expect(fs.existsSync(board.file('.liza/state.yaml'))).toBe(false);
    expect(board.liza(['doctor', '--fix']).stdout).toContain('restored');
    for (const [name, text] of Object.entries(was)) expect(board.read('.liza', name), name).toBe(text);
    expect(board.ok(['show', 'merged-one']).stdout).toBe(shown);
    board.ok(['log', 'verify']);
    board.ok(['note', 'all goes on']);
    expect(board.liza(['add-task', '--id', 'merged-one', '--desc', 'd']).code).toBe(1);
  });

  test.each(['state.yaml', 'journal.jsonl', 'log.yaml', 'cache', 'archive'])(
    '%s deleted alone: the next command goes on',
    (name) => {
      const board = handwritten();
      const notes = board.board().human_notes.length;
      fs.rmSync(board.file('.liza', name), { recursive: true, force: true });
      board.ok(['note', 'next']);
      expect(board.board().human_notes).toHaveLength(notes + 1);
      board.ok(['log', 'verify']);
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
  ])('log verify finds %s', (name, alter) => {
    const board = handwritten();
    board.ok(['amend', 'open-one', '--desc', 'by liza']);
    for (const message of ['one', 'two']) board.ok(['note', message]);
    board.ok(['log', 'verify']);
    const altered = alter(lines(board.read('.liza/journal.jsonl')));
    expect(altered).not.toEqual(lines(board.read('.liza/journal.jsonl')));
    board.write({ '.liza/journal.jsonl': `${altered.join('\n')}\n` });
    const { code, stderr } = board.liza(['log', 'verify']);
    expect(code).toBe(4);
    expect(stderr).toContain('the journal is broken');
    expect(board.liza(['doctor']).code).toBe(4);
    // Where lines no longer follow from each other nobody builds on them, and no state is rolled back.
    const chain = !/last line|nonsense/.test(name);
    const state = board.read('.liza/state.yaml');
    expect(board.liza(['note', 'next']).code).toBe(chain ? 4 : 0);
    if (chain) expect(board.read('.liza/state.yaml')).toBe(state);
    expect(board.task('open-one')['description']).toBe('by liza');
  });

  test('a forged state is not adopted by way of a journal whose beginning is gone', () => {
    const board = handwritten();
    board.write({ '.liza/journal.jsonl': `${lines(board.read('.liza/journal.jsonl')).slice(1).join('\n')}\n` });
    board.write({ '.liza/state.yaml': board.read('.liza/state.yaml').replace('status: UNCLAIMED', 'status: BLOCKED') });
    const forged = board.read('.liza/state.yaml');
    for (const argv of [['note', 'x'], ['status'], ['lock', 'write', '.config.poll_interval', '3']]) {
      expect({ argv, ...board.liza(argv) }).toMatchObject({
        argv,
        code: 4,
        stderr: expect.stringContaining('journal is broken'),
      });
    }
    expect(board.read('.liza/state.yaml')).toBe(forged);
  });

  test('a cut end is no loss: the copy in the git directory has it', () => {
    const board = handwritten();
    board.ok(['note', 'one']);
    const whole = board.read('.liza/journal.jsonl');
    board.write({ '.liza/journal.jsonl': `${lines(whole).slice(0, -1).join('\n')}\n` });
    expect(board.ok(['status']).stdout).toContain('open-one');
    board.ok(['note', 'two']);
    expect(board.read('.liza/journal.jsonl').startsWith(whole)).toBe(true);
    expect(board.board().human_notes.map(({ message }) => message)).toEqual(expect.arrayContaining(['one', 'two']));
    board.ok(['log', 'verify']);
  });
});
